"""Windows of the seventh simulator.

Of a job: forward: seconds of a microbatch in a stage or chunk (pipeline), of one (replicas), of a unit (shards); activation,
keys (of a block), tokens (of an exchange and rank), gradient (of a rank's parameters): bytes, wide: of sums against parameters;
vary: of all sequences of a step, uneven: of those of microbatches; noise: of computing; pauses: kind: (every so many steps,
writes of each rank or microbatches); background: parts are written beside, every so many steps; starts, ends: seconds.
Others: flows_seventh_work.py.

Of a window: shared: jobs (from 0) that take half of the interfaces of the same servers each; scatter: servers come in runs of
so many, in any order; fabric: kind, servers of a block, spines, uplink (against an interface); collector: idle and active
time-out, lost, twice (the same record again), both (from the last switch as well), clock (seconds that switches are off),
sample (one packet of so many), grain (seconds of a stamp); fault: kind, range of its factor (stalled: of seconds), of its begin
and of its end (shares of the window; None: never).
"""

ONE_EACH = dict(kind='pipeline', tp=8, pp=4, dp=4, micro=12, forward=0.075, activation=130e6, gradient=4e9, wide=2,
                buckets=4, norm=True, meet=True, later=True, streams=2, vary=0.05, loads=1e7)
ONE_EACH_1 = dict(kind='pipeline', tp=1, pp=4, dp=16, micro=14, forward=0.062, activation=60e6, gradient=5e9, wide=2, buckets=4,
                  norm=True, meet=True, vary=0.05, uneven=0.03, loads=5e6)
LOOPED = dict(kind='pipeline', tp=4, pp=4, dp=4, micro=16, chunks=2, forward=0.034, activation=90e6, gradient=3.2e9, wide=2,
              buckets=4, norm=True, vary=0.07, uneven=0.02, loads=6e6)
LOOPED_1 = dict(LOOPED, tp=1, dp=16, gradient=5e9, micro=12, forward=0.04, activation=52e6, later=True, streams=2, meet=True)
ZERO_BUBBLE = dict(kind='pipeline', tp=1, pp=4, dp=12, micro=12, schedule='zero', forward=0.075, activation=64e6, gradient=5e9,
                   buckets=4, wide=2, norm=True, vary=0.05, uneven=0.02, loads=5e6)
ZERO_BUBBLE_8 = dict(ZERO_BUBBLE, tp=8, dp=2, micro=24, forward=0.13, activation=180e6, gradient=4e9)
CONTEXTS = dict(kind='pipeline', tp=4, cp=4, pp=2, dp=2, micro=6, forward=0.22, rounds=1, activation=150e6, keys=60e6,
                gradient=3e9, wide=2, buckets=4, norm=True, vary=0.12, uneven=0.04, loads=2e7)
EXPERTS = dict(kind='pipeline', tp=1, pp=2, dp=16, ep=16, micro=7, forward=0.11, rounds=3, activation=70e6, tokens=160e6,
               gradient=2.2e9, wide=2, buckets=4, norm=True, vary=0.05, uneven=0.02, loads=5e6)
EXPERTS_8 = dict(EXPERTS, pp=1, dp=32, ep=16, micro=4, dispatch='direct', rounds=1, forward=0.3, gradient=8e9)
RING = dict(kind='replicas', tp=1, dp=32, micro=3, forward=0.32, gradient=14e9, buckets=14, vary=0.06, loads=2e7)
TREE = dict(RING, dp=24, algorithm='tree', micro=2, forward=0.36, gradient=11e9, buckets=10)
ZERO_1 = dict(kind='replicas', zero=1, tp=1, dp=32, micro=4, forward=0.25, gradient=14e9, buckets=8, wide=2, vary=0.06,
              loads=1e7)
ZERO_2 = dict(ZERO_1, zero=2, micro=2, dp=16, forward=0.4, buckets=6)
SHARDS = dict(kind='shards', tp=1, dp=32, units=20, ahead=1, forward=0.055, gradient=32e9, wide=2, streams=2, vary=0.07,
              loads=5e6)
SHARDS_TWICE = dict(SHARDS, micro=2, units=14, ahead=2, forward=0.04, gradient=14e9, wide=1)
SHARDS_TP = dict(SHARDS, tp=8, dp=8, units=16, forward=0.08, gradient=3.4e9)
HYBRID = dict(SHARDS, dp=32, shard=16, units=14, forward=0.07, gradient=15e9, wide=1)
EXPERT_SHARDS = dict(SHARDS, ep=16, units=8, forward=0.12, rounds=2, tokens=100e6, gradient=12e9, wide=1)

