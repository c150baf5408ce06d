//! The ranks' mesh: rendezvous at the coordinator (rank 0), a TCP connection for each pair, frames with a kind and a step.
use anyhow::{anyhow, bail, Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ffi::CStr;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};
use tracing::{debug, info, warn};

pub const GRAD: u8 = 1;
pub const PARAM: u8 = 2;
pub const SCALAR: u8 = 3;
const ABORT: u8 = 9;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Member {
    pub rank: usize,
    pub host: String,
    pub addr: SocketAddr,
    pub version: String,
    pub digest: u32,
}

enum Event {
    Frame { from: usize, kind: u8, step: u32, body: Vec<u8> },
    Lost { from: usize, why: String },
}

pub struct Mesh {
    pub rank: usize,
    pub world: usize,
    pub members: Vec<Member>,
    tx: Vec<Option<Sender<Vec<u8>>>>,
    rx: Receiver<Event>,
    early: HashMap<(usize, u8, u32), Vec<u8>>,
    timeout: Duration,
}

fn address_of(interface: &str) -> Result<Ipv4Addr> {
    unsafe {
        let mut list: *mut libc::ifaddrs = std::ptr::null_mut();
        if libc::getifaddrs(&mut list) != 0 {
            return Err(std::io::Error::last_os_error()).context("getifaddrs");
        }
        let mut a = list;
        while !a.is_null() {
            let e = &*a;
            if !e.ifa_addr.is_null() && (*e.ifa_addr).sa_family as i32 == libc::AF_INET && CStr::from_ptr(e.ifa_name).to_str() == Ok(interface) {
                let s = *(e.ifa_addr as *const libc::sockaddr_in);
                libc::freeifaddrs(list);
                return Ok(Ipv4Addr::from(u32::from_be(s.sin_addr.s_addr)));
            }
            a = e.ifa_next;
        }
        libc::freeifaddrs(list);
    }
    bail!("interface {interface} has no IPv4 address")
}

fn coordinate(listener: TcpListener, me: Member, world: usize, limit: Duration) -> Result<Vec<Member>> {
    listener.set_nonblocking(true)?;
    let end = Instant::now() + limit;
    let mut got: Vec<Option<(Member, Option<TcpStream>)>> = (0..world).map(|_| None).collect();
    let digest = me.digest;
    let version = me.version.clone();
    got[0] = Some((me, None));
    while got.iter().any(|m| m.is_none()) {
        match listener.accept() {
            Ok((s, from)) => {
                s.set_nonblocking(false)?;
                s.set_read_timeout(Some(Duration::from_secs(5)))?;
                let mut line = String::new();
                let hello = BufReader::new(&s).read_line(&mut line).map_err(anyhow::Error::from).and_then(|_| Ok(serde_json::from_str::<Member>(&line)?));
                let m = match hello {
                    Ok(m) => m,
                    Err(e) => {
                        warn!(%from, "hello not understood: {e:#}");
                        continue;
                    }
                };
                info!(rank = m.rank, host = %m.host, addr = %m.addr, "joined");
                let wrong = if m.version != version {
                    Some(format!("version {} of rank {} on {} differs from {version} of the coordinator", m.version, m.rank, m.host))
                } else if m.digest != digest {
                    Some(format!("configuration of rank {} on {} (digest {:08x}) differs from the coordinator's ({digest:08x})", m.rank, m.host, m.digest))
                } else if m.rank >= world || got[m.rank].is_some() {
                    Some(format!("rank {} of {} is taken or out of range", m.rank, m.host))
                } else {
                    None
                };
                if let Some(why) = wrong {
                    let note = serde_json::to_string(&Err::<Vec<Member>, String>(why.clone()))? + "\n";
                    (&s).write_all(note.as_bytes()).ok();
                    for x in got.iter_mut().flatten() {
                        if let Some(t) = &mut x.1 {
                            t.write_all(note.as_bytes()).ok();
                        }
                    }
                    bail!(why);
                }
                let k = m.rank;
                got[k] = Some((m, Some(s)));
            }
            Err(e) if e.kind() == ErrorKind::WouldBlock => std::thread::sleep(Duration::from_millis(20)),
            Err(e) => return Err(e).context("accept"),
        }
        if Instant::now() > end {
            let missing: Vec<usize> = (0..world).filter(|k| got[*k].is_none()).collect();
            let why = format!("{} of {world} ranks joined within {} s, missing {missing:?}", world - missing.len(), limit.as_secs());
            let note = serde_json::to_string(&Err::<Vec<Member>, String>(why.clone()))? + "\n";
            for x in got.iter_mut().flatten() {
                if let Some(t) = &mut x.1 {
                    t.write_all(note.as_bytes()).ok();
                }
            }
            bail!(why);
        }
    }
    let table: Vec<Member> = got.iter().flatten().map(|x| x.0.clone()).collect();
    let note = serde_json::to_string(&Ok::<_, String>(&table))? + "\n";
    for x in got.iter_mut().flatten() {
        if let Some(t) = &mut x.1 {
            t.write_all(note.as_bytes()).with_context(|| format!("cannot answer rank {}", x.0.rank))?;
        }
    }
    Ok(table)
}

