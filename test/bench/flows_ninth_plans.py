"""Windows of the ninth simulator.

Of a job: tp, pp, dp, cp, ep: how many ranks (ep: of dp); order: which of tensor, context, data, pipeline counts up first;
forward: seconds of a microbatch in a stage or chunk (pipeline), of a unit (shards), of a microbatch (replicas); activation,
keys, tokens, gradient, expert: bytes, as the modules of jobs tell; a pair of floats: drawn between these. weights: how long
each chunk takes against the others. vary: of the lengths of steps, uneven: of microbatches (ragged: messages, too), noise: of
computing; how: tokens go (flows_ninth_swaps.py), narrow: bytes of tokens that go against those that come back, skew: how alike
experts are liked; tidies: seconds between two tidyings of a host's memory; pauses: kind: (each so many steps, how much);
beside: a checkpoint is written while it goes on, each so many steps, by so many pieces; starts, ends: seconds; own, shares,
mixed: servers, as flows_ninth.py tells; queue_pairs: of a connection of a ring; turned: every other ring goes the other way;
labels: the last stage loads, too; channels of rings: 0 gradients, 1 parameters, 2 those alike.

Of a window: run: servers are given out in runs of so many; collector: flows_ninth_collect.py; fault: kind, job (from 0), ranges
of its factor, of its begin and end (shares of the window; none: never; or seconds that it lasts), stages or channel that it
hits.
"""


def drawn(shape, dice):
    """A shape with a value for each range."""
    return {key: dice.uniform(*value) if isinstance(value, tuple) and isinstance(value[0], float) else value
            for key, value in shape.items()}


# Dense models by stages: of 70 billion parameters by two chunks a stage, of 30 with split backwards, of 13 without.
DENSE = dict(kind='pipeline', tp=8, pp=4, dp=4, order='tcpd', micro=8, chunks=2, forward=(0.09, 0.11),
             activation=(1.3e8, 2.0e8), weights=[1.04, 1, 1, 1, 1, 1, 1, 1.12],
             late=True, gradient=(4.0e9, 4.8e9), wide=2.0, buckets=4, streams=2,
             uneven=0.012, loads=1.2e7, labels=True)
DENSE_4 = dict(DENSE, tp=4, dp=4, micro=12, forward=(0.06, 0.075), queue_pairs=2, order='tcdp', activation=(0.7e8, 1.1e8),
               gradient=(2.2e9, 3.0e9), wide=1.0)
SPLIT = dict(kind='pipeline', tp=4, pp=4, dp=4, split=True, micro=14, forward=(0.09, 0.12), activation=(0.8e8, 1.2e8), wide=2.0,
             weights=[1.02, 1, 1, 1.1], gradient=(1.8e9, 2.6e9), buckets=3, uneven=0.015, loads=8e6, ahead=2)
STAGES = dict(kind='pipeline', tp=4, pp=4, dp=4, micro=20, forward=(0.06, 0.08), activation=(6e7, 9e7), wide=2.0, buckets=2,
              weights=[1.1, 1, 1, 1.15], gradient=(1.4e9, 2.0e9), ragged=True, uneven=0.02, vary=0.05, loads=8e6,
              ahead=0, tidies=900)
# Experts within and across stages, and all of them side by side.
EXPERTS = dict(kind='pipeline', tp=1, pp=4, dp=16, ep=16, micro=8, rounds=2, forward=(0.12, 0.15), activation=(5e7, 8e7),
               tokens=(1.5e8, 2.2e8), how='put', narrow=0.5, gradient=(2.4e9, 3.4e9), wide=2.0, buckets=2, uneven=0.015,
               loads=6e6, weights=[1.05, 1, 1, 1.08])
EXPERTS_2 = dict(EXPERTS, pp=2, dp=32, chunks=2, micro=4, weights=[1, 1, 1, 1.1], late=True, streams=2, how='relay',
                 expert=(3.0e9, 4.5e9), mixed=True, gradient=(1.2e9, 1.8e9), forward=(0.2, 0.25), tokens=(2.4e8, 3.2e8))
