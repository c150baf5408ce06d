import ast
import importlib
import os
import pprint
import sys

from tabulate import tabulate


class Exp:
    def __init__(self):
        self.seed = None
        self.exp_name = "godwit_s"
        self.output_dir = "/mnt/dfs/ckpt"
        self.snapshot_dir = "/mnt/local/snapshots"
        self.tracking_url = None
        # model
        self.num_classes = 6
        self.width = 24
        # dataloader
        self.data_num_workers = 1
        self.data_dir = "/mnt/local/data"
        self.train_ann, self.val_ann = "instances_train.json", "instances_val.json"
        self.input_size = (48, 48)
        # training
        self.max_epoch = 3
        self.iters_per_epoch = 15
        self.warmup_epochs = 1
        self.basic_lr_per_img = 0.01 / 64.0
        self.no_aug_epochs = 1
        self.weight_decay, self.momentum = 5e-4, 0.9
        self.print_interval, self.eval_interval, self.snapshot_interval, self.heartbeat_interval = 1, 1, 10, 5
        self.max_iter_time = 2.5
        self.pace = 0.22
        self.pace_eval = 0.25

    def __repr__(self):
        return tabulate([(str(k), pprint.pformat(v)) for k, v in vars(self).items()], headers=["keys", "values"], tablefmt="fancy_grid")

    def merge(self, cfg_list):
        assert len(cfg_list) % 2 == 0, "length must be even, check value here"
        for k, v in zip(cfg_list[0::2], cfg_list[1::2]):
            if not hasattr(self, k):
                raise KeyError("{} is not a key of {}".format(k, type(self).__name__))
            try:
                v = ast.literal_eval(v)
            except (ValueError, SyntaxError):
                pass
            setattr(self, k, v)

    def get_model(self):
        from godwit.models import Detector
        return Detector(self.num_classes, self.width)

    def get_loader(self, batch_size, rank, world, cache=False, start=0):
        import torch
        from godwit.data import CocoLite, InfiniteSampler
        d = CocoLite(self.data_dir, self.train_ann, cache=cache, size=self.input_size[0])
        return torch.utils.data.DataLoader(d, batch_size=batch_size, sampler=InfiniteSampler(len(d), self.seed or 0, rank, world, start), num_workers=self.data_num_workers, drop_last=True)

    def get_eval_loader(self, batch_size, rank, world):
        import torch
        from godwit.data import CocoLite
        d = CocoLite(self.data_dir, self.val_ann)
        return d, torch.utils.data.DataLoader(d, batch_size=batch_size, sampler=torch.utils.data.DistributedSampler(d, world, rank, shuffle=False), num_workers=0)

    def get_trainer(self, args):
        from godwit.core.trainer import Trainer
        return Trainer(self, args)


def get_exp(exp_file):
    try:
        sys.path.append(os.path.dirname(exp_file))
        return importlib.import_module(os.path.basename(exp_file).split(".")[0]).Exp()
    except Exception:
        raise ImportError("{} doesn't contains class named 'Exp'".format(exp_file))
