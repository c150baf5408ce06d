//! Shards of framed records: length and CRC-32 (big endian), then symbols.
use anyhow::{anyhow, bail, Context, Result};
use std::sync::mpsc::{sync_channel, Receiver};
use tracing::debug;

pub struct Shard {
    path: String,
    records: Vec<(u32, Vec<u8>)>,
}

impl Shard {
    pub fn open(path: &str) -> Result<Shard> {
        let b = std::fs::read(path).with_context(|| format!("cannot open {path}"))?;
        let (mut at, mut records) = (0, vec![]);
        while at + 8 <= b.len() {
            let n = u32::from_be_bytes(b[at..at + 4].try_into()?) as usize;
            let crc = u32::from_be_bytes(b[at + 4..at + 8].try_into()?);
            if at + 8 + n > b.len() {
                bail!("{path}: record {} ends behind the end of the file", records.len());
            }
            records.push((crc, b[at + 8..at + 8 + n].to_vec()));
            at += 8 + n;
        }
        Ok(Shard { path: path.to_string(), records })
    }

    pub fn record(&self, k: usize) -> Result<&[u8]> {
        let (crc, r) = &self.records[k % self.records.len()];
        let is = crc32fast::hash(r);
        if is != *crc {
            bail!("{}: record {}: crc {is:08x}, stored {crc:08x}", self.path, k % self.records.len());
        }
        Ok(r)
    }

    pub fn batch(&self, k: usize, n: usize) -> Result<Vec<(usize, usize)>> {
        let mut pairs = vec![];
        for i in 0..n {
            let r = self.record(k * n + i)?;
            pairs.extend(r.windows(2).map(|w| (w[0] as usize, w[1] as usize)));
        }
        Ok(pairs)
    }
}

pub struct Prefetch {
    rx: Receiver<Vec<(usize, usize)>>,
}

impl Prefetch {
    pub fn start(path: &str, batch: usize, first: u64, depth: usize) -> Result<Prefetch> {
        let shard = Shard::open(path)?;
        let (tx, rx) = sync_channel(depth);
        let path = path.to_string();
        std::thread::Builder::new().name("prefetch".into()).spawn(move || {
            debug!(records = shard.records.len(), "prefetching {path}");
            for k in first as usize - 1.. {
                let b = shard.batch(k, batch).expect("prefetch failed");
                if tx.send(b).is_err() {
                    return;
                }
            }
        })?;
        Ok(Prefetch { rx })
    }

    pub fn next(&self) -> Result<Vec<(usize, usize)>> {
        self.rx.recv().map_err(|e| anyhow!(e))
    }
}
