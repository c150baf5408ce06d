//! Connections of all workers to all: a worker dials those of lower rank; a thread reads from each connection.
use crate::conf::{Conf, PROTO, VERSION};
use anyhow::{anyhow, bail, Context, Result};
use serde_json::json;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};
use tracing::{debug, warn};

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    Params = 1,
    Score = 2,
    Arrive = 3,
    Release = 4,
    Leave = 5,
}

type Frame = std::result::Result<(u8, u64, Vec<u8>), String>;

struct Peer {
    addr: String,
    out: TcpStream,
    rx: Receiver<Frame>,
}

pub struct Mesh {
    pub rank: usize,
    pub world: usize,
    peers: Vec<Option<Peer>>,
    limit: Duration,
    nag: Duration,
}

fn hello(c: &Conf, rank: usize) -> String {
    format!("{}\n", json!({"osprey": VERSION, "protocol": PROTO, "worker": rank, "world": c.workers.len(), "vocab": c.vocab, "hidden": c.hidden}))
}

fn line(s: &TcpStream) -> Result<serde_json::Value> {
    let mut r = BufReader::with_capacity(1, s.try_clone()?);
    let mut l = String::new();
    r.read_line(&mut l)?;
    if l.is_empty() {
        bail!("connection closed during the handshake");
    }
    Ok(serde_json::from_str(&l)?)
}

/// what the other side says of itself must fit
fn check(c: &Conf, v: &serde_json::Value) -> Result<usize> {
    let k = v["worker"].as_u64().ok_or_else(|| anyhow!("not a worker: {v}"))? as usize;
    if v["protocol"] != PROTO {
        bail!("worker {k} (osprey {}) speaks protocol {}, this one (osprey {VERSION}) {PROTO}", v["osprey"].as_str().unwrap_or("?"), v["protocol"].as_str().unwrap_or("?"));
    }
    for (what, mine) in [("world", c.workers.len()), ("vocab", c.vocab), ("hidden", c.hidden)] {
        if v[what] != mine {
            bail!("worker {k} has {what} = {}, this one {mine}", v[what]);
        }
    }
    Ok(k)
}

fn reader(mut s: TcpStream, peer: usize, addr: String, tx: Sender<Frame>) {
    loop {
        let mut h = [0u8; 13];
        let r = s.read_exact(&mut h).and_then(|_| {
            let mut b = vec![0u8; u32::from_le_bytes([h[0], h[1], h[2], h[3]]) as usize];
            s.read_exact(&mut b).map(|_| b)
        });
        match r {
            Ok(b) => {
                if h[4] == Kind::Leave as u8 {
                    debug!(peer, "peer left");
                    return;
                }
                let step = u64::from_le_bytes(h[5..13].try_into().unwrap());
                if tx.send(Ok((h[4], step, b))).is_err() {
                    return;
                }
            }
            Err(e) => {
                warn!(peer, %addr, error = %e, "connection lost");
                let _ = tx.send(Err(e.to_string()));
                return;
            }
        }
    }
}

impl Mesh {
    pub fn join(c: &Conf, rank: usize) -> Result<Mesh> {
        let world = c.workers.len();
        let end = Instant::now() + Duration::from_secs(c.join_s);
        let bind = format!("{}:{}", c.listen, 7400 + rank);
        let listener = TcpListener::bind(&bind).with_context(|| format!("cannot listen on {bind}"))?;
        listener.set_nonblocking(true)?;
        let mut socks: Vec<Option<TcpStream>> = (0..world).map(|_| None).collect();
        let mut refused = vec![0u32; rank];
        while (0..world).any(|k| k != rank && socks[k].is_none()) {
            for k in 0..rank {
                if socks[k].is_some() {
                    continue;
                }
                match Self::dial(c, rank, &c.workers[k]) {
                    Ok(s) => socks[k] = Some(s),
                    Err(e) if Instant::now() > end || e.downcast_ref::<std::io::Error>().is_none() => {
                        return Err(e.context(format!("worker {k} at {}", c.workers[k])));
                    }
                    Err(e) => {
                        refused[k] += 1;
                        if refused[k] % 12 == 3 {
                            warn!(peer = k, addr = %c.workers[k], error = %e, "dial failed, will retry");
                        }
                    }
                }
            }
            while let Ok((s, from)) = listener.accept() {
                s.set_nonblocking(false)?;
                s.set_read_timeout(Some(Duration::from_secs(4)))?;
                let v = match line(&s) {
                    Ok(v) => v,
                    Err(e) => {
                        warn!(%from, error = %e, "handshake failed");
                        continue;
                    }
                };
                match check(c, &v) {
                    Ok(k) => {
                        (&s).write_all(hello(c, rank).as_bytes())?;
                        socks[k] = Some(s);
                    }
                    Err(e) => {
                        let _ = (&s).write_all(hello(c, rank).as_bytes());
                        return Err(e.context(format!("refused {from}")));
                    }
                }
            }
            if Instant::now() > end + Duration::from_secs(2) {
                let missing: Vec<_> = (rank + 1..world).filter(|&k| socks[k].is_none()).collect();
                bail!("workers {missing:?} did not connect within {} s", c.join_s);
            }
            std::thread::sleep(Duration::from_millis(150));
        }
        let mut peers = vec![];
        for (k, s) in socks.into_iter().enumerate() {
            peers.push(match s {
                None => None,
                Some(s) => {
                    s.set_nodelay(true)?;
                    s.set_read_timeout(None)?;
                    s.set_write_timeout(Some(Duration::from_secs(c.mix_s)))?;
                    let (tx, rx) = channel();
                    let (r, addr) = (s.try_clone()?, c.workers[k].clone());
                    let a = addr.clone();
                    std::thread::Builder::new().name(format!("peer-{k}")).spawn(move || reader(r, k, a, tx))?;
                    Some(Peer { addr, out: s, rx })
                }
            });
        }
        Ok(Mesh { rank, world, peers, limit: Duration::from_secs(c.mix_s), nag: Duration::from_secs(c.nag_s) })
    }

