"""Messages between ranks: a header in JSON and arrays."""
import fcntl, json, socket, struct
import numpy as np


class Closed(ConnectionError): pass


def address_of(iface):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        return socket.inet_ntoa(fcntl.ioctl(s.fileno(), 0x8915, struct.pack('256s', iface.encode()))[20:24])


def listen(ip, port):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind((ip, port))
    s.listen(64)
    return s


class Channel:
    def __init__(self, s):
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.s = s

    def send(self, head, arrays=()):
        arrays = [np.ascontiguousarray(a) for a in arrays]
        h = json.dumps(dict(head, arrays=[(str(a.dtype), a.shape) for a in arrays])).encode()
        self.s.sendall(struct.pack('<II', len(h), sum(a.nbytes for a in arrays)) + h + b''.join(a.tobytes() for a in arrays))

    def _read(self, n):
        b = bytearray()
        while len(b) < n:
            x = self.s.recv(min(1 << 16, n - len(b)))
            if not x: raise Closed('connection closed by the other side')
            b += x
        return bytes(b)

    def recv(self):
        n, m = struct.unpack('<II', self._read(8))
        h, b, out, i = json.loads(self._read(n)), self._read(m), [], 0
        for dt, shape in h.pop('arrays'):
            k = int(np.prod(shape)) * np.dtype(dt).itemsize
            out.append(np.frombuffer(b[i:i + k], dt).reshape(shape))
            i += k
        return h, out
