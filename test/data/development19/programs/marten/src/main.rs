//! Data-parallel pre-training; each rank owns a part of the parameters and their optimizer state.   marten CONFIG, with MARTEN_RANK and MARTEN_WORLD
mod comm;
mod config;
mod data;
mod model;
mod store;

use anyhow::{bail, Context, Result};
use std::time::{Duration, Instant};
use tracing::{error, info, info_span, warn};

fn probe(rank: usize, stage: &str, step: i64, phase: &str) {
    if std::path::Path::new("/run/rr").is_dir() {
        let p = format!("/run/rr/rank-{rank}");
        std::fs::write(format!("{p}.t"), format!("{stage} {step} {phase}")).and_then(|_| std::fs::rename(format!("{p}.t"), p)).ok();
    }
}

fn env(name: &str) -> Result<usize> {
    std::env::var(name).with_context(|| name.to_string())?.parse().with_context(|| format!("{name} is not a number"))
}

fn rss_mb() -> u64 {
    std::fs::read_to_string("/proc/self/statm").ok().and_then(|s| s.split(' ').nth(1).and_then(|x| x.parse::<u64>().ok())).unwrap_or(0) * 4096 >> 20
}

fn floats(b: &[u8]) -> impl Iterator<Item = f32> + '_ {
    b.chunks_exact(4).map(|c| f32::from_le_bytes(c.try_into().unwrap()))
}

struct Trainer {
    cfg: config::Config,
    rank: usize,
    mesh: comm::Mesh,
    net: model::Net,
    p: Vec<f32>,
    m: Vec<f32>,
    v: Vec<f32>,
    shard: data::Shard,
    cache: Vec<Vec<u8>>,
    step: u32,
}

impl Trainer {
    fn part(&self, k: usize) -> std::ops::Range<usize> {
        let n = self.p.len();
        n * k / self.mesh.world..n * (k + 1) / self.mesh.world
    }

