"""Watches a node: link, connections, disk."""
import os, socket, sys, time
host = socket.gethostname()
def tell(w, text):
    print("%s %s pulse: %s %s" % (time.strftime("%b %d %H:%M:%S"), host, w, text), flush=True)
tell("info", "watching %s" % host)
link = None; full = None; n = 0
while True:
    now = open("/sys/class/net/eth0/operstate").read().strip()
    if now != link:
        tell("info" if now == "up" else "warn", "eth0 is %s" % now); link = now
    st = os.statvfs("/mnt/vnode"); used = 100 - 100 * st.f_bavail // st.f_blocks
    if n % 5 == 0 or used > 98 and full != used:
        tell("info", "/mnt/vnode %d %% used" % used)
    full = used
    if n % 4 == 1:
        l = open("/proc/net/snmp").read().split("Tcp:")[2].split()
        tell("info", "tcp open %s resent %s" % (l[8], l[11]))
    if n % 9 == 3:
        tell("warn", "no sensor for fan 2")
    n += 1; time.sleep(1.7)
