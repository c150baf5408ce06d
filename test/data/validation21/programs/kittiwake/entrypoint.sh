set -e
set -x
cd /workspace
test -f startup-hook.sh && . startup-hook.sh
set +x
python3 -m detlite.prep_container
set -x
exec $ENTRYPOINT
