"""Windows of the twelfth simulator.

Of a job: model: pipe, shards, copies; tp, pp, dp, cp, ep: how many ranks (ep: of dp); order: which counts up first; a pair of
floats: drawn between these; ways: how groups of a kind do (flows_twelfth_calls.py); micro: microbatches, or (some, others,
after so many steps); vary: of lengths of steps, uneven: of microbatches; pauses: kind: (each so many steps, how much); saves:
a checkpoint beside (each so many steps, pieces); rollouts: (each so many steps, bytes of parameters); starts, ends: seconds;
what else: as the models tell (flows_twelfth_pipe.py, flows_twelfth_flat.py).

Of a window: rate: bytes a second of an interface; mix: servers are given out in runs of so many; spare: servers of nobody;
fault: kind, job (from 0), ranges of its factor, when it begins and ends (shares of the window), and what it hits.
"""


def drawn(shape, dice):
    """A shape with a value for each range."""
    return {key: dice.uniform(*value) if isinstance(value, tuple) and isinstance(value[0], float) else value
            for key, value in shape.items()}


ONE_F = dict(model='pipe', tp=8, pp=4, dp=4, micro=8, forward=(0.055, 0.068), activation=(0.7e8, 1.1e8), gradient=(3e9, 4.5e9),
             buckets=4, loads=6e6, weights=[1.05, 1, 1, 1.07])
TURNS = dict(ONE_F, tp=4, kind='turns', turns=2, micro=8, gradient=(5e9, 7e9), optimizer='lazy', weights=[1.0, 1, 1, 1.03])
GPIPE = dict(ONE_F, pp=2, kind='gpipe', micro=6, forward=(0.08, 0.095), optimizer='sum', weights=[1, 1.04])
ZERO_BUBBLE = dict(ONE_F, kind='zero', micro=10, forward=(0.05, 0.06), weights=[1, 1, 1, 1.02])
VEE = dict(ONE_F, kind='vee', micro=8, tp=4, forward=(0.06, 0.07), gradient=(5e9, 7e9), weights=[1, 1, 1, 1])
EAGER = dict(ONE_F, kind='eager', micro=10, dp=2, gradient=(4e9, 6e9), optimizer='lazy')
DEEP = dict(ONE_F, pp=8, dp=4, micro=12, forward=(0.045, 0.055), gradient=(2e9, 3e9), weights=[1, 1, 1, 1, 1, 1, 1, 1.04])
EXPERTS = dict(model='pipe', tp=1, dp=32, ep=32, micro=3, rounds=4, forward=(0.18, 0.23), tokens=(2.5e8, 3.5e8), buckets=3,
               gradient=(5e9, 8e9), loads=4e6, optimizer='end', skew=0.12)
TWO_WAYS = dict(model='pipe', kind='dual', tp=1, pp=4, dp=16, ep=16, micro=10, rounds=1, forward=(0.055, 0.07),
                tokens=(2e8, 3e8), activation=(3e7, 5e7), gradient=(3e9, 4e9), buckets=2, loads=4e6, optimizer='lazy')
EXPERTS_STRAIGHT = dict(EXPERTS, dp=32, ep=16, rounds=2, own=(3e9, 4e9), ways=dict(expert=dict(direct=True, window=2)))
AROUND = dict(model='pipe', tp=4, cp=4, dp=2, pp=2, micro=6, rounds=3, forward=(0.16, 0.21), keys=(2e8, 3e8), buckets=3,
              activation=(5e7, 8e7), gradient=(5e9, 7e9), vary=0.025, loads=6e6)
HEADS = dict(AROUND, tp=8, cp=2, heads=True, keys=(2e8, 3e8), rounds=2)
FSDP = dict(model='shards', dp=32, units=16, forward=(0.45, 0.55), gradient=(2.2e10, 3e10), loads=5e6, vary=0.02, ahead=2)
FSDP_64 = dict(FSDP, dp=64, units=14, gradient=(3e10, 4e10))
HSDP = dict(FSDP, dp=64, shard=16, units=12, gradient=(1.8e10, 2.4e10), kept=True)
THREE = dict(FSDP, ahead=1, recompute=True, units=20, half=0.5, micro=2, thrift=True, forward=(0.22, 0.28),
             gradient=(2e10, 2.6e10))