    fn dial(c: &Conf, rank: usize, addr: &str) -> Result<TcpStream> {
        let a = addr.to_socket_addrs()?.next().ok_or_else(|| anyhow!("no address for {addr}"))?;
        let s = TcpStream::connect_timeout(&a, Duration::from_secs(3))?;
        s.set_read_timeout(Some(Duration::from_secs(4)))?;
        (&s).write_all(hello(c, rank).as_bytes())?;
        check(c, &line(&s)?)?;
        Ok(s)
    }

    pub fn send(&mut self, to: usize, kind: Kind, step: u64, b: &[u8]) -> Result<()> {
        let p = self.peers[to].as_mut().ok_or_else(|| anyhow!("no connection to worker {to}"))?;
        let mut f = Vec::with_capacity(b.len() + 13);
        f.extend((b.len() as u32).to_le_bytes());
        f.push(kind as u8);
        f.extend(step.to_le_bytes());
        f.extend(b);
        Ok(p.out.write_all(&f)?)
    }

    pub fn recv(&mut self, from: usize, kind: Kind, step: u64) -> Result<Vec<u8>> {
        let p = self.peers[from].as_ref().ok_or_else(|| anyhow!("no connection to worker {from}"))?;
        let t0 = Instant::now();
        let mut told = false;
        loop {
            let left = self.limit.saturating_sub(t0.elapsed());
            let wait = if told { left } else { self.nag.min(left) };
            match p.rx.recv_timeout(wait) {
                Ok(Ok((k, s, b))) if k == kind as u8 && s == step => return Ok(b),
                Ok(Ok((k, s, _))) => bail!("worker {from} sent frame {k} of step {s}, expected {kind:?} of step {step}"),
                Ok(Err(e)) => return Err(anyhow!(e).context(format!("connection to {} is gone", p.addr))),
                Err(RecvTimeoutError::Timeout) if left > self.nag && !told => {
                    told = true;
                    warn!(peer = from, step, waited_ms = t0.elapsed().as_millis() as u64, "still waiting for {kind:?}");
                }
                Err(RecvTimeoutError::Timeout) => bail!("no {kind:?} from {} within {} s", p.addr, self.limit.as_secs()),
                Err(RecvTimeoutError::Disconnected) => bail!("worker {from} has left"),
            }
        }
    }

    /// all report to worker 0, which releases them
    pub fn barrier(&mut self, step: u64) -> Result<()> {
        if self.rank == 0 {
            for k in 1..self.world {
                self.recv(k, Kind::Arrive, step).with_context(|| format!("worker {k}"))?;
            }
            for k in 1..self.world {
                self.send(k, Kind::Release, step, &[])?;
            }
        } else {
            self.send(0, Kind::Arrive, step, &[])?;
            self.recv(0, Kind::Release, step)?;
        }
        Ok(())
    }

    pub fn leave(&mut self) {
        for k in 0..self.world {
            if k != self.rank {
                let _ = self.send(k, Kind::Leave, 0, &[]);
            }
        }
        std::thread::sleep(Duration::from_millis(400));
    }
}
