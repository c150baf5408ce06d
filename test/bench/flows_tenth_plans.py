"""Windows of the tenth simulator.

Of a job: class: stages, shards, local, replicas; tp, pp, dp, cp, ep: how many ranks (ep: of dp); order: which counts up
first; a
pair of floats: drawn between these; what else: as the modules of jobs tell. vary: of the lengths of steps, uneven: of
microbatches (ragged: messages, too), noise: of computing, hiccups: how often a host is busy; pauses: kind: (each so many steps,
how much); saves: a checkpoint beside (each so many steps, pieces); starts, ends: seconds; joins: (replicas, when); pairs: queue
pairs of a hop of a collective; opposed: every other lane goes the other way; own, shares: of servers, as flows_tenth.py tells.

Of a window: rate: bytes a second of an interface; run: servers are given out in runs of so many; collector:
flows_tenth_export.py; beside: how often a second, flows_tenth_beside.py; fault: kind, job (from 0), ranges of its factor and of
when it begins and ends (shares of the window), and what it hits.
"""


def drawn(shape, dice):
    """A shape with a value for each range."""
    return {key: dice.uniform(*value) if isinstance(value, tuple) and isinstance(value[0], float) else value
            for key, value in shape.items()}


# Stages: one forward and one backward in turn, in chunks, without bubbles.
PLAIN = {'class': 'stages', 'tp': 8, 'pp': 4, 'dp': 2, 'micro': 12, 'forward': (0.055, 0.07), 'activation': (0.9e8, 1.4e8),
         'gradient': (5e9, 7e9), 'buckets': 4, 'loads': 9e6, 'weights': [1.03, 1, 1, 1.1]}
CHUNKS = dict(PLAIN, pp=8, dp=4, chunks=2, micro=16, forward=(0.04, 0.05), gradient=(2.5e9, 3.5e9), optimizer='late',
              apart=True,
              weights=[1.05] + [1] * 14 + [1.12], activation=(1.2e8, 1.8e8))
VEE = dict(PLAIN, tp=4, pp=4, dp=4, chunks=2, layout='vee', split=True, micro=10, forward=(0.042, 0.055), weights=None,
           activation=(0.6e8, 1.0e8), gradient=(6e9, 8e9), order='tcdp')
SPLIT = dict(PLAIN, tp=4, pp=4, dp=2, split=True, micro=10, forward=(0.07, 0.09), gradient=(4e9, 6e9), optimizer='late',
             activation=(0.6e8, 1.0e8))
SUMS_UP = dict(PLAIN, tp=8, pp=2, dp=4, chunks=2, micro=8, way='switch', apart=True, gradient=(4e9, 6e9), weights=None,
               forward=(0.06, 0.075))
ACROSS = dict(PLAIN, tp=16, pp=2, dp=2, micro=8, forward=(0.15, 0.18), across=(6e8, 9e8), rounds=6, weights=[1.0, 1.06],
              activation=(1.5e8, 2e8))
# Experts and long contexts.
EXPERTS = {'class': 'stages', 'dp': 32, 'ep': 32, 'micro': 3, 'rounds': 2, 'forward': (0.30, 0.38), 'tokens': (2.2e8, 3.2e8),
           'gradient': (7e9, 1.0e10), 'buckets': 3, 'loads': 6e6, 'narrow': 0.5, 'skew': 0.07}
EXPERTS_DIRECT = dict(EXPERTS, dp=64, ep=16, tokens_way='direct', expert=(3e9, 4e9), gradient=(4e9, 6e9), forward=(0.36, 0.42))
EXPERTS_STAGED = dict(EXPERTS, pp=2, dp=32, ep=16, micro=6, rounds=1, forward=(0.22, 0.27), activation=(5e7, 8e7),
                      expert=(2e9, 3e9), gradient=(3e9, 5e9), weights=[1.0, 1.07])
CONTEXTS = {'class': 'stages', 'tp': 4, 'cp': 4, 'dp': 2, 'pp': 2, 'micro': 6, 'rounds': 2, 'forward': (0.22, 0.28),
            'keys': (1.0e8, 1.5e8), 'activation': (6e7, 9e7), 'gradient': (5e9, 7e9), 'buckets': 3, 'vary': 0.04, 'loads': 1e7}
