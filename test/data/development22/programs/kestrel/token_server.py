"""Hands out blocks of token shards.   token_server.py FOLDER PORT"""
import http.server
import os
import sys
import time
import urllib.parse

os.chdir(sys.argv[1])


class H(http.server.BaseHTTPRequestHandler):
    n = 0

    def do_GET(self):
        u = urllib.parse.urlsplit(self.path)
        q = urllib.parse.parse_qs(u.query)
        try:
            with open("." + u.path, "rb") as f:
                if "block" in q:
                    f.seek(int(q["block"][0]) * int(q["size"][0]))
                d = f.read(int(q["size"][0]) if "size" in q else -1)
        except OSError as e:
            return self.send_error(404, str(e))
        self.send_response_only(200)
        self.send_header("Content-Length", str(len(d)))
        self.end_headers()
        self.wfile.write(d)
        H.n += 1
        if H.n % 200 == 0:
            print("[token-server] %s %d requests served" % (time.strftime("%H:%M:%S"), H.n), flush=True)


print("[token-server] %s serving %s on port %s" % (time.strftime("%H:%M:%S"), sys.argv[1], sys.argv[2]), flush=True)
http.server.ThreadingHTTPServer(("", int(sys.argv[2])), H).serve_forever()
