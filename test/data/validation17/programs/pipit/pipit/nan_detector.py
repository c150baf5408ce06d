import logging
import torch
logger = logging.getLogger(__name__)


class NanDetector:
    """Looks for the first NaN or Inf in the outputs of the modules."""

    def __init__(self, model, rank):
        self.rank, self.found, self.handles = rank, False, []
        for name, m in model.named_modules():
            if name: self.handles.append(m.register_forward_hook(lambda mod, x, y, name=name: self.look(name, x, y)))

    def look(self, name, x, y):
        if torch.is_tensor(y) and not self.found and not torch.isfinite(y).all():
            self.found = True
            logger.warning('rank %d | %s detected in output of %s, shape: %s, forward input max: %s, input min: %s', self.rank, 'NaN' if torch.isnan(y).any() else 'Inf', name, y.shape, x[0].max().item(), x[0].min().item())

    def close(self):
        for h in self.handles:
            h.remove()
