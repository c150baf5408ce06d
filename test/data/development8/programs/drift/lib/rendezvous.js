'use strict';
const net = require('net'), os = require('os');
// rank 0 waits for all ranks to say hello, checks that they fit, and tells everybody who is where
function serve(conf, world, log) {
  const [, port] = conf.coordinator.split(':'); const seen = new Map(), socks = new Map();
  return new Promise((ok, no) => {
    const srv = net.createServer((s) => {
      let buf = '';
      s.on('error', (err) => log.warn({ err: err.message }, 'rendezvous: connection trouble'));
      s.on('data', (d) => {
        buf += d; if (!buf.endsWith('\n')) return;
        const h = JSON.parse(buf); buf = '';
        const refuse = (why) => { log.error({ from: h.rank, host: h.host, why }, 'rendezvous: hello refused'); s.end(JSON.stringify({ refused: why }) + '\n'); };
        if (h.world !== world) return refuse(`world is ${world}, not ${h.world}`);
        if (h.schema !== conf.schema) return refuse(`schema ${h.schema} does not fit ${conf.schema}`);
        if (Math.abs(h.now - Date.now()) > conf.maxSkewMs) return refuse(`clock differs by ${h.now - Date.now()} ms, ${conf.maxSkewMs} ms allowed`);
        seen.set(h.rank, h); socks.set(h.rank, s); log.info({ from: h.rank, host: h.host, have: seen.size, of: world }, 'rendezvous: hello');
        if (seen.size === world) {
          clearTimeout(timer); const peers = [...seen.values()].sort((a, b) => a.rank - b.rank).map((x) => ({ rank: x.rank, host: x.host, port: x.port }));
          for (const k of socks.values()) k.end(JSON.stringify({ peers }) + '\n');
          srv.close(); ok(peers);
        }
      });
    });
    const timer = setTimeout(() => { const missing = [...Array(world).keys()].filter((r) => !seen.has(r)); srv.close(); for (const k of socks.values()) k.destroy(); no(new Error(`rendezvous: ${missing.length} of ${world} ranks did not come within ${conf.joinMs} ms: ${missing.join(',')}`)); }, conf.joinMs);
    srv.on('error', (e) => { clearTimeout(timer); no(e); });
    srv.listen(Number(port));
  });
}
function join(conf, me, log) {
  const [host, port] = conf.coordinator.split(':'); const t0 = Date.now();
  return new Promise((ok, no) => {
    let tries = 0;
    const go = () => {
      const s = net.connect({ host, port: Number(port) }); let buf = '', done = false;
      s.on('connect', () => s.write(JSON.stringify({ ...me, host: os.hostname(), now: Date.now() }) + '\n'));
      s.on('data', (d) => { buf += d; });
      s.on('end', () => { done = true; const r = JSON.parse(buf || '{}'); if (r.peers) ok(r.peers); else no(new Error(r.refused ? `rendezvous: refused by ${host}: ${r.refused}` : `rendezvous: ${host} hung up`)); });
      s.on('error', (e) => {
        if (done) return; done = true;
        if (Date.now() - t0 > conf.joinMs) return no(e);
        if (tries++ % 8 === 0) log.warn({ err: e.message, tries }, 'rendezvous: coordinator not there yet');
        setTimeout(go, 500);
      });
    };
    go();
  });
}
module.exports = { serve, join };
