"""The tracker that the tasks meet at.   tracker.py HOST PORT TASKS [TIMEOUT]"""
import sys
from xgboost.tracker import RabitTracker

t = RabitTracker(n_workers=int(sys.argv[3]), host_ip=sys.argv[1], port=int(sys.argv[2]), sortby="task", timeout=int(sys.argv[4]) if len(sys.argv) > 4 else 0)
t.start()
print("tracker: waiting for %s tasks on %s:%s" % (sys.argv[3], sys.argv[1], sys.argv[2]), flush=True)
try:
    t.wait_for()
    print("tracker: finished", flush=True)
except Exception as e:
    print("tracker: %s: %s" % (type(e).__name__, e), flush=True)
