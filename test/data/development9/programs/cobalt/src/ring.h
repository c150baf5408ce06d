#pragma once
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include "options.h"

namespace cobalt {
/** All-reduce over a ring of TCP links: reduce-scatter, then all-gather. */
class Ring {
    const Options& o; int rank, world, left = -1, right = -1, timeout, update = 0;
    std::vector<std::string> hosts;
    std::string who(int r) const { return "worker " + std::to_string(r) + " on " + hosts[r]; }
    int L() const { return (rank + world - 1) % world; }
    int R() const { return (rank + 1) % world; }
public:
    size_t bytes = 0;
    explicit Ring(const Options& opt, const std::vector<std::string>& h) : o(opt), rank(opt.rank), world((int)h.size()), timeout(opt.num("comm-timeout")), hosts(h) { connectAll(); }

    void connectAll() {
        int s = socket(AF_INET, SOCK_STREAM, 0), one = 1; setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
        sockaddr_in a{}; a.sin_family = AF_INET; a.sin_port = htons(o.num("comm-port") + rank); a.sin_addr.s_addr = INADDR_ANY;
        ABORT_IF(bind(s, (sockaddr*)&a, sizeof a) != 0, "bind to port %d: %s", ntohs(a.sin_port), strerror(errno));
        listen(s, 4);
        debug("[comm] listening on port %d, right neighbour is %s", ntohs(a.sin_port), who(R()).c_str());
        time_t end = time(nullptr) + o.num("comm-setup-timeout"), told = 0; int tries = 0; std::string why;
        while (left < 0 || right < 0) {
            if (right < 0) {
                addrinfo hint{}, *ai = nullptr; hint.ai_family = AF_INET; hint.ai_socktype = SOCK_STREAM;
                std::string port = std::to_string(o.num("comm-port") + R());
                int rc = getaddrinfo(hosts[R()].c_str(), port.c_str(), &hint, &ai);
                ABORT_IF(rc != 0, "getaddrinfo(%s): %s", hosts[R()].c_str(), gai_strerror(rc));
                int c = socket(AF_INET, SOCK_STREAM, 0); timeval tv{3, 0}; setsockopt(c, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof tv);
                if (connect(c, ai->ai_addr, ai->ai_addrlen) == 0) {
                    right = c; setsockopt(c, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
                    int hello[2] = {rank, world}; if (::send(c, hello, sizeof hello, MSG_NOSIGNAL) < 0) ABORT("hello to %s: %s", who(R()).c_str(), strerror(errno));
                } else {
                    why = strerror(errno == EINPROGRESS ? ETIMEDOUT : errno); close(c);
                    char ip[64]; inet_ntop(AF_INET, &((sockaddr_in*)ai->ai_addr)->sin_addr, ip, sizeof ip);
                    if (++tries % 4 == 1) warn("[comm] connect to %s (%s:%s) failed: %s, retrying", who(R()).c_str(), ip, port.c_str(), why.c_str());
                }
                freeaddrinfo(ai);
            }
            pollfd p{s, POLLIN, 0};
            if (left < 0 && poll(&p, 1, 400) > 0) {
                int c = accept(s, nullptr, nullptr), hello[2] = {-1, -1}; timeval tv{3, 0}; setsockopt(c, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
                if (recv(c, hello, sizeof hello, MSG_WAITALL) != sizeof hello || hello[0] != L()) { warn("[comm] unexpected hello from worker %d", hello[0]); close(c); continue; }
                ABORT_IF(hello[1] != world, "%s counts %d workers, this one %d", who(L()).c_str(), hello[1], world);
                left = c;
            } else if (right < 0) usleep(300000);
            if (time(nullptr) > end) {
                ABORT_IF(right < 0, "Could not connect to %s within %d seconds: %s", who(R()).c_str(), o.num("comm-setup-timeout"), why.c_str());
                ABORT("No connection from %s within %d seconds", who(L()).c_str(), o.num("comm-setup-timeout"));
            }
            (void)told;
        }
        close(s);
        fcntl(left, F_SETFL, O_NONBLOCK); fcntl(right, F_SETFL, O_NONBLOCK);
        info("[comm] Ring of %d workers established, left %d, right %d", world, L(), R());
    }

    /** send n bytes to the right while n2 bytes come from the left */
    void shift(const char* out, size_t n, char* in, size_t n2, int step) {
        size_t so = 0, ri = 0; timeval t0; gettimeofday(&t0, nullptr);
        while (so < n || ri < n2) {
            pollfd p[2] = {{left, short(ri < n2 ? POLLIN : 0), 0}, {right, short(so < n ? POLLOUT : 0), 0}};
            timeval t; gettimeofday(&t, nullptr); double gone = t.tv_sec - t0.tv_sec + (t.tv_usec - t0.tv_usec) / 1e6;
            if (timeout > 0 && gone > timeout) {
                if (ri < n2) ABORT("all-reduce timed out in Up. %d (step %d): %zu of %zu bytes from %s after %d s", update, step, ri, n2, who(L()).c_str(), timeout);
                ABORT("all-reduce timed out in Up. %d (step %d): %zu of %zu bytes to %s after %d s", update, step, so, n, who(R()).c_str(), timeout);
            }
            if (poll(p, 2, 500) <= 0) continue;
            if (ri < n2 && p[0].revents) {
                ssize_t k = recv(left, in + ri, n2 - ri, 0);
                ABORT_IF(k == 0, "all-reduce failed in Up. %d (step %d): connection closed by %s", update, step, who(L()).c_str());
                ABORT_IF(k < 0 && errno != EAGAIN, "all-reduce failed in Up. %d (step %d): receive from %s: %s", update, step, who(L()).c_str(), strerror(errno));
                if (k > 0) ri += k;
            }
            if (so < n && p[1].revents) {
                ssize_t k = ::send(right, out + so, n - so, MSG_NOSIGNAL);
                ABORT_IF(k < 0 && errno != EAGAIN, "all-reduce failed in Up. %d (step %d): send to %s: %s", update, step, who(R()).c_str(), strerror(errno));
                if (k > 0) so += k;
            }
        }
        bytes += n;
    }

    void allReduceMean(std::vector<float>& x, int up) {
        update = up; size_t n = x.size(); auto lo = [&](int c) { return n * size_t(c) / world; };
        std::vector<float> buf(n / world + 2);
        for (int s = 0; s < world - 1; s++) {
            int out = (rank - s + world) % world, in = (rank - s - 1 + 2 * world) % world;
            shift((char*)&x[lo(out)], 4 * (lo(out + 1) - lo(out)), (char*)buf.data(), 4 * (lo(in + 1) - lo(in)), s);
            for (size_t i = lo(in); i < lo(in + 1); i++) x[i] += buf[i - lo(in)];
        }
        for (int s = 0; s < world - 1; s++) {
            int out = (rank + 1 - s + world) % world, in = (rank - s + world) % world;
            shift((char*)&x[lo(out)], 4 * (lo(out + 1) - lo(out)), (char*)&x[lo(in)], 4 * (lo(in + 1) - lo(in)), world - 1 + s);
        }
        for (auto& v : x) v /= world;
    }
};
}
