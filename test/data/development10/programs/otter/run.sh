#!/bin/bash
# on the head: rank.sh on every node by clush, once more where attempts are left
. /workspace/site.env
cd /workspace
for n in $(seq 1 $ATTEMPTS); do
  echo "--- $(date '+%d.%m.%Y %T') attempt $n/$ATTEMPTS on $(nodeset -c $NODES) nodes: $NODES"
  clush -q -S -f 16 -t 8 ${LIMIT:+-u $LIMIT} -o '-o StrictHostKeyChecking=no -o LogLevel=ERROR -o ServerAliveInterval=5 -o ServerAliveCountMax=3' -w "$NODES" bash /workspace/rank.sh $n 2>&1
  rc=$?
  d=$(ls /mnt/dfs/out/done.* 2>/dev/null | wc -l)
  echo "--- $(date '+%d.%m.%Y %T') clush status $rc, ranks done $d/$(wc -l < ranks.list)"
  [ $d = $(wc -l < ranks.list) ] && exit 0
  [ -n "$LIMIT" ] && [ $rc = 255 ] && exit 255
  sleep 1
done
exit 1
