// The parts of undici that the client uses. The whole package costs more to load than a small
// request; the build puts this file in the place of 'undici' (scripts/build.js).
'use strict';

const Dispatcher = require('undici/lib/dispatcher/dispatcher');
const Agent = require('undici/lib/dispatcher/agent');
const Client = require('undici/lib/dispatcher/client');

Dispatcher.prototype.request = require('undici/lib/api/api-request');
Dispatcher.prototype.stream = require('undici/lib/api/api-stream');

exports.Agent = Agent;
exports.Client = Client;
exports.errors = require('undici/lib/core/errors');
