"""Init container: prompts from the shared file system to the node's scratch disk."""
import os, shutil, sys
src, dst = sys.argv[1:3]
os.makedirs(dst, exist_ok=True); n = 0
print("fetching %s -> %s" % (src, dst), flush=True)
for f in sorted(os.listdir(src)):
    shutil.copyfile(os.path.join(src, f), os.path.join(dst, f)); n += os.path.getsize(os.path.join(dst, f))
print("fetched %d files, %d bytes" % (len(os.listdir(src)), n), flush=True)
