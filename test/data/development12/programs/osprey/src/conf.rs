use anyhow::{anyhow, Context, Result};
use serde_json::Value;

pub const VERSION: &str = match option_env!("OSPREY_VERSION") {
    Some(v) => v,
    None => env!("CARGO_PKG_VERSION"),
};
pub const PROTO: &str = match option_env!("OSPREY_PROTO") {
    Some(v) => v,
    None => "7",
};

pub struct Conf {
    pub host: String,
    pub attempt: String,
    pub listen: String,
    pub workers: Vec<String>,
    pub vocab: usize,
    pub hidden: usize,
    pub seed: u64,
    pub rate: f32,
    pub batch: usize,
    pub depth: usize,
    pub steps: u64,
    pub pad_ms: u64,
    pub slow_ms: u64,
    pub join_s: u64,
    pub mix_s: u64,
    pub nag_s: u64,
    pub eval_every: u64,
    pub snap_every: u64,
    pub pad_kb: usize,
    pub data_dir: String,
    pub heldout: String,
    pub local_dir: String,
    pub out_dir: String,
    pub warm_start: String,
    pub collector: String,
    pub store: String,
    pub deprecated: bool,
}

impl Conf {
    pub fn load(path: &str) -> Result<Conf> {
        let text = std::fs::read_to_string(path).with_context(|| format!("reading {path}"))?;
        let v: Value = serde_json::from_str(&text).with_context(|| format!("parsing {path}"))?;
        let get = |k: &str| -> Result<Value> {
            if let Ok(s) = std::env::var(format!("OSPREY_{}", k.to_uppercase())) {
                return Ok(serde_json::from_str(&s).unwrap_or(Value::String(s)));
            }
            v.get(k).cloned().ok_or_else(|| anyhow!("{path}: missing key `{k}`"))
        };
        let num = |k: &str| -> Result<u64> { get(k)?.as_u64().ok_or_else(|| anyhow!("{path}: `{k}` is not a number")) };
        let txt = |k: &str| -> Result<String> { Ok(get(k)?.as_str().unwrap_or_default().to_string()) };
        let mut workers = vec![];
        for w in get("workers")?.as_array().ok_or_else(|| anyhow!("{path}: `workers` is not a list"))? {
            workers.push(w.as_str().unwrap_or_default().to_string());
        }
        Ok(Conf {
            host: std::fs::read_to_string("/proc/sys/kernel/hostname")?.trim().to_string(),
            attempt: std::env::var("ATTEMPT").unwrap_or_default(),
            listen: txt("listen")?,
            workers,
            vocab: num("vocab")? as usize,
            hidden: num("hidden")? as usize,
            seed: num("seed")?,
            rate: get("lr")?.as_f64().unwrap_or(0.0) as f32,
            batch: num("batch")? as usize,
            depth: num("depth")? as usize,
            steps: num("steps")?,
            pad_ms: num("pad_ms")?,
            slow_ms: num("slow_ms")?,
            join_s: num("join_s")?,
            mix_s: num("mix_s")?,
            nag_s: num("nag_s")?,
            eval_every: num("eval_every")?,
            snap_every: num("snap_every")?,
            pad_kb: num("pad_kb")? as usize,
            data_dir: txt("data_dir")?,
            heldout: txt("heldout")?,
            local_dir: txt("local_dir")?,
            out_dir: txt("out_dir")?,
            warm_start: txt("warm_start")?,
            collector: txt("collector")?,
            store: txt("store")?,
            deprecated: true,
        })
    }
}