EXPERTS_32 = dict(kind='pipeline', tp=1, pp=1, dp=32, ep=32, micro=4, rounds=3, forward=(0.3, 0.4), tokens=(2.5e8, 3.5e8),
                  narrow=0.5, gradient=(6e9, 9e9), wide=2.0, buckets=4, uneven=0.015, loads=6e6, skew=6.0)
# Long contexts, around rings or by exchanges.
RINGS = dict(kind='pipeline', tp=4, cp=4, pp=2, dp=2, micro=6, rounds=2, forward=(0.26, 0.34), activation=(6e7, 1e8), wide=2.0,
             keys=(1.0e8, 1.6e8), gradient=(5e9, 7e9), buckets=3, vary=0.06, uneven=0.02, loads=1e7)
EXCHANGES = dict(kind='pipeline', tp=1, cp=16, pp=1, dp=4, micro=2, rounds=2, forward=(0.9, 1.2), ulysses=True, wide=1.0,
                 keys=(5e8, 8e8), gradient=(1.3e10, 1.7e10), buckets=6, vary=0.08, uneven=0.02, loads=1e7)
# Shards of all, of parts, with quantized ones, and of models that answer before they learn.
SHARDS = dict(kind='shards', dp=32, units=18, ahead=1, forward=(0.045, 0.06), gradient=(2.6e10, 3.4e10), streams=2, vary=0.05,
              loads=6e6)
SHARDS_64 = dict(SHARDS, dp=64, units=14, forward=(0.07, 0.09), gradient=(4.5e10, 6e10), ahead=2)
SHARDS_SUMMED = dict(SHARDS, dp=16, units=16, micro=3, accumulates=True, wide=2.0, gradient=(1.2e10, 1.6e10), streams=1)
SHARDS_TP = dict(SHARDS, tp=2, dp=16, units=16, gradient=(1.2e10, 1.8e10), forward=(0.06, 0.08))
PARTS = dict(SHARDS, dp=64, shard=16, units=12, forward=(0.08, 0.1), gradient=(1.8e10, 2.6e10), streams=1, wide=1.0)
PARTS_48 = dict(PARTS, dp=48, shard=8, wide=2.0, units=14, forward=(0.06, 0.08))
QUANTIZED = dict(SHARDS, near=True, packed=0.5, wide=0.25, units=14, gradient=(3e10, 4e10), forward=(0.06, 0.075))
ANSWERS = dict(SHARDS, units=14, pauses={'generation': (4, 12.0)}, vary=0.12, uneven=0.04, gradient=(1.4e10, 1.8e10),
               forward=(0.09, 0.12))
# Replicas.
SUMS = dict(kind='replicas', dp=32, micro=2, forward=(0.35, 0.45), gradient=(1.0e10, 1.4e10), buckets=10, vary=0.04, loads=1e7)
SUMS_16 = dict(SUMS, dp=16, micro=1, forward=(0.4, 0.5), gradient=(4e9, 6e9), buckets=6)
SUMS_TREE = dict(SUMS, dp=32, tree=True, micro=2, gradient=(5e9, 8e9), buckets=8)
ZERO = dict(SUMS, dp=16, zero=True, micro=4, forward=(0.22, 0.28), wide=2.0, gradient=(6e9, 9e9), buckets=6)

