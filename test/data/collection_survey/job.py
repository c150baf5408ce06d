"""The synthetic job: what its ranks and its launcher print, when, and in which logger's style."""
import collections
import hashlib
import json
import random
import time as clock

SECOND = 1000000
LEVELS = {'i': 'INFO', 'w': 'WARNING', 'e': 'ERROR', 'd': 'DEBUG'}

# A line as the program (or the launcher: rank None) writes it. head: where the message begins in text, None if it is
# wrapped; time, level: what the line itself tells of them, '' for nothing, '?' for what must not be judged.
Line = collections.namedtuple('Line', 't rank node local text head message time level stream pid')


# ---------------------------------------------------------------------------------------------------------------- times

class Stamp(str):
    """The text of a time, with the truth (UTC, to the precision written)."""
    truth = ''


def when(us, digits=0, nanos=0):
    """UTC as the truth has it: 2026-11-26T12:18:13.123Z"""
    text = clock.strftime('%Y-%m-%dT%H:%M:%S', clock.gmtime(us // SECOND))
    part = '%06d%03d' % (us % SECOND, nanos)
    return text + ('.' + part[:digits] if digits else '') + 'Z'


def stamp(us, pattern, digits=0, zone=0):
    """strftime with %f for the fraction of so many digits and %z for the zone (minutes) as +01:00"""
    local = us + zone * 60 * SECOND
    nanos = us * 7919 % 1000
    part = ('%06d%03d' % (us % SECOND, nanos))[:digits]
    sign = '%s%02d:%02d' % ('-' if zone < 0 else '+', abs(zone) // 60, abs(zone) % 60)
    pattern = pattern.replace('%f', part).replace('%z', sign).replace('%Z', sign.replace(':', ''))
    made = Stamp(clock.strftime(pattern, clock.gmtime(local // SECOND)))
    made.truth = when(us, digits, nanos)
    return made


def tai64n(us, zone):
    made = Stamp('@%016x%08x' % (us // SECOND + 4611686018427387914, us % SECOND * 1000))
    made.truth = when(us, 6)
    return made


def epoch(us, digits, scale=None):
    """Seconds since 1970 with so many digits; scale 'ms', 'us' or 'ns': whole units."""
    number = {None: '%d.%s' % (us // SECOND, ('%06d000' % (us % SECOND))[:digits]), 'ms': '%d' % (us // 1000),
              'us': '%d' % us, 'ns': '%d' % (us * 1000)}[scale]
    made = Stamp(number)
    made.truth = when(us, digits)
    return made


STAMPS = {
    'iso9z': lambda us, zone: stamp(us, '%Y-%m-%dT%H:%M:%S.%fZ', 9),
    'iso7z': lambda us, zone: stamp(us, '%Y-%m-%dT%H:%M:%S.%fZ', 7),
    'iso6z': lambda us, zone: stamp(us, '%Y-%m-%dT%H:%M:%S.%fZ', 6),
    'iso3z': lambda us, zone: stamp(us, '%Y-%m-%dT%H:%M:%S.%fZ', 3),
    'isoz': lambda us, zone: stamp(us, '%Y-%m-%dT%H:%M:%SZ'),
    'iso6+': lambda us, zone: stamp(us, '%Y-%m-%dT%H:%M:%S.%f%z', 6, zone),
    'iso9+': lambda us, zone: stamp(us, '%Y-%m-%dT%H:%M:%S.%f%z', 9, zone),
    'iso+': lambda us, zone: stamp(us, '%Y-%m-%dT%H:%M:%S%z', 0, zone),
    'iso6Z': lambda us, zone: stamp(us, '%Y-%m-%dT%H:%M:%S.%f%Z', 6, zone),
    'iso': lambda us, zone: stamp(us, '%Y-%m-%dT%H:%M:%S'),
    'space3': lambda us, zone: stamp(us, '%Y-%m-%d %H:%M:%S.%f', 3),
    'space9': lambda us, zone: stamp(us, '%Y-%m-%d %H:%M:%S.%f', 9),
    'space': lambda us, zone: stamp(us, '%Y-%m-%d %H:%M:%S'),
    'under5': lambda us, zone: stamp(us, '%Y-%m-%d_%H:%M:%S.%f', 5),
    'ctime': lambda us, zone: stamp(us, '%a %b %e %H:%M:%S %Y'),
    'syslog': lambda us, zone: stamp(us, '%b %e %H:%M:%S'),
    'clock': lambda us, zone: stamp(us, '%H:%M:%S'),
    'kibana': lambda us, zone: stamp(us, '%b %d, %Y @ %H:%M:%S.%f', 3),
    'tai64n': tai64n,
    'epoch6': lambda us, zone: epoch(us, 6),
    'epoch3': lambda us, zone: epoch(us, 3),
    'ms': lambda us, zone: epoch(us, 3, 'ms'),
    'us': lambda us, zone: epoch(us, 6, 'us'),
    'ns': lambda us, zone: epoch(us, 6, 'ns'),
}


# --------------------------------------------------------------------------------------------------------------- styles
# A style makes (before, after, time, level) of a record with a header; before and after stand around the message.

def plain_time(us, digits, sign, zone):
    return stamp(us, '%Y-%m-%d %H:%M:%S' + sign + '%f', digits, zone)


def pylog(us, level, pid, zone):
    s = plain_time(us, 3, ',', zone)
    return '%s - trainer - %s - ' % (s, LEVELS[level]), '', s.truth, LEVELS[level]


def basic(us, level, pid, zone):
    return '%s:__main__:' % LEVELS[level], '', '', LEVELS[level]


def deepspeed(us, level, pid, zone):
    s = plain_time(us, 3, ',', zone)
    return '[%s] [%s] [engine.py:212:train] ' % (s, LEVELS[level]), '', s.truth, LEVELS[level]


def loguru(us, level, pid, zone):
    s = plain_time(us, 3, '.', zone)
    return '%s | %-8s | __main__:train:142 - ' % (s, LEVELS[level]), '', s.truth, LEVELS[level]


def glog(us, level, pid, zone):
    s = stamp(us, '%m%d %H:%M:%S.%f', 6, zone)
    return '%s%s %7d train.py:212] ' % (level.upper(), s, pid), '', s.truth, LEVELS[level]


def lightning(us, level, pid, zone):
    return '%s:lightning.pytorch.utilities.rank_zero:' % LEVELS[level], '', '', LEVELS[level]


def hugging(us, level, pid, zone):
    s = plain_time(us, 3, ',', zone)
    return '[%s|trainer.py:2134] %s >> ' % (LEVELS[level], s), '', s.truth, LEVELS[level]


def nemo(us, level, pid, zone):
    s = stamp(us, '%Y-%m-%d %H:%M:%S', 0, zone)
    return '[NeMo %s %s exp_manager:394] ' % (level.upper(), s), '', s.truth, LEVELS[level]


def structlog(us, level, pid, zone):
    s = stamp(us, '%Y-%m-%dT%H:%M:%S.%fZ', 6)
    return '{"event": ', ', "level": "%s", "timestamp": "%s"}' % (LEVELS[level].lower(), s), s.truth, LEVELS[level]


def zerolog(us, level, pid, zone):
    s = stamp(us, '%Y-%m-%dT%H:%M:%SZ')
    name = {'w': 'warn'}.get(level, LEVELS[level].lower())
    return '{"level":"%s","time":"%s","message":' % (name, s), '}', s.truth, LEVELS[level]


def logfmt(us, level, pid, zone):
    s = stamp(us, '%Y-%m-%dT%H:%M:%S.%fZ', 3)
    name = {'w': 'warn'}.get(level, LEVELS[level].lower())
    return 'ts=%s level=%s msg="' % (s, name), '"', s.truth, LEVELS[level]


def tracing(us, level, pid, zone):
    s = stamp(us, '%Y-%m-%dT%H:%M:%S.%fZ', 6)
    name = {'w': 'WARN'}.get(level, LEVELS[level])
    return '%s %5s trainer::loop: ' % (s, name), '', s.truth, LEVELS[level]


def log4j(us, level, pid, zone):
    s = stamp(us, '%y/%m/%d %H:%M:%S', 0, zone)
    name = {'w': 'WARN'}.get(level, LEVELS[level])
    return '%s %s Trainer: ' % (s, name), '', s.truth, LEVELS[level]


def dotnet(us, level, pid, zone):
    s = stamp(us, '%Y-%m-%dT%H:%M:%S.%f%z', 3, zone)
    name = {'i': 'info', 'w': 'warn', 'e': 'fail', 'd': 'dbug'}[level]
    return '%s %s: Trainer.Loop[0] ' % (s, name), '', s.truth, LEVELS[level]


def determined(us, level, pid, zone):
    return '%s: [%d] root: ' % (LEVELS[level], pid), '', '', LEVELS[level]


def zoned(us, level, pid, zone):
    s = stamp(us, '%Y-%m-%dT%H:%M:%S.%f%z', 3, zone)
    return '%s %s train: ' % (s, LEVELS[level]), '', s.truth, LEVELS[level]


def plain(us, level, pid, zone):
    return '', '', '', ''


STYLES = {f.__name__: f for f in (pylog, basic, deepspeed, loguru, glog, lightning, hugging, nemo, structlog, zerolog, logfmt,
                                  tracing, log4j, dotnet, determined, zoned, plain)}
STYLES['tqdm'] = basic
WRAPPED = ('structlog', 'zerolog')
OUT = ('structlog', 'zerolog', 'logfmt', 'dotnet', 'plain')      # these write to stdout, the others to stderr


# ---------------------------------------------------------------------------------------------------------------- story

SETUP = [
    ('i', 'initializing process group: backend=nccl world_size={world}'),
    ('p', 'Using bf16 mixed precision'),
    ('i', 'NCCL version 2.21.5+cuda12.4'),
    ('i', 'building model: 32 layers, hidden 4096, 32 heads'),
    ('i', 'number of parameters: 6738415616'),
    ('w', 'tokenizer has no pad token, using eos'),
    ('i', 'loading dataset index from /data/corpus/index.bin (1048576 samples)'),
    ('p', 'dataloader workers: 8, prefetch 4'),
    ('i', 'optimizer AdamW lr=0.0003 betas=(0.9, 0.95) weight_decay=0.1'),
    ('p', 'loaded 291 tensors'),
    ('i', 'loaded checkpoint /ckpt/run17/step_{first} in {load:.2f}s'),
    ('p', 'compiling graph ...'),
    ('i', 'training starts at step {first}'),
]

TABLE = ['| memory           |  reserved | allocated |', '|------------------|-----------|-----------|',
         '| parameters       |  12.6 GiB |  12.5 GiB |', '| optimizer states |  25.1 GiB |  25.1 GiB |',
         '| activations      |  19.3 GiB |  17.8 GiB |']

CAUGHT = ['Traceback (most recent call last):', '  File "/opt/llm/model.py", line 31, in <module>',
          '    import flash_attn', "ModuleNotFoundError: No module named 'flash_attn'"]

TRACE = ['Traceback (most recent call last):', '  File "/opt/llm/train.py", line 214, in <module>', '    main()',
         '  File "/opt/llm/train.py", line 187, in main', '    loss = train_step(batch)']

CUDA_HINTS = ['CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be'
              ' incorrect.', 'For debugging consider passing CUDA_LAUNCH_BLOCKING=1',
              'Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.', '']

# The words by which a fault is found again, and the lines printed.
FAULTS = [
    ('CUDA out of memory', TRACE + [
        'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 79.15 GiB of'
        ' which 1.21 GiB is free. Including non-PyTorch memory, this process has 77.93 GiB memory in use.']),
    ('an illegal memory access was encountered',
     TRACE + ['RuntimeError: CUDA error: an illegal memory access was encountered'] + CUDA_HINTS),
    ('uncorrectable ECC error encountered',
     TRACE + ['RuntimeError: CUDA error: uncorrectable ECC error encountered'] + CUDA_HINTS),
    ('Bus error', ['Fatal Python error: Bus error', '', 'Thread 0x00007f2d3a7fe640 (most recent call first):',
                   '  File "/opt/llm/data.py", line 88 in __getitem__', '  File "/opt/llm/train.py", line 187 in main']),
    ('is killed by signal: Killed', TRACE + ['RuntimeError: DataLoader worker (pid 48213) is killed by signal: Killed. ']),
    ('Input/output error', TRACE + ["OSError: [Errno 5] Input/output error: '/data/corpus/shard_00017.bin'"]),
    ('Segmentation fault', ['Fatal Python error: Segmentation fault', '', 'Thread 0x00007f81c2ffd640 (most recent call first):',
                            '  File "/opt/llm/kernels.py", line 41 in forward',
                            '  File "/opt/llm/train.py", line 187 in main']),
]

PEERS = [
    TRACE + ['torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:2251,'
             ' remote process exited or there was a network error, NCCL version 2.21.5',
             'ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.',
             'Last error:', 'socketProgress: Connection closed by remote peer'],
    TRACE + ['RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer'],
    ['Watchdog caught collective operation timeout: WorkNCCL(SeqNum=412, OpType=ALLREDUCE, NumelIn=16777216, NumelOut=16777216,'
     ' Timeout(ms)=4000) ran for 4012 milliseconds before timing out.', 'terminate called after throwing an instance of'
     " 'c10::DistBackendError'"],
]


class Job:
    """One run of the job under one layout; put() files its lines and keeps the truth of each."""

    def __init__(self, layout, seed, bad):
        self.layout, self.bad = layout, bad
        self.key = '%s/%s/%s' % (seed, layout.name, 'bad' if bad else 'good')
        self.rng = rng = random.Random(self.key)
        self.id = rng.randrange(10000, 99999)
        count, self.per_node = layout.shape
        self.nodes = layout.hosts(self, count)
        self.world = count * self.per_node
        self.ips = ['10.%d.%d.%d' % (self.id % 250, i // 2, rng.randrange(2, 250)) for i in range(count)]
        self.zone = layout.zone
        self.style = layout.style
        self.start = (1792000000 + rng.randrange(3000000)) * SECOND + rng.randrange(SECOND)
        self.delay = rng.randrange(1000, 40000)                     # the platform's stamp comes so much later
        self.pids = [rng.randrange(2000, 900000) for _ in range(self.world)]
        self.failing = rng.randrange(self.world)
        self.word, self.fault = rng.choice(FAULTS)
        self.fault_code = {'Bus error': 135, 'Segmentation fault': 139}.get(self.word, 1)
        self.files = collections.OrderedDict()
        self.lines = []
        self.tell()

    # -- names

    def hex(self, key, digits):
        """An identifier that stays the same for the same key."""
        return hashlib.sha256((self.key + str(key)).encode()).hexdigest()[:digits]

    def letters(self, key, digits=5):
        table = 'bcdfghjklmnpqrstvwxz2456789'
        return ''.join(table[b % len(table)] for b in hashlib.sha256((self.key + str(key)).encode()).digest()[:digits])

    def rank_node(self, rank):
        return rank // self.per_node

    # -- the story

    def say(self, t, rank, kind, message, *more):
        """A record of a rank: kind p for a bare print, x for bare lines on stderr, else the level; more lines follow bare."""
        if kind in 'px':
            before, after, time, level = '', '', '', ''
        else:
            before, after, time, level = STYLES[self.style](t, kind, self.pids[rank], self.zone)
        wrapped = before and self.style in WRAPPED
        text = before + (json.dumps(message) if wrapped else message) + after
        stream = 'stdout' if kind == 'p' or kind != 'x' and self.style in OUT else 'stderr'
        self.add(t, rank, text, None if wrapped else len(before), message, time, level, stream)
        for i, line in enumerate(more):
            self.add(t + 1 + i, rank, line, 0, line, '', '', stream)

    def add(self, t, rank, text, head, message, time, level, stream):
        node = self.rank_node(rank)
        self.lines.append(Line(t, rank, node, rank - node * self.per_node, text, head, message, time, level, stream,
                               self.pids[rank]))

    def own(self, t, text, node=None, before='', time='', level=''):
        """A line of the launcher (of its part on a node)."""
        self.lines.append(Line(t, None, node, None, before + text, len(before), text, time, level, 'stderr', None))

    def tell(self):
        rng, layout = self.rng, self.layout
        first = rng.randrange(100, 5000) * 10
        table_all = rng.random() < .5
        steps = []
        t = 14 * SECOND
        for n in range(25):
            t += rng.randrange(300000, 900000)
            steps.append((t, first + 1 + n, 3.5 - n * .01 + rng.random() * .05, rng.randrange(9000, 12000)))
        for rank in range(self.world):
            self.set_up(rank, first, table_all)
            for n, step in enumerate(steps):
                self.step(rank, n, *step)
        self.end = self.start + t + 2 * SECOND
        if self.bad:
            self.fail()
        else:
            for rank in range(self.world):
                late = rng.randrange(200000)
                self.say(self.end + late, rank, 'i', 'training finished after 25 steps')
                self.say(self.end + late + 60000, rank, 'p', 'exit')
            self.end += SECOND
        if layout.launcher:
            layout.launcher(self)
        self.lines.sort(key=lambda line: line.t)

    def set_up(self, rank, first, table):
        rng = self.rng
        t = self.start + rng.randrange(400000)
        for kind, text in SETUP:
            t += rng.randrange(100000, 900000)
            self.say(t, rank, kind, text.format(world=self.world, first=first, load=3 + rng.random() * 5))
            if rank == 0 and self.layout.long and kind == 'p' and text.startswith('Using'):
                self.say(t + 20, 0, 'p', 'config: ' + ' '.join('layer_%d.init_std=0.%05d' % (i, i * 7) for i in range(750)))
        t += 200000
        if table:
            self.say(t, rank, 'i', 'memory after the first batch', *TABLE)
        else:
            self.say(t, rank, 'w', 'falling back to eager attention', *CAUGHT)

    def step(self, rank, n, t, step, loss, rate):
        t += self.start + self.rng.randrange(120000)
        if self.style == 'tqdm':
            done = (n + 1) * 100 // 25
            bar = '█' * (done // 10) + ' ' * (10 - done // 10)
            text = 'Training: %3d%%|%s| %d/25 [%02d:%02d<00:09,  1.67it/s, loss=%.3f]' % (
                done, bar, n + 1, n * 6 // 600, n * 6 // 10, loss)
            self.say(t, rank, 'x', text)
        else:
            self.say(t, rank, 'i', 'step %d | loss %.4f | lr 3.00e-04 | %d tokens/s' % (step, loss, rate))
        if n % 2:
            self.say(t + 60000, rank, 'p', 'grad norm %.3f, peak memory 57.%d GiB' % (.8 + loss / 10, n % 10))
        if n % 10 == 9:
            self.say(t + 120000, rank, 'i', 'checkpoint saved to /ckpt/run17/step_%d' % step)

    def fail(self):
        rng = self.rng
        t = self.end
        if rng.random() < .5:
            self.say(t, self.failing, 'e', 'uncaught exception, training stops')
        self.say(t + 60000, self.failing, 'x', *self.fault)
        self.died = t + 300000
        words = rng.choice(PEERS)
        for rank in range(self.world):
            if rank != self.failing:
                self.say(t + rng.randrange(3 * SECOND, 8 * SECOND), rank, 'x', *words)
        self.end = t + 9 * SECOND

    # -- filing

    def fields(self, line):
        """What paths and labels are made of."""
        f = {'job': self.id, 'stream': line.stream, 'fd': 'O' if line.stream == 'stdout' else 'E', 'world': self.world,
             'oe': 'out' if line.stream == 'stdout' else 'err', 'zero': self.nodes[0],
             'begin': clock.strftime('%Y%m%d%H%M%S', clock.gmtime(self.start // SECOND)),
             'begun': clock.strftime('%Y%m%d_%H%M%S', clock.gmtime(self.start // SECOND)),
             'day': clock.strftime('%Y-%m-%d', clock.gmtime(self.start // SECOND))}
        if line.node is not None:
            f.update(node=self.nodes[line.node], noderank=line.node, node1=line.node + 1, ip=self.ips[line.node],
                     node_hex=self.hex('node%d' % line.node, 64), node_id=self.hex('node%d' % line.node, 8),
                     node_tag=self.letters('node%d' % line.node))
        if line.rank is not None:
            f.update(rank=line.rank, local=line.local, pid=line.pid, rank1=line.rank + 1, local1=line.local + 1,
                     rank_hex=self.hex('rank%d' % line.rank, 64), rank_id=self.hex('rank%d' % line.rank, 8),
                     rank_tag=self.letters('rank%d' % line.rank))
        return f

    def put(self, path, label, line, tells, stamp='', after='', level=None):
        """A line of the program behind a label; tells: n and r where path, label or words tell them (R: not judged)."""
        head = None if line.head is None else len(label) + line.head
        self.write(path, label + line.text + after, line, tells, stamp, head, line.message, level)

    def put_wrapped(self, path, text, line, tells, stamp='', level=None, piece=None):
        """A line that has the program's line inside JSON or CSV."""
        self.write(path, text, line, tells, stamp, None, line.message if piece is None else piece, level)

    def write(self, path, text, line, tells, stamp, head, message, level=None):
        node = self.nodes[line.node] if 'n' in tells and line.node is not None else ''
        rank = '' if line.rank is None else line.rank if 'r' in tells else '?' if 'R' in tells else ''
        time = stamp.truth if stamp and line.time in ('', '?') else line.time
        told = line.level or (level or '')
        self.files.setdefault(path, []).append((text, node, rank, time, told, message, '' if head is None else head))

    def put_note(self, path, text, node='', time=''):
        """A line of the collector itself."""
        self.files.setdefault(path, []).append((text, node, '', time, '', text, 0))
