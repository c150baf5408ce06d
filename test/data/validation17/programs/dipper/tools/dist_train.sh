#!/usr/bin/env bash
CONFIG=$1
shift
exec python3 -m torch.distributed.launch --nnodes=$NNODES --node_rank=$((TASK_SLOT - 1)) --master_addr=$MASTER_ADDR --nproc_per_node=$GPUS --master_port=$MASTER_PORT --rdzv_conf=timeout=${RDZV_TIMEOUT:-900} \
    "$(dirname "$0")/train.py" $CONFIG --launcher pytorch $EXTRA "$@"
