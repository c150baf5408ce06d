#pragma once
#include <sys/stat.h>
#include <glob.h>
#include <set>
#include "model.h"
#include "ring.h"

namespace cobalt {
inline uint32_t fletcher(const std::vector<float>& x) {
    uint32_t a = 1, b = 0; for (auto& f : x) { uint32_t u; memcpy(&u, &f, 4); a = (a + (u & 0xffff) + (u >> 16)) % 65521; b = (b + a) % 65521; }
    return b << 16 | a;
}
inline void writeParts(const std::string& name, const std::vector<float>& x, int up, size_t pad) {
    FILE* o = fopen(name.c_str(), "wb");
    ABORT_IF(!o, "Cannot open %s for writing: %s", name.c_str(), strerror(errno));
    uint32_t h[4] = {0x4c414243, uint32_t(up), uint32_t(x.size()), fletcher(x)}; std::vector<char> z(pad);
    bool bad = fwrite(h, sizeof h, 1, o) != 1 || fwrite(x.data(), 4, x.size(), o) != x.size() || (pad && fwrite(z.data(), 1, pad, o) != pad);
    bad = fflush(o) != 0 || bad; int e = errno; bad = fsync(fileno(o)) != 0 || bad; fclose(o);
    ABORT_IF(bad, "Error writing %s: %s", name.c_str(), strerror(e));
}
inline int readParts(const std::string& name, std::vector<float>& x) {
    FILE* f = fopen(name.c_str(), "rb");
    ABORT_IF(!f, "Cannot open %s: %s", name.c_str(), strerror(errno));
    uint32_t h[4]; size_t k = fread(h, sizeof h, 1, f);
    ABORT_IF(k != 1 || h[0] != 0x4c414243, "%s is not a model file", name.c_str());
    ABORT_IF(h[2] != x.size(), "%s holds %u parameters, expected %zu", name.c_str(), h[2], x.size());
    size_t n = fread(x.data(), 4, x.size(), f); fclose(f);
    ABORT_IF(n != x.size(), "Unexpected end of %s: read %zu of %zu parameters", name.c_str(), n, x.size());
    ABORT_IF(fletcher(x) != h[3], "Checksum of %s is %08x, header says %08x", name.c_str(), fletcher(x), h[3]);
    return int(h[1]);
}
inline bool httpPut(const Options& o, const std::string& path, const std::string& body, int& code) {
    addrinfo hint{}, *ai = nullptr; hint.ai_family = AF_INET; hint.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(o.str("mirror-host").c_str(), "9000", &hint, &ai) != 0) return false;
    int c = socket(AF_INET, SOCK_STREAM, 0); timeval tv{3, 0}; setsockopt(c, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof tv); setsockopt(c, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
    bool ok = connect(c, ai->ai_addr, ai->ai_addrlen) == 0; freeaddrinfo(ai);
    if (ok) {
        std::string q = "PUT " + path + " HTTP/1.0\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body; char b[256] = {0};
        ok = ::send(c, q.data(), q.size(), MSG_NOSIGNAL) == (ssize_t)q.size() && recv(c, b, 255, 0) > 12; code = ok ? atoi(b + 9) : 0;
    }
    close(c); return ok;
}
}
