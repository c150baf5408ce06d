#!/bin/bash
# runs the controller, again from the last checkpoint where it may
export PYTHONPATH=/workspace
for attempt in $(seq 0 ${RETRIES:-0}); do
    echo "job.sh: attempt $attempt of ${RETRIES:-0}, $(date '+%a %b %e %H:%M:%S %Z %Y')"
    timeout ${LIMIT:-0} python3 finetune.py recipe.json
    rc=$?
    [ $rc = 0 ] && { echo "job.sh: done"; exit 0; }
    [ $rc = 124 ] && { echo "job.sh: walltime of $LIMIT s is over"; exit 124; }
    echo "job.sh: controller left with exit status $rc"
done
exit $rc
