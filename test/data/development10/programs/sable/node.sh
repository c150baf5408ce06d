#!/bin/bash
# one node: foreman with the node's Procfile; once more where attempts are left
cd /workspace
for a in $(seq 1 $ATTEMPTS); do
  export ATTEMPT=$a MASTER_PORT=$((29600 + a))
  echo "== $(hostname) $(date '+%Y/%m/%d %H:%M:%S') foreman start, attempt $a of $ATTEMPTS"
  foreman start -t 6 -f Procfile.$(hostname) -d /workspace
  rc=$?
  n=$(ls /mnt/dfs/out/done.* 2>/dev/null | wc -l)
  echo "== $(hostname) $(date '+%Y/%m/%d %H:%M:%S') foreman left with $rc, $n of $WORLD workers done"
  [ $rc = 0 ] && exit 0
  [ $a = $ATTEMPTS ] || sleep 3
done
exit $rc
