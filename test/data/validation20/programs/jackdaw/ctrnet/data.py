"""Blocks of examples, compressed, with a checksum each; read by a process of its own."""
import json, logging, multiprocessing as mp, os, signal, struct, traceback, zlib
import numpy as np
log = logging.getLogger('ctrnet.data')


class RecordError(ValueError): pass


class ReaderError(RuntimeError): pass


def files(c, split, k, n):
    with open(os.path.join(c['data.dir'], 'manifest.json')) as f: names = json.load(f)[split]
    mine = names[k % len(names)::n] or names[:1]
    for f in mine: os.stat(os.path.join(c['data.dir'], f))
    return [os.path.join(c['data.dir'], f) for f in mine]


def blocks(paths, skip=0):
    k = 0
    while True:
        for p in paths:
            with open(p, 'rb', buffering=0) as f:
                n = 0
                while True:
                    h = f.read(8)
                    if len(h) < 8: break
                    size, crc = struct.unpack('<II', h)
                    if k < skip:
                        f.seek(size, 1)
                    else:
                        b = f.read(size)
                        if len(b) < size: raise RecordError(f'{p}: block {n} is cut short, {size} bytes wanted, {len(b)} read')
                        if zlib.crc32(b) != crc: raise RecordError(f'{p}: block {n}: checksum is {zlib.crc32(b):08x}, {crc:08x} expected')
                        yield zlib.decompress(b)
                    k, n = k + 1, n + 1


def parse(b, spec):
    F, D = len(spec['categorical']), len(spec['dense'])
    row = np.dtype([('y', 'u1'), ('ids', '<u4', (8,)), ('x', '<f4', (6,))])
    a = np.frombuffer(b, row)
    return a['ids'][:, :F].astype('i8'), a['x'][:, :D].astype('f4'), a['y'].astype('f4')


def _main(conn, other, paths, spec, skip, depth):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    other.close()
    it, room = blocks(paths, skip), depth
    try:
        while True:
            while room:
                conn.send(parse(next(it), spec))
                room -= 1
            conn.recv()
            room += 1
    except (EOFError, BrokenPipeError, ConnectionResetError): pass
    except Exception: conn.send(traceback.format_exc())


class Reader:
    def __init__(self, c, spec, rank, split, k, n, skip=0):
        self.rank = rank
        self.conn, other = mp.Pipe()
        paths = files(c, split, k, n)
        self.p = mp.get_context('fork').Process(target=_main, args=(other, self.conn, paths, spec, skip, c['data.prefetch']), daemon=True)
        self.p.start()
        other.close()
        log.info(f'reader process {self.p.pid}: {len(paths)} file(s) of {split}, from block {skip}')

    def next(self):
        try:
            b = self.conn.recv()
            try: self.conn.send(1)
            except OSError: pass    # what it has sent before it ended is still there to be read
        except (EOFError, OSError):
            self.p.join(2)
            raise ReaderError(f'the reader process {self.p.pid} of worker {self.rank} has gone, exit code {self.p.exitcode}') from None
        if isinstance(b, str): raise ReaderError(f'the reader process {self.p.pid} of worker {self.rank} failed:\n{b}')
        return b

    def close(self):
        self.conn.close()
        self.p.terminate()
