"""Client of the rank monitor: heartbeats and sections, sent to the launcher's socket."""
import faulthandler, json, os, signal, socket, time
from . import state
_sock = None


def init():
    global _sock
    faulthandler.enable(); faulthandler.register(signal.SIGUSR2, all_threads=False, chain=False)
    path = os.environ.get("FT_RANK_MONITOR_SOCKET")
    if not path: return state.warn("ft: no rank monitor, heartbeats are off")
    _sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); _sock.connect(path)


def _send(**kw):
    if _sock:
        try: _sock.send(json.dumps(dict(kw, rank=state.RANK)).encode())
        except OSError: pass


def heartbeat(it): _send(kind="heartbeat", iteration=it)
def start(section): _send(kind="start", section=section)
def end(section): _send(kind="end", section=section)
def bye(): _send(kind="bye")
