// The parts of undici that the client uses. The whole package costs more to load than a small
// request; the build puts this file in the place of 'undici' (scripts/build.js).
'use strict';

const Module = require('node:module');

// Two of Node's own modules are loaded by these parts for next to nothing, and are the most
// expensive ones: HTTP/2 is not spoken here, and of 'http' a constant is read, and a class that
// bodies are compared with. Small stand-ins serve while the parts are loaded. A Node that loads
// its modules in another way gives the real ones, which does no harm.
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
