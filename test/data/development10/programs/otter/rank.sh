#!/bin/bash
# one node's ranks: rank.sh ATTEMPT
. /workspace/site.env
cd /workspace
me=$(hostname -s); k=0; bad=0
[ -r "node-$me.env" ] && . ./node-$me.env
export ERL_CRASH_DUMP_SECONDS=0 ERL_EPMD_PORT=4369
declare -A pid
while read -r h w; do
  if [ "$h" = "$me" ]; then
    ( RANK=$k erl +S 1:1 +SDcpu 1:1 +SDio 2 +A 1 +sbwt none -noinput -sname $w -setcookie ${COOKIE} -kernel net_ticktime 10 inet_dist_listen_min 9100 inet_dist_listen_max 9109 \
        -pa /workspace/ebin -config /workspace/sys -eval 'application:ensure_all_started(otter, permanent)' ) > >(exec sed -u "s/^/$w| /") 2>&1 &
    pid[$k]=$!
  fi
  k=$((k + 1))
done < ranks.list
for k in "${!pid[@]}"; do
  wait ${pid[$k]}; rc=$?
  [ $rc = 0 ] || { bad=1; echo "rank.sh: rank $k ended, status $rc"; }
done
sleep .2
exit $bad
