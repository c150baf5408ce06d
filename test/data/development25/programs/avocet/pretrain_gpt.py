"""Pretrain a GPT with pipeline and data parallelism."""
import time

_T0 = time.time()

from avocet.training import pretrain   # noqa: E402

if __name__ == "__main__":
    pretrain(_T0)
