//! Shards of records: 33 tokens and a checksum.
use anyhow::{bail, Context, Result};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

pub const TOKENS: usize = 33;
const RECORD: usize = TOKENS * 2 + 4;

pub struct Shard {
    path: String,
    file: File,
    count: u32,
}

impl Shard {
    pub fn open(path: &str) -> Result<Shard> {
        let mut file = File::open(path).with_context(|| format!("cannot open shard {path}"))?;
        let mut head = [0u8; 8];
        file.read_exact(&mut head).with_context(|| format!("cannot read the head of {path}"))?;
        if &head[..4] != b"MTD1" {
            bail!("{path} is not a shard: magic is {:02x?}", &head[..4]);
        }
        let count = u32::from_le_bytes(head[4..].try_into().unwrap());
        Ok(Shard { path: path.into(), file, count })
    }

    pub fn count(&self) -> u32 {
        self.count
    }

    pub fn batch(&mut self, step: u32, n: usize) -> Result<Vec<u16>> {
        let mut out = Vec::with_capacity(n * TOKENS);
        let mut rec = [0u8; RECORD];
        for k in 0..n {
            let i = ((step as usize - 1) * n + k) % self.count as usize;
            self.file.seek(SeekFrom::Start((8 + i * RECORD) as u64))?;
            self.file.read_exact(&mut rec).with_context(|| format!("cannot read record {i} of {}", self.path))?;
            let want = u32::from_le_bytes(rec[TOKENS * 2..].try_into().unwrap());
            let have = crc32fast::hash(&rec[..TOKENS * 2]);
            if want != have {
                bail!("record {i} of {}: checksum {have:08x}, stored {want:08x}", self.path);
            }
            out.extend(rec[..TOKENS * 2].chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]])));
        }
        Ok(out)
    }
}
