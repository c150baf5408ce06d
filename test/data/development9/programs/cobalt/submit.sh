#!/bin/bash
# on the head: start job.sh on all nodes; again, if launches are left
. /workspace/site.env
cd /workspace
for n in $(seq 1 $LAUNCHES); do
  echo "submit.sh: $(date '+%F %T') launch $n of $LAUNCHES on $(wc -l < hosts) nodes"
  timeout --verbose -k 3 ${LIMIT:-0} taktuk -d -1 -o connector='"$host: ssh $type > $line\n"' -c "ssh -o StrictHostKeyChecking=no -o BatchMode=yes -o ServerAliveInterval=4 -o ServerAliveCountMax=3" -f hosts broadcast exec [ /workspace/job.sh $n ] 2>&1
  rc=$?
  want=$(grep -c . ring.hosts); good=$(ls /mnt/dfs/out/finished.* 2>/dev/null | wc -l)
  echo "submit.sh: $(date '+%F %T') taktuk returned $rc, $good of $want workers finished"
  [ $good = $want ] && exit 0
  [ $rc = 124 ] && exit 124
  sleep 1
done
exit 1
