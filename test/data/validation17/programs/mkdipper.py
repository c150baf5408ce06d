# packed images with an annotation file of labels and digests.   mkdipper.py FOLDER
import hashlib, json, os, sys
import numpy as np
dst = sys.argv[1]; os.makedirs(dst, exist_ok=True); r = np.random.RandomState(17); proto = r.randint(0, 255, (10, 3, 16, 16)); parts = []
for k in range(36):
    lab = r.randint(0, 10, 64); a = np.clip(proto[lab] * .5 + r.randint(0, 128, (64, 3, 16, 16)), 0, 255).astype(np.uint8); name = "part-%03d.bin" % k
    open(dst + "/" + name, "wb").write(a.tobytes())
    parts.append(dict(file=name, split="train" if k < 30 else "val", md5=hashlib.md5(a.tobytes()).hexdigest(), labels=lab.tolist()))
json.dump(dict(metainfo=dict(format=2, per_part=64), data_list=parts), open(dst + "/annotations.json", "w"))
