"""Windows of the eighth simulator.

Of a job: forward: seconds of a microbatch in a stage or chunk (pipeline), of a unit (shards), of a microbatch (replicas);
activation, keys, tokens, gradient, expert: bytes, as flows_eighth_train.py tells; a pair of floats: drawn between these.
vary: of the sequences of steps, uneven: of microbatches (ragged: messages, too), noise: of computing; pauses: kind: (each so
many steps, how much); beside: parts of a checkpoint are written while it goes on, each so many steps; starts, ends: seconds;
half: which half of the interfaces of servers it shares with another job; mixed: servers in any order; twofold: queue pairs a
connection.

Of a window: run: servers are given out in runs of so many; collector: flows_eighth_export.py; fault: kind, victim (job,
from 0), range of its factor (stalled: of seconds, where it ends), of its begin and end (shares of the window; None: never).
"""


def drawn(shape, dice):
    """A shape with a value for each range."""
    return {key: dice.uniform(*value) if isinstance(value, tuple) and isinstance(value[0], float) else value
            for key, value in shape.items()}


# Of 32 to 128 accelerators each, unless a window says something else.
LOOPED = dict(kind='pipeline', tp=8, pp=4, dp=4, micro=16, chunks=2, forward=(0.045, 0.055), activation=(1.0e8, 1.6e8),
              late=True, gradient=(2.5e9, 3.5e9), wide=2.0, buckets=4, streams=2, uneven=0.015, loads=8e6)
LOOPED_4 = dict(LOOPED, tp=4, dp=4, micro=8, twofold=2, late=False, forward=(0.07, 0.09))
STAGES = dict(kind='pipeline', tp=2, pp=4, dp=8, micro=12, forward=(0.08, 0.1), activation=(6e7, 1e8), gradient=(2e9, 3e9),
              wide=2.0, buckets=4, meet=True, uneven=0.02, loads=6e6)
STAGES_1 = dict(kind='pipeline', tp=1, pp=4, dp=16, micro=12, forward=(0.07, 0.09), activation=(4e7, 7e7), gradient=(4e9, 6e9),
                buckets=4, whole=True, ragged=True, uneven=0.02, loads=6e6, vary=0.05)
TWO_STAGES = dict(kind='pipeline', tp=4, pp=2, dp=8, micro=10, forward=(0.12, 0.15), activation=(1e8, 1.6e8), wide=2.0,
                  gradient=(3e9, 4e9), buckets=4, late=True, uneven=0.02, loads=6e6)
EXPERTS = dict(kind='pipeline', tp=1, pp=2, dp=16, ep=16, micro=6, rounds=3, forward=(0.16, 0.2), activation=(5e7, 8e7),
               tokens=(1.2e8, 1.8e8), gradient=(3e9, 5e9), wide=2.0, buckets=3, uneven=0.02, loads=6e6)
EXPERTS_32 = dict(kind='pipeline', tp=1, pp=1, dp=32, ep=16, micro=3, rounds=4, forward=(0.35, 0.45), tokens=(2e8, 3e8),
                  gradient=(7e9, 1e10), expert=(2e9, 3e9), wide=2.0, buckets=4, uneven=0.02, loads=6e6)
CONTEXTS = dict(kind='pipeline', tp=2, cp=8, pp=2, dp=2, micro=4, rounds=1, forward=(0.3, 0.4), activation=(6e7, 1e8), wide=2.0,
                keys=(4e7, 7e7), gradient=(4e9, 6e9), buckets=4, vary=0.06, uneven=0.03, loads=1e7)
SHARDS = dict(kind='shards', dp=32, units=20, ahead=1, forward=(0.035, 0.05), gradient=(2.4e10, 3.2e10), streams=2, vary=0.06,
              loads=6e6)
SHARDS_16 = dict(SHARDS, dp=16, units=14, gradient=(1.2e10, 1.6e10), wide=2.0, micro=2, accumulates=True, streams=1, ahead=2)
HYBRID = dict(SHARDS, dp=32, shard=8, units=16, forward=(0.05, 0.07), gradient=(1.6e10, 2.4e10), streams=1, wide=2.0)
HYBRID_48 = dict(HYBRID, dp=48, shard=16, units=12, forward=(0.06, 0.08))
SHARDS_TP = dict(SHARDS, tp=4, dp=8, units=14, forward=(0.07, 0.1), gradient=(7e9, 1e10))
SUMS = dict(kind='replicas', dp=32, micro=2, forward=(0.3, 0.4), gradient=(1e10, 1.5e10), buckets=12, vary=0.04, loads=1e7)
SUMS_SMALL = dict(SUMS, dp=16, micro=1, forward=(0.3, 0.4), gradient=(3e9, 5e9), buckets=6)
SUMS_TREE = dict(SUMS, dp=24, tree=True, micro=3, forward=(0.25, 0.3), gradient=(5e9, 8e9))
ZERO = dict(SUMS, dp=16, zero=True, micro=4, forward=(0.2, 0.28), wide=2.0, gradient=(6e9, 9e9), buckets=6)