fn join(coordinator: &str, me: &Member, limit: Duration) -> Result<Vec<Member>> {
    let end = Instant::now() + limit;
    let mut tries = 0;
    let mut s = loop {
        let r = coordinator.to_socket_addrs().and_then(|mut a| a.next().ok_or_else(|| std::io::Error::new(ErrorKind::NotFound, "no address"))).and_then(|a| TcpStream::connect_timeout(&a, Duration::from_secs(3)));
        match r {
            Ok(s) => break s,
            Err(e) if Instant::now() > end => return Err(e).with_context(|| format!("coordinator {coordinator} not reached within {} s", limit.as_secs())),
            Err(e) => {
                if tries % 4 == 0 {
                    warn!(coordinator, tries, "coordinator not reached yet: {e}");
                }
                tries += 1;
                std::thread::sleep(Duration::from_millis(700));
            }
        }
    };
    s.write_all((serde_json::to_string(me)? + "\n").as_bytes()).context("cannot say hello")?;
    s.set_read_timeout(Some(limit + Duration::from_secs(5)))?;
    let mut line = String::new();
    BufReader::new(&s).read_line(&mut line).context("no answer from the coordinator")?;
    let table: std::result::Result<Vec<Member>, String> = serde_json::from_str(&line).context("the coordinator closed the connection")?;
    table.map_err(|e| anyhow!("the coordinator refused: {e}"))
}

fn reader(from: usize, mut s: TcpStream, out: Sender<Event>) {
    let r: std::io::Result<()> = (|| loop {
        let mut head = [0u8; 9];
        s.read_exact(&mut head)?;
        let mut body = vec![0u8; u32::from_le_bytes(head[5..9].try_into().unwrap()) as usize];
        s.read_exact(&mut body)?;
        if out.send(Event::Frame { from, kind: head[0], step: u32::from_le_bytes(head[1..5].try_into().unwrap()), body }).is_err() {
            return Ok(());
        }
    })();
    if let Err(e) = r {
        let why = if e.kind() == ErrorKind::UnexpectedEof { "connection closed by peer".to_string() } else { e.to_string() };
        out.send(Event::Lost { from, why }).ok();
    }
}

