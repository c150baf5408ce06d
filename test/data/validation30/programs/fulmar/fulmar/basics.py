"""init(): registers at the driver's rendezvous and brings the core up; reset for elastic jobs."""
import fcntl, os, socket, struct, time
from fulmar import __version__
from fulmar.core import Core, Endpoint, FulmarInternalError, getline, put
from fulmar.log import core as clog, logger, who
E = os.environ


def ip_of(dev):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try: return socket.inet_ntoa(fcntl.ioctl(s.fileno(), 0x8915, struct.pack("256s", dev.encode()))[20:24])
    except OSError as e: raise FulmarInternalError("Network interface %s given by FULMAR_IFACE has no address on %s: %s" % (dev, socket.gethostname(), e.strerror)) from None


class Driver:
    """the connection to the driver's rendezvous server"""
    def __init__(self, limit): self.addr, self.limit = (E["FULMAR_RENDEZVOUS_ADDR"], int(E["FULMAR_RENDEZVOUS_PORT"])), limit
    def ask(self, wait, **m):
        t0, k = time.time(), 0
        while True:
            try: s = socket.create_connection(self.addr, 3); break
            except OSError as e:
                k += 1
                if k == 2: logger.warning("rendezvous server %s:%d: %s, trying again", *self.addr, e)
                if time.time() - t0 > self.limit: raise FulmarInternalError("Rendezvous server %s:%d could not be contacted from %s: %s" % (*self.addr, socket.gethostname(), e)) from None
                time.sleep(.5)
        with s:
            s.settimeout(wait); put(s, id=E["FULMAR_TASK"], **m)
            try: return getline(s)
            except OSError as e: raise FulmarInternalError("Rendezvous server %s:%d did not answer the %s request: %s" % (*self.addr, m["op"], e)) from None


class World: pass
W = World()


def init(o, digest, gen=0, rank=None, size=None):
    W.rank, W.size, W.local = int(E["FULMAR_RANK"]) if rank is None else rank, int(E["FULMAR_SIZE"]) if size is None else size, int(E["FULMAR_LOCAL_RANK"])
    who["rank"] = W.rank; W.o, W.digest, W.gen = o, digest, gen; d = W.driver = Driver(8); host = socket.gethostname()
    if gen == 0:
        base = int(E.get("FULMAR_PORT_BASE", "0")); W.ep = Endpoint(ip_of(E["FULMAR_IFACE"]), base + W.local if base else 0)
    a = d.ask(o["rendezvous"] + 5, op="register", gen=gen, rank=W.rank, info=dict(host=host, ip=W.ep.addr[0], port=W.ep.addr[1], version=__version__, digest=digest))
    if "error" in a: raise FulmarInternalError(a["error"])
    t = {int(k): v for k, v in a["table"].items()}
    if o["check"]:
        for key, label in (("version", "fulmar version"), ("digest", "arguments digest")):
            if t[W.rank][key] != t[0][key]: raise FulmarInternalError("%s %s of rank %d on %s differs from %s of rank 0 on %s. All ranks have to run with the same one." % (label.capitalize(), t[W.rank][key], W.rank, host, t[0][key], t[0]["host"]))
    W.core = Core(W.rank, W.size, gen, t, W.ep, o); return W
