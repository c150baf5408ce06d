#pragma once
#include <cmath>
#include <random>
#include "options.h"

namespace cobalt {
class Model {
    static constexpr int CTX = 3, DIM = 10;
public:
    int vocab, hidden; std::vector<float> w, g, m, v; int t = 0; std::string opt;
    size_t oH, oB, oO;
    Model(const Options& o) : vocab(o.num("dim-vocab")), hidden(o.num("dim-rnn")), opt(o.str("optimizer")) {
        oH = size_t(vocab) * DIM; oB = oH + size_t(CTX) * DIM * hidden; oO = oB + hidden;
        w.resize(oO + size_t(hidden) * vocab); g.resize(w.size()); m.resize(w.size()); v.resize(w.size());
        std::mt19937 r(o.num("seed")); std::normal_distribution<float> d(0, .12f); for (auto& x : w) x = d(r);
        ABORT_IF(opt != "sgd" && opt != "adam" && opt != "adagrad", "Unknown optimizer type: %s", opt.c_str());
    }
    double pass(const std::vector<std::vector<int>>& rows, bool learn, size_t& words) {
        double loss = 0; words = 0; if (learn) std::fill(g.begin(), g.end(), 0.f);
        std::vector<float> x(CTX * DIM), h(hidden), p(vocab), dh(hidden);
        for (auto& r : rows) for (size_t k = CTX; k < r.size(); k++) {
            words++;
            for (int c = 0; c < CTX; c++) for (int i = 0; i < DIM; i++) x[c * DIM + i] = w[r[k - CTX + c] * DIM + i];
            for (int j = 0; j < hidden; j++) { float s = w[oB + j]; for (int i = 0; i < CTX * DIM; i++) s += x[i] * w[oH + i * hidden + j]; h[j] = std::tanh(s); }
            float mx = -1e30f; double z = 0;
            for (int y = 0; y < vocab; y++) { float s = 0; for (int j = 0; j < hidden; j++) s += h[j] * w[oO + j * vocab + y]; p[y] = s; mx = std::max(mx, s); }
            for (auto& q : p) { q = std::exp(q - mx); z += q; }
            loss -= std::log(p[r[k]] / z);
            if (!learn) continue;
            std::fill(dh.begin(), dh.end(), 0.f);
            for (int y = 0; y < vocab; y++) { float d = float(p[y] / z) - (y == r[k]); for (int j = 0; j < hidden; j++) { g[oO + j * vocab + y] += d * h[j]; dh[j] += d * w[oO + j * vocab + y]; } }
            for (int j = 0; j < hidden; j++) {
                float d = dh[j] * (1 - h[j] * h[j]); g[oB + j] += d;
                for (int i = 0; i < CTX * DIM; i++) { g[oH + i * hidden + j] += d * x[i]; g[r[k - CTX + i / DIM] * DIM + i % DIM] += d * w[oH + i * hidden + j]; }
            }
        }
        if (learn) for (auto& q : g) q /= words;
        return loss / words;
    }
    void update(const std::vector<float>& d, double lr) {
        t++;
        for (size_t i = 0; i < w.size(); i++) {
            if (opt == "sgd") w[i] -= float(lr) * d[i];
            else if (opt == "adagrad") { v[i] += d[i] * d[i]; w[i] -= float(lr) * d[i] / (std::sqrt(v[i]) + 1e-6f); }
            else {
                m[i] = .9f * m[i] + .1f * d[i]; v[i] = .99f * v[i] + .01f * d[i] * d[i];
                w[i] -= float(lr) * (m[i] / (1 - std::pow(.9f, t))) / (std::sqrt(v[i] / (1 - std::pow(.99f, t))) + 1e-6f);
            }
        }
    }
};
}
