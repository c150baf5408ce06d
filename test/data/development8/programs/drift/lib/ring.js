'use strict';
const net = require('net');
class Ring {
  constructor(rank, world, conf, log) { Object.assign(this, { rank, world, conf, log }); this.seq = 0; this.inbox = []; this.bytes = []; this.have = 0; this.want = null; this.broken = null; }
  listen(port) { return new Promise((ok, no) => { this.srv = net.createServer((s) => this.accept(s)); this.srv.on('error', no); this.srv.listen(port, () => ok()); }); }
  accept(s) {
    this.left = s; s.setNoDelay(true);
    s.on('data', (d) => { this.bytes.push(d); this.have += d.length; this.pump(); });
    s.on('error', (e) => this.fail(new Error(`ring: link from rank ${this.leftRank} (${this.leftHost}) broke: ${e.message}`, { cause: e })));
    s.on('close', () => this.fail(new Error(`ring: rank ${this.leftRank} (${this.leftHost}) closed the link`)));
  }
  async connect(peers) {
    const n = this.world, r = peers[(this.rank + 1) % n], l = peers[(this.rank + n - 1) % n]; this.leftRank = l.rank; this.leftHost = l.host; this.rightRank = r.rank;
    for (let k = 0; ; k++) {
      try { await new Promise((ok, no) => { const s = net.connect({ host: r.host, port: r.port }, () => { this.right = s; ok(); }); s.once('error', no); }); break; } catch (e) {
        if (k > 20) throw new Error(`ring: cannot reach rank ${r.rank} at ${r.host}:${r.port}`, { cause: e });
        if (k === 0) this.log.debug({ err: e.message }, 'ring: right neighbour not there yet'); await new Promise((x) => setTimeout(x, 300));
      }
    }
    this.right.setNoDelay(true); this.right.on('error', (e) => this.fail(new Error(`ring: link to rank ${r.rank} (${r.host}) broke: ${e.message}`, { cause: e })));
    for (let k = 0; !this.left && k < 100; k++) await new Promise((x) => setTimeout(x, 100));
    if (!this.left) throw new Error(`ring: rank ${l.rank} (${l.host}) never called`);
    this.log.info({ left: l.rank, right: r.rank }, 'ring closed');
  }
  fail(e) { if (this.closing) return; this.broken = this.broken || e; if (this.want) { const w = this.want; this.want = null; w.no(this.broken); } }
  pump() {
    for (;;) {
      if (this.have < 12) return; if (this.bytes.length > 1) this.bytes = [Buffer.concat(this.bytes)];
      const b = this.bytes[0], len = b.readUInt32LE(8); if (this.have < 12 + len) return;
      const m = { op: b.readUInt32LE(0), seq: b.readUInt32LE(4), data: new Uint8Array(b.subarray(12, 12 + len)) }; this.bytes = [b.subarray(12 + len)]; this.have -= 12 + len;
      if (this.want) { const w = this.want; this.want = null; w.ok(m); } else this.inbox.push(m);
    }
  }
  recv(op) {
    const check = (m) => { if (m.op !== op || m.seq !== this.seq) throw new Error(`ring: out of step with rank ${this.leftRank} (${this.leftHost}): got op ${m.op} seq ${m.seq}, at op ${op} seq ${this.seq}`); return m.data; };
    if (this.inbox.length) return Promise.resolve(check(this.inbox.shift()));
    if (this.broken) return Promise.reject(this.broken);
    return new Promise((ok, no) => {
      const t = this.conf.ringMs ? setTimeout(() => { this.want = null; no(new Error(`ring: nothing from rank ${this.leftRank} (${this.leftHost}) for ${this.conf.ringMs} ms, op ${op} seq ${this.seq}`)); }, this.conf.ringMs) : null;
      this.want = { ok: (m) => { clearTimeout(t); try { ok(check(m)); } catch (e) { no(e); } }, no: (e) => { clearTimeout(t); no(e); } };
    });
  }
  send(op, f) {
    const h = Buffer.alloc(12); h.writeUInt32LE(op, 0); h.writeUInt32LE(this.seq, 4); h.writeUInt32LE(f.byteLength, 8);
    this.right.write(Buffer.concat([h, Buffer.from(f.buffer, f.byteOffset, f.byteLength)]));
  }
  async sum(op, x) {
    const n = this.world, c = Math.ceil(x.length / n), part = (k) => x.subarray(((k % n + n) % n) * c, Math.min(x.length, ((k % n + n) % n + 1) * c)); this.seq++;
    for (let s = 0; s < n - 1; s++) { this.send(op, part(this.rank - s)); const d = await this.recv(op), f = new Float32Array(d.buffer, d.byteOffset, d.byteLength / 4), p = part(this.rank - s - 1); for (let i = 0; i < p.length; i++) p[i] += f[i]; }
    for (let s = 0; s < n - 1; s++) { this.send(op, part(this.rank + 1 - s)); const d = await this.recv(op); part(this.rank - s).set(new Float32Array(d.buffer, d.byteOffset, d.byteLength / 4)); }
    return x;
  }
  close() { this.closing = true; this.right.end(); this.left.end(); this.srv.close(); }
}
module.exports = { Ring };
