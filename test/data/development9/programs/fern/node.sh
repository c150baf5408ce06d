#!/bin/bash
# one runit service a rank; comes back when all services are down for good
SV=/run/sv; SD=/run/service; mkdir -p $SV $SD
for k in $RANKS; do
  d=$SV/fern-$k; mkdir -p $d/log /var/log/job/rank-$k
  cat > $d/run <<R
#!/bin/sh
exec 2>&1
n=\$((\$(cat tries 2>/dev/null || echo 0) + 1)); echo \$n > tries
echo "run: fern-$k start \$n of $STARTS"
export FERN_RANK=$k
exec java $HEAP -Xmn6m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:+ExitOnOutOfMemoryError -Xlog:gc:stdout:uptime,tags -Xshare:auto -cp /workspace/classes net.fern.Main
R
  cat > $d/finish <<R
#!/bin/sh
exec 2>&1
if [ \$1 = 0 ]; then echo "finish: fern-$k done"; touch $SV/good-$k; sv down .; touch $SV/over-$k; exit; fi
if [ \$1 = -1 ]; then echo "finish: fern-$k ended by signal \$2"; else echo "finish: fern-$k left with exit code \$1"; fi
if [ \$(cat tries) -ge $STARTS ]; then echo "finish: fern-$k stays down"; sv down .; touch $SV/over-$k; else sleep 2; fi
R
  printf '#!/bin/sh\nexec svlogd -tt /var/log/job/rank-%s\n' $k > $d/log/run
  chmod +x $d/run $d/finish $d/log/run; ln -s $d $SD/fern-$k
done
echo "node.sh: $(date -u +%FT%TZ) $(hostname): services for ranks $RANKS, $STARTS starts each"
runsvdir -P $SD &
while :; do
  n=0; for k in $RANKS; do [ -e $SV/over-$k ] && n=$((n + 1)); done
  [ $n = $(echo $RANKS | wc -w) ] && break
  sleep 0.5
done
good=$(ls $SV | grep -c ^good-)
echo "node.sh: $(date -u +%FT%TZ) $(hostname): $good of $(echo $RANKS | wc -w) ranks finished"
sleep 1
[ $good = $(echo $RANKS | wc -w) ]
