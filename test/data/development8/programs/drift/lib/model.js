'use strict';
// four characters in, one out: embedding, one hidden layer, softmax
const V = 96, E = 16, C = 4;
class Model {
  constructor(hidden, seed) {
    this.h = hidden; this.size = V * E + C * E * hidden + hidden * V; this.w = new Float32Array(this.size); this.g = new Float32Array(this.size); this.m = new Float32Array(this.size);
    let s = seed * 2654435761 >>> 0;
    for (let i = 0; i < this.size; i++) { s ^= s << 13; s >>>= 0; s ^= s >>> 17; s ^= s << 5; s >>>= 0; this.w[i] = (s / 4294967296 - 0.5) * 0.4; }
  }
  loss(text, grad) {
    const H = this.h, w = this.w, g = this.g, o1 = V * E, o2 = o1 + C * E * H; let total = 0, n = 0;
    const x = new Float32Array(C * E), hid = new Float32Array(H), p = new Float32Array(V), dh = new Float32Array(H);
    for (let t = C; t < text.length; t++) {
      for (let c = 0; c < C; c++) for (let e = 0; e < E; e++) x[c * E + e] = w[text[t - C + c] * E + e];
      for (let j = 0; j < H; j++) { let a = 0; for (let i = 0; i < C * E; i++) a += x[i] * w[o1 + i * H + j]; hid[j] = Math.tanh(a); }
      let mx = -1e9, z = 0;
      for (let v = 0; v < V; v++) { let a = 0; for (let j = 0; j < H; j++) a += hid[j] * w[o2 + j * V + v]; p[v] = a; if (a > mx) mx = a; }
      for (let v = 0; v < V; v++) { p[v] = Math.exp(p[v] - mx); z += p[v]; }
      total += Math.log(z) - Math.log(p[text[t]]); n++;
      if (!grad) continue;
      dh.fill(0);
      for (let v = 0; v < V; v++) { const d = p[v] / z - (v === text[t] ? 1 : 0); for (let j = 0; j < H; j++) { g[o2 + j * V + v] += d * hid[j]; dh[j] += d * w[o2 + j * V + v]; } }
      for (let j = 0; j < H; j++) dh[j] *= 1 - hid[j] * hid[j];
      for (let i = 0; i < C * E; i++) { let a = 0; for (let j = 0; j < H; j++) { g[o1 + i * H + j] += dh[j] * x[i]; a += dh[j] * w[o1 + i * H + j]; } g[text[t - C + (i / E | 0)] * E + i % E] += a; }
    }
    return { total, n };
  }
  step(lr, scale) { for (let i = 0; i < this.size; i++) { this.m[i] = 0.9 * this.m[i] + this.g[i] * scale; this.w[i] -= lr * this.m[i]; this.g[i] = 0; } }
}
module.exports = { Model, V };
