# pid 1 of one emulated node: own mounts, root in the chroot, host name, kubelet.
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
sh("mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", R + "/run"); os.makedirs(R + "/run/rr"); os.makedirs(R + "/run/logs")
sh("mount", "-t", "sysfs", "sysfs", R + "/sys")
sh("mount", "--rbind", "/sys/fs/cgroup", R + "/sys/fs/cgroup")
sh("mount", "-t", "tmpfs", "-o", "size=" + spec.get("local_size", "16m"), "tmpfs", R + "/scratch")
sh("mount", "--bind", spec["code"], R + "/workspace")
sh("mount", "--bind", spec["dfs"], R + "/shared")
sh("mount", "--bind", spec["logs"], R + "/run/logs")
sh("mount", "--bind", spec["run"], R + "/run/rr")
open(R + "/run/hosts", "w").write(open(spec["hosts"]).read()); sh("mount", "--bind", R + "/run/hosts", R + "/etc/hosts")
os.chroot(R); os.chdir("/workspace")
if nd.get("site0"): subprocess.run(["bash", "-c", "\n".join(nd["site0"])])
if nd.get("site"): open("/run/site.sh", "w").write("\n".join(nd["site"]) + "\n")
if nd.get("site_env"): open("/run/site.env", "w").write("\n".join(nd["site_env"]) + "\n")
open("/run/boot-id", "w").write("%08x" % (time.time_ns() >> 12 & 0xffffffff))
env = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8", "HOME": "/root", "TZ": "UTC0",
       "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1", "USE_LIBUV": "0", "UCX_LOG_LEVEL": "fatal"}
if nd.get("skew"):
    env["LD_PRELOAD"] = "/opt/rr/skew.so"; env["CLOCK_SKEW_MS"] = str(int(nd["skew"] * 1000))
subprocess.Popen(["/usr/bin/python3", "-S", "-E", "-B", "/workspace/vc/kubelet.py", name, spec["ctrl"], "/run/logs/" + name, nd["cg"]], env=env, stdin=subprocess.DEVNULL)
end = time.time() + 400
while time.time() < end and not os.path.exists("/run/rr/stop"):
    try: os.waitpid(-1, os.WNOHANG)
    except ChildProcessError: pass
    time.sleep(0.1)
