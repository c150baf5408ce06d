#!/bin/bash
# one node: the ranks under pm2
export PM2_HOME=/var/lib/node/pm2 NODE_PATH=/opt/npm/node_modules PM2_DISCRETE_MODE=1
cd /workspace
timeout -k 6 ${LIMIT:-0} /opt/npm/node_modules/.bin/pm2-runtime start ecosystem.config.js
n=$(ls /var/lib/node/done-* 2>/dev/null | wc -l)
echo "run.sh: $n of $PER_NODE ranks came to the end"
test $n -eq $PER_NODE