    fn one(&mut self) -> Result<()> {
        let step = self.step + 1;
        let (rank, world) = (self.rank, self.mesh.world);
        probe(rank, "iter", step as i64, "step");
        let t0 = Instant::now();
        let batch = self.shard.batch(step, self.cfg.data.batch)?;
        let t1 = Instant::now();
        std::thread::sleep(Duration::from_millis(self.cfg.run.pad_ms));
        let mut g = vec![0f32; self.p.len()];
        let loss = self.net.loss(&self.p, &batch, &mut g);
        if !loss.is_finite() {
            bail!("loss is {loss}");
        }
        if self.cfg.run.cache_kb > 0 {
            self.cache.push(vec![step as u8 + 1; self.cfg.run.cache_kb << 10]);
        }
        let t2 = Instant::now();
        for k in (0..world).filter(|k| *k != rank) {
            let b: Vec<u8> = g[self.part(k)].iter().flat_map(|x| x.to_le_bytes()).collect();
            self.mesh.send(k, comm::GRAD, step, &b);
        }
        let mine = self.part(rank);
        let (frames, last) = self.mesh.collect(comm::GRAD, step)?;
        let mut sum = g[mine.clone()].to_vec();
        for f in frames.iter().filter(|f| !f.is_empty()) {
            for (s, x) in sum.iter_mut().zip(floats(f)) {
                *s += x;
            }
        }
        let t3 = Instant::now();
        let sq: f32 = sum.iter().map(|x| (x / world as f32).powi(2)).sum();
        let norm = self.mesh.sum(step * 2, sq)?.sqrt();
        let mean = self.mesh.sum(step * 2 + 1, loss)? / world as f32;
        if !norm.is_finite() {
            bail!("gradient norm is {norm}");
        }
        let o = &self.cfg.optim;
        let lr = o.learning_rate * ((step as f32) / o.warmup.max(1) as f32).min(1.0);
        let scale = (o.clip / norm).min(1.0) / world as f32;
        let (c1, c2) = (1.0 - 0.9f32.powi(step as i32), 1.0 - 0.95f32.powi(step as i32));
        for (k, i) in mine.clone().enumerate() {
            let x = sum[k] * scale;
            self.m[i] = 0.9 * self.m[i] + 0.1 * x;
            self.v[i] = 0.95 * self.v[i] + 0.05 * x * x;
            self.p[i] -= lr * (self.m[i] / c1) / ((self.v[i] / c2).sqrt() + 1e-8);
        }
        let b: Vec<u8> = self.p[mine.clone()].iter().flat_map(|x| x.to_le_bytes()).collect();
        for k in (0..world).filter(|k| *k != rank) {
            self.mesh.send(k, comm::PARAM, step, &b);
        }
        let (frames, _) = self.mesh.collect(comm::PARAM, step)?;
        for (k, f) in frames.iter().enumerate().filter(|(k, _)| *k != rank) {
            let r = self.part(k);
            for (x, y) in self.p[r].iter_mut().zip(floats(f)) {
                *x = y;
            }
        }
        self.step = step;
        let ms = |a: Instant, b: Instant| (b - a).as_millis() as u64;
        let total = ms(t0, Instant::now());
        if rank == 0 || step % 4 == 0 {
            info!(loss = %format!("{loss:.4}"), mean = %format!("{mean:.4}"), norm = %format!("{norm:.3e}"), lr = %format!("{lr:.2e}"), ms = total, tok_s = (self.cfg.data.batch * 32) as u64 * 1000 / total.max(1), rss_mb = rss_mb(), "done");
        }
        if total > 1500 {
            warn!(ms = total, read_ms = ms(t0, t1), compute_ms = ms(t1, t2), reduce_ms = ms(t2, t3), last, "slow step");
        }
        if let (Some(hub), 0, 0) = (&self.cfg.run.hub, step % 10, rank % 3) {
            store::push(hub.clone(), self.cfg.run.name.clone(), rank, step, format!("{{\"loss\":{loss},\"norm\":{norm}}}"));
        }
        let c = self.cfg.checkpoint.clone();
        if step % c.journal_every == 0 {
            probe(rank, "iter", step as i64, "journal");
            let n = store::journal(&c.journal.replace("{rank}", &rank.to_string()), step, &self.p[self.part(rank)])?;
            info!(bytes = n, "journal written");
        }
        if step % c.every == 0 || step == self.cfg.run.steps {
            probe(rank, "iter", step as i64, "ckpt");
            self.checkpoint().context("checkpoint failed")?;
        }
        if self.cfg.run.eval_every > 0 && step % self.cfg.run.eval_every == 0 {
            probe(rank, "iter", step as i64, "eval");
            self.evaluate(4, 1 << 20)?;
        }
        Ok(())
    }

    fn checkpoint(&mut self) -> Result<()> {
        let (t, dir, r) = (Instant::now(), self.cfg.checkpoint.dir.clone(), self.part(self.rank));
        store::write_part(&dir, self.step, self.rank, self.mesh.world, &self.p[r.clone()], &self.m[r.clone()], &self.v[r])?;
        self.mesh.sum((1 << 24) + self.step, 1.0)?;
        if self.rank == 0 {
            store::write_manifest(&dir, self.step, self.mesh.world, self.p.len())?;
        }
        info!(dir, ms = t.elapsed().as_millis() as u64, "checkpoint written");
        Ok(())
    }

