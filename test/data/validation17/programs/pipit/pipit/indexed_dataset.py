import os, struct
import numpy as np


class MMapIndexedDataset:
    HDR = b'MMIDIDX\x00\x00'

    def __init__(self, path):
        with open(path + '.idx', 'rb') as f:
            assert f.read(9) == self.HDR, "Index file doesn't match expected format. Make sure that --dataset-impl is configured properly."
            version, code, n = struct.unpack('<QBQ', f.read(17))
            assert version == 1
        self.sizes = np.memmap(path + '.idx', np.int32, 'r', 26, n)
        self.pointers = np.concatenate([[0], np.cumsum(self.sizes[:-1].astype(np.int64) * 2)])
        self.bin = np.memmap(path + '.bin', np.uint8, 'r')

    @staticmethod
    def exists(path):
        return os.path.exists(path + '.idx') and os.path.exists(path + '.bin')

    def __len__(self):
        return len(self.sizes)

    def __getitem__(self, i):
        return np.frombuffer(self.bin, np.uint16, self.sizes[i], self.pointers[i])
