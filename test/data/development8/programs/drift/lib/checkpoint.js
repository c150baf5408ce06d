'use strict';
const fs = require('fs'), path = require('path'), crypto = require('crypto'), http = require('http');
const name = (t) => `tick-${String(t).padStart(6, '0')}`;
function put(url, body) {
  return new Promise((ok, no) => {
    const q = http.request(url, { method: 'PUT', timeout: 4000, headers: { 'Content-Length': body.length } }, (r) => { r.resume(); r.on('end', () => ok(r.statusCode)); });
    q.on('timeout', () => q.destroy(new Error('timed out after 4000 ms'))); q.on('error', no); q.end(body);
  });
}
async function save(conf, rank, model, tick, log) {
  const t0 = Date.now(), local = path.join(conf.snapshotDir, `momentum-r${String(rank).padStart(2, '0')}.bin`);
  const pad = Buffer.alloc(conf.snapshotKb * 1024, 1);
  fs.writeFileSync(local, Buffer.concat([Buffer.from(model.m.buffer), pad]));
  if (rank === 0) {
    const d = path.join(conf.ckptDir, name(tick)); fs.mkdirSync(d, { recursive: true });
    const w = Buffer.from(model.w.buffer); fs.writeFileSync(path.join(d, 'weights.bin'), w);
    fs.writeFileSync(path.join(d, 'manifest.json'), JSON.stringify({ tick, size: model.size, sha1: crypto.createHash('sha1').update(w).digest('hex') }));
    fs.writeFileSync(path.join(conf.ckptDir, 'LATEST'), name(tick));
    for (let k = 1; ; k++) {
      let s; try { s = await put(`${conf.blob}/drift/${name(tick)}/weights.bin`, w); } catch (e) { s = e.message; }
      if (s === 200) break;
      if (k === 4) throw new Error(`upload of ${name(tick)} failed after 4 attempts, last answer ${s}`);
      log.warn({ tick, attempt: k, answer: s }, 'upload failed, trying again'); await new Promise((x) => setTimeout(x, 400 * k));
    }
  }
  log.info({ tick, ms: Date.now() - t0 }, 'checkpoint written');
}
function load(dir, model, log) {
  const m = JSON.parse(fs.readFileSync(path.join(dir, 'manifest.json'))), w = fs.readFileSync(path.join(dir, 'weights.bin'));
  const sha = crypto.createHash('sha1').update(w).digest('hex');
  if (m.size !== model.size) throw new RangeError(`weights in ${dir} have ${m.size} numbers, this model has ${model.size}`);
  if (sha !== m.sha1) throw new Error(`weights in ${dir} are damaged: ${w.length} bytes, sha1 ${sha.slice(0, 12)}, manifest says ${m.sha1.slice(0, 12)}`);
  model.w.set(new Float32Array(w.buffer, w.byteOffset, w.length / 4)); log.info({ dir, tick: m.tick }, 'weights loaded'); return m.tick;
}
module.exports = { save, load, put };