pub fn connect(c: &crate::config::Comm, rank: usize, world: usize, host: &str, digest: u32) -> Result<Mesh> {
    let limit = Duration::from_secs(c.join_timeout_s);
    let ip = address_of(&c.interface)?;
    let listener = TcpListener::bind((ip, 0)).context("cannot bind a listener")?;
    let me = Member { rank, host: host.into(), addr: listener.local_addr()?, version: env!("CARGO_PKG_VERSION").into(), digest };
    let members = if rank == 0 {
        let port: u16 = c.coordinator.rsplit(':').next().unwrap_or("").parse().context("port of the coordinator")?;
        let l = TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)).with_context(|| format!("cannot listen on port {port}"))?;
        info!(port, world, "coordinator waits for the ranks");
        coordinate(l, me, world, limit).context("rendezvous failed")?
    } else {
        join(&c.coordinator, &me, limit).context("rendezvous failed")?
    };
    let mut streams: Vec<Option<TcpStream>> = (0..world).map(|_| None).collect();
    for k in 0..rank {
        let s = TcpStream::connect_timeout(&members[k].addr, Duration::from_secs(10)).with_context(|| format!("cannot connect to rank {k} at {}", members[k].addr))?;
        (&s).write_all(&(rank as u32).to_le_bytes())?;
        streams[k] = Some(s);
    }
    for _ in rank + 1..world {
        let (s, _) = listener.accept().context("accept")?;
        let mut b = [0u8; 4];
        (&s).read_exact(&mut b)?;
        streams[u32::from_le_bytes(b) as usize] = Some(s);
    }
    let (etx, rx) = channel();
    let mut tx = Vec::new();
    for (k, s) in streams.into_iter().enumerate() {
        tx.push(match s {
            None => None,
            Some(s) => {
                s.set_nodelay(true)?;
                let (r, e) = (s.try_clone()?, etx.clone());
                std::thread::Builder::new().name(format!("recv-{k}")).spawn(move || reader(k, r, e))?;
                let (t, q) = channel::<Vec<u8>>();
                std::thread::Builder::new().name(format!("send-{k}")).spawn(move || {
                    let mut s = s;
                    for b in q {
                        if let Err(e) = s.write_all(&b) {
                            debug!(peer = k, "send failed: {e}");
                            return;
                        }
                    }
                })?;
                Some(t)
            }
        });
    }
    Ok(Mesh { rank, world, members, tx, rx, early: HashMap::new(), timeout: Duration::from_secs(c.timeout_s) })
}

impl Mesh {
    pub fn send(&self, to: usize, kind: u8, step: u32, body: &[u8]) {
        let mut b = Vec::with_capacity(9 + body.len());
        b.push(kind);
        b.extend_from_slice(&step.to_le_bytes());
        b.extend_from_slice(&(body.len() as u32).to_le_bytes());
        b.extend_from_slice(body);
        if let Some(t) = &self.tx[to] {
            t.send(b).ok();
        }
    }

    /// The frames of all other ranks, and which of them came last.
    pub fn collect(&mut self, kind: u8, step: u32) -> Result<(Vec<Vec<u8>>, usize)> {
        let what = match kind {
            GRAD => "gradients",
            PARAM => "parameters",
            _ => "scalars",
        };
        let mut got: Vec<Option<Vec<u8>>> = (0..self.world).map(|k| self.early.remove(&(k, kind, step))).collect();
        got[self.rank] = Some(Vec::new());
        let mut last = self.rank;
        let end = Instant::now() + self.timeout;
        while got.iter().any(|g| g.is_none()) {
            match self.rx.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(Event::Frame { from, kind: ABORT, body, .. }) => bail!("aborted by rank {from} on {}: {}", self.members[from].host, String::from_utf8_lossy(&body)),
                Ok(Event::Frame { from, kind: k, step: s, body }) => {
                    if (k, s) == (kind, step) {
                        got[from] = Some(body);
                        last = from;
                    } else {
                        self.early.insert((from, k, s), body);
                    }
                }
                Ok(Event::Lost { from, why }) => {
                    if got[from].is_none() {
                        bail!("rank {from} on {} is lost while waiting for its {what}: {why}", self.members[from].host);
                    }
                    warn!(peer = from, host = %self.members[from].host, "peer is lost: {why}");
                }
                Err(RecvTimeoutError::Timeout) => {
                    let missing: Vec<usize> = (0..self.world).filter(|k| got[*k].is_none()).collect();
                    bail!("no {what} of ranks {missing:?} within {} s", self.timeout.as_secs());
                }
                Err(RecvTimeoutError::Disconnected) => bail!("all peers are lost while waiting for {what}"),
            }
        }
        Ok((got.into_iter().flatten().collect(), last))
    }

    pub fn sum(&mut self, step: u32, x: f32) -> Result<f32> {
        for k in 0..self.world {
            if k != self.rank {
                self.send(k, SCALAR, step, &x.to_le_bytes());
            }
        }
        let (v, _) = self.collect(SCALAR, step)?;
        Ok(x + v.iter().filter(|b| b.len() == 4).map(|b| f32::from_le_bytes(b[..].try_into().unwrap())).sum::<f32>())
    }

    pub fn abort(&self, why: &str) {
        for k in 0..self.world {
            if k != self.rank {
                self.send(k, ABORT, 0, why.as_bytes());
            }
        }
        std::thread::sleep(Duration::from_millis(150));
    }
}