# Shards.
SHARDS = {'class': 'shards', 'dp': 32, 'units': 16, 'forward': (0.05, 0.065), 'gradient': (2.4e10, 3.2e10), 'half': 1.0,
          'vary': 0.03, 'loads': 6e6}
SHARDS_128 = dict(SHARDS, dp=128, units=14, gradient=(5.5e10, 7e10), forward=(0.07, 0.085), ahead=2)
SHARDS_TP = dict(SHARDS, tp=2, dp=24, units=16, gradient=(1.4e10, 1.8e10), micro=2, saved=True, forward=(0.04, 0.05), half=0.5)
PARTS = dict(SHARDS, dp=48, shard=16, units=14, gradient=(1.6e10, 2.2e10), forward=(0.06, 0.075))
PARTS_256 = dict(SHARDS, dp=256, shard=64, units=12, gradient=(4e10, 5e10), forward=(0.11, 0.13), way='tree')
HYBRID = dict(SHARDS, dp=64, shard=8, units=18, gradient=(1.6e10, 2.2e10), kept=True, forward=(0.045, 0.055))
LOCAL = dict(SHARDS, **{'class': 'local', 'dp': 32, 'shard': 16, 'often': False, 'outer': 40, 'units': 10,
                        'forward': (0.035, 0.042), 'gradient': (1.0e10, 1.4e10)})
# Replicas.
SUMS = {'class': 'replicas', 'dp': 16, 'forward': (0.3, 0.4), 'gradient': (5e9, 8e9), 'buckets': 10, 'vary': 0.03, 'loads': 8e6}
SUMS_TREE = dict(SUMS, dp=32, way='tree', micro=2, forward=(0.22, 0.28), buckets=8, pairs=2)
SUMS_HALVES = dict(SUMS, dp=64, way='halves', buckets=8, forward=(0.35, 0.45), gradient=(6e9, 9e9))
SUMS_ZERO = dict(SUMS, dp=32, sharded=True, micro=3, forward=(0.2, 0.26), buckets=8)

RAIL, TOR, DUAL = dict(kind='rail', block=4, spines=4), dict(kind='tor', block=2, spines=4), dict(kind='dual', block=4,
    spines=4)
