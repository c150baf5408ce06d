# a tokenizer, a configuration of the model, and packed records of instructions.   mkibis.py FOLDER
import json, os, sys, zlib
import numpy as np
dst = sys.argv[1]; os.makedirs(dst, exist_ok=True); r = np.random.RandomState(191)
vocab = ["<pad>", "<s>", "<|assistant|>", "</s>"] + ["".join(r.choice(list("aeioubdfgklmnprst"), r.randint(2, 6))) + str(k) for k in range(92)]
json.dump(dict(version="1.0", model=dict(type="WordLevel", vocab=vocab)), open(dst + "/tokenizer.json", "w"))
json.dump(dict(architectures=["QwenMoeLite"], hidden_size=48, moe_intermediate_size=64, num_hidden_layers=2, num_local_experts=2), open(dst + "/config.json", "w"), indent=1)
succ, info = r.randint(4, 96, 96), {}
for split, n, files in (("train", 720, 6), ("eval", 160, 2)):
    names = ["sft_%s-%05d-of-%05d.rec" % (split, k, files) for k in range(files)]; outs = [open(dst + "/" + f, "wb") for f in names]; rec = []
    for i in range(n):
        p = r.randint(4, 96, r.randint(3, 8)); q = [int(succ[k]) for k in p]
        b = zlib.compress(json.dumps(dict(instruction=" ".join(vocab[k] for k in p), output=" ".join(vocab[k] for k in q), system="", history=[])).encode(), 6); o = outs[i % files]
        rec.append([i % files, o.tell(), len(b)]); o.write(b)
    info["sft_" + split] = dict(files=names, formatting="alpaca", records=rec)
json.dump(info, open(dst + "/dataset_info.json", "w"))
