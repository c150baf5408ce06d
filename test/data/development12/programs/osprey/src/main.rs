//! osprey: decentralised training. Every worker keeps a model of its own and mixes it, step by step, with that of one peer.
mod conf;
mod data;
mod eval;
mod model;
mod mesh;
mod schedule;
mod snap;
mod telemetry;

use anyhow::{bail, Context, Result};
use conf::Conf;
use mesh::{Kind, Mesh};
use model::Model;
use std::time::{Duration, Instant};
use tracing::{debug, info, info_span, warn};

pub fn mark(rank: usize, stage: &str, step: u64, phase: &str) {
    let _ = std::fs::write(format!("/run/rr/rank-{rank}"), format!("{stage} {step} {phase}"));
}

fn train(c: &Conf, mesh: &mut Mesh, model: &mut Model, first: u64) -> Result<()> {
    let path = format!("{}/shard-{:02}.rec", c.data_dir, mesh.rank % 8);
    let feed = data::Prefetch::start(&path, c.batch, first, c.depth)?;
    info!(shard = %path, batch = c.batch, "training from step {first} to {}", c.steps);
    let mut shift = 1usize;
    for step in first..=c.steps {
        mark(mesh.rank, "iter", step, "read");
        let t0 = Instant::now();
        let batch = feed.next().with_context(|| format!("step {step}: no batch"))?;
        let t1 = Instant::now();
        std::thread::sleep(Duration::from_millis(c.pad_ms));
        let rate = schedule::rate(c, step);
        let loss = model.step(&batch, rate);
        if !loss.is_finite() {
            bail!("step {step}: loss is {loss}");
        }
        let t2 = Instant::now();
        mark(mesh.rank, "iter", step, "mix");
        let world = mesh.world;
        let to = (mesh.rank + shift) % world;
        let from = (mesh.rank + world - shift) % world;
        mesh.send(to, Kind::Params, step, &model.bytes()).with_context(|| format!("step {step}: sending parameters to worker {to}"))?;
        let theirs = mesh.recv(from, Kind::Params, step).with_context(|| format!("step {step}: mixing with worker {from}"))?;
        model.mix(&theirs).with_context(|| format!("step {step}: parameters of worker {from}"))?;
        shift = if shift * 2 >= world { 1 } else { shift * 2 };
        let (read, grad, mix) = ((t1 - t0).as_millis(), (t2 - t1).as_millis(), t2.elapsed().as_millis());
        if step % (if mesh.rank == 0 { 2 } else { 10 }) == 0 {
            info!(step, loss = format_args!("{loss:.4}"), lr = format_args!("{rate:.3}"), read_ms = read as u64, grad_ms = grad as u64, mix_ms = mix as u64, "step");
        }
        if t0.elapsed().as_millis() as u64 > c.slow_ms {
            warn!(step, elapsed_ms = t0.elapsed().as_millis() as u64, read_ms = read as u64, grad_ms = grad as u64, mix_ms = mix as u64, "slow step");
        }
        if step % 11 == (mesh.rank as u64) + 2 {
            telemetry::export(c, mesh.rank, step);
        }
        if step % c.eval_every == 0 {
            mark(mesh.rank, "iter", step, "eval");
            eval::evaluate(c, mesh, model, step).with_context(|| format!("evaluation at step {step}"))?;
        }
        if step % c.snap_every == 0 {
            mark(mesh.rank, "iter", step, "snap");
            snap::save(c, mesh, model, step).with_context(|| format!("snapshot at step {step}"))?;
        }
    }
    info!("{} steps done", c.steps);
    Ok(())
}

fn run() -> Result<()> {
    let c = Conf::load("/workspace/osprey.json")?;
    let rank: usize = std::env::var("RANK").context("RANK")?.parse().context("RANK")?;
    mark(rank, "init", 0, "-");
    let span = info_span!("worker", rank);
    let _in = span.enter();
    info!(version = conf::VERSION, protocol = conf::PROTO, host = %c.host, attempt = %c.attempt, "osprey starting");
    if std::env::var("OSPREY_SIMD").is_err() {
        warn!("OSPREY_SIMD is not set, using portable kernels");
    }
    if c.deprecated {
        warn!("configuration key `lr` is deprecated, use `rate`");
    }
    let mut mesh = Mesh::join(&c, rank).context("joining the mesh")?;
    info!(workers = mesh.world, "mesh complete");
    mark(rank, "model", 0, "-");
    let mut model = Model::new(c.vocab, c.hidden, c.seed);
    let mut first = 1;
    if let Some(step) = snap::latest(&c)? {
        snap::load(&format!("{}/worker{rank}.{step}.snap", c.out_dir), &mut model).with_context(|| format!("resuming from step {step}"))?;
        info!(step, "resumed");
        first = step + 1;
    } else if !c.warm_start.is_empty() {
        snap::load(&c.warm_start, &mut model).context("warm start")?;
        info!(path = %c.warm_start, "warm start");
    }
    debug!(parameters = model.len(), "model ready");
    mesh.barrier(0).context("first barrier")?;
    train(&c, &mut mesh, &mut model, first)?;
    mesh.barrier(c.steps + 1).context("last barrier")?;
    mesh.leave();
    info!("left the mesh");
    Ok(())
}

fn main() -> Result<()> {
    tracing_subscriber::fmt().with_ansi(false).with_max_level(tracing::Level::DEBUG).init();
    run()
}