TENTH = {
    'tenth1': dict(seed=1001, window=180, rate=48e9, number=31, spare=2, fabric=dict(RAIL, block=6), style='servers',
                   jobs=[PLAIN, dict(SHARDS, saves=(25, 3))], tenants=('blue', 'green'), beside=dict(answers=1.0),
                   collector=dict(idle=1e-3, clock=1.5e-4, lost=0.004)),
    'tenth2': dict(seed=1002, window=130, rate=48e9, number=32, spare=1, fabric=dict(RAIL, block=16, pod=2, cores=4),
                   style='flat',
                   jobs=[CHUNKS, PARTS_256], collector=dict(idle=1.5e-3, active=5.0, clock=2e-4, lost=0.005, last=0.01)),
    'tenth3': dict(seed=1003, window=180, rate=24e9, number=33, spare=2, fabric=dict(DUAL, pod=3), style='six', packets=True,
                   run=2, jobs=[SUMS, SUMS_TREE, dict(SUMS_HALVES, dp=32), dict(SUMS_ZERO, joins=(8, 80)), LOCAL, EXPERTS],
                   collector=dict(idle=2e-3, scan=2e-3, grain=1e-4, clock=3e-4, lost=0.006)),
    'tenth4': dict(seed=1004, window=200, rate=48e9, number=34, spare=3, fabric=RAIL, style='rails', bare=True,
                   beside=dict(answers=1.5),
                   jobs=[EXPERTS_STAGED, dict(CONTEXTS, pauses={'evaluation': (14, 8)}), dict(SHARDS_TP, starts=44.0),
                         dict(SUMS_ZERO, ends=150.0, pauses={'checkpoint': (30, 40)})],
                   collector=dict(idle=4e-3, sample=64, clock=3e-4, lost=0.004)),
    'tenth5': dict(seed=1005, window=180, rate=24e9, number=35, spare=2, fabric=RAIL, style='flat', run=2,
                   jobs=[EXPERTS_DIRECT, dict(SPLIT, order='tcpd')], beside=dict(answers=1.0),
                   collector=dict(idle=8e-4, clock=2e-4, lost=0.004, twice=0.002),
                   fault=dict(kind='slow_accelerator', job=0, factor=(0.24, 0.36), began=(0.35, 0.5))),
    'tenth6': dict(seed=1006, window=180, rate=24e9, number=36, spare=1, fabric=DUAL, style='servers', tenants=('x', 'y'),
                   jobs=[dict(VEE, gradient=(1.7e10, 2.0e10)), dict(PARTS, pauses={'evaluation': (20, 2)})],
                   collector=dict(idle=1e-3, active=2.0, clock=2e-4, lost=0.005),
                   fault=dict(kind='slow_link', job=0, factor=(0.5, 0.6), began=(0.3, 0.42), ended=(0.78, 0.92))),
    'tenth7': dict(seed=1007, window=170, rate=24e9, number=37, spare=1, fabric=RAIL, style='six', packets=True,
                   jobs=[dict(SHARDS_128, saves=(18, 3), gradient=(1.1e11, 1.3e11)), dict(PLAIN, dp=2, tp=4, micro=16,
                       order='tcpd'), SUMS],
                   collector=dict(idle=1e-3, clock=2e-4, lost=0.005, deaf=0.03),
                   fault=dict(kind='slow_switch', job=0, factor=(0.42, 0.58), began=(0.32, 0.44), ended=(0.8, 0.92),
                              where='leaf')),
    'tenth8': dict(seed=1008, window=180, rate=48e9, number=38, spare=2, fabric=dict(TOR, block=4), style='rails',
                   jobs=[dict(CONTEXTS, dp=4, order='tcdp'), SHARDS_TP], beside=dict(answers=1.2),
                   collector=dict(idle=1e-3, clock=2e-4, lost=0.004),
                   fault=dict(kind='stalled', job=0, began=(0.42, 0.55), seconds=(16.0, 28.0))),
    'tenth9': dict(seed=1009, window=180, rate=24e9, number=39, spare=2, fabric=TOR, style='servers', run=2, bare=True,
                   jobs=[dict(PLAIN, pauses={'evaluation': (25, 8)}), HYBRID, dict(SUMS_TREE, opposed=True)],
                   collector=dict(idle=2e-3, active=1.0, clock=3e-4, lost=0.006),
                   fault=dict(kind='dead_accelerator', job=1, began=(0.5, 0.65))),
    'tenth10': dict(seed=1010, window=190, rate=48e9, number=40, spare=1, fabric=dict(DUAL, block=3), style='flat',
                    jobs=[dict(SHARDS, dp=64, units=14, gradient=(3.5e10, 4.5e10), forward=(0.065, 0.08)), VEE,
                          dict(SUMS_ZERO, dp=16, own=(0, 4)), dict(SUMS, dp=16, own=(4, 4), shares=2, forward=(0.42, 0.5))],
                    collector=dict(idle=2e-3, grain=1e-3, clock=4e-4, lost=0.004),
                    fault=dict(kind='slow_accelerator', job=0, factor=(0.24, 0.38), began=(0.3, 0.42), ended=(0.65, 0.8))),
    'tenth11': dict(seed=1011, window=170, rate=24e9, number=41, spare=2, fabric=dict(RAIL, pod=2), style='rails', packets=True,
                    jobs=[dict(SUMS_HALVES, gradient=(1.4e10, 1.8e10)), dict(EXPERTS_STAGED, dp=16, ep=16, expert=0.0), SHARDS],
                    collector=dict(idle=1e-3, active=4.0, clock=2e-4, lost=0.004, last=0.01),
                    fault=dict(kind='flapping', job=0, began=(0.33, 0.45), ended=(0.8, 0.92), down=(0.3, 0.8), up=(0.4, 1.4))),
    'tenth12': dict(seed=1012, window=170, rate=48e9, number=42, spare=2, fabric=dict(RAIL, block=2, spines=3), style='six',
                    jobs=[SUMS_UP, ACROSS, dict(SHARDS, dp=64, units=14, gradient=(1.2e11, 1.4e11), forward=(0.05, 0.055))],
                    collector=dict(idle=1e-3, clock=2e-4, lost=0.005),
                    fault=dict(kind='slow_switch', job=2, factor=(0.45, 0.6), began=(0.32, 0.44), ended=(0.8, 0.92),
                               where='spine')),
}
