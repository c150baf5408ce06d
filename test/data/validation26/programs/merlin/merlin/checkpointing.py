"""Asynchronous checkpoints: a forked writer per rank (local disk, then the shared file system), a finalize step that all
ranks share."""
import multiprocessing, os, shutil, time
import torch, torch.distributed as dist
from . import state
from .state import G, RANK


def folder(root, it): return os.path.join(root, "iter_%07d" % it)


def _write(obj, it, save, local):
    t = time.time(); name = "__%d_0.distcp" % RANK
    d = folder(local or save, it); os.makedirs(d, exist_ok=True)
    torch.save(obj, os.path.join(d, name))
    if local:
        s = folder(save, it)
        os.makedirs(s, exist_ok=True)
        shutil.copyfile(os.path.join(d, name), os.path.join(s, name + ".part"))
        os.replace(os.path.join(s, name + ".part"), os.path.join(s, name)); os.remove(os.path.join(d, name))
    os._exit(0)


def _writer(*a):
    try: _write(*a)
    except Exception as e:
        state.warn("checkpointing: rank %d on %s: writer of iteration %d: %s: %s", RANK, state.HOST, a[1], type(e).__name__, e)
        raise


class Async:
    def __init__(self, args): self.args, self.proc, self.it = args, None, None

    def save(self, it, model, opt):
        if self.proc: self.finalize(True)
        state.progress("ckpt", it, "stage"); t = time.time()
        obj = dict(iteration=it, args=vars(self.args), world=dict(dp=G.dp, pp=G.pp, ep=G.ep), flat=[f.clone()
            for f in model.flat],
                   opt=[t.clone() for t in opt.m + opt.v])
        self.it, self.t = it, time.time()
        self.proc = multiprocessing.get_context("fork").Process(target=_writer, args=(obj, it, self.args.save,
            self.args.local_save))
        self.proc.start(); state.progress("ckpt", it, "write")
        state.say0("scheduled an async checkpoint save at iteration %7d to %s", it, self.args.save)

    def finalize(self, block=False):
        if not self.proc: return
        if block: self.proc.join()
        code = self.proc.exitcode
        if code: raise RuntimeError("async checkpoint writer (pid %d) of rank %d on %s ended with exit code %d at iteration "
            "%d" % (
            self.proc.pid, RANK, state.HOST, code, self.it))
        done = torch.tensor([1. if code == 0 else 0.]); dist.all_reduce(done, op=dist.ReduceOp.MIN)
        if not done.item(): return self.finalize(True) if block else None
        if RANK == 0:
            tmp = os.path.join(self.args.save, ".latest")
            with open(tmp, "w") as f: f.write("%d" % self.it)
            os.replace(tmp, os.path.join(self.args.save, "latest_checkpointed_iteration.txt"))
            state.say("successfully saved checkpoint from iteration %7d to %s [ t 1/1, p 1/%d ] (finalized after %.2f s)",
                      self.it, self.args.save, G.pp, time.time() - self.t)
        self.proc = None


def load(args, model, opt):
    p = os.path.join(args.load, "latest_checkpointed_iteration.txt")
    if not args.load or not os.path.exists(p):
        if args.load:
            state.say0("WARNING: could not find the metadata file %s; will not load any checkpoints and will start from "
                "random", p)
        return 0
    it = int(open(p).read()); f = os.path.join(folder(args.load, it), "__%d_0.distcp" % RANK)
    state.say0(" loading distributed checkpoint from %s at iteration %d", args.load, it)
    n = len([x for x in os.listdir(folder(args.load, it)) if x.endswith(".distcp")])
    if n != dist.get_world_size():
        raise RuntimeError("checkpoint %s holds %d shards, the job has a world size of %d" % (folder(args.load, it), n,
        dist.get_world_size()))
    obj = torch.load(f, weights_only=True)
    for k, v in dict(dp=G.dp, pp=G.pp, ep=G.ep).items():
        if obj["world"][k] != v:
            raise RuntimeError("checkpoint was saved with %s=%d, the job has %s=%d" % (k, obj["world"][k], k, v))
    for a, b in zip(model.flat, obj["flat"]): a.detach().copy_(b)
    for a, b in zip(opt.m + opt.v, obj["opt"]): a.copy_(b)
    opt.t = it; state.say0("  successfully loaded checkpoint from %s at iteration %d", args.load, it)
    return it