DDP = dict(model='copies', dp=32, forward=(0.24, 0.3), gradient=(6e9, 9e9), buckets=8, vary=0.02, loads=5e6, micro=2)
NVLS_TREE = dict(DDP, dp=64, ways=dict(data=dict(sum='tree', blocks=4)), buckets=10)
ZERO_1 = dict(DDP, split='lazy', micro=2, gradient=(1.2e10, 1.6e10))
ZERO_2 = dict(DDP, split='end', micro=1, forward=(0.3, 0.4), gradient=(1.6e10, 2e10), buckets=10)
ADAPTER = dict(DDP, dp=16, gradient=(1.5e8, 2.5e8), buckets=2, micro=2, forward=(0.12, 0.16), loads=1e6)
LEARN = dict(FSDP, dp=16, units=12, gradient=(1.2e10, 1.6e10), rollouts=(6, 1.6e10))
PAT = dict(FSDP_64, ways=dict(data=dict(gather='pat', scatter='pat')))

RAIL, TOR = dict(kind='rail', block=16, spines=4), dict(kind='tor', block=4, spines=6)
FAT = dict(kind='fat', block=2, blocks=4, spines=4, cores=3)
GOOD, LOSSY = dict(idle=1e-3, clock=1e-4, lost=0.003), dict(idle=1.5e-3, active=3.0, clock=1e-3, lost=0.008)
CROSS, TWICE = dict(data=dict(turn=1)), dict(data=dict(opposed=True, channels=2))
TWELFTH = {
    'twelfth1': dict(seed=1201, window=85, rate=25e9, number=11, spare=2, fabric=dict(RAIL, block=8), collector=GOOD,
                     jobs=[dict(ONE_F, gradient=(8e9, 1e10)), dict(FSDP, saves=(9, 2)), LEARN],
                     fault=dict(kind='slow_link', began=(0.33, 0.5), factor=(0.45, 0.62), side='out')),
    'twelfth2': dict(seed=1202, window=90, rate=50e9, number=12, spare=2, fabric=dict(RAIL, block=8, share=2), style='carrier',
                     jobs=[TURNS, EXPERTS, dict(ADAPTER, pauses={'evaluation': (12, 2)})], packets=True, collector=LOSSY,
                     fault=dict(kind='slow_accelerator', began=(0.35, 0.5), factor=(0.25, 0.45))),
    'twelfth3': dict(seed=1203, window=90, rate=50e9, number=13, spare=2, fabric=dict(FAT, wide=1.25), style='fd', mix=2,
                     jobs=[dict(GPIPE, pauses={'evaluation': (11, 1)}), dict(HSDP, ways=dict(data=dict(mixed=True))),
                           dict(ADAPTER, starts=20.0), dict(ZERO_1, ends=60.0, late=0.001)],
                     collector=dict(idle=1e-3, clock=3e-4, lost=0.005, twice=0.002)),
    'twelfth4': dict(seed=1204, window=85, rate=25e9, number=14, spare=3, fabric=dict(RAIL, block=12), style='odd', bare=True,
                     jobs=[dict(FSDP_64, gradient=(8e10, 9e10)), ADAPTER, dict(EAGER, pp=2, weights=[1, 1.03])],
                     side=dict(answers=1.0), collector=dict(idle=1e-3, clock=2e-4, lost=0.005),
                     fault=dict(kind='slow_switch', began=(0.33, 0.45), ended=(0.8, 0.92), factor=(0.4, 0.58), where='lf')),
    'twelfth5': dict(seed=1205, window=90, rate=50e9, number=15, spare=1, fabric=dict(TOR, wide=1.3), style='lladdr',
                     jobs=[AROUND, dict(THREE, ways=CROSS, late=0.001), DDP],
                     collector=dict(idle=2e-3, sample=64, clock=2e-4, lost=0.005),
                     fault=dict(kind='stalled', began=(0.38, 0.52), seconds=(14.0, 24.0))),
    'twelfth6': dict(seed=1206, window=80, rate=50e9, number=16, spare=3, fabric=dict(TOR, block=8, spines=8, wide=1.3),
                     jobs=[TWO_WAYS, LEARN, dict(ZERO_2, pauses={'checkpoint': (25, 6)})], tenants=('oak', 'fir', 'fir'),
                     collector=dict(idle=4e-3, sample=100, clock=2e-4, lost=0.004)),
    'twelfth7': dict(seed=1207, window=90, rate=50e9, number=17, spare=1, fabric=RAIL, style='fd', packets=True,
                     jobs=[dict(FSDP, units=12), ZERO_BUBBLE, dict(ZERO_1, dp=16, saves=(12, 2), ends=64.0)],
                     collector=dict(idle=1e-3, active=5.0, clock=1e-4, lost=0.004),
                     fault=dict(kind='slow_accelerator', began=(0.32, 0.45), ended=(0.75, 0.9), factor=(0.28, 0.5))),
    'twelfth8': dict(seed=1208, window=90, rate=25e9, number=18, spare=2, fabric=dict(RAIL, block=4, spines=8), style='lladdr',
                     mix=3, bare=True, side=dict(answers=0.6), tenants=('a1', 'b2', 'c3', 'a1', 'd4'), collector=LOSSY,
                     jobs=[dict(DDP, micro=(2, 3, 22), ways=TWICE), dict(VEE, saves=(10, 3), late=0.001),
                           dict(HEADS, starts=12.0), dict(THREE, dp=24, ends=55.0, units=14), dict(ADAPTER, tp=2, dp=16)]),
    'twelfth9': dict(seed=1209, window=90, rate=25e9, number=19, spare=2, fabric=dict(FAT, block=2, blocks=5, wide=1.3), mix=4,
                     jobs=[dict(NVLS_TREE, micro=1, gradient=(3.4e10, 4e10), buckets=7), TURNS,
                           dict(HSDP, dp=32, shard=8, kept=False, gradient=(1e10, 1.4e10))],
                     collector=dict(idle=1e-3, clock=2e-4, lost=0.004),
                     fault=dict(kind='slow_switch', began=(0.35, 0.48), ended=(0.8, 0.95), factor=(0.42, 0.6), where='tor')),
    'twelfth10': dict(seed=1210, window=90, rate=25e9, number=20, spare=2, fabric=dict(TOR, wide=1.3), style='odd',
                      jobs=[dict(ZERO_2, gradient=(2.2e10, 2.8e10), ways=CROSS), EXPERTS_STRAIGHT,
                            dict(VEE, dp=2, starts=14.0)], packets=True,
                      collector=dict(idle=1e-3, clock=1e-4, lost=0.004, twice=0.002),
                      fault=dict(kind='slow_link', began=(0.34, 0.46), ended=(0.8, 0.95), factor=(0.42, 0.6), way=True)),
    'twelfth11': dict(seed=1211, window=80, rate=50e9, number=21, spare=1, fabric=dict(RAIL, block=8, spines=6),
                      style='carrier', jobs=[dict(DEEP, dp=2, saves=(8, 2), pauses={'evaluation': (14, 1)}), dict(PAT, units=9),
                            dict(EXPERTS, rounds=3)], collector=dict(idle=1e-3, clock=2e-4, lost=0.006)),
    'twelfth12': dict(seed=1212, window=90, rate=50e9, number=22, spare=2, fabric=dict(FAT, block=4, blocks=3), style='fd',
                      jobs=[dict(ONE_F, order='tcpd'), dict(FSDP_64, units=12), dict(ZERO_1, dp=24)],
                      side=dict(answers=0.8), collector=dict(idle=1e-3, active=2.5, clock=2e-4, lost=0.005, grain=2e-5),
                      fault=dict(kind='dead_accelerator', job=0, began=(0.45, 0.58))),
}
