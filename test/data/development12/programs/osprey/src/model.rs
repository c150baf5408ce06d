use anyhow::{bail, Result};

/// next symbol from this one: embedding, tanh layer, softmax
pub struct Model {
    v: usize,
    h: usize,
    w: Vec<f32>,
}

impl Model {
    pub fn new(v: usize, h: usize, seed: u64) -> Model {
        let mut s = seed.wrapping_mul(2862933555777941757).wrapping_add(3037000493);
        let w = (0..2 * v * h + v)
            .map(|_| {
                s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                ((s >> 40) as f32 / (1u64 << 24) as f32 - 0.5) * 0.4
            })
            .collect();
        Model { v, h, w }
    }

    pub fn len(&self) -> usize {
        self.w.len()
    }

    fn logits(&self, x: usize) -> (Vec<f32>, Vec<f32>) {
        let (v, h) = (self.v, self.h);
        let a: Vec<f32> = self.w[x * h..(x + 1) * h].iter().map(|z| z.tanh()).collect();
        let o = (0..v).map(|k| self.w[2 * v * h + k] + (0..h).map(|i| a[i] * self.w[v * h + k * h + i]).sum::<f32>()).collect();
        (a, o)
    }

    fn softmax(o: &mut [f32], y: usize) -> f32 {
        let m = o.iter().cloned().fold(f32::MIN, f32::max);
        let mut z = 0.0;
        for p in o.iter_mut() {
            *p = (*p - m).exp();
            z += *p;
        }
        for p in o.iter_mut() {
            *p /= z;
        }
        -o[y].ln()
    }

    pub fn loss(&self, pairs: &[(usize, usize)]) -> f32 {
        pairs.iter().map(|&(x, y)| Self::softmax(&mut self.logits(x).1, y)).sum::<f32>() / pairs.len() as f32
    }

    pub fn step(&mut self, pairs: &[(usize, usize)], rate: f32) -> f32 {
        let (v, h) = (self.v, self.h);
        let mut g = vec![0f32; self.w.len()];
        let mut sum = 0.0;
        for &(x, y) in pairs {
            let (a, mut o) = self.logits(x);
            sum += Self::softmax(&mut o, y);
            o[y] -= 1.0;
            for k in 0..v {
                g[2 * v * h + k] += o[k];
                for i in 0..h {
                    g[v * h + k * h + i] += o[k] * a[i];
                    g[x * h + i] += o[k] * self.w[v * h + k * h + i] * (1.0 - a[i] * a[i]);
                }
            }
        }
        let n = pairs.len() as f32;
        for (w, d) in self.w.iter_mut().zip(&g) {
            *w -= rate * d / n;
        }
        sum / n
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.w.iter().flat_map(|x| x.to_le_bytes()).collect()
    }

    fn parse(&self, b: &[u8]) -> Result<Vec<f32>> {
        if b.len() != 4 * self.w.len() {
            bail!("{} bytes of parameters, expected {}", b.len(), 4 * self.w.len());
        }
        Ok(b.chunks_exact(4).map(|c| f32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect())
    }

    pub fn mix(&mut self, b: &[u8]) -> Result<()> {
        let theirs = self.parse(b)?;
        for (w, t) in self.w.iter_mut().zip(theirs) {
            *w = 0.5 * (*w + t);
        }
        Ok(())
    }

    pub fn set(&mut self, b: &[u8]) -> Result<()> {
        self.w = self.parse(b)?;
        Ok(())
    }
}
