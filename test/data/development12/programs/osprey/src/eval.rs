use crate::conf::Conf;
use crate::data::Shard;
use crate::mesh::{Kind, Mesh};
use crate::model::Model;
use anyhow::{Context, Result};
use tracing::info;

/// every worker scores its own model, worker 0 tells mean and spread
pub fn evaluate(c: &Conf, mesh: &mut Mesh, model: &Model, step: u64) -> Result<()> {
    let held = Shard::open(&c.heldout)?;
    let loss = model.loss(&held.batch(0, 40)?);
    if mesh.rank > 0 {
        mesh.send(0, Kind::Score, step, &loss.to_le_bytes())?;
        return Ok(());
    }
    let mut all = vec![loss];
    for k in 1..mesh.world {
        let b = mesh.recv(k, Kind::Score, step).with_context(|| format!("score of worker {k}"))?;
        all.push(f32::from_le_bytes(b[..4].try_into()?));
    }
    let mean = all.iter().sum::<f32>() / all.len() as f32;
    let spread = all.iter().map(|x| (x - mean).abs()).fold(0.0, f32::max);
    info!(step, heldout_loss = format_args!("{mean:.4}"), spread = format_args!("{spread:.5}"), "evaluation");
    Ok(())
}
