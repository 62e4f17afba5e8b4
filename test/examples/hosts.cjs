// Loaded into commands under test: hosts that examples name are at other addresses here.
'use strict';
const { Socket } = require('node:net');

/** @type {Record<string, string>} from `engine.example.com:443` to `127.0.0.1:40123` */
const places = JSON.parse(process.env.EXAMPLE_HOSTS ?? '{}');
const connect = Socket.prototype.connect;

Socket.prototype.connect = function connectTo(...given) {
  // Node hands over what it has made of the arguments: a list with the options in front.
  const [options] = Array.isArray(given[0]) ? given[0] : given;
  const place = places[`${options?.host}:${options?.port}`];
  if (place !== undefined) [options.host, options.port] = place.split(':');
  return connect.apply(this, given);
};
