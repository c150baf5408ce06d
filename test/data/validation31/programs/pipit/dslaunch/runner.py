"""Reads the host file, checks the hosts, starts dslaunch.launch on each by pdsh."""
import argparse, base64, collections, json, os, re, shlex, signal, subprocess, sys, time
from dslaunch.log import make
logger = make("runner")
EXPORT_ENVS = ["GLOO", "NCCL", "PYTHON", "MASTER", "OMP_", "USE_LIBUV", "PROGRESS_DIR", "TORCH_"]


def parse_args():
    p = argparse.ArgumentParser(description="runner to help launch distributed multi-node jobs")
    p.add_argument("-H", "--hostfile", default="/job/hostfile"); p.add_argument("-i", "--include", default=""); p.add_argument("-e", "--exclude", default="")
    p.add_argument("--num_nodes", type=int, default=-1); p.add_argument("--num_gpus", type=int, default=-1); p.add_argument("--master_port", type=int, default=29500); p.add_argument("--master_addr", default="")
    p.add_argument("--launcher_args", default=""); p.add_argument("--no_ssh_check", action="store_true"); p.add_argument("--enable_each_rank_log", default="None"); p.add_argument("--save_pid", action="store_true")
    p.add_argument("user_script"); p.add_argument("user_args", nargs=argparse.REMAINDER)
    return p.parse_args()


def fetch_hostfile(path):
    if not os.path.isfile(path): logger.warning("Unable to find hostfile, will proceed with training with local resources only."); return None
    pool = collections.OrderedDict()
    for line in open(path):
        line = line.strip()
        if not line or line.startswith("#"): continue
        m = re.search(r"^(\S+)\s+slots=(\d+)", line)
        if not m: logger.error("Bad hostfile text: %s" % open(path).readlines()); raise ValueError("Hostfile contains a bad entry: %s, unable to proceed with launching" % line)
        if m.group(1) in pool: logger.error("Bad hostfile text: %s" % open(path).readlines()); raise ValueError("Hostfile contains multiple entries for %s, unable to proceed with launching" % m.group(1))
        pool[m.group(1)] = int(m.group(2))
    return pool


def main():
    args = parse_args(); pool = fetch_hostfile(args.hostfile)
    if not pool: raise RuntimeError("No hosts in %s" % args.hostfile)
    for h in [x for x in args.exclude.split("@") if x]: pool.pop(h)
    hosts = list(pool)
    if args.num_nodes > 0: hosts = hosts[:args.num_nodes]
    if args.num_gpus > 0: pool = {h: args.num_gpus for h in hosts}
    first = hosts[0]
    if not args.no_ssh_check:
        for h in hosts[:1]:
            try: subprocess.check_call("ssh -o PasswordAuthentication=no %s hostname" % h, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, shell=True)
            except subprocess.CalledProcessError: raise RuntimeError("Using hostfile at %s but host=%s was not reachable via ssh. If you are running with a single node please remove %s or setup passwordless ssh." % (args.hostfile, h, args.hostfile))
    if not args.master_addr:
        args.master_addr = subprocess.check_output(shlex.split("ssh %s hostname -I" % first)).decode().split()[0]
        logger.info("Using IP address of %s for node %s" % (args.master_addr, first))
    world = collections.OrderedDict((h, list(range(pool[h]))) for h in hosts); enc = base64.urlsafe_b64encode(json.dumps(world).encode()).decode()
    env = os.environ.copy(); env["PDSH_RCMD_TYPE"] = "ssh"; exports = ""
    for v, k in sorted(env.items()):
        if any(v.startswith(x) for x in EXPORT_ENVS): exports += "export %s=%s; " % (v, shlex.quote(k))
    f = os.path.join(os.path.expanduser("~"), ".deepspeed_env")
    if os.path.isfile(f):
        for l in open(f):
            if "=" in l: exports += "export %s; " % l.strip()
    cmd = ["pdsh", "-S", "-f", "1024"] + shlex.split(args.launcher_args) + ["-w", ",".join(hosts), exports + "cd %s; " % os.path.abspath("."), sys.executable, "-u", "-m", "dslaunch.launch", "--world_info=%s" % enc, "--node_rank=%n", "--master_addr=%s" % args.master_addr, "--master_port=%s" % args.master_port]
    if args.enable_each_rank_log != "None": cmd.append("--enable_each_rank_log=%s" % args.enable_each_rank_log)
    cmd += [args.user_script] + [x if x.startswith("-") else "'%s'" % x for x in args.user_args]
    logger.info("cmd = %s" % " ".join(cmd))
    result = subprocess.Popen(cmd, env=env)
    kill = ["pdsh", "-S", "-f", "1024", "-w", ",".join(hosts), "pkill", "-f", args.user_script]

    def sigkill_handler(signum, frame):
        logger.info("caught signal %d, killing the job on %d hosts" % (signum, len(hosts)))
        result.send_signal(signal.SIGINT); time.sleep(.1); result.send_signal(signal.SIGTERM); subprocess.Popen(kill, env=env).wait(); time.sleep(1); sys.exit(1)
    signal.signal(signal.SIGINT, sigkill_handler); signal.signal(signal.SIGTERM, sigkill_handler)
    result.wait()
    if result.returncode > 0: sys.exit(result.returncode)


if __name__ == "__main__": main()
