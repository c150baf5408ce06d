#!/bin/bash
# what the container runs
set -a; source /run/oriole/site.env; set +a
ulimit -c 0
exec torchrun --nnodes "$NNODES" --nproc-per-node "$NPROC" --node-rank "$JOB_COMPLETION_INDEX" --rdzv-id "$JOBSET_NAME" --master-addr "$MASTER_ADDR" --master-port "$MASTER_PORT" --max-restarts 0 --monitor-interval 0.3 $TORCHRUN_OPTS pretrain_gpt.py $TRAIN_ARGS