RAIL, TOP = dict(kind='rail', block=4, spines=4), dict(kind='top', block=2, spines=4, uplink=8)
PAIRS = dict(kind='pairs', block=4, spines=8, uplink=6, pod=1)
EIGHTH = {
    'eighth1': dict(seed=81, window=240, rate=45e9, net=61, spare=1, fabric=RAIL, alive=10, jobs=[LOOPED, SHARDS_16],
                    collector=dict(idle=1e-3, clock=5e-5, lost=0.003), tenants=('red', 'blue')),
    'eighth2': dict(seed=82, window=200, rate=23e9, net=62, spare=3, fabric=PAIRS, answers=3.0, addresses=1, run=2,
                    jobs=[dict(HYBRID_48, mixed=True, pauses={'evaluation': (14, 5)}), dict(ZERO, half=0),
                          dict(SHARDS_16, half=1, beside=9, writes=8)],
                    collector=dict(idle=2e-3, active=1.0, clock=2e-4, lost=0.006, twice=0.004)),
    'eighth3': dict(seed=83, window=240, rate=23e9, net=63, spare=2, fabric=dict(TOP, pod=2), alive=5, addresses=2,
                    packets=True, jobs=[EXPERTS, dict(TWO_STAGES, pauses={'checkpoint': (13, 12)}, dp=4)],
                    collector=dict(idle=0.01, sweep=1.0, grain=1e-3, clock=1e-3, lost=0.008, both=0.05)),
    'eighth4': dict(seed=84, window=220, rate=23e9, net=64, spare=2, fabric=dict(RAIL, block=8), addresses=3, answers=2.0,
                    jobs=[dict(CONTEXTS, turned=True, pauses={'evaluation': (17, 4)}), dict(SUMS_TREE, starts=41.0),
                          dict(SHARDS_TP, ends=150.0)],
                    bare=True, collector=dict(idle=3e-3, sample=200, clock=3e-4, lost=0.005)),
    'eighth5': dict(seed=85, window=180, rate=12e9, net=65, spare=1, fabric=RAIL, addresses=1,
                    jobs=[dict(HYBRID, gradient=(2.4e10, 3e10)), LOOPED_4, ZERO],
                    collector=dict(idle=5e-4, clock=1e-4, lost=0.004, both=0.01), alive=15,
                    fault=('slow_link', 0, (0.4, 0.6), (0.3, 0.4), (0.75, 0.9))),
    'eighth6': dict(seed=86, window=240, rate=23e9, net=66, spare=2, fabric=TOP, jobs=[STAGES_1, dict(SHARDS, mixed=True)],
                    collector=dict(idle=1e-3, active=5.0, clock=1e-4, lost=0.005), run=1, tenants=('a', 'b'), answers=2.0,
                    fault=('dead_accelerator', 1, (0.0, 0.0), (0.45, 0.6), None)),
    'eighth7': dict(seed=87, window=200, rate=45e9, net=67, fabric=dict(RAIL, uplink=6), spare=1, addresses=2, run=2,
                    jobs=[dict(STAGES, dp=4, half=0), dict(SUMS, dp=16, half=1, beside=25), EXPERTS_32],
                    collector=dict(idle=1e-3, sweep=0.5, clock=5e-4, lost=0.005), packets=True,
                    fault=('slow_accelerator', 0, (0.22, 0.4), (0.3, 0.42), (0.78, 0.95))),
    'eighth8': dict(seed=88, window=200, rate=23e9, net=68, spare=1, fabric=RAIL, addresses=3, run=2,
                    jobs=[SUMS, dict(TWO_STAGES, turned=True),
                          dict(SHARDS, pauses={'checkpoint': (21, 10)})], tenants=('x', 'y', 'x'), alive=8,
                    collector=dict(idle=4e-4, clock=1e-4, lost=0.004, twice=0.002),
                    fault=('slow_switch', 0, (0.4, 0.55), (0.3, 0.42), (0.75, 0.9))),
    'eighth9': dict(seed=89, window=165, rate=23e9, net=69, spare=2, fabric=PAIRS, answers=2.0, nics=4,
                    jobs=[dict(EXPERTS, pp=2, dp=8, ep=8, direct=True), dict(SHARDS, beside=12), SUMS_SMALL],
                    collector=dict(idle=1e-3, active=2.0, clock=3e-4, lost=0.006),
                    fault=('stalled', 1, (12.0, 25.0), (0.35, 0.55), (1.0, 1.0))),
    'eighth10': dict(seed=90, window=200, rate=23e9, net=70, spare=1, fabric=dict(TOP, block=4), addresses=1, alive=20, run=1,
                     jobs=[dict(STAGES, dp=16, twofold=4), ZERO], bare=True,
                     collector=dict(idle=2e-3, grain=1e-3, clock=5e-4, lost=0.004),
                     fault=('stalled', 0, (0.0, 0.0), (0.5, 0.65), None)),
}
