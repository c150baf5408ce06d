# images with rectangles, packed; annotations as of COCO
import json, os, sys, zlib
import numpy as np
def make(dst):
    os.makedirs(dst, exist_ok=True); r = np.random.RandomState(11); names = ["person", "car", "truck", "bus", "bicycle", "sign"]
    for split, n, ann in (("train", 240, "instances_train.json"), ("val", 560, "instances_val.json")):
        ims, anns = [], []
        for p in range(n // 40):
            f = "%s_%02d.pack" % (split, p); o = open(dst + "/" + f, "wb")
            for k in range(40):
                i = p * 40 + k + 1; img = (r.randint(0, 6, (48, 48, 3)) * 8 + 20).astype(np.uint8)
                for _ in range(r.randint(1, 4)):
                    c = r.randint(6); w, h = r.randint(6, 18, 2); x, y = r.randint(0, 48 - w), r.randint(0, 48 - h)
                    img[y:y + h, x:x + w] = np.array([(c & 1) * 120 + 60, (c >> 1 & 1) * 120 + 60, (c >> 2) * 120 + 60], np.uint8) + r.randint(0, 20)
                    anns.append(dict(id=len(anns) + 1, image_id=i, category_id=int(c) + 1, bbox=[int(x), int(y), int(w), int(h)], iscrowd=0))
                z = zlib.compress(img.tobytes(), 6); ims.append(dict(id=i, pack=f, offset=o.tell(), length=len(z), width=48, height=48)); o.write(z)
            o.close()
        json.dump(dict(info=dict(version="1.1"), images=ims, annotations=anns, categories=[dict(id=k + 1, name=c) for k, c in enumerate(names)]), open(dst + "/" + ann, "w"))
make(sys.argv[1])
