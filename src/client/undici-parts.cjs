// Parts of undici for the client. Loading the complete package takes longer than a small request.
// The build replaces 'undici' by this file (scripts/build.js).
'use strict';

const Module = require('node:module');

// These parts load two slow modules of Node for little use: the client does not use HTTP/2, and of
// 'http' it needs a constant and a class for `instanceof`. Stand-ins replace both during the load.
// If a version of Node ignores `_load`, the real modules are loaded, which is only slower.
const standIns = {
  'node:http2': { constants: {} },
  'node:http': { maxHeaderSize: 16 * 1024, IncomingMessage: class IncomingMessage {} },
};
const load = Module._load;
if (typeof load === 'function') {
  Module._load = function loadPart(id, ...rest) {
    return Object.hasOwn(standIns, id) ? standIns[id] : load.call(this, id, ...rest);
  };
}

try {
  const Dispatcher = require('undici/lib/dispatcher/dispatcher');
  Dispatcher.prototype.request = require('undici/lib/api/api-request');
  Dispatcher.prototype.stream = require('undici/lib/api/api-stream');
  exports.Dispatcher = Dispatcher;
  exports.Agent = require('undici/lib/dispatcher/agent');
  exports.Client = require('undici/lib/dispatcher/client');
  exports.buildConnector = require('undici/lib/core/connect');
  exports.errors = require('undici/lib/core/errors');
} finally {
  Module._load = load;
}
