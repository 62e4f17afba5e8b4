#!/usr/bin/env node
// Program in place of QEMU: it speaks QMP, and runs no guest. The file `behavior` next to it contains
// `fail` for a program that exits with an error, or `silent` for one that never responds.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';

const file = join(dirname(process.argv[1]), 'behavior');
const behavior = existsSync(file) ? readFileSync(file, 'utf8') : '';
if (behavior === 'fail') {
  process.stderr.write("qemu-system-x86_64: -blockdev x: Could not open '/secret/path': denied\n");
  process.exit(1);
}

let status = 'prelaunch';
let client;
const send = (message) => client?.write(`${JSON.stringify(message)}\r\n`);
const commands = {
  qmp_capabilities: () => ({}),
  'query-status': () => ({ status }),
  'query-chardev': () => [{ label: 'agent', 'frontend-open': false }],
  'qom-list': () => [],
  'query-block': () => [],
  'query-blockstats': () => [],
  cont: () => {
    status = 'running';
    return {};
  },
  system_reset: () => {
    send({ event: 'RESET', data: { guest: false } });
    return {};
  },
  system_powerdown: () => {
    status = 'shutdown';
    send({ event: 'SHUTDOWN', data: { guest: true, reason: 'guest-shutdown' } });
    return {};
  },
  set_password: () => ({}),
  expire_password: () => ({}),
  screendump: ({ filename }) => {
    writeFileSync(filename, Buffer.from('P6\n1 1\n255\n\x10\x20\x30', 'latin1'));
    return {};
  },
  quit: () => {
    setImmediate(() => process.exit(0));
    return {};
  },
};

process.on('SIGUSR1', () => {
  send({ event: 'BLOCK_IO_ERROR', data: { action: 'stop', nospace: true } });
});

createServer((socket) => {
  client = socket;
  socket.on('error', () => {});
  if (behavior !== 'silent') send({ QMP: { version: {}, capabilities: [] } });
  let text = '';
  socket.on('data', (piece) => {
    text += piece;
    const lines = text.split('\n');
    text = lines.pop();
    for (const line of lines) {
      const { execute, arguments: parameters, id } = JSON.parse(line);
      const run = commands[execute];
      if (run) send({ return: run(parameters), id });
      else send({ error: { class: 'CommandNotFound', desc: `no command ${execute}` }, id });
    }
  });
}).listen('qmp');