RAIL = dict(kind='rail', block=4, spines=8)
SEVENTH = {
    'seventh1': dict(seed=7101, window=240, rate=46e9, net=101, fabric=RAIL, spare=1, beats=30,
                     jobs=[ONE_EACH, dict(RING, twin=True, turned=True)], tenants=('chat', 'rank'),
                     collector=dict(idle=4e-4, clock=2e-5, lost=0.002)),
    'seventh2': dict(seed=7202, window=300, rate=46e9, net=102, spare=2, scatter=2, addresses='plane', inference=True,
                     fabric=dict(kind='halves', block=4, spines=6, uplink=2), spray=True, packets=True, shared=(1, 2),
                     jobs=[dict(LOOPED, pauses={'checkpoint': (33, 40), 'evaluation': (21, 12)}),
                           dict(ZERO_1, dp=16, starts=47.0), dict(SHARDS_TWICE, dp=16, ends=212.0, background=16)],
                     tenants=('t-4', 't-9', 't-4'), collector=dict(idle=2e-3, sample=200, lost=0.01, twice=0.005, clock=3e-4)),
    'seventh3': dict(seed=7303, window=220, rate=23e9, net=103, spare=2, scatter=1, addresses='six', inference=True, beats=20,
                     fabric=dict(kind='block', block=2, spines=8, uplink=4),
                     jobs=[dict(EXPERTS, vary=0.15, tokens=80e6),
                           dict(HYBRID, vary=0.16, gradient=9e9, pauses={'evaluation': (23, 4)})],
                     collector=dict(idle=0.01, active=0.05, grain=1e-3, lost=0.01, clock=1e-3, both=0.02)),
    'seventh4': dict(seed=7404, window=360, rate=46e9, net=104, spare=1, addresses='dense', node='gpu%03d', bare=True,
                     fabric=dict(kind='rail', block=8, spines=8),
                     jobs=[dict(ZERO_BUBBLE_8, pauses={'checkpoint': (19, 60)}),
                           dict(SHARDS_TP, forward=0.16, units=18, vary=0.1, turned=True)],
                     collector=dict(idle=0.2, active=2.0, grain=1.0, lost=0.01, clock=0.02)),
    'seventh5': dict(seed=7505, window=240, rate=46e9, net=105, spare=1, fabric=RAIL,
                     jobs=[ZERO_BUBBLE, dict(ZERO_1, twin=True)], tenants=('p', 'q'), beats=20,
                     collector=dict(idle=5e-4, clock=1e-4, lost=0.005),
                     fault=('slow_accelerator', (0.21, 0.34), (0.25, 0.35), (0.72, 0.85))),
    'seventh6': dict(seed=7606, window=210, rate=23e9, net=106, spare=1, addresses='plane', scatter=2, victim=0,
                     jobs=[SHARDS, ONE_EACH_1], fabric=dict(RAIL, uplink=1),
                     collector=dict(idle=1.5e-4, clock=5e-5, lost=0.004),
                     fault=('slow_link', (0.33, 0.48), (0.3, 0.42), (0.8, 0.95))),
    'seventh7': dict(seed=7707, window=220, rate=23e9, net=107, spare=1, scatter=2, jobs=[LOOPED, ZERO_1, dict(TREE, dp=16)],
                     fabric=dict(kind='rail', block=4, spines=4, uplink=1), tenants=('m', 'n', 'm'), inference=True,
                     collector=dict(idle=2e-4, clock=1e-4, lost=0.005, both=0.003),
                     fault=('slow_switch', (0.38, 0.5), (0.3, 0.42), (0.75, 0.9))),
    'seventh8': dict(seed=7808, window=245, rate=46e9, net=108, spare=2, packets=True, beats=15, addresses='dense', victim=0,
                     fabric=dict(kind='halves', block=2, spines=6, uplink=2), jobs=[LOOPED_1, dict(HYBRID, starts=30.0), TREE],
                     collector=dict(idle=3e-3, active=20, clock=2e-4, lost=0.006),
                     fault=('stalled', (22, 38), (0.35, 0.55), None)),
    'seventh9': dict(seed=7909, window=240, rate=23e9, net=109, nics=1, spare=3, beats=10, node='node%03d',
                     fabric=dict(kind='block', block=12, spines=6, uplink=2), inference=True,
                     jobs=[dict(ONE_EACH_1, dp=8, gradient=2.4e9), dict(ZERO_2, gradient=4e9),
                           dict(EXPERT_SHARDS, dp=8, ep=8)],
                     collector=dict(idle=1e-3, active=1.0, clock=2e-4, lost=0.006),
                     fault=('dead_accelerator', (0, 0), (0.4, 0.6), None)),
    'seventh10': dict(seed=7010, window=200, rate=46e9, net=110, spare=1, jobs=[CONTEXTS, EXPERTS_8, SHARDS_TWICE], victim=2,
                      addresses='six', scatter=2, fabric=RAIL, collector=dict(idle=3e-4, clock=1e-4, lost=0.005),
                      fault=('slow_accelerator', (0.22, 0.35), (0.3, 0.5), None)),
}
