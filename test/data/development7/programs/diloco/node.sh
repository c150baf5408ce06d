#!/bin/bash
# node.sh: starts supervisord, waits until the peer has ended for good, and ends supervisord.
supervisord -c /run/supervisord.conf
ctl() { supervisorctl -c /run/supervisord.conf "$@"; }
trap 'ctl stop peer; ctl shutdown; exit 143' TERM
begin=$SECONDS
while sleep 1; do
	state=$(ctl status peer | awk '{print $2}')
	case $state in
	EXITED | FATAL | STOPPED) break ;;
	esac
	if [ "$LIMIT" -gt 0 ] && [ $((SECONDS - begin)) -ge "$LIMIT" ]; then
		echo "node.sh: time limit of $LIMIT s reached"
		ctl stop peer
		break
	fi
done
ctl status peer
code=$(grep -o 'exited: peer (exit status [0-9]*' /var/log/job/supervisord.log | tail -n 1 | grep -o '[0-9]*$')
ctl shutdown
[ "$state" = EXITED ] && [ -n "$code" ] && exit "$code"
[ "$state" = EXITED ]
