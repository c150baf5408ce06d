# pid 1 of one emulated node (or of the head): own mounts, root in the chroot, host name, daemons.
import json, os, sys, subprocess, time
spec = json.load(open(sys.argv[1])); i = int(sys.argv[2]); head = i < 0; nd = spec["head"] if head else spec["nodes"][i]; name = nd["name"]; R = spec["root"]
def sh(*a): subprocess.run(a, check=True)
sh("hostname", name)
sh("mount", "--make-rprivate", "/")
sh("mount", "--bind", R, R)
sh("mount", "-t", "proc", "proc", R + "/proc")
sh("mount", "--rbind", "/dev", R + "/dev")
sh("mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs", R + "/dev/shm")
sh("mount", "-t", "tmpfs", "-o", "size=256m,mode=1777", "tmpfs", R + "/tmp")
sh("mount", "-t", "tmpfs", "-o", "size=64m,mode=755", "tmpfs", R + "/run")
for d in ("/run/rr", "/run/logs", "/run/etc", "/run/slurm", "/run/munge", "/run/sshd", "/run/slurmd", "/run/slurmctld", "/run/job", "/run/hostkeys"): os.makedirs(R + d)
sh("mount", "-t", "sysfs", "sysfs", R + "/sys")
sh("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", R + "/sys/fs/cgroup")
for k in ("memory", "cpu"):
    os.makedirs(R + "/sys/fs/cgroup/" + k); sh("mount", "-t", "cgroup", "-o", k, "cgroup", R + "/sys/fs/cgroup/" + k)
sh("mount", "-t", "tmpfs", "-o", "size=" + spec["local_size"], "tmpfs", R + "/scratch")
sh("mount", "--bind", spec["code"], R + "/workspace")
sh("mount", "--bind", spec["dfs"], R + "/mnt/store")
sh("mount", "--bind", spec["logs"], R + "/run/logs")
sh("mount", "--bind", spec["run"], R + "/run/rr")
sh("mount", "--bind", R + "/run/job", R + "/job")
open(R + "/run/hosts", "w").write(open(spec["hosts"]).read()); sh("mount", "--bind", R + "/run/hosts", R + "/etc/hosts")
sh("mount", "--bind", R + "/run/slurm", R + "/etc/slurm")
os.chroot(R); os.chdir("/")
for f, c in spec["slurm"].items(): open("/run/slurm/" + f, "w").write(c)
for f, c in spec["jobfiles"].items(): open("/run/job/" + f, "w").write(c)
for f, c in dict(spec["etc"], **nd.get("etc", {})).items(): open("/run/etc/" + f, "w").write(c)
env = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8", "HOME": "/root", "TZ": "UTC0", "USER": "root"}
if nd.get("site0"): subprocess.run(["bash", "-c", "\n".join(nd["site0"])], env=env)
if nd.get("skew"): env["LD_PRELOAD"] = "/opt/rr/skew.so"; env["CLOCK_SKEW_MS"] = str(int(nd["skew"] * 1000))
P = ["/usr/bin/python3", "-S", "-E", "-B"]; N = subprocess.DEVNULL; L = "/run/logs/" + name
if spec["slurm"]: subprocess.run(["munged", "--force", "--socket", "/run/munge/munge.socket.2", "--pid-file", "/run/munge/munged.pid", "--log-file", "/run/munge/munged.log", "--seed-file", "/run/munge/munged.seed"], env=env, stdin=N, stderr=N)
if not head:
    subprocess.Popen(P + ["/workspace/plat/hostd.py", name, spec["ctrl"], "/run/logs", nd["cg"], "eno1," + spec["dif"], spec["sysstyle"], "" if spec["slurm"] else "1"], env=env, stdin=N)
    if spec["slurm"]: subprocess.Popen(["slurmd", "-D"], env=env, stdin=N, stdout=N, stderr=N)
    if spec["sshd"]: subprocess.Popen(["/usr/sbin/sshd", "-D", "-E", L + "/sshd.log", "-o", "UsePAM=no", "-o", "PermitRootLogin=yes", "-o", "SetEnv=" + " ".join(["PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "TZ=UTC0"] + (["LD_PRELOAD=/opt/rr/skew.so", "CLOCK_SKEW_MS=%d" % (nd["skew"] * 1000)] if nd.get("skew") else []))], env=env, stdin=N, stderr=N)
    end = time.time() + 600
    while time.time() < end and not os.path.exists("/run/rr/stop"):
        try: os.waitpid(-1, os.WNOHANG)
        except ChildProcessError: pass
        time.sleep(0.1)
    sys.exit()
# the head (login and controller): starts the job, waits for its end
def out(cmd):
    r = subprocess.run(cmd, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env, stdin=N); return r.stdout
import signal
if spec["slurm"]:
    ctl = subprocess.Popen(["slurmctld", "-D"], env=env, stdin=N, stdout=N, stderr=N)
    end = time.time() + 60
    while time.time() < end:
        s = out("sinfo -h -N -o '%N %T'").split("\n"); ok = [l for l in s if l.endswith(" idle")]
        if len(ok) >= spec["need"]: break
        time.sleep(.3)
    o = out(spec["submit"]); open("/run/rr/submitted", "w").write(o); jid = o.split()[-1]
    t = None
    while True:
        s = out("scontrol -o show job %s" % jid); d = dict(x.split("=", 1) for x in s.split() if "=" in x); st = d.get("JobState", "?")
        open("/run/rr/state", "w").write(st)
        if st not in ("PENDING", "RUNNING", "CONFIGURING", "COMPLETING", "SUSPENDED", "?", "REQUEUED"):
            t = t or time.time()
            if "COMPLETING" not in out("squeue -h -j %s -o %%T" % jid) or time.time() > t + 12: break
        if os.path.exists("/run/rr/cancel"): out("scancel %s" % jid); os.unlink("/run/rr/cancel")
        time.sleep(.5)
    time.sleep(1.5); open("/run/logs/scontrol_show_job.txt", "w").write(out("scontrol show job %s" % jid)); open("/run/logs/sinfo.txt", "w").write(out("sinfo -N -o '%26N %.12T %.40E %.19H'"))
    open("/run/rr/result", "w").write(json.dumps(dict(state=d.get("JobState"), code=d.get("ExitCode")))); ctl.terminate()
    try: ctl.wait(6)
    except subprocess.TimeoutExpired: ctl.kill()
    sys.exit(0 if d.get("JobState") == "COMPLETED" else 1)
end = time.time() + 40
while time.time() < end:
    if all(subprocess.run("exec 3<>/dev/tcp/%s/22" % h, shell=True, executable="/bin/bash", stderr=N).returncode == 0 for h in spec["wait_ssh"]): break
    time.sleep(.3)
p = subprocess.Popen(["bash", "-c", spec["submit"]], env=env, stdin=N, cwd="/workspace"); open("/run/rr/submitted", "w").write(str(p.pid))
while p.poll() is None:
    if os.path.exists("/run/rr/cancel"): p.terminate()
    time.sleep(.2)
open("/run/rr/result", "w").write(json.dumps(dict(state="exit", code=p.returncode))); sys.exit(p.returncode)
