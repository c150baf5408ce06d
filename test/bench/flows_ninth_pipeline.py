"""Jobs of the ninth simulator that are pipelines: stages, chunks of them, experts, long contexts, and optimizers in parts."""
from flows_ninth_collectives import Tiny
from flows_ninth_jobs import Job
from flows_ninth_queues import Flag, drain, give, join, launch, lift, post, run, take, wait
from flows_ninth_swaps import Pipe


def schedule(pp, p, micro, chunks=1, split=False):
    """What a stage does in a step: (F, B or W, microbatch, chunk). One forward, one backward in turn after a few forwards; with
    chunks, these take turns in groups of as many microbatches as stages. split: gradients of weights (W) come later than those
    of activations (B), as late as leaves no more of them than the stages before, so that later stages hand back sooner."""
    total = micro * chunks
    forth = [(g * pp + i, v) for g in range(micro // pp) for v in range(chunks) for i in range(pp)] if chunks > 1 else [
        (m, 0) for m in range(micro)]
    back = [(m, chunks - 1 - v) for m, v in forth]
    warm = min(total, (pp - p - 1) * (2 if chunks > 1 else 1) + (chunks - 1) * pp)
    order, open_weights = [('F', *forth[i]) for i in range(warm)], []
    for i in range(total):
        if warm + i < total:
            order.append(('F', *forth[warm + i]))
        order.append(('B', *back[i]))
        if split:
            open_weights.append(back[i])
            while len(open_weights) > (p if warm + i < total else max(0, p - 1)):
                order.append(('W', *open_weights.pop(0)))
    return order + [('W', *w) for w in open_weights]


class Pipeline(Job):
    """forward: seconds of a microbatch in a chunk; activation, tokens, keys: bytes of a worker and microbatch; gradient: bytes
    of a rank's parameters, expert: of those of its experts; wide: of gradients against parameters; late: parameters are
    gathered in the next step's forward, else at the step's end; whole: gradients are summed, nothing gathered."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        shape, pp = self.shape, self.pp
        self.chunks = shape.get('chunks', 1)
        self.orders = [schedule(pp, p, shape['micro'], self.chunks, shape.get('split')) for p in range(pp)]
        self.weight = shape.get('weights') or [1.0] * (pp * self.chunks)
        self.pipes, self.norms = {}, {}
        for cell in self.cells if pp > 1 else ():
            for way in (1, -1):
                other = ((cell[0] + way) % pp,) + cell[1:]
                self.pipes[way, cell] = Pipe(self, 'pipeline', cell, other)
        for d in range(self.dp) if pp > 1 else ():
            some = [(p, d, c) for p in range(pp) for c in range(self.cp)]
            self.norms.update(dict.fromkeys(some, Tiny(self, 'control', some)))

    def layers(self, worker, seconds, step, micro, share, back):
        """Commands that compute a share of a chunk's layers: with experts or long contexts in rounds, between which there is
        something to send; keys go back with their gradients."""
        shape, cell, commands = self.shape, worker.cell, []
        rounds = max(1, round(shape.get('rounds', 1) * share)) if self.ep > 1 or self.cp > 1 else 1
        part = seconds / rounds
        for _ in range(rounds):
            if self.ep > 1:
                size = shape['tokens'] * share / rounds
                swap = self.expert[cell]
                for much in (size * shape.get('narrow', 1.0), size):
                    commands += [(run, 0.4 * part), (launch, 'tokens', [(join, swap, much, step, micro)]),
                                 (run, 0.1 * part), (drain, 'tokens')]
            elif self.cp > 1 and shape.get('ulysses'):
                size = shape['keys'] * share / rounds
                commands += [(run, 0.25 * part), (join, self.keys[cell], size), (run, 0.35 * part),
                             (join, self.keys[cell], size / 3), (run, 0.4 * part)]
            elif self.cp > 1:
                size = shape['keys'] * share / rounds * (2 if back else 1)
                for block in range(self.cp):
                    some = block < self.cp - 1
                    commands += [(launch, 'keys', [(join, self.keys[cell], size)])] if some else []
                    commands += [(run, part / self.cp)] + ([(drain, 'keys')] if some else [])
            else:
                commands.append((run, part))
        return commands

    def pipes_of(self, cell, what, chunk):
        """Pipes from which something comes and into which it goes, or None."""
        p, last = cell[0], self.pp * self.chunks - 1
        place, way = chunk * self.pp + p, 1 if what == 'F' else -1
        before, after = place - way, place + way
        source = self.pipes[way, ((p - way) % self.pp,) + cell[1:]] if what != 'W' and 0 <= before <= last else None
        return source, self.pipes[way, cell] if what != 'W' and 0 <= after <= last else None

    def reduced(self, cell, share, step):
        """Commands that sum or scatter gradients of a share of the layers, in another queue."""
        shape, what = self.shape, 'sum' if self.shape.get('whole') else 'scatter'
        commands = [(join, self.data[cell], what, shape['gradient'] * share * shape.get('wide', 1), step)]
        if shape.get('expert') and cell in self.alike:
            commands.append((join, self.alike[cell], 'sum', shape['expert'] * share * shape.get('wide', 1), step))
        return (launch, 'data', commands)

    def work(self, worker, what, micro, chunk, step, last):
        """Commands that compute a forward or backward of a chunk; with its last backward gradients go out by buckets."""
        shape, cell = self.shape, worker.cell
        length = self.lengths(step)[micro][cell[1] // self.ep * self.ep]
        turn = {'F': 1.0, 'B': 1.0 if shape.get('split') else 2.0, 'W': 1.0}[what]
        seconds = shape['forward'] * self.weight[chunk * self.pp + cell[0]] * length * turn
        if what == 'W':
            commands = lambda share: [(run, seconds * share)]
        else:
            commands = lambda share: self.layers(worker, seconds * share, step, micro, share, what == 'B')
        if not last:
            return commands(1.0)
        buckets, some = max(1, shape.get('buckets', 4) // self.chunks), []
        for _ in range(buckets):
            some += commands(1 / buckets) + [self.reduced(cell, 1 / buckets / self.chunks, step)]
        return some

    def size(self, worker, step, micro):
        """Bytes of a message of activations."""
        shape = self.shape
        return shape['activation'] * (self.lengths(step)[micro][worker.cell[1]] if shape.get('ragged') else 1.0)

    def program(self, worker, step):
        """Commands of a step."""
        cell, shape, order, commands = worker.cell, self.shape, self.orders[worker.cell[0]], []
        flags = self.early_gather(worker, step, commands)
        left = {v: shape['micro'] for v in range(self.chunks)}
        comes = [self.pipes_of(cell, what, chunk)[0] for what, _, chunk in order]
        ahead, posted = shape.get('ahead', 1), 0
        for i, (what, micro, chunk) in enumerate(order):
            while posted < min(len(order), i + 1 + ahead):
                commands += [(post, comes[posted])] if comes[posted] else []
                posted += 1
            if what == 'F' and micro == 0 and flags:
                commands.append((wait, flags[chunk]))
            if comes[i]:
                commands.append((take, comes[i]))
            ends = what == ('W' if shape.get('split') else 'B')
            left[chunk] -= ends
            commands += self.work(worker, what, micro, chunk, step, ends and not left[chunk])
            goes = self.pipes_of(cell, what, chunk)[1]
            if goes:
                commands.append((give, goes, self.size(worker, step, micro)))
        return commands + self.update(worker, step)

    def early_gather(self, worker, step, commands):
        """Parameters are gathered chunk by chunk while the forward begins; gives a flag for each chunk."""
        if not self.shape.get('late') or step == self.first:
            return None
        flags = [Flag() for _ in range(self.chunks)]
        for flag in flags:
            commands.append((launch, 'gather', [(join, self.gather[worker.cell], 'gather', self.shape['gradient'] / self.chunks,
                                                 step), (lift, flag)]))
        return flags

    def update(self, worker, step):
        """Gradients are there: their norm, the optimizer, and parameters, unless these come later."""
        shape, cell = self.shape, worker.cell
        commands = [(drain, 'data'), (drain, 'gather')]
        if self.norms:
            commands.append((join, self.norms[cell]))
        commands.append((run, shape.get('optimizer', 0.03)))
        if not shape.get('late') and not shape.get('whole'):
            commands += [(join, self.gather[cell], 'gather', shape['gradient'] / 2, step) for _ in range(2)]
        return commands

    def idle_program(self, worker, kind, much, step):
        """So many microbatches forward only."""
        commands, cell = [], worker.cell
        for group in range(0, much, self.pp):
            for chunk in range(self.chunks):
                for micro in range(group, min(much, group + self.pp)):
                    comes, goes = self.pipes_of(cell, 'F', chunk)
                    commands += [(post, comes), (take, comes)] if comes else []
                    commands += self.work(worker, 'F', micro % 8, chunk, step, False)
                    commands += [(give, goes, self.size(worker, step, micro % 8))] if goes else []
        return commands
