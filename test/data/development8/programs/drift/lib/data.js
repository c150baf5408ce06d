'use strict';
const { Worker } = require('worker_threads');
const fs = require('fs'), path = require('path'), crypto = require('crypto');
class Feed {
  constructor(conf, rank, world, from, log) {
    this.log = log; this.queue = []; this.waiting = null; this.starved = conf.starveMs;
    const index = JSON.parse(fs.readFileSync(path.join(conf.dataDir, 'index.json')));
    for (const p of index.parts) {
      const f = path.join(conf.dataDir, p.name);
      if (!conf.verify) { fs.accessSync(f); continue; }
      const h = crypto.createHash('sha1').update(fs.readFileSync(f)).digest('hex');
      if (h !== p.sha1) throw new Error(`${f}: sha1 ${h.slice(0, 12)} is not ${p.sha1.slice(0, 12)} of index.json`);
    }
    log.info({ parts: index.parts.length, records: index.parts.length * 400 }, 'corpus opened');
    this.worker = new Worker(path.join(__dirname, 'prefetch.js'), { workerData: { dir: conf.dataDir, parts: index.parts.map((p) => p.name), rank, world, batch: conf.batch, from } });
    this.worker.on('message', (m) => { if (this.waiting) { const w = this.waiting; this.waiting = null; w(m); } else this.queue.push(m); });
    this.worker.on('error', (err) => log.error({ err }, 'prefetch thread ended'));
    this.worker.postMessage(4);
  }
  async take(tick) {
    this.worker.postMessage(1);
    if (this.queue.length) return this.queue.shift();
    let timer; const t0 = Date.now();
    return new Promise((ok, no) => {
      timer = setInterval(() => {
        const ms = Date.now() - t0;
        if (ms > this.starved) { clearInterval(timer); no(new Error(`input starved: no batch for tick ${tick} in ${ms} ms`)); } else if (ms > 4000) this.log.warn({ tick, waited: ms }, 'waiting for a batch');
      }, 2500);
      this.waiting = (m) => { clearInterval(timer); ok(m); };
    });
  }
  stop() { this.worker.terminate(); }
}
const encode = (s) => Uint8Array.from(s, (c) => { const k = c.charCodeAt(0) - 32; return k < 0 || k > 95 ? 0 : k; });
module.exports = { Feed, encode };
