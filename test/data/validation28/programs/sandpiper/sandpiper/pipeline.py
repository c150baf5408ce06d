"""Pipeline stages by hand: activations forward, gradients back, over send and receive."""
import torch, torch.distributed as dist, torch.nn.functional as F


class Pipeline:
    def __init__(self, model, mesh, shape, micro=2):
        self.m, self.shape, self.micro = model, shape, micro
        ranks = mesh.mesh[:, mesh.get_local_rank("dp")].tolist(); k = mesh.get_local_rank("pp")
        self.prev, self.next = ranks[k - 1] if k else None, ranks[k + 1] if k + 1 < len(ranks) else None
        self.dp = mesh.get_group("dp"); self.n = mesh.size(1)

    def forward(self, x, y, grad=True):
        saved, loss = [], torch.zeros(())
        for a, b in zip(x.chunk(self.micro), y.chunk(self.micro)):
            if self.prev is not None:
                a = torch.empty(b.shape[0], *self.shape); dist.recv(a, self.prev); a.requires_grad_(grad)
            o = self.m(a)
            if self.next is not None: dist.send(o.detach().contiguous(), self.next)
            else: o = F.cross_entropy(o.flatten(0, 1).float(), b.flatten()) / self.micro; loss = loss + o.detach()
            saved.append((a, o))
        return saved, loss

    def backward(self, saved):
        for a, o in saved:
            if self.next is not None: g = torch.empty_like(o); dist.recv(g, self.next); o.backward(g)
            else: o.backward()
            if self.prev is not None: dist.send(a.grad.contiguous(), self.prev)
        for p in self.m.parameters(): dist.all_reduce(p.grad, group=self.dp); p.grad /= self.n
