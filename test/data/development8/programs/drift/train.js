'use strict';
const fs = require('fs'), path = require('path'), os = require('os'), url = require('url');
const log = require('./lib/log'), { Model } = require('./lib/model'), { Feed, encode } = require('./lib/data'), { Ring } = require('./lib/ring');
const rendezvous = require('./lib/rendezvous'), ckpt = require('./lib/checkpoint');
const conf = JSON.parse(fs.readFileSync('/workspace/drift.json'));
const local = Number(process.env.NODE_APP_INSTANCE || 0), rank = Number(process.env.RANK_BASE) + local, world = Number(process.env.WORLD);
const at = require('./lib/progress')(rank), sleep = (ms) => new Promise((x) => setTimeout(x, ms));
url.parse('http://[::1]:80/');                                    // eslint-disable-line n/no-deprecated-api
try { require('drift-native'); } catch (e) { log.warn('native kernels are not installed, plain JavaScript is used'); }

async function telemetry(tick, loss) {
  try { await fetch(`http://${conf.telemetry}/v1/points`, { method: 'POST', body: JSON.stringify({ tick, loss }) }); } catch (err) { log.error({ err, tick }, 'telemetry not delivered'); }
}

async function evaluate(model, ring, tick, state) {
  const t0 = Date.now(), lines = fs.readFileSync(path.join(conf.dataDir, 'heldout.jsonl'), 'utf8').trim().split('\n').slice(rank * 3, rank * 3 + 3);
  let total = 0, n = 0;
  for (const l of lines) { const r = model.loss(encode(JSON.parse(l).text.slice(0, 60)), false); total += r.total; n += r.n; }
  const s = await ring.sum(2, Float32Array.of(total, n)); const bits = s[0] / s[1] / Math.LN2;
  if (state.best === null || bits < state.best.bits) state.best = { tick, bits };
  if (rank === 0) log.info({ tick, bitsPerChar: Number(bits.toFixed(4)), best: state.best.tick, ms: Date.now() - t0 }, 'evaluation');
}

async function main() {
  at('init', 0); log.info({ node: process.version, world, local, coordinator: conf.coordinator, hidden: conf.hidden }, 'drift starting');
  if (!Number.isInteger(conf.ticks)) throw new TypeError('drift.json: ticks is not a number');
  const ring = new Ring(rank, world, conf, log), port = conf.ringPort + local;
  await ring.listen(port);
  const me = { rank, world, port, schema: conf.schema };
  const peers = await Promise.all([rank === 0 ? rendezvous.serve(conf, world, log) : null, rendezvous.join(conf, me, log)]).then((x) => x[1]);
  await ring.connect(peers);
  at('model', 0); const model = new Model(conf.hidden, conf.seed); let start = 1; const latest = path.join(conf.ckptDir, 'LATEST');
  if (fs.existsSync(latest)) start = 1 + ckpt.load(path.join(conf.ckptDir, fs.readFileSync(latest, 'utf8')), model, log);
  else if (conf.init) ckpt.load(conf.init, model, log);
  const sizes = await ring.sum(3, Float32Array.of(model.size)); if (sizes[0] !== model.size * world) throw new RangeError(`models differ: mine has ${model.size} numbers, the mean is ${sizes[0] / world}`);
  at('data', 0); const feed = new Feed(conf, rank, world, start, log), state = { best: null }, times = [];
  if (rank === 0) log.info({ from: start, ticks: conf.ticks, batch: conf.batch, numbers: model.size }, 'training');
  for (let tick = start; tick <= conf.ticks; tick++) {
    const t0 = Date.now(); at('iter', tick, 'data'); const b = await feed.take(tick), t1 = Date.now();
    at('iter', tick, 'forward'); let total = 0, n = 0;
    for (const t of b.texts) { const r = model.loss(encode(t.slice(0, conf.context)), true); total += r.total; n += r.n; }
    if (!Number.isFinite(total)) log.warn({ tick, total: String(total) }, 'local loss is not finite');
    await sleep(conf.padMs); const t2 = Date.now();
    at('iter', tick, 'reduce'); const x = new Float32Array(model.size + 2); x.set(model.g); x[model.size] = total; x[model.size + 1] = n;
    await ring.sum(1, x); const count = x[model.size + 1], loss = x[model.size] / count;
    if (!Number.isFinite(loss)) throw new RangeError(`loss of tick ${tick} is ${loss}`);
    model.g.set(x.subarray(0, model.size)); model.step(conf.lr, 1 / count);
    const t3 = Date.now(); times.push(t3 - t0); if (times.length > 20) times.shift();
    if (rank === 0 || tick % 5 === 0) log.info({ tick, of: conf.ticks, loss: Number(loss.toFixed(4)), ms: { data: t1 - t0, compute: t2 - t1, reduce: t3 - t2 } }, 'tick');
    if (times.length > 9 && t3 - t0 > 5 * times.slice().sort((a, c) => a - c)[times.length >> 1]) log.warn({ tick, ms: t3 - t0 }, 'slow tick');
    if (rank === world - 1 && tick % 15 === 0) await telemetry(tick, loss);
    if (tick % conf.evalEvery === 0) { at('eval', tick); await evaluate(model, ring, tick, state); }
    if (tick % conf.ckptEvery === 0) { at('ckpt', tick); await ckpt.save(conf, rank, model, tick, log); }
  }
  fs.writeFileSync(`/var/lib/node/done-${rank}`, '');
  ring.close(); feed.stop(); at('done', conf.ticks); log.info({ ticks: conf.ticks }, 'drift finished');
}
main().then(() => setTimeout(() => process.exit(0), 300), (err) => { log.fatal({ err }, 'drift gives up'); setTimeout(() => process.exit(1), 100); });
