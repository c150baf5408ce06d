import datetime
import faulthandler
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from src import utils  # noqa: E402

utils.setup()
import lightning as L  # noqa: E402
import torch  # noqa: E402
import yaml  # noqa: E402
from lightning.pytorch.callbacks import LearningRateMonitor, ModelCheckpoint, ModelSummary, TQDMProgressBar  # noqa: E402
from lightning.pytorch.loggers import CSVLogger  # noqa: E402
from lightning.pytorch.strategies import DDPStrategy  # noqa: E402

import src  # noqa: E402
from src.callbacks import FEED, FiniteLoss, LocalSnapshot, StepTimer, Tracker  # noqa: E402
from src.data import TokenDataModule  # noqa: E402
from src.model import GPTLitModule  # noqa: E402

log = utils.RankedLogger("train")


def main():
    faulthandler.enable()
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "configs", "train.yaml")) as f:
        c = yaml.safe_load(f)
    with open(FEED + os.environ.get("RANK", "0"), "w") as f:
        f.write("init 0")
    torch.set_num_threads(1)
    L.seed_everything(c["seed"], workers=True)
    log.info("src %s, lightning %s, torch %s, attempt %s on %s", src.__version__, L.__version__, torch.__version__, os.environ.get("TORCHELASTIC_RESTART_COUNT", "0"), os.uname().nodename)
    log.rank_zero("Instantiating datamodule <src.data.TokenDataModule>")
    data = TokenDataModule(**c["data"])
    log.rank_zero("Instantiating model <src.model.GPTLitModule>")
    model = GPTLitModule(**c["model"])
    log.rank_zero("Instantiating callbacks...")
    k = c["callbacks"]
    callbacks = [TQDMProgressBar(refresh_rate=k["refresh_rate"]), ModelSummary(max_depth=1), LearningRateMonitor("step"), ModelCheckpoint(dirpath=k["ckpt_dir"], filename="epoch_{epoch:03d}-step_{step:05d}", auto_insert_metric_name=False, every_n_train_steps=k["ckpt_every"], save_top_k=-1, save_last=True, verbose=True),
                 StepTimer(k["slow"], k["pad"]), FiniteLoss(), LocalSnapshot(k["local_dir"], k["local_every"], k["local_keep"]), Tracker(k["tracker"], 5)]
    t = dict(c["trainer"])
    strategy = DDPStrategy(process_group_backend="gloo", timeout=datetime.timedelta(seconds=t.pop("timeout")), find_unused_parameters=False)
    log.rank_zero("Instantiating trainer <lightning.pytorch.trainer.Trainer>")
    trainer = L.Trainer(strategy=strategy, accelerator="cpu", devices=int(os.environ["LOCAL_WORLD_SIZE"]), num_nodes=int(os.environ["GROUP_WORLD_SIZE"]), callbacks=callbacks, logger=CSVLogger(k["csv_dir"], name="csv"), **t)
    log.rank_zero("Starting training!")
    resume = c.get("ckpt_path")
    if int(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")):
        last = os.path.join(k["ckpt_dir"], "last.ckpt")
        resume = last if os.path.exists(last) else resume
    trainer.fit(model, datamodule=data, ckpt_path=resume)
    log.info("Best ckpt path: %s", trainer.checkpoint_callback.best_model_path)


if __name__ == "__main__":
    main()
