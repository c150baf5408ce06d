"""Click model with its embedding tables on shards: trainers look rows up, push gradients back, all over torch.distributed.rpc."""
import json, logging, os, signal, socket, sys, threading, time, urllib.request
import torch
import torch.nn as nn
import torch.distributed.rpc as rpc
from clicks import ClickFile

RANK, ROLE, INDEX = int(os.environ["RANK"]), os.environ["ROLE"], int(os.environ["INDEX"])
CFG = json.load(open("/workspace/sable.json"))
T, S, DIM = CFG["trainers"], CFG["shards"], CFG["dim"]
NAME = "%s%d" % (ROLE, INDEX)
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="[" + NAME + "] %(levelname)s %(message)s")
log = logging.getLogger()


def mark(stage, it, phase="-"):
    with open("/run/rr/rank-%d" % RANK, "w") as f:
        f.write("%s %d %s" % (stage, it, phase))


# ---- on the shards
class Table:
    def __init__(self):
        g = torch.Generator().manual_seed(CFG["seed"] + INDEX)
        self.rows = nn.Embedding(CFG["rows"] // S, DIM)
        with torch.no_grad():
            self.rows.weight.copy_(torch.randn(self.rows.weight.shape, generator=g) * 0.05)
        self.lock, self.step, self.got, self.sum, self.fut, self.since = threading.Lock(), 0, {}, None, None, 0

    def load(self, path):
        state = torch.load(path, weights_only=True)
        self.rows.load_state_dict(state["rows"])
        log.info("table restored from %s (step %d)", path, state["step"])


TABLE, OVER = None, threading.Event()


def lookup(step, ids):
    with torch.no_grad():
        return TABLE.rows(ids)


def push(step, ids, grad, rate):
    with TABLE.lock, torch.no_grad():
        TABLE.rows.weight.index_add_(0, ids, grad, alpha=-rate)
    mark("iter", step, "push")


@rpc.functions.async_execution
def combine(step, trainer, grads):
    """mean of the trainers' gradients, answered when the last has come"""
    with TABLE.lock:
        if not TABLE.got:
            TABLE.step, TABLE.fut, TABLE.sum, TABLE.since = step, torch.futures.Future(), [torch.zeros_like(x) for x in grads], time.time()
        if step != TABLE.step:
            raise RuntimeError("combine for step %d while step %d is open (trainer%d)" % (step, TABLE.step, trainer))
        for a, b in zip(TABLE.sum, grads, strict=True):
            a += b
        TABLE.got[trainer] = True
        fut = TABLE.fut
        full = len(TABLE.got) == T
        if full:
            out = [x / T for x in TABLE.sum]
            TABLE.got = {}
    if full:
        fut.set_result(out)
    return fut


def overdue():
    told = 0
    while not OVER.wait(0.5):
        with TABLE.lock:
            late = [k for k in range(T) if k not in TABLE.got] if TABLE.got and time.time() - TABLE.since > CFG["overdue_s"] and TABLE.step != told else []
            if late:
                told = TABLE.step
        if late:
            log.warning("combine of step %d open for %.1f s, no gradient from %s", told, time.time() - TABLE.since, ", ".join("trainer%d" % k for k in late))


def save_table(step):
    p = "/mnt/local/snapshots/table%d-%d.pt" % (INDEX, step)
    with TABLE.lock:
        torch.save({"rows": TABLE.rows.state_dict(), "step": step, "pad": torch.empty(CFG["pad_kb"] * 256)}, p)
        torch.save({"rows": TABLE.rows.state_dict(), "step": step}, "/mnt/dfs/ckpt/table%d-%d.pt" % (INDEX, step))
    try:
        os.remove("/mnt/local/snapshots/table%d-%d.pt" % (INDEX, step - CFG["save_every"]))
    except OSError as e:
        log.error("cannot remove old table", exc_info=e)
    log.info("table saved at step %d: %s", step, p)


def finish():
    OVER.set()


# ---- on the trainers
class Dense(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(CFG["fields"] * DIM, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x):
        return self.net(x).squeeze(1)


def fetch(step, ids):
    """rows of all ids: a call to each shard, rows are spread by id modulo shards"""
    flat = ids.reshape(-1)
    parts = [(flat % S == k).nonzero().squeeze(1) for k in range(S)]
    futs = [rpc.rpc_async("shard%d" % k, lookup, (step, flat[p] // S), timeout=CFG["call_s"]) for k, p in enumerate(parts)]
    out = torch.empty(len(flat), DIM)
    for k, f in enumerate(futs):
        out[parts[k]] = f.wait()
    return flat, parts, out


def test(step, model, held):
    ids, y = held
    with torch.no_grad():
        _, _, e = fetch(step, ids)
        p = model(e.view(len(y), -1))
        loss = nn.functional.binary_cross_entropy_with_logits(p, y)
    log.info("test step %d: bce %.4f, accuracy %.3f", step, loss.item(), ((p > 0) == (y > 0.5)).float().mean().item())


def gauges(n):
    try:
        socket.create_connection((CFG["head"], 2003), 1.5).close()
    except OSError as e:
        if INDEX % 2:
            log.exception("gauge relay %s:2003", CFG["head"])
        else:
            log.warning("gauge relay %s:2003 at step %d: %s", CFG["head"], n, e)


def upload(step):
    body = os.urandom(2000)
    for k in range(4):
        try:
            r = urllib.request.Request("http://%s:9000/sable/dense-%d" % (CFG["head"], step), body, method="PUT")
            urllib.request.urlopen(r, timeout=4).read()
            return log.info("dense part of step %d uploaded", step)
        except OSError as e:
            log.warning("upload of step %d: %s (try %d)", step, e, k + 1)
            time.sleep(0.2 * (k + 1))


def train(first):
    torch.manual_seed(CFG["seed"])
    model = Dense()
    data = ClickFile("%s/clicks.%02d.tsv" % (CFG["data_dir"], INDEX % CFG["files"]), CFG["batch"], CFG["fields"])
    held = ClickFile("%s/clicks.07.tsv" % CFG["data_dir"], 64, CFG["fields"]).batch(1)
    keep = []
    log.info("steps %d to %d, batch %d, %d dense parameters, tables on %d shards", first, CFG["steps"], CFG["batch"], sum(p.numel() for p in model.parameters()), S)
    for step in range(first, CFG["steps"] + 1):
        mark("iter", step, "read")
        t0 = time.time()
        ids, y = data.batch(step)
        time.sleep(CFG["pad_s"])
        flat, parts, e = fetch(step, ids)
        e.requires_grad_()
        t1 = time.time()
        loss = nn.functional.binary_cross_entropy_with_logits(model(e.view(len(y), -1)), y)
        model.zero_grad()
        loss.backward()
        t2 = time.time()
        mark("iter", step, "combine")
        futs = [rpc.rpc_async("shard%d" % k, push, (step, flat[p] // S, e.grad[p], CFG["rate"]), timeout=CFG["call_s"]) for k, p in enumerate(parts)]
        mean = rpc.rpc_sync("shard0", combine, (step, INDEX, [p.grad for p in model.parameters()] + [loss.detach()]), timeout=CFG["call_s"])
        for f in futs:
            f.wait()
        t3 = time.time()
        with torch.no_grad():
            for p, g in zip(model.parameters(), mean):
                p -= CFG["rate"] * g
        if step % (2 if INDEX == 0 else 10) == 0:
            log.info("step %d: bce %.4f  read+lookup %.0f ms  backward %.0f ms  exchange %.0f ms", step, mean[-1].item(), (t1 - t0) * 1e3, (t2 - t1) * 1e3, (t3 - t2) * 1e3)
        if t3 - t0 > CFG["slow_s"]:
            log.warning("step %d took %.2f s (read+lookup %.2f, exchange %.2f)", step, t3 - t0, t1 - t0, t3 - t2)
        if step % 12 == INDEX + 1:
            gauges(step)
        if step % CFG["test_every"] == 0 and INDEX < 2:
            test(step, model, held)
        if step % CFG["save_every"] == 0:
            mark("iter", step, "save")
            torch.save({"step": step, "dense": model.state_dict(), "pad": torch.empty(CFG["pad_kb"] * 128)}, "/mnt/local/snapshots/trainer%d.pt" % INDEX)
            if INDEX == 0:
                for f in [rpc.rpc_async("shard%d" % k, save_table, (step,), timeout=CFG["call_s"]) for k in range(S)]:
                    f.wait()
                torch.save(model.state_dict(), "/mnt/dfs/ckpt/dense-%d.pt" % step)
                upload(step)
    if INDEX == 0:
        for k in range(S):
            rpc.rpc_sync("shard%d" % k, finish, timeout=CFG["call_s"])
    log.info("finished %d steps, bce %.4f", CFG["steps"], mean[-1].item())


def newest():
    d = "/mnt/dfs/ckpt/"
    steps = [int(f[6:-3]) for f in os.listdir(d) if f.startswith("dense-")]
    return max(steps, default=0)


def main():
    global TABLE
    mark("init", 0)
    log.info("sable %s, rank %d of %d on %s, torch %s, attempt %s", CFG["version"], RANK, T + S, socket.gethostname(), torch.__version__, os.environ["ATTEMPT"])
    at = newest()
    if ROLE == "shard":
        TABLE = Table()
        if at:
            TABLE.load("/mnt/dfs/ckpt/table%d-%d.pt" % (INDEX, at))
        elif CFG["base"]:
            TABLE.load("/mnt/local/data/base-table%d.pt" % INDEX)
    opts = rpc.TensorPipeRpcBackendOptions(num_worker_threads=8, rpc_timeout=CFG["join_s"], _transports=["uv"])
    rpc.init_rpc(NAME, rank=RANK, world_size=T + S, rpc_backend_options=opts)
    log.info("joined, %d workers", T + S)
    if ROLE == "shard":
        threading.Thread(target=overdue, daemon=True).start()
        OVER.wait()
    else:
        train(at + 1)
    rpc.shutdown(timeout=CFG["join_s"])
    open("/mnt/dfs/out/done.%d" % RANK, "w").close()


if __name__ == "__main__":
    try:
        main()
    except Exception:
        log.critical("giving up", exc_info=True)
        sys.stdout.flush()
        os._exit(1)
    os._exit(0)
