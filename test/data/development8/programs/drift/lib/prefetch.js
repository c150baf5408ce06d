'use strict';
// thread: reads records ahead of the training loop
const { parentPort, workerData } = require('worker_threads');
const fs = require('fs'), path = require('path');
const { dir, parts, rank, world, batch, from } = workerData;
const cache = new Map();
function record(k) {
  const per = 400, part = parts[(k / per | 0) % parts.length];
  if (cache.size > 1) cache.clear();
  if (!cache.has(part)) cache.set(part, fs.readFileSync(path.join(dir, part), 'utf8').split('\n'));
  const r = JSON.parse(cache.get(part)[k % per]);
  return r.text;
}
let next = from;
parentPort.on('message', (credit) => {
  for (let i = 0; i < credit; i++, next++) {
    const texts = []; for (let b = 0; b < batch; b++) texts.push(record((next - 1) * batch * world + rank * batch + b));
    parentPort.postMessage({ tick: next, texts });
  }
});
