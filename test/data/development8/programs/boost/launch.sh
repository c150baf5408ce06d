#!/bin/bash
# all tasks over ssh
cd /workspace
mapfile -t hosts < hosts
n=${#hosts[@]}
python3 tracker.py $TRACKER 9099 $n $TRACKER_TIMEOUT &
tracker=$!
sleep 1
timeout ${LIMIT:-0} parallel -j0 --link --line-buffer --tagstring "task {1}/$n" --halt soon,fail=1 --joblog /var/log/job/joblog.tsv ssh -o ServerAliveInterval=5 -o ServerAliveCountMax=4 {2} "bash /workspace/task.sh {1} $n" ::: $(seq 0 $((n - 1))) ::: "${hosts[@]}"
rc=$?
echo "launch.sh: parallel left with status $rc"
[ $rc = 124 ] && echo "launch.sh: the allocation of $LIMIT s is used up"
kill $tracker 2>/dev/null
exit $rc