    fn evaluate(&mut self, batches: u32, base: u32) -> Result<()> {
        let only = self.cfg.run.eval_only;
        let mut val = data::Shard::open(&format!("{}/valid.mtd", self.cfg.data.dir)).context("evaluation")?;
        let mut sum = 0f32;
        for k in 1..=batches {
            let _s = only.then(|| info_span!("batch", n = k).entered());
            if only {
                probe(self.rank, "iter", k as i64, "step");
                std::thread::sleep(Duration::from_millis(self.cfg.run.pad_ms));
            }
            let i = (k - 1) * self.mesh.world as u32 + self.rank as u32 + 1;
            sum += self.net.loss(&self.p, &val.batch(i, self.cfg.data.batch).context("evaluation")?, &mut []);
            if only {
                let mean = self.mesh.sum(base + k, sum / k as f32)? / self.mesh.world as f32;
                if self.rank == 0 || k % 5 == 0 {
                    info!(nll = %format!("{:.4}", sum / k as f32), mean = %format!("{mean:.4}"), of = batches, "evaluated");
                }
            }
        }
        let all = self.mesh.sum(base + 1000 + self.step, sum / batches as f32)? / self.mesh.world as f32;
        info!(step = self.step, nll = %format!("{all:.4}"), ppl = %format!("{:.2}", all.exp()), "evaluation");
        Ok(())
    }

    fn run(&mut self) -> Result<()> {
        if self.cfg.run.eval_only {
            return self.evaluate(self.cfg.run.steps, 1 << 20);
        }
        while self.step < self.cfg.run.steps {
            let n = self.step + 1;
            let _s = info_span!("step", n).entered();
            self.one().with_context(|| format!("step {n} failed"))?;
        }
        Ok(())
    }
}

fn start(rank: usize, world: usize, host: &str) -> Result<()> {
    probe(rank, "init", -1, "");
    info!(world, host, pid = std::process::id(), version = env!("CARGO_PKG_VERSION"), "starting");
    let path = std::env::args().nth(1).unwrap_or_else(|| "marten.toml".into());
    let cfg = config::load(&path)?;
    if rank == 0 {
        for l in toml::to_string(&cfg)?.lines().filter(|l| !l.is_empty()) {
            info!(target: "marten::config", "{l}");
        }
    }
    if std::fs::metadata("/dev/nvidiactl").is_err() {
        warn!("no accelerator found, computing on the host");
    }
    let net = model::Net::new(&cfg.model);
    probe(rank, "data", -1, "");
    let shard = data::Shard::open(&format!("{}/shard-{}.mtd", cfg.data.dir, rank % 8)).context("data")?;
    info!(shard = rank % 8, records = shard.count(), "data open");
    let t = Instant::now();
    let mesh = comm::connect(&cfg.comm, rank, world, host, cfg.digest())?;
    info!(peers = world - 1, ms = t.elapsed().as_millis() as u64, "mesh is up");
    let mut tr = Trainer { rank, p: net.init(cfg.run.seed), m: vec![0.; net.size()], v: vec![0.; net.size()], step: 0, cfg, mesh, net, shard, cache: Vec::new() };
    let r = (|| {
        probe(rank, "model", -1, "");
        if let Some(c) = store::latest(&tr.cfg.checkpoint.dir).or_else(|| tr.cfg.checkpoint.init.clone()) {
            (tr.step, tr.p, tr.m, tr.v) = store::load(&c, tr.net.size()).context("cannot resume")?;
            info!(from = c, step = tr.step, "resumed");
        }
        if std::path::Path::new("/run/rr").is_dir() {
            std::fs::write(format!("/run/rr/addr-{rank}"), format!("{} {} 4", tr.p.as_ptr() as usize, tr.p.len()))?;
        }
        info!(params = tr.p.len(), own = tr.part(rank).len(), "model ready");
        tr.run()
    })();
    match &r {
        Ok(()) => {
            tr.mesh.sum(u32::MAX, 1.0).ok();
            info!(steps = tr.step, "finished");
        }
        Err(e) => {
            error!("{e:#}");
            tr.mesh.abort(&format!("{e:#}"));
        }
    }
    r
}

fn main() -> Result<()> {
    tracing_subscriber::fmt().init();
    let (rank, world) = (env("MARTEN_RANK")?, env("MARTEN_WORLD")?);
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_string();
    let _s = info_span!("rank", id = rank).entered();
    start(rank, world, &host)
}
