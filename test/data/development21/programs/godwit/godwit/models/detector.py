import torch
import torch.nn as nn
import torch.nn.functional as F


def conv(i, o, s=1, k=3):
    return nn.Sequential(nn.Conv2d(i, o, k, s, k // 2, bias=False), nn.GroupNorm(4, o), nn.SiLU(inplace=True))


class CSPLayer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv1, self.conv2, self.conv3, self.m = conv(c, c // 2, k=1), conv(c, c // 2, k=1), conv(c, c, k=1), nn.Sequential(conv(c // 2, c // 2, k=1), conv(c // 2, c // 2))

    def forward(self, x):
        a = self.conv1(x)
        return self.conv3(torch.cat((a + self.m(a), self.conv2(x)), 1))


class Head(nn.Module):
    def __init__(self, num_classes, c):
        super().__init__()
        self.num_classes, self.stride = num_classes, 8
        self.stem, self.cls_convs, self.reg_convs = conv(c, c, k=1), conv(c, c), conv(c, c)
        self.cls_preds, self.reg_preds, self.obj_preds = nn.Conv2d(c, num_classes, 1), nn.Conv2d(c, 4, 1), nn.Conv2d(c, 1, 1)
        self.use_l1 = False
        nn.init.constant_(self.cls_preds.bias, -2.0), nn.init.constant_(self.obj_preds.bias, -3.0)

    def forward(self, x, targets=None):
        x = self.stem(x)
        c, r = self.cls_convs(x), self.reg_convs(x)
        out = torch.cat((self.reg_preds(r), self.obj_preds(r), self.cls_preds(c)), 1).flatten(2).transpose(1, 2)
        if targets is None:
            return out
        return self.get_losses(out, targets, x.shape[-1])

    def get_losses(self, out, targets, w):
        n = (targets[..., 3] > 0).sum().clamp(min=1)
        cx, cy = (targets[..., 1] / self.stride).long().clamp(0, w - 1), (targets[..., 2] / self.stride).long().clamp(0, w - 1)
        cell, keep = cy * w + cx, targets[..., 3] > 0
        obj_t = torch.zeros_like(out[..., 4]).scatter(1, torch.where(keep, cell, torch.zeros_like(cell)), keep.float())
        loss_obj = F.binary_cross_entropy_with_logits(out[..., 4], obj_t, reduction="sum") / n
        got = torch.gather(out, 1, cell.unsqueeze(-1).expand(-1, -1, out.shape[-1]))[keep]
        want = targets[keep]
        cls_t = F.one_hot(want[:, 0].long(), self.num_classes).float()
        loss_cls = F.binary_cross_entropy_with_logits(got[:, 5:], cls_t, reduction="sum") / n
        box = torch.cat(((got[:, :2].sigmoid() * 2 - .5 + torch.stack((cx[keep], cy[keep]), 1)) * self.stride, got[:, 2:4].clamp(max=6).exp() * self.stride), 1)
        loss_iou = (1 - self.iou(box, want[:, 1:5]) ** 2).sum() / n
        loss_l1 = F.l1_loss(box / self.stride, want[:, 1:5] / self.stride, reduction="sum") / n if self.use_l1 else out.sum() * 0.0
        loss = 5.0 * loss_iou + loss_obj + loss_cls + loss_l1
        return dict(total_loss=loss, iou_loss=5.0 * loss_iou, l1_loss=loss_l1, conf_loss=loss_obj, cls_loss=loss_cls, num_fg=n / max(1, targets.shape[0]))

    @staticmethod
    def iou(a, b):
        tl, br = torch.max(a[:, :2] - a[:, 2:] / 2, b[:, :2] - b[:, 2:] / 2), torch.min(a[:, :2] + a[:, 2:] / 2, b[:, :2] + b[:, 2:] / 2)
        i = (br - tl).clamp(min=0).prod(1)
        return i / (a[:, 2:].prod(1) + b[:, 2:].prod(1) - i + 1e-8)


class Detector(nn.Module):
    def __init__(self, num_classes=6, width=24):
        super().__init__()
        self.backbone = nn.Sequential(conv(3, width, 2), CSPLayer(width), conv(width, width, 2), CSPLayer(width), conv(width, 2 * width, 2), CSPLayer(2 * width))
        self.head = Head(num_classes, 2 * width)

    def forward(self, x, targets=None):
        return self.head(self.backbone(x), targets)
