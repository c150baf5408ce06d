#pragma once
#include <sstream>
#include "options.h"

namespace cobalt {
/** Text shards of token ids, one sentence a line; the batch of an update is a function of the update alone. */
class Corpus {
    const Options& o; std::vector<std::string> lines; std::string file; int vocab;
public:
    size_t pos = 0;
    Corpus(const Options& opt, int shard, int v) : o(opt), vocab(v) {
        char n[64]; snprintf(n, sizeof n, "/train.%02d.ids", shard); file = opt.str("train-dir") + n;
        std::ifstream in(file); std::string l;
        ABORT_IF(!in, "Cannot open training shard %s: %s", file.c_str(), strerror(errno));
        while (std::getline(in, l)) lines.push_back(l);
        info("[data] Loaded shard %s with %zu sentences", file.c_str(), lines.size());
    }
    std::vector<std::vector<int>> batch(int up, int size) {
        std::vector<std::vector<int>> b; size_t p = size_t(up - 1) * size;
        for (int i = 0; i < size; i++, p++) {
            const std::string& l = lines[p % lines.size()]; std::istringstream s(l); std::vector<int> r; std::string w;
            while (s >> w) {
                char* e; long id = strtol(w.c_str(), &e, 10);
                ABORT_IF(*e || id < 0 || id >= vocab, "Malformed token '%s' in line %zu of %s", w.c_str(), p % lines.size() + 1, file.c_str());
                r.push_back(int(id));
            }
            b.push_back(r);
        }
        return b;
    }
    size_t size() const { return lines.size(); }
};
}
