"""The container's main process, in the style of a well-known toolkit: reads /opt/ml/input/config, waits for the other hosts' names, starts the user's script once per device and reports how it ended."""
import json, logging, os, re, signal, socket, subprocess, sys, threading, time, traceback
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(name)s %(levelname)-8s %(message)s")
tk, ct = logging.getLogger("sagemaker-training-toolkit"), logging.getLogger("sagemaker_pytorch_container.training")
C = "/opt/ml/input/config/"
ERR = re.compile(r"^(?:\[rank\d+\]: )?(?:[\w.]+(?:Error|Exception)\b|train\.py: error:)")
procs = []


class ExecuteUserScriptError(Exception): pass


def pump(p, keep):
    for b in p.stderr:
        sys.stderr.buffer.write(b); sys.stderr.buffer.flush()
        l = b.decode("utf8", "replace").rstrip("\n")
        if ERR.search(l): keep.append(l)


def dns(h, limit):
    end = time.monotonic() + limit
    while True:
        try: return socket.gethostbyname(h)
        except OSError:
            if time.monotonic() > end: raise
            time.sleep(1)


def main():
    rc, hp, la = json.load(open(C + "resourceconfig.json")), json.load(open(C + "hyperparameters.json")), json.loads(os.environ["SM_LAUNCH"])
    me, hosts, k = rc["current_host"], rc["hosts"], la["nproc"]
    tk.info("Imported framework sagemaker_pytorch_container.training"); tk.info("No Neurons detected (normal if no neurons installed)")
    ct.info("Block until all host DNS lookups succeed.")
    for h in hosts: dns(h, 9)
    ct.info("Invoking user training script.")
    env = {"SM_HOSTS": json.dumps(hosts), "SM_CURRENT_HOST": me, "SM_NETWORK_INTERFACE_NAME": rc["network_interface_name"], "SM_NUM_GPUS": "0", "SM_CURRENT_INSTANCE_TYPE": rc["current_instance_type"], "SM_CHANNELS": '["train","validation"]', "SM_CHANNEL_TRAIN": "/opt/ml/input/data/train",
           "SM_USER_ENTRY_POINT": "train.py", "SM_OUTPUT_DATA_DIR": "/opt/ml/output/data", "SM_HPS": json.dumps(hp, separators=(",", ":")), "MASTER_ADDR": hosts[0], "MASTER_PORT": str(la["port"])}
    env = {a: os.environ.get(a, b) if a.startswith("MASTER") else b for a, b in env.items()}
    tk.info("Invoking user script\n\nTraining Env:\n\n%s\n\nEnvironment variables:\n\n%s\n\nInvoking script with the following command:\n", json.dumps(dict(channel_input_dirs=dict(train="/opt/ml/input/data/train", validation="/opt/ml/input/data/validation"), current_host=me, framework_module="sagemaker_pytorch_container.training:main", hosts=hosts, hyperparameters=hp, is_master=me == hosts[0], job_name=os.environ["TRAINING_JOB_NAME"], master_hostname=hosts[0], network_interface_name="eth0", num_cpus=2, num_gpus=0, user_entry_point="train.py"), indent=4), "\n".join("%s=%s" % x for x in env.items()))
    cmd = ["/usr/bin/python3", "train.py"] + [x for a, b in sorted(hp.items()) for x in ("--" + a, str(b))]
    print(" ".join(cmd) + "\n\n", flush=True)
    keep = [[] for _ in range(k)]; ths = []; n0 = hosts.index(me)
    full = dict(os.environ, **env, WORLD_SIZE=str(k * len(hosts)), PYTHONPATH="/opt/ml/code", GLOO_SOCKET_IFNAME=os.environ.get("GLOO_SOCKET_IFNAME", "eth0"))
    full.pop("SM_LAUNCH"); full.pop("PS1", 0)
    for i in range(k):
        p = subprocess.Popen(cmd, env=dict(full, RANK=str(n0 * k + i), LOCAL_RANK=str(i)), stderr=subprocess.PIPE, stdin=subprocess.DEVNULL); procs.append(p)
        t = threading.Thread(target=pump, args=(p, keep[i]), daemon=True); t.start(); ths.append(t)
    bad, since = None, 0
    while True:
        rcs = [p.poll() for p in procs]
        if bad is None and any(rcs): bad = next(i for i, r in enumerate(rcs) if r); since = time.monotonic()
        if all(r is not None for r in rcs): break
        if bad is not None and time.monotonic() > since + 3:
            for s in (signal.SIGTERM, signal.SIGKILL):
                for p in procs:
                    if p.poll() is None: p.send_signal(s)
                time.sleep(1.2)
        time.sleep(.1)
    for t in ths: t.join(1)
    tk.info("Waiting for the process to finish and give a return code."); r = procs[bad].returncode if bad is not None else 0
    tk.info("Done waiting for a return code. Received %d from exiting process.", r)
    if r: raise ExecuteUserScriptError(r, "\n ".join(keep[bad][-3:]), " ".join(cmd))


def term(s, f):
    for p in procs:
        if p.poll() is None: p.terminate()
    end = time.time() + 1.5
    while time.time() < end and any(p.poll() is None for p in procs): time.sleep(.1)
    os._exit(143)


signal.signal(signal.SIGTERM, term)
try: main(); tk.info("Reporting training SUCCESS"); code = 0
except ExecuteUserScriptError as e:
    code, msg, cmd = e.args; s = 'ExecuteUserScriptError:\nExitCode %d\nErrorMessage "%s"\nCommand "%s"' % (code, msg, cmd)
    tk.error("Reporting training FAILURE"); tk.error(s); tk.error("Encountered exit_code %d", code); open("/opt/ml/output/failure", "w").write(s)
except Exception as e:
    code, s = 1, "Framework Error: \n%s" % traceback.format_exc()
    tk.error("Reporting training FAILURE"); tk.error(s); tk.error("Encountered exit_code 1"); open("/opt/ml/output/failure", "w").write(s)
sys.stdout.flush(); os._exit(code & 255)
