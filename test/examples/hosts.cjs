// Loaded into commands under test: hosts that examples name are at other addresses here.
'use strict';
const { Socket } = require('node:net');

const connect = Socket.prototype.connect;

Socket.prototype.connect = function connectTo(...given) {
  // Node hands over what it has made of the arguments: a list with the options in front.
  const [options] = Array.isArray(given[0]) ? given[0] : given;
  // From `engine.example.com:443` to `127.0.0.1:40123`. Files of tests that share a process have their own.
  const places = JSON.parse(process.env.EXAMPLE_HOSTS ?? '{}');
  const place = places[`${options?.host}:${options?.port}`];
  if (place !== undefined) [options.host, options.port] = place.split(':');
  return connect.apply(this, given);
};
