use crate::conf::Conf;
use crate::mesh::Mesh;
use crate::model::Model;
use anyhow::{bail, Context, Result};
use std::io::{Read, Write};
use std::time::{Duration, Instant};
use tracing::{error, info, warn};

fn write(path: &str, step: u64, body: &[u8], pad: usize) -> Result<()> {
    let go = || -> std::io::Result<()> {
        let mut f = std::fs::File::create(path)?;
        f.write_all(b"OSPSNAP1")?;
        f.write_all(&step.to_le_bytes())?;
        f.write_all(&crc32fast::hash(body).to_le_bytes())?;
        f.write_all(body)?;
        f.write_all(&vec![0u8; pad])?;
        f.sync_all()
    };
    go().with_context(|| format!("writing {path}"))
}

pub fn load(path: &str, model: &mut Model) -> Result<()> {
    let b = std::fs::read(path).with_context(|| format!("reading {path}"))?;
    if b.len() < 20 || &b[..8] != b"OSPSNAP1" {
        bail!("{path} is not a snapshot");
    }
    let n = 4 * model.len();
    if b.len() < 20 + n {
        bail!("{path}: {} bytes, too short for {} parameters", b.len(), model.len());
    }
    let (is, stored) = (crc32fast::hash(&b[20..20 + n]), u32::from_le_bytes(b[16..20].try_into()?));
    if is != stored {
        bail!("{path}: checksum {is:08x} does not match stored {stored:08x}");
    }
    model.set(&b[20..20 + n])
}

pub fn latest(c: &Conf) -> Result<Option<u64>> {
    match std::fs::read_to_string(format!("{}/LATEST", c.out_dir)) {
        Ok(s) => Ok(Some(s.trim().parse()?)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e.into()),
    }
}

pub fn save(c: &Conf, mesh: &mut Mesh, model: &Model, step: u64) -> Result<()> {
    let t = Instant::now();
    let rank = mesh.rank;
    let body = model.bytes();
    write(&format!("{}/worker{rank}.{step}.snap", c.local_dir), step, &body, c.pad_kb * 1024)?;
    write(&format!("{}/worker{rank}.{step}.snap", c.out_dir), step, &body, 0)?;
    let old = format!("{}/worker{rank}.{}.snap", c.local_dir, step.saturating_sub(c.snap_every));
    if let Err(e) = std::fs::remove_file(&old) {
        error!(path = %old, error = %e, "failed to remove superseded snapshot");
    }
    mesh.barrier(step).context("barrier")?;
    if rank == 0 {
        std::fs::write(format!("{}/LATEST", c.out_dir), step.to_string()).context("writing LATEST")?;
        info!(step, took_ms = t.elapsed().as_millis() as u64, "snapshot complete");
        for k in 1..=4 {
            match put(&c.store, &format!("/osprey/model-{step}"), &body) {
                Ok(code) if code / 100 == 2 => {
                    info!(step, "snapshot uploaded");
                    break;
                }
                Ok(code) => warn!(step, status = code, "upload failed, retry {k}/4"),
                Err(e) => warn!(step, error = %e, "upload failed, retry {k}/4"),
            }
            std::thread::sleep(Duration::from_millis(200 * k));
        }
    }
    Ok(())
}

fn put(store: &str, path: &str, body: &[u8]) -> Result<u32> {
    let mut s = std::net::TcpStream::connect(store)?;
    s.set_read_timeout(Some(Duration::from_secs(4)))?;
    write!(s, "PUT {path} HTTP/1.1\r\nHost: {store}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len())?;
    s.write_all(body)?;
    let mut r = String::new();
    s.read_to_string(&mut r)?;
    Ok(r.split(' ').nth(1).context("no status line")?.parse()?)
}
