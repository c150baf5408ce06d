# pid 1 of one emulated node: own mounts, root in the chroot, host name, node daemons.
import json, os, sys, subprocess, time
spec = json.load(open(sys.argv[1])); i = int(sys.argv[2]); nd = spec["nodes"][i]; name = nd["name"]; R = spec["root"]
def sh(*a): subprocess.run(a, check=True)
sh("hostname", name)
sh("mount", "--make-rprivate", "/")
sh("mount", "--bind", R, R)
sh("mount", "-t", "proc", "proc", R + "/proc")
sh("mount", "--rbind", "/dev", R + "/dev")
sh("mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs", R + "/dev/shm")
sh("mount", "-t", "tmpfs", "-o", "size=256m,mode=1777", "tmpfs", R + "/tmp")
sh("mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", R + "/run")
for d in ("/run/rr", "/run/logs", "/run/etc"): os.makedirs(R + d)
sh("mount", "-t", "sysfs", "sysfs", R + "/sys")
sh("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", R + "/sys/fs/cgroup")      # ip netns exec has hidden those of /sys
for k in ("memory", "cpu"):
    os.makedirs(R + "/sys/fs/cgroup/" + k); sh("mount", "-t", "cgroup", "-o", k, "cgroup", R + "/sys/fs/cgroup/" + k)
sh("mount", "-t", "tmpfs", "-o", "size=" + spec["local_size"], "tmpfs", R + "/scratch")
sh("mount", "--bind", spec["code"], R + "/workspace")
sh("mount", "--bind", spec["dfs"], R + "/mnt/store")
sh("mount", "--bind", spec["logs"], R + "/run/logs")
sh("mount", "--bind", spec["run"], R + "/run/rr")
open(R + "/run/hosts", "w").write(open(spec["hosts"]).read()); sh("mount", "--bind", R + "/run/hosts", R + "/etc/hosts")
os.chroot(R); os.chdir("/")
for f, c in dict(spec["etc"], **{"node.json": nd["conf"], "task_env": nd.get("task_env", "")}).items():
    open("/run/etc/" + f, "w").write(c if isinstance(c, str) else json.dumps(c))
if nd.get("site0"): subprocess.run(["bash", "-c", "\n".join(nd["site0"])])
boot = "%08x" % (time.time_ns() >> 12 & 0xffffffff)
env = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8", "HOME": "/root", "TZ": "UTC0",
    "OMP_NUM_THREADS": "1",
       "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1",
       "USE_LIBUV": "0"}
if nd.get("skew"):
    env["LD_PRELOAD"] = "/opt/rr/skew.so"; env["CLOCK_SKEW_MS"] = str(int(nd["skew"] * 1000))
P = ["/usr/bin/python3", "-S", "-E", "-B"]
subprocess.Popen(P + ["/workspace/pge/hostd.py", name, spec["ctrl"], "/run/logs", nd["cg"], "eno1," + spec["dif"]], env=env, stdin=subprocess.DEVNULL)
subprocess.Popen(P + ["/workspace/pge/execd.py", name, spec["ctrl"], "/run/logs", nd["cg"], spec["dif"]], env=env, stdin=subprocess.DEVNULL)
end = time.time() + 400
while time.time() < end and not os.path.exists("/run/rr/stop"):
    try: os.waitpid(-1, os.WNOHANG)
    except ChildProcessError: pass
    time.sleep(0.1)
