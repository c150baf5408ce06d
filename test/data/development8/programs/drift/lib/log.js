'use strict';
const pino = require('pino');
module.exports = pino({ level: process.env.LOG_LEVEL || 'info', base: { pid: process.pid, hostname: require('os').hostname(), rank: Number(process.env.RANK_BASE) + Number(process.env.NODE_APP_INSTANCE || 0) } });
