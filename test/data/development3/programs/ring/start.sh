#!/bin/bash
# start.sh CONF: what the launcher starts for every rank: a look at the device (on even ranks), then the training.
ulimit -c 0
[ $((PMI_RANK % 2)) = 1 ] || ./devprobe
exec ./ringtrain "$1"
