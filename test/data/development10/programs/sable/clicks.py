"""Click logs: a label and ids of the fields, separated by tabs."""
import torch


class ClickFile:
    def __init__(self, path, batch, fields):
        self.path, self.size, self.fields = path, batch, fields
        with open(path) as f:
            self.lines = f.read().split("\n")[:-1]

    def row(self, k):
        k %= len(self.lines)
        v = self.lines[k].split("\t")
        if len(v) != self.fields + 1:
            raise ValueError("%s:%d: %d columns, expected %d" % (self.path, k + 1, len(v), self.fields + 1))
        return float(v[0]), [int(x) for x in v[1:]]

    def batch(self, step):
        rows = [self.row((step - 1) * self.size + k) for k in range(self.size)]
        return torch.tensor([r[1] for r in rows]), torch.tensor([r[0] for r in rows])
