import torch


def loss_fn(model, x1, y, gen):
    """rectified flow: the velocity from noise to the latent"""
    t = torch.rand(len(x1), generator=gen)
    x0 = torch.randn(x1.shape, generator=gen)
    tt = t[:, None, None, None]
    v = model((1 - tt) * x0 + tt * x1, t, y)
    return ((v - (x1 - x0)) ** 2).mean()


@torch.no_grad()
def sample(model, shape, y, gen, steps=4):
    x = torch.randn(shape, generator=gen)
    for k in range(steps):
        x = x + model(x, torch.full((shape[0],), k / steps), y) / steps
    return x
