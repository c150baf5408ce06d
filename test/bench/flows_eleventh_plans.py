"""Windows of the eleventh simulator.

Of a job: model: pipeline, shards, replicas; tp, pp, dp, cp, ep: how many ranks (ep: of dp); order: which counts up first; a
pair of floats: drawn between these; what else: as flows_eleventh_models.py tells. ways: of collectives; channels: queue pairs
of a lane; vary: of lengths of steps, uneven: of microbatches, noise: of computing; pauses: kind: (each so many steps, how
much); saves: a checkpoint beside (each so many steps, pieces); starts, ends: seconds.

Of a window: rate: bytes a second of an interface; run: servers are given out in runs of so many; fault: kind, job (from 0),
ranges of its factor, when it begins and ends (shares of the window), and what it hits.
"""


def drawn(shape, dice):
    """A shape with a value for each range."""
    return {key: dice.uniform(*value) if isinstance(value, tuple) and isinstance(value[0], float) else value
            for key, value in shape.items()}


DENSE = dict(model='pipeline', tp=8, pp=4, dp=4, micro=8, forward=(0.055, 0.07), activation=(0.7e8, 1.1e8), gradient=(4e9, 6e9),
             buckets=4, loads=8e6, weights=[1.04, 1, 1, 1.08])
LOOPED = dict(DENSE, pp=4, dp=2, chunks=2, micro=12, forward=(0.04, 0.05), weights=None, optimizer='lazy')
LATE = dict(DENSE, tp=4, pp=4, dp=4, kind='late', micro=10, gradient=(6e9, 9e9), weights=None)
WHOLE = dict(DENSE, tp=8, pp=2, dp=4, optimizer='whole', micro=6, forward=(0.08, 0.1), weights=[1.0, 1.05])
EXPERTS = dict(model='pipeline', tp=1, dp=32, ep=32, micro=3, rounds=3, forward=(0.2, 0.25), tokens=(2e8, 3e8), buckets=3,
               gradient=(6e9, 9e9), loads=5e6)
EXPERTS_STAGED = dict(EXPERTS, pp=2, dp=32, ep=16, micro=5, rounds=2, activation=(4e7, 7e7), own=(3e9, 4e9),
                      gradient=(3e9, 5e9), forward=(0.14, 0.17), weights=[1.0, 1.06])
EXPERTS_DIRECT = dict(EXPERTS, dp=32, ep=16, rounds=2, own=(3e9, 5e9), ways=dict(swap='direct'))
AROUND = dict(model='pipeline', tp=4, cp=4, dp=2, pp=2, micro=6, rounds=2, forward=(0.2, 0.26), keys=(0.8e8, 1.3e8), buckets=3,
              activation=(5e7, 8e7), gradient=(5e9, 8e9), vary=0.03, loads=8e6)
HEADS = dict(AROUND, tp=8, cp=2, heads=True, keys=(1.5e8, 2.2e8))
SHARDS = dict(model='shards', dp=32, units=16, forward=(0.028, 0.036), gradient=(2.2e10, 3e10), loads=6e6, vary=0.02)
SHARDS_64 = dict(SHARDS, dp=64, units=14, gradient=(3e10, 4e10), ways=dict(gather='pat', scatter='pat'))
SHARDS_128 = dict(SHARDS, dp=128, units=10, gradient=(4e10, 5e10), forward=(0.06, 0.075))
COPIES = dict(SHARDS, dp=64, shard=16, units=14, gradient=(1.8e10, 2.4e10), micro=1, kept=True)
RECOMPUTED = dict(SHARDS, dp=48, units=14, recompute=True, half=0.5, tp=1)
SUMS = dict(model='replicas', dp=32, forward=(0.22, 0.3), gradient=(6e9, 9e9), buckets=10, vary=0.02, loads=6e6)
SUMS_TREES = dict(SUMS, dp=48, ways=dict(sum='trees'), micro=2, forward=(0.16, 0.2))
SUMS_HALVES = dict(SUMS, dp=32, ways=dict(sum='halves'), buckets=8)
ZERO = dict(SUMS, dp=32, sharded=True, micro=3, forward=(0.14, 0.18), buckets=8)
BIG = dict(DENSE, tp=8, pp=8, dp=4, micro=12, weights=None, gradient=(2.5e9, 3.5e9), forward=(0.045, 0.055))

