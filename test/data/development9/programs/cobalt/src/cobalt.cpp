#include <csignal>
#include <dlfcn.h>
#include <thread>
#include <exception>
#include <sys/resource.h>
#include "corpus.h"
#include "store.h"
using namespace cobalt;

static volatile sig_atomic_t asked = 0;
static void onTerm(int) { asked = 1; }

static std::string commas(size_t n) { std::string s = std::to_string(n); for (int i = (int)s.size() - 3; i > 0; i -= 3) s.insert(i, ","); return s; }
static double now() { timeval t; gettimeofday(&t, nullptr); return t.tv_sec + t.tv_usec / 1e6; }

static void device(const Options& o) {
    std::ifstream in("/proc/driver/nvidia/version");
    if (!in) warn("[device] /proc/driver/nvidia/version: No such file or directory, using CPU backend");
    if (!dlopen("libnvidia-ml.so.1", RTLD_LAZY)) error("[device] NVML not available: %s", dlerror());
    rlimit r; getrlimit(RLIMIT_MEMLOCK, &r);
    if (r.rlim_cur != RLIM_INFINITY) warn("[memory] mlock limit is %llu kB, pinned buffers disabled", (unsigned long long)r.rlim_cur >> 10);
    info("[memory] Reserving %d MB workspace on cpu%d", o.num("workspace"), o.rank);
}

struct Probe { static void run(const Options& o, int up) {
    try {
        int s = socket(AF_INET, SOCK_STREAM, 0); sockaddr_in a{}; a.sin_family = AF_INET; a.sin_port = htons(4317); inet_pton(AF_INET, o.str("trace-addr").c_str(), &a.sin_addr);
        int rc = connect(s, (sockaddr*)&a, sizeof a), e = errno; close(s);
        if (rc != 0) throw std::runtime_error(std::string("OTLP export to ") + o.str("trace-addr") + ":4317: " + strerror(e));
    } catch (const std::exception& e) { warn("[trace] dropped span of Up. %d: %s", up, e.what()); }
} };

class Trainer {
    const Options& o; Ring& ring; Model& model; Corpus& corpus; double best = 1e9; std::vector<float> trail; std::vector<std::vector<float>> kept; size_t sen = 0;
    std::string out(int up) const { return o.str("model-dir") + "/model.up" + std::to_string(up); }
public:
    Trainer(const Options& opt, Ring& r, Model& m, Corpus& c) : o(opt), ring(r), model(m), corpus(c) {}

