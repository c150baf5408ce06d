use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub run: Run,
    pub model: Model,
    pub data: Data,
    pub optim: Optim,
    pub comm: Comm,
    pub checkpoint: Checkpoint,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    pub name: String,
    pub steps: u32,
    pub seed: u64,
    #[serde(default)]
    pub eval_every: u32,
    #[serde(default)]
    pub eval_only: bool,
    #[serde(default)]
    pub pad_ms: u64,
    #[serde(default)]
    pub cache_kb: usize,
    #[serde(default)]
    pub hub: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    pub vocab: usize,
    pub dim: usize,
    pub hidden: usize,
    pub context: usize,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    pub dir: String,
    pub batch: usize,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Optim {
    pub learning_rate: f32,
    pub warmup: u32,
    pub clip: f32,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comm {
    pub coordinator: String,
    pub interface: String,
    pub join_timeout_s: u64,
    pub timeout_s: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    pub dir: String,
    pub every: u32,
    pub journal: String,
    pub journal_every: u32,
    #[serde(default)]
    pub init: Option<String>,
}

pub fn load(path: &str) -> Result<Config> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?;
    toml::from_str(&text).with_context(|| format!("cannot parse {path}"))
}

impl Config {
    pub fn digest(&self) -> u32 {
        crc32fast::hash(serde_json::to_string(&(&self.model, &self.optim, &self.run.seed, &self.run.steps, self.data.batch)).unwrap().as_bytes())
    }
}
