model = dict(type='VisionTransformer', embed_dims=64, depth=3, num_heads=4, num_classes=10)
train_dataloader = dict(batch_size=8, num_workers=1, dataset=dict(type='PackedImages', data_root='/mnt/local/data', ann_file='annotations.json'))
train_cfg = dict(max_epochs=3, iters=12, val_interval=1)
test_cfg = dict(iters=28)
optim_wrapper = dict(type='AdamW', lr=1e-3, clip_grad=dict(max_norm=5.0))
param_scheduler = dict(type='CosineAnnealingLR', T_max=60)
hooks = [dict(type='CheckInvalidLossHook'), dict(type='StragglerHook', interval=4), dict(type='LoggerHook', interval=2), dict(type='CheckpointHook', interval=1)]
env_cfg = dict(timeout=20, pad=0.15)
seed = 0
load_from = None
work_dir = '/mnt/dfs/ckpt'
