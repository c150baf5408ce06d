"""A data service: sends batches of byte tokens over TCP to whoever asks.   dataserver.py PORT DATA_DIR LOG

A request is a line "GET <batch> <length> <rank> <number>"; the answer is a line "OK <bytes> <crc32>" and the bytes.
"""
import json
import os
import random
import socketserver
import sys
import time
import zlib

PORT, DATA, LOG = int(sys.argv[1]), sys.argv[2], open(sys.argv[3], "a", buffering=1)


def log(text):
    LOG.write("%s dataserver[%d] %s\n" % (time.strftime("%Y/%m/%d %H:%M:%S"), os.getpid(), text))


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        log("connection from %s" % self.client_address[0])
        served = 0
        for line in self.rfile:
            word, batch, length, rank, number = line.decode().split()
            size, rows = int(length) + 1, []
            for _ in range(int(batch)):
                shard = random.choice(SHARDS)
                at = random.randrange(len(shard) - size)
                rows.append(shard[at:at + size])
            body = b"".join(rows)
            if random.random() < .004:
                time.sleep(.25)
                log("batch %s of rank %s: shard cache miss, %d bytes read again" % (number, rank, len(body)))
            self.wfile.write(b"OK %d %d\n" % (len(body), zlib.crc32(body)) + body)
            served += 1
            if served % 50 == 0:
                log("%d batches served to rank %s" % (served, rank))
        log("connection of %s closed after %d batches" % (self.client_address[0], served))


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address, daemon_threads = True, True


with open(os.path.join(DATA, "index.json")) as f:
    SHARDS = [open(os.path.join(DATA, s["file"]), "rb").read() for s in json.load(f)["shards"]]
log("%d shards in memory, listening on port %d" % (len(SHARDS), PORT))
Server(("0.0.0.0", PORT), Handler).serve_forever()
