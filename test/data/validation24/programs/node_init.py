# pid 1 of one emulated instance: own mounts, root in the chroot, host name, agent.
import json, os, sys, subprocess, signal, time
spec = json.load(open(sys.argv[1])); i = int(sys.argv[2]); nd = spec["nodes"][i]; name = nd["name"]; R = spec["root"]
def sh(*a): subprocess.run(a, check=True)
sh("hostname", name)
sh("mount", "--make-rprivate", "/")
sh("mount", "--bind", R, R)
sh("mount", "-t", "proc", "proc", R + "/proc")
sh("mount", "--rbind", "/dev", R + "/dev")
sh("mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs", R + "/dev/shm")
sh("mount", "-t", "tmpfs", "-o", "size=256m,mode=1777", "tmpfs", R + "/tmp")
sh("mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", R + "/run"); os.makedirs(R + "/run/rr"); os.makedirs(R + "/run/s3")
sh("mount", "-t", "sysfs", "sysfs", R + "/sys")
sh("mount", "-t", "tmpfs", "-o", "size=" + spec.get("local_size", "24m"), "tmpfs", R + "/opt/ml")
for d in ("code", "checkpoints", "input/data", "output"): os.makedirs(R + "/opt/ml/" + d)
sh("mount", "--bind", spec["code"], R + "/opt/ml/code")
sh("mount", "--bind", spec["dfs"] + "/ckpt", R + "/fsx")
sh("mount", "--bind", spec["dfs"] + "/data", R + "/run/s3")
os.makedirs(R + "/run/logs"); sh("mount", "--bind", spec["logs"], R + "/run/logs")
sh("mount", "--bind", spec["run"], R + "/run/rr")
open(R + "/run/hosts", "w").write(open(spec["hosts"]).read()); sh("mount", "--bind", R + "/run/hosts", R + "/etc/hosts")
os.chroot(R)
os.chdir("/opt/ml/code")
if nd.get("site"): open("/run/site.sh", "w").write("\n".join(nd["site"]) + "\n")
if nd.get("site_env"): open("/run/site.env", "w").write("\n".join(nd["site_env"]) + "\n")
env = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8", "HOME": "/root", "TZ": "UTC0", "INSTANCE_ID": nd["instance"],
       "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1", "USE_LIBUV": "0"}
env.update(nd.get("env", {}))
if nd.get("skew"):
    env["LD_PRELOAD"] = "/opt/rr/skew.so"; env["CLOCK_SKEW_MS"] = str(int(nd["skew"] * 1000))
agent = subprocess.Popen(["/usr/bin/python3", "-S", "-E", "-B", "/opt/ml/code/platform/agent.py", name, spec["ctrl"], "/run/logs/" + name, nd["cg"]], env=env, stdin=subprocess.DEVNULL)
end = time.time() + 400
while time.time() < end and not os.path.exists("/run/rr/stop"):
    try: os.waitpid(-1, os.WNOHANG)
    except ChildProcessError: pass
    time.sleep(0.1)
