# mkpetrel.py FOLDER: eight files of 2000 records: 48 inputs, 16 targets (a smooth function of the inputs), a checksum of the bits
import struct, sys
import numpy as np
r = np.random.default_rng(12); D = sys.argv[1] + "/"; A = r.normal(0, .3, (16, 48)).astype(np.float32)
for f in range(8):
    x = r.normal(0, 1, (2000, 48)).astype(np.float32)
    y = np.sin(x @ A.T).astype(np.float32)
    z = np.concatenate([x, y], 1); b = z.view(np.uint32); c = np.zeros(2000, np.uint32)
    for i in range(64): c = ((c << np.uint32(5)) | (c >> np.uint32(27))) ^ b[:, i]
    open(D + "columns.%03d.bin" % f, "wb").write(struct.pack("<i", 2000) + np.concatenate([b, c[:, None]], 1).astype("<u4").tobytes())
