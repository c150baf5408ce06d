"""Jobs of the ninth simulator without stages: replicas that hold all, and shards of parameters, gathered unit by unit."""
from flows_ninth_collectives import Tiny
from flows_ninth_jobs import Job
from flows_ninth_queues import Flag, drain, join, launch, lift, run, wait
from flows_ninth_swaps import Swap


class Shards(Job):
    """units: of layers, whose parameters are gathered before computing (ahead: so many before), again for the backward, and
    whose gradients are scattered; shard: ranks of a part that shards, with sums among those alike. forward: seconds of a unit;
    gradient: bytes of all parameters. near: parameters are kept within each server for the backward, and gradients go by two
    exchanges, within servers and between them, in few bits (as ZeRO++ does); accumulates: gradients go with the last microbatch
    only."""

    def make_groups(self):
        """Also who exchanges gradients, and who has a norm in common."""
        super().make_groups()
        self.spread, shape = {}, self.shape
        self.norm = Tiny(self, 'control', self.cells)
        if shape.get('near'):
            nodes = self.data[self.cells[0]].nodes
            for j in range(len(nodes[0])):
                some = [self.cells[node[j]] for node in nodes]
                self.spread.update(dict.fromkeys(some, Swap(self, 'data', some, self.piece)))

    def piece(self, one, other, call):
        """Bytes of gradients from one to another between servers."""
        return call.what[0] / len(self.data[self.cells[0]].nodes)

    def unit(self, number):
        """Bytes of a unit's parameters; the first has the embedding."""
        units = self.shape['units']
        return self.shape['gradient'] / (units + 0.7) * (1.7 if number == 0 else 1.0)

    def gathers(self, worker, number, step, flag):
        """Commands that gather a unit."""
        size = self.unit(number) * self.shape.get('packed', 1.0)
        return (launch, 'gather', [(join, self.gather[worker.cell], 'gather', size, step), (lift, flag)])

    def scatters(self, worker, number, step):
        """Commands that scatter gradients of a unit."""
        shape, cell, size = self.shape, worker.cell, self.unit(number) * self.shape.get('wide', 1)
        if shape.get('near'):
            width = len(self.data[cell].nodes[0])
            return (launch, 'data', [(run, size / 2e11), (join, self.spread[cell], size / width, step)])
        commands = [(join, self.data[cell], 'scatter', size, step)]
        if cell in self.alike:
            commands.append((join, self.alike[cell], 'sum', size / shape['shard'], step))
        return (launch, 'data' if shape.get('streams', 1) > 1 else 'gather', commands)

    def walk(self, worker, step, micro, back, gathers, scatters):
        """Commands of a microbatch through all units, forward or back."""
        shape, units, commands = self.shape, self.shape['units'], []
        order = list(range(units))[::-1 if back else 1]
        length = self.lengths(step)[micro][worker.cell[1]] * (2 if back else 1)
        flags, coming = [Flag() for _ in order], 0
        for i, number in enumerate(order):
            while gathers and coming < min(units, i + 1 + shape.get('ahead', 1)):
                commands.append(self.gathers(worker, order[coming], step, flags[coming]))
                coming += 1
            if gathers:
                commands.append((wait, flags[i]))
            commands.append((run, shape['forward'] * length))
            if scatters:
                commands.append(self.scatters(worker, number, step))
        return commands

    def program(self, worker, step):
        """Commands of a step."""
        shape, many, commands = self.shape, self.shape.get('micro', 1), []
        for micro in range(many):
            last = micro == many - 1 or not shape.get('accumulates')
            commands += self.walk(worker, step, micro, False, True, False)
            commands += self.walk(worker, step, micro, True, not shape.get('near'), last)
        return commands + [(drain, 'data'), (drain, 'gather'), (join, self.norm), (run, shape.get('optimizer', 0.03))]

    def idle_program(self, worker, kind, much, step):
        """Forward only, so many times; or generating for so many seconds: all weights come to each server, which then writes
        answers, some of them long, and afterwards is asked how likely these were."""
        if kind != 'generation':
            return [c for i in range(much) for c in self.walk(worker, step, i % 8, False, True, False)]
        commands = []
        for number in range(self.shape['units']):
            commands.append((launch, 'gather', [(join, self.gather[worker.cell], 'gather', self.unit(number), step)]))
        seconds = much * min(1.9, self.dice.lognormvariate(-0.15, 0.25))
        commands += [(drain, 'gather'), (run, seconds), (join, self.meeting, None)]
        return commands + self.walk(worker, step, 0, False, True, False)


class Replicas(Job):
    """Each has all of the parameters: gradients are summed by buckets while the last backward goes on; zero: they are scattered
    instead, and parameters gathered after the optimizer. forward: seconds of a microbatch."""

    def program(self, worker, step):
        """Commands of a step."""
        shape, cell, commands = self.shape, worker.cell, []
        many, zero = shape['buckets'], shape.get('zero')
        parts = [0.25 / many] + [1 / many] * (many - 1) + [0.75 / many]
        for micro in range(shape['micro']):
            seconds, last = shape['forward'] * self.lengths(step)[micro][cell[1]], micro == shape['micro'] - 1
            commands.append((run, seconds))
            for part in parts if last else (1.0,):
                commands.append((run, 2 * seconds * part))
                if last:
                    size = shape['gradient'] * part * shape.get('wide', 1)
                    commands.append((launch, 'data', [(join, self.data[cell], 'scatter' if zero else 'sum', size, step)]))
        commands += [(drain, 'data'), (run, shape.get('optimizer', 0.04))]
        for part in parts if zero else ():
            commands.append((join, self.gather[cell], 'gather', shape['gradient'] * part, step))
        return commands

    def idle_program(self, worker, kind, much, step):
        """Forward only."""
        return [(run, self.shape['forward']) for _ in range(much)]