    void save(int up) {
        double t0 = now(); mark(o.rank, "iter", up, "save");
        if (o.rank == 0) {
            info("[training] Saving model weights and runtime parameters to %s.npz", out(up).c_str());
            writeParts(out(up) + ".npz", model.w, up, 0);
        }
        writeParts(out(up) + ".opt" + std::to_string(o.rank), model.m, up, 0);
        auto scratch = [&](int u) { return o.str("scratch") + "/optimizer." + std::to_string(o.rank) + ".up" + std::to_string(u); };
        writeParts(scratch(up), model.v, up, size_t(o.num("scratch-kb")) << 10);
        unlink(scratch(up - o.num("save-freq")).c_str());
        if (o.rank == 0) {
            std::string body((char*)model.w.data(), 4 * model.w.size()); int code = 0;
            for (int k = 1; k <= 3; k++) {
                if (httpPut(o, "/cobalt" + out(up).substr(out(up).rfind('/')) + ".npz", body, code) && code == 200) break;
                warn("[mirror] upload of %s.npz: HTTP %d, retry %d/3", out(up).c_str(), code, k); usleep(250000);
            }
        } else debug("[training] Optimizer shard %d saved in %.2fs", o.rank, now() - t0);
    }
    int restore() {
        glob_t g; int up = 0; std::string n;
        if (glob((o.str("model-dir") + "/model.up*.npz").c_str(), 0, nullptr, &g) == 0)
            for (size_t i = 0; i < g.gl_pathc; i++) { std::string p = g.gl_pathv[i]; int u = atoi(p.c_str() + p.rfind("up") + 2); if (u > up) { up = u; n = p; } }
        globfree(&g);
        if (up) { readParts(n, model.w); model.t = up; info("[training] Model reloaded from %s, continuing at Up. %d", n.c_str(), up + 1); }
        else if (o.str("pretrained-model") != "none") { readParts(o.str("pretrained-model"), model.w); info("[training] Initialized model weights with the pre-trained model %s", o.str("pretrained-model").c_str()); }
        return up;
    }
    void validate(int up) {
        mark(o.rank, "iter", up, "valid"); size_t words;
        std::vector<float> c{float(model.pass(corpus.batch(1, 24), false, words))};
        ring.allReduceMean(c, up);
        bool better = c[0] < best; best = std::min(best, double(c[0]));
        if (o.rank == 0) info("[valid] Ep. %zu : Up. %d : cross-entropy : %.5f : %s", sen / corpus.size() + 1, up, c[0], better ? "new best" : "stalled 1 times");
    }
    int train(int up) {
        int last = o.num("after-batches"), size = o.num("mini-batch"), disp = o.rank == 0 ? o.num("disp-freq") : 10; double lr = o.real("learn-rate"), t0 = now(), tick = t0; size_t shown = 0, words;
        std::mt19937 rng(o.rank * 131 + o.num("seed"));
        info("[training] Training started");
        while (up < last) {
            up++;
            mark(o.rank, "iter", up, "batch");
            auto rows = corpus.batch(up, size); sen = size_t(up) * size;
            mark(o.rank, "iter", up, "forward");
            double cost = model.pass(rows, true, words); shown += words;
            usleep(1000 * (o.num("pad") + rng() % 50));
            mark(o.rank, "iter", up, "allreduce");
            std::vector<float> msg = model.g; msg.push_back(float(cost)); double a0 = now();
            ring.allReduceMean(msg, up);
            double a1 = now(), all = msg.back(); msg.pop_back();
            ABORT_IF(!std::isfinite(all), "Cost is not finite (%f) in Up. %d", all, up);
            model.update(msg, lr * std::min(1.0, up / 10.0));
            mark(o.rank, "iter", up, "display");
            if (up % disp == 0) {
                if (o.rank == 0) info("Ep. %zu : Up. %d : Sen. %s : Cost %.6f : Time %.2fs : %.2f words/s", sen / corpus.size() + 1, up, commas(sen).c_str(), all, now() - tick, shown * o.num("workers") / (now() - tick));
                else debug("[comm] Up. %d : all-reduce %.1f ms : %s bytes sent", up, (a1 - a0) * 1e3, commas(ring.bytes).c_str());
                tick = now(); shown = 0;
            }
            if (sen / corpus.size() != (sen - size) / corpus.size() && o.rank == 0) { info("Seen %s sentences", commas(sen).c_str()); info("[data] Shuffling data"); }
            if (a1 - a0 > 1.0) warn("[comm] Up. %d : all-reduce took %.2fs", up, a1 - a0);
            if (up % 12 == 4 + o.rank % 6) Probe::run(o, up);
            if (up % o.num("save-freq") == 0) save(up);
            if (up % o.num("valid-freq") == 0) validate(up);
            if (asked) { warn("[training] Received SIGTERM, leaving after Up. %d", up); return 143; }
        }
        if (o.rank == 0) info("[training] Training finished");
        info("[memory] Peak resident size %s kB", [] { rusage u; getrusage(RUSAGE_SELF, &u); return commas(u.ru_maxrss); }().c_str());
        return 0;
    }
};

int main(int argc, char** argv) {
    setlinebuf(stderr);
    Options o("/workspace/config.yml"); o.rank = atoi(argv[1]); logger = "cobalt:" + std::to_string(o.rank);
    mark(o.rank, "init", 0, "start");
    char host[128]; gethostname(host, sizeof host);
    info("[cobalt] Cobalt v1.12.0 65bf82f 2026-10-02, worker %d of %d on %s, process %d", o.rank, o.num("workers"), host, getpid());
    if (o.rank == 0) for (auto& k : o.order) info("[config] %s: %s", k.c_str(), o.str(k).c_str());
    signal(SIGTERM, onTerm); signal(SIGPIPE, SIG_IGN);
    device(o);
    std::vector<std::string> hosts; { std::ifstream in("/workspace/ring.hosts"); std::string l; while (std::getline(in, l)) hosts.push_back(l); }
    Ring ring(o, hosts);
    mark(o.rank, "model", 0, "build");
    Model model(o);
    info("[graph] %s parameters, optimizer %s, learn rate %s", commas(model.w.size()).c_str(), o.str("optimizer").c_str(), o.str("learn-rate").c_str());
    mark(o.rank, "data", 0, "open");
    Corpus corpus(o, o.rank % o.num("shards"), model.vocab);
    Trainer t(o, ring, model, corpus);
    int rc = t.train(t.restore());
    mark(o.rank, "end", 0, "end");
    return rc;
}
