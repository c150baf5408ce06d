"""Setup: what requirements.txt pins must be what is installed.   check_env.py requirements.txt"""
import importlib.metadata, os, platform, sys
bad = 0
for l in open(sys.argv[1]):
    n, v = l.strip().split("==")
    have = importlib.metadata.version(n)
    if have != v: print(f"ERROR: {n} {have} is installed, {sys.argv[1]} pins {n}=={v}", file=sys.stderr); bad = 1
print(f"Python {platform.python_version()} on {platform.node()}, {len(os.listdir('/mnt/local/data'))} files in /mnt/local/data")
sys.exit(bad)
