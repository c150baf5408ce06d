"""On each node: starts the local ranks, ends all when one fails."""
import argparse, base64, json, os, signal, subprocess, sys, time
from collections import defaultdict
from dslaunch.log import make
logger = make("launch")


def parse_args():
    p = argparse.ArgumentParser(); p.add_argument("--node_rank", type=int, default=0); p.add_argument("--master_addr", default="127.0.0.1"); p.add_argument("--master_port", type=int, default=29500); p.add_argument("--world_info", default="None"); p.add_argument("--enable_each_rank_log", default="None")
    p.add_argument("training_script"); p.add_argument("training_script_args", nargs=argparse.REMAINDER)
    return p.parse_args()


def main():
    args = parse_args(); env = os.environ.copy()
    for k in env:
        if k.startswith("NCCL") and args.node_rank == 0: logger.info("%d %s=%s" % (args.node_rank, k, env[k]))
    info = json.loads(base64.urlsafe_b64decode(args.world_info)); nodes = list(info); node = nodes[args.node_rank]
    logger.info("WORLD INFO DICT: %s" % info); logger.info("nnodes=%d, num_local_procs=%d, node_rank=%d" % (len(nodes), len(info[node]), args.node_rank))
    mapping, n = defaultdict(list), 0
    for h in nodes:
        for _ in info[h]: mapping[h].append(n); n += 1
    logger.info("global_rank_mapping=%s" % dict(mapping)); logger.info("dist_world_size=%d" % n)
    env.update(MASTER_ADDR=args.master_addr, MASTER_PORT=str(args.master_port), WORLD_SIZE=str(n), CROSS_RANK=str(args.node_rank), LOCAL_SIZE=str(len(info[node])))
    procs, cmd, logd = [], None, args.enable_each_rank_log; stamp = time.strftime("%Y%m%d%H%M%S")
    if logd != "None": os.makedirs(logd, exist_ok=True)
    for local, r in enumerate(mapping[node]):
        e = dict(env, RANK=str(r), LOCAL_RANK=str(local)); cmd = [sys.executable, "-u", args.training_script, "--local_rank=%d" % local] + args.training_script_args
        if logd != "None": f = open(os.path.join(logd, "%s_rank%d.log" % (stamp, r)), "w"); procs.append(subprocess.Popen(cmd, env=e, stdout=f, stderr=f))
        else: procs.append(subprocess.Popen(cmd, env=e))
        logger.info("process %d spawned with command: %s" % (procs[-1].pid, cmd))
    last = None

    def terminate(p):
        if p.poll() is None:
            p.terminate()
            try: p.wait(3)
            except subprocess.TimeoutExpired: p.kill()

    def sigkill_handler(signum, frame):
        for p in procs: logger.info("Killing subprocess %d" % p.pid); terminate(p)
        if last is not None: logger.error("%s exits with return code = %s" % (cmd, last))
        if signum: logger.info("Main process received %s, exiting" % {signal.SIGINT: "SIGINT", signal.SIGTERM: "SIGTERM"}[signum])
        sys.exit(last if last else 1)
    signal.signal(signal.SIGINT, sigkill_handler); signal.signal(signal.SIGTERM, sigkill_handler)
    alive = set(procs)
    while alive:
        done = []
        for p in alive:
            if p.poll() is None: continue
            if p.returncode != 0: last = p.returncode; sigkill_handler(None, None)
            else: done.append(p); logger.info("Process %d exits successfully." % p.pid)
        alive -= set(done); time.sleep(.5)


if __name__ == "__main__": main()
