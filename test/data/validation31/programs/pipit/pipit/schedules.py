"""Forward and backward passes over the micro-batches (all forward, then all backward), send and receive between stages."""
import os, socket, time
import torch, torch.distributed as dist
from .parallel_state import S


def recv_forward(shape):
    t = torch.empty(shape); dist.recv(t, src=S.prev, group=S.pp_group); return t.requires_grad_()


def check_loss(a, loss):
    if a.check_for_nan_in_loss_and_grad and not torch.isfinite(loss):
        raise RuntimeError("Rank {}: found {} in local forward loss calculation. Device: cpu, node: {}".format(dist.get_rank(), "NaN" if torch.isnan(loss) else "Inf", socket.gethostname()))


def forward_backward(a, model, batches, timers, forward_only=False):
    """returns the list of losses of the last stage"""
    shape = (a.micro_batch_size, a.seq_length, a.hidden_size); ins, outs, losses = [], [], []
    for _ in range(a.num_microbatches):
        timers("batch-generator").start(); tokens, labels = next(batches); timers("batch-generator").stop()
        timers("forward-compute").start()
        x = tokens if S.first else None
        if not S.first:
            timers("forward-recv").start(); x = recv_forward(shape); timers("forward-recv").stop()
        with torch.set_grad_enabled(not forward_only): y = model.net(x, labels)
        if S.last: losses.append(y.detach().clone()); check_loss(a, losses[-1])
        timers("forward-compute").stop()
        if not S.last: timers("forward-send").start(); dist.send(y.detach().contiguous(), dst=S.next, group=S.pp_group); timers("forward-send").stop()
        ins.append(x); outs.append(y)
    if forward_only: return losses
    for x, y in zip(ins, outs):
        g = None
        if not S.last: timers("backward-recv").start(); g = torch.empty(shape); dist.recv(g, src=S.next, group=S.pp_group); timers("backward-recv").stop()
        timers("backward-compute").start()
        if S.last: (y / a.num_microbatches).backward()
        else: y.backward(g)
        timers("backward-compute").stop()
        if not S.first: timers("backward-send").start(); dist.send(x.grad.contiguous(), dst=S.prev, group=S.pp_group); timers("backward-send").stop()
    return losses