RAILS, CLOS = dict(kind='rails', block=8, spines=4), dict(kind='clos', block=2, blocks=4, spines=4)
DRAGON = dict(kind='dragon', block=2, blocks=4)
CLEAN, ROUGH = dict(idle=1e-3, clock=5e-5), dict(idle=2e-3, active=4.0, clock=3e-4, lost=0.008)
ELEVENTH = {
    'eleventh1': dict(seed=1101, window=90, rate=50e9, number=41, spare=1, fabric=RAILS, jobs=[DENSE, SHARDS], collector=CLEAN),
    'eleventh2': dict(seed=1102, window=80, rate=50e9, number=42, spare=2, fabric=CLOS, style='server',
                      beside=dict(answers=1.0),
                      jobs=[dict(COPIES, saves=(9, 3)), EXPERTS, dict(SUMS, pauses={'evaluation': (14, 1)})],
                      collector=dict(idle=1e-3, clock=2e-4, lost=0.005, twice=0.002)),
    'eleventh3': dict(seed=1103, window=90, rate=50e9, number=43, spare=3, fabric=DRAGON, style='flat', run=4, packets=True,
                      jobs=[dict(LOOPED, pauses={'checkpoint': (17, 12)}), dict(SUMS_TREES, starts=30.0), dict(ZERO, ends=62.0),
                            AROUND], collector=ROUGH),
    'eleventh4': dict(seed=1104, window=75, rate=25e9, number=44, spare=2, fabric=dict(RAILS, blocks=2), style='six',
                      bare=True, jobs=[dict(BIG, dp=2, pauses={'evaluation': (13, 1)}), SHARDS_64, HEADS],
                      beside=dict(answers=0.7, weights=0.05), collector=dict(idle=3e-3, sample=64, clock=2e-4, lost=0.005)),
    'eleventh5': dict(seed=1105, window=90, rate=50e9, number=45, spare=1, fabric=RAILS, style='server', jobs=[SHARDS, DENSE],
                      collector=CLEAN, fault=dict(kind='slow_accelerator', job=0, factor=(0.22, 0.38), began=(0.35, 0.5))),
    'eleventh6': dict(seed=1106, window=90, rate=25e9, number=46, spare=1, fabric=CLOS, jobs=[LATE, ZERO, EXPERTS_DIRECT],
                      packets=True, collector=dict(idle=1e-3, clock=1e-4, lost=0.005),
                      fault=dict(kind='slow_link', job=0, factor=(0.45, 0.6), began=(0.3, 0.42), ended=(0.8, 0.95))),
    'eleventh7': dict(seed=1107, window=90, rate=25e9, number=47, spare=1, fabric=dict(RAILS, block=4), tenants=('ash', 'elm'),
                      jobs=[dict(SHARDS_128, gradient=(8e10, 9e10)), dict(WHOLE, channels=2, opposed=True)],
                      collector=dict(idle=1e-3, clock=1e-4, lost=0.004),
                      fault=dict(kind='slow_switch', job=0, factor=(0.4, 0.58), began=(0.32, 0.44), ended=(0.8, 0.95),
                                 where='leaf')),
    'eleventh8': dict(seed=1108, window=100, rate=50e9, number=48, spare=2, fabric=DRAGON, style='six', run=2,
                      jobs=[EXPERTS_STAGED, RECOMPUTED, dict(SUMS, dp=16)], beside=dict(answers=1.0),
                      collector=dict(idle=2e-3, clock=3e-4, lost=0.006, grain=1e-4),
                      fault=dict(kind='stalled', job=0, began=(0.42, 0.52), seconds=(18.0, 28.0))),
    'eleventh9': dict(seed=1109, window=100, rate=50e9, number=49, spare=1, fabric=CLOS, style='flat', bare=True, run=2,
                      jobs=[dict(DENSE, order='tcpd', gradient=(5e9, 7e9)), dict(COPIES, dp=32, shard=8), SUMS_HALVES],
                      collector=ROUGH,
                      fault=dict(kind='slow_accelerator', job=0, factor=(0.26, 0.4), began=(0.3, 0.42), ended=(0.7, 0.85))),
    'eleventh10': dict(seed=1110, window=90, rate=25e9, number=50, spare=2, fabric=RAILS, style='server', packets=True,
                       jobs=[dict(SUMS, gradient=(1.7e10, 2e10)), dict(LOOPED, dp=4), dict(SUMS_TREES, dp=32)],
                       collector=dict(idle=2e-3, clock=2e-4, lost=0.005, last=0.02, twice=0.003),
                       fault=dict(kind='slow_link', job=0, factor=(0.4, 0.58), began=(0.35, 0.45), ended=(0.8, 0.95),
                                  way=True)),
    'eleventh11': dict(seed=1111, window=90, rate=50e9, number=51, spare=1, fabric=RAILS, style='six',
                       jobs=[DENSE, dict(SHARDS_64, ways={}), ZERO], collector=dict(idle=1e-3, active=2.0, clock=1e-4,
                                                                                    lost=0.005),
                       fault=dict(kind='dead_accelerator', job=1, began=(0.45, 0.6))),
    'eleventh12': dict(seed=1112, window=100, rate=25e9, number=52, spare=2, fabric=dict(CLOS, block=4), style='flat',
                       jobs=[dict(SHARDS, gradient=(3e10, 3.6e10)), dict(EXPERTS, gradient=(5e9, 7e9)), WHOLE],
                       beside=dict(answers=0.8), collector=dict(idle=2e-3, clock=2e-4, lost=0.006),
                       fault=dict(kind='slow_link', job=0, began=(0.32, 0.42), ended=(0.8, 0.92), down=(0.25, 0.7),
                                  up=(0.5, 1.5))),
}
