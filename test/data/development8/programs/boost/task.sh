#!/bin/bash
# one task: checks what was staged in, then trains.   task.sh INDEX COUNT
export TASK_INDEX=$1 PYTHONUNBUFFERED=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
cd /workspace
[ -r site.env ] && . ./site.env
echo "task.sh: $(hostname), $(nproc) cpus, $(ls /mnt/local/data | wc -l) files staged in"
nvidia-smi -L 2>&1 || echo "task.sh: no accelerator tool here, going on"
if [ -n "${CHECK:-}" ]; then
    (cd /mnt/local/data && sha256sum --quiet -c SHA256SUMS) || { echo "task.sh: stage-in on $(hostname) does not check out"; exit 3; }
fi
python3 boost.py $1 $2 ${CONF:-boost.json}
rc=$?
[ $rc = 0 ] || echo "task.sh: trainer on $(hostname) ended with status $rc"
exit $rc
