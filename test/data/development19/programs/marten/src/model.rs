//! A feed-forward language model: embeddings of the last tokens, one hidden layer, softmax.
use crate::config;
use crate::data::TOKENS;

pub struct Net {
    v: usize,
    d: usize,
    h: usize,
    c: usize,
}

impl Net {
    pub fn new(m: &config::Model) -> Net {
        Net { v: m.vocab, d: m.dim, h: m.hidden, c: m.context }
    }

    pub fn size(&self) -> usize {
        self.v * self.d + self.c * self.d * self.h + self.h + self.h * self.v + self.v
    }

    pub fn init(&self, seed: u64) -> Vec<f32> {
        let mut s = seed.wrapping_mul(0x9E3779B97F4A7C15) | 1;
        let mut next = || {
            s ^= s << 13;
            s ^= s >> 7;
            s ^= s << 17;
            (s >> 40) as f32 / (1u64 << 24) as f32 - 0.5
        };
        (0..self.size()).map(|_| next() * 0.12).collect()
    }

    /// Mean loss over all positions; adds the gradient to `g` unless it is empty.
    pub fn loss(&self, p: &[f32], tokens: &[u16], g: &mut [f32]) -> f32 {
        let (v, d, h, c) = (self.v, self.d, self.h, self.c);
        let (o1, o2) = (v * d, v * d + c * d * h);
        let (o3, o4) = (o2 + h, o2 + h + h * v);
        let (mut x, mut z, mut y, mut dz) = (vec![0f32; c * d], vec![0f32; h], vec![0f32; v], vec![0f32; h]);
        let (mut total, mut n) = (0f64, 0u32);
        let scale = 1.0 / (tokens.len() / TOKENS * (TOKENS - c)) as f32;
        for seq in tokens.chunks_exact(TOKENS) {
            for t in c..TOKENS {
                for k in 0..c {
                    let id = seq[t - c + k] as usize;
                    x[k * d..(k + 1) * d].copy_from_slice(&p[..o1][id * d..(id + 1) * d]);
                }
                z.copy_from_slice(&p[o2..o3]);
                for (i, xi) in x.iter().enumerate() {
                    for (zj, w) in z.iter_mut().zip(&p[o1 + i * h..o1 + (i + 1) * h]) {
                        *zj += xi * w;
                    }
                }
                for zj in z.iter_mut() {
                    *zj = zj.tanh();
                }
                y.copy_from_slice(&p[o4..]);
                for (j, zj) in z.iter().enumerate() {
                    for (yk, w) in y.iter_mut().zip(&p[o3 + j * v..o3 + (j + 1) * v]) {
                        *yk += zj * w;
                    }
                }
                let m = y.iter().cloned().fold(f32::NEG_INFINITY, f32::max);
                let sum: f32 = y.iter().map(|a| (a - m).exp()).sum();
                let target = seq[t] as usize;
                total += (m + sum.ln() - y[target]) as f64;
                n += 1;
                if g.is_empty() {
                    continue;
                }
                for a in y.iter_mut() {
                    *a = (*a - m).exp() / sum * scale;
                }
                y[target] -= scale;
                for (k, e) in y.iter().enumerate() {
                    g[o4 + k] += e;
                }
                for j in 0..h {
                    let (w, gw) = (&p[o3 + j * v..o3 + (j + 1) * v], &mut g[o3 + j * v..o3 + (j + 1) * v]);
                    let mut a = 0f32;
                    for k in 0..v {
                        a += y[k] * w[k];
                        gw[k] += y[k] * z[j];
                    }
                    dz[j] = a * (1.0 - z[j] * z[j]);
                    g[o2 + j] += dz[j];
                }
                for i in 0..c * d {
                    let (w, gw) = (&p[o1 + i * h..o1 + (i + 1) * h], &mut g[o1 + i * h..o1 + (i + 1) * h]);
                    let mut a = 0f32;
                    for j in 0..h {
                        a += dz[j] * w[j];
                        gw[j] += dz[j] * x[i];
                    }
                    g[seq[t - c + i / d] as usize * d + i % d] += a;
                }
            }
        }
        (total / n as f64) as f32
    }
}
