'use strict';
const fs = require('fs');
// where this rank is, for whoever wants to know
module.exports = (rank) => (stage, tick, phase) => {
  try { fs.writeFileSync(`/run/rr/.r${rank}`, `${stage} ${tick} ${phase || ''}`); fs.renameSync(`/run/rr/.r${rank}`, `/run/rr/rank-${rank}`); } catch (e) { /* nobody wants to know */ }
};
