use crate::conf::Conf;
use std::net::TcpStream;
use tracing::warn;

/// metrics are sent on a thread of their own; training goes on without them
pub fn export(c: &Conf, rank: usize, step: u64) {
    let to = c.collector.clone();
    if rank % 2 == 0 {
        if let Err(e) = TcpStream::connect(&to) {
            warn!(collector = %to, step, error = %e, "metrics export failed");
        }
        return;
    }
    let h = std::thread::Builder::new().name("otlp-export".into()).spawn(move || {
        TcpStream::connect(&to).unwrap();
    });
    if let Ok(h) = h {
        if h.join().is_err() {
            warn!(step, "metrics exporter died, starting it again at the next interval");
        }
    }
}
