"""Forward and backward passes of all microbatches over the pipeline."""
import os

import torch

from .model import loss_func
from .p2p_communication import recv_backward, recv_forward, send_backward, send_forward


def forward_step(args, state, model, batch, hidden, timers):
    with timers["forward-compute"]:
        tokens, weights = batch if batch is not None else (None, None)
        output = model(tokens, hidden)
        if not state["last"]:
            return output
        loss = loss_func(output, tokens, weights)
        if args.check_for_nan_in_loss_and_grad:
            assert not loss.isnan(), f"Rank {args.rank}: found NaN in local forward loss calculation. Device: {loss.device}, node: {os.uname()[1]}"
        return loss


def forward_backward_pipelining(args, state, cfg, model, iterator, timers, forward_only=False, microbatches=None):
    shape = (args.micro_batch_size, cfg["seq_length"], cfg["hidden_size"])
    inputs, outputs, losses = [], [], []
    n = microbatches or args.num_microbatches
    for _ in range(n):
        batch = None
        if iterator is not None:
            with timers["batch-generator"]:
                batch = next(iterator)
        hidden = recv_forward(state, shape, timers)
        with torch.set_grad_enabled(not forward_only):
            output = forward_step(args, state, model, batch, hidden, timers)
        if state["last"]:
            losses.append(output.detach())
        send_forward(state, output, timers)
        inputs.append(hidden)
        outputs.append(output)
    if not forward_only:
        for hidden, output in zip(inputs, outputs):
            grad = recv_backward(state, output, timers)
            with timers["backward-compute"]:
                (output / n if state["last"] else output).backward(grad)
            send_backward(state, hidden.grad if hidden is not None else None, timers)
    return losses