RAIL, CLASSIC = dict(kind='rail', block=4, spines=4), dict(kind='classic', block=2, spines=4)
PLANES = dict(kind='planes', block=4, spines=6, pod=2)
NINTH = {
    'ninth1': dict(seed=191, window=240, rate=48e9, net=71, spare=1, fabric=dict(RAIL, block=8), watched=15, style='server',
                   jobs=[DENSE, SHARDS_SUMMED], tenants=('north', 'south'),
                   collector=dict(idle=1e-3, clock=1e-4, lost=0.004)),
    'ninth2': dict(seed=192, window=240, rate=24e9, net=72, spare=2, fabric=PLANES, answers=1.5, run=2,
                   jobs=[ANSWERS, dict(SPLIT, dp=2, own=(0, 4), micro=24, forward=(0.06, 0.075)),
                         dict(ZERO, own=(4, 4), shares=1, beside=9)],
                   collector=dict(idle=2e-3, active=1.0, clock=3e-4, lost=0.006, twice=0.003)),
    'ninth3': dict(seed=193, window=200, rate=24e9, net=73, spare=2, fabric=dict(CLASSIC, pod=3), style='six', packets=True,
                   jobs=[EXPERTS_32, QUANTIZED, dict(STAGES, pauses={'checkpoint': (14, 8)})], watched=10,
                   collector=dict(idle=5e-3, scan=5e-3, grain=1e-3, clock=8e-4, lost=0.008, both=0.04)),
    'ninth4': dict(seed=194, window=240, rate=48e9, net=74, spare=3, fabric=RAIL, style='flat', answers=2.0, bare=True,
                   jobs=[dict(RINGS, pauses={'evaluation': (11, 6)}), dict(SUMS_TREE, starts=52.0),
                         dict(SHARDS_TP, ends=165.0, mixed=True)],
                   collector=dict(idle=3e-3, sample=128, clock=3e-4, lost=0.005)),
    'ninth5': dict(seed=195, window=200, rate=24e9, net=75, spare=2, fabric=RAIL, answers=1.0, run=4,
                   jobs=[DENSE_4, dict(PARTS_48, beside=14, pieces=4)], watched=20,
                   collector=dict(idle=1e-3, clock=2e-4, lost=0.004, both=0.01),
                   fault=dict(kind='slow_accelerator', job=0, factor=(0.24, 0.36), began=(0.3, 0.42), ended=(0.75, 0.9),
                              stages=(1, 2))),
    'ninth6': dict(seed=196, window=200, rate=24e9, net=76, spare=1, fabric=PLANES, style='server', watched=12,
                   jobs=[dict(PARTS, pauses={'evaluation': (18, 2)}), EXPERTS_2], tenants=('a', 'b'),
                   collector=dict(idle=1e-3, active=3.0, clock=2e-4, lost=0.005, twice=0.002),
                   fault=dict(kind='slow_link', job=0, factor=(0.4, 0.58), began=(0.3, 0.4), ended=(0.75, 0.9), channel=2)),
    'ninth7': dict(seed=197, window=200, rate=48e9, net=77, spare=2, fabric=dict(RAIL, links=6), style='six', run=2,
                   jobs=[dict(SHARDS_64, beside=20), SPLIT, SUMS_16], packets=True,
                   collector=dict(idle=1e-3, clock=2e-4, lost=0.005, deaf=0.05),
                   fault=dict(kind='slow_switch', job=0, factor=(0.4, 0.58), began=(0.3, 0.42), ended=(0.75, 0.9))),
    'ninth8': dict(seed=198, window=180, rate=48e9, net=78, spare=2, fabric=dict(RAIL, block=6), style='flat', answers=2.0,
                   jobs=[EXPERTS, dict(SHARDS, ahead=2)], watched=9,
                   collector=dict(idle=5e-4, clock=2e-4, lost=0.004),
                   fault=dict(kind='stalled', job=0, began=(0.4, 0.55), seconds=(14.0, 26.0), stages=(0, 3))),
    'ninth9': dict(seed=199, window=220, rate=24e9, net=79, spare=2, fabric=CLASSIC, style='server', run=1,
                   jobs=[dict(QUANTIZED, pauses={'evaluation': (20, 2)}), dict(RINGS, order='tcpd'),
                         dict(ZERO, turned=True)],
                   collector=dict(idle=2e-3, active=2.0, clock=3e-4, lost=0.006), bare=True,
                   fault=dict(kind='dead_accelerator', job=0, began=(0.45, 0.6))),
    'ninth10': dict(seed=200, window=220, rate=48e9, net=80, spare=1, fabric=dict(PLANES, block=6), answers=1.0, watched=30,
                    jobs=[EXCHANGES, dict(STAGES, own=(0, 4), dp=2, forward=(0.08, 0.1)),
                          dict(SUMS, dp=16, own=(4, 4), shares=1)],
                    collector=dict(idle=2e-3, grain=1e-3, clock=5e-4, lost=0.004),
                    fault=dict(kind='slow_accelerator', job=0, factor=(0.26, 0.38), began=(0.32, 0.45), ended=(0.78, 0.92))),
}
