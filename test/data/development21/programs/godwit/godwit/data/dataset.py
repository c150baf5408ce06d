import json
import os
import struct
import zlib

from loguru import logger
import numpy as np
import torch
from torch.utils.data import Dataset


class CocoLite(Dataset):
    """COCO annotations; the images are packed in files of some tens of images each"""

    def __init__(self, data_dir, json_file, max_labels=8, cache=False, size=48):
        self.data_dir, self.json_file, self.max_labels, self.size = data_dir, json_file, max_labels, size
        with open(os.path.join(data_dir, json_file)) as f:
            self.coco = json.load(f)
        self.class_ids = {c["id"]: k for k, c in enumerate(self.coco["categories"])}
        self.classes = [c["name"] for c in self.coco["categories"]]
        self.images = self.coco["images"]
        self.labels = self._load_annotations()
        self._cache, self._copies = ({}, []) if cache else (None, None)

    def _load_annotations(self):
        r = {im["id"]: np.zeros((0, 5), np.float32) for im in self.images}
        for a in self.coco["annotations"]:
            x, y, w, h = a["bbox"]
            r[a["image_id"]] = np.vstack((r[a["image_id"]], [self.class_ids[a["category_id"]], x + w / 2, y + h / 2, w, h]))
        return r

    def __len__(self):
        return len(self.images)

    def load_image(self, index):
        im = self.images[index]
        path = os.path.join(self.data_dir, im["pack"])
        with open(path, "rb") as f:
            f.seek(im["offset"])
            raw = f.read(im["length"])
        img = np.frombuffer(zlib.decompress(raw), np.uint8).reshape(im["height"], im["width"], 3)
        if self._cache is not None:
            self._copies.append(np.array(np.repeat(img, 160, axis=0), dtype=np.uint8))   # mosaic candidates
        return img

    def __getitem__(self, index):
        img, im = self.load_image(index), self.images[index]
        t = np.zeros((self.max_labels, 5), np.float32)
        l = self.labels[im["id"]][: self.max_labels]
        t[: len(l)] = l
        return torch.from_numpy(img.copy()).permute(2, 0, 1).float().div_(255), torch.from_numpy(t), im["id"]
