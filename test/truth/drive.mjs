#!/usr/bin/env node
// The scripted session: sends every step to one server and writes DIR/transcript.jsonl.
import { createWriteStream, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Connection, signIn } from './lib/http.mjs';
import { Runner } from './lib/runner.mjs';
import { Session } from './lib/session.mjs';

const here = new URL('.', import.meta.url).pathname;
const { values: options } = parseArgs({
  options: {
    base: { type: 'string' },
    ca: { type: 'string' },
    'server-name': { type: 'string' },
    user: { type: 'string', default: 'admin@internal' },
    'password-file': { type: 'string' },
    out: { type: 'string' },
    only: { type: 'string', multiple: true },
    scope: { type: 'string', default: 'ovirt-app-api' },
    operations: { type: 'string', default: join(here, '../data/operations.json') },
    'host-address': { type: 'string', default: 'host1.example.com' },
    'host-address2': { type: 'string', default: 'host2.example.com' },
    'host-nics': { type: 'string', default: 'eth1,eth2,eth3' },
    'root-password': { type: 'string', default: 'secret' },
    'storage-address': { type: 'string', default: 'nfs.example.com' },
    'storage-path': { type: 'string', default: '/exports/dx' },
    'cluster-version': { type: 'string', default: '4.7' },
    'cpu-type': { type: 'string', default: 'Intel Nehalem Family' },
    'wait-scale': { type: 'string', default: '1' },
    limit: { type: 'string', default: '2800' },
    list: { type: 'boolean', default: false },
  },
});
const required = options.list
  ? []
  : ['base', ...(options.base?.startsWith('http:') ? [] : ['ca']), 'password-file', 'out'];
const absent = required.filter((name) => !options[name]);
if (absent.length) {
  console.error(`drive.mjs: give ${absent.map((name) => `--${name}`).join(', ')}`);
  process.exit(2);
}

// The session: all files of steps/ in the order of their names, with the generated rows before the
// teardown.
const session = new Session(options);
const files = readdirSync(join(here, 'steps'))
  .filter((file) => file.endsWith('.mjs'))
  .sort();
const teardown = files.filter((file) => file.startsWith('99-'));
const generated = files.filter((file) => !/^\d/.test(file));
for (const file of [
  ...files.filter((name) => !teardown.includes(name) && !generated.includes(name)),
  ...generated,
  ...teardown,
]) {
  session.subject = file.replace(/^\d+-/, '').replace(/\.mjs$/, '');
  const { default: define } = await import(join(here, 'steps', file));
  await define(session, options);
}
const glob = (pattern) =>
  new RegExp(
    `^${pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/\*/g, '.*')
      .replace(/\?/g, '.')}$`,
  );
const wanted = options.only?.map(glob);
const steps = wanted
  ? session.steps.filter((step) => wanted.some((pattern) => pattern.test(step.name)))
  : session.steps;
if (options.list) {
  process.stdout.write(steps.map((step) => `${step.name}\t${step.method} ${step.path}\n`).join(''));
} else await execute();

async function execute() {
  const password = readFileSync(options['password-file'], 'utf8').trim();
  const base = new URL(options.base);
  const api = base.pathname.replace(/\/$/, '');
  const app = api.replace(/\/api$/, '');
  const connection = new Connection(base.origin, {
    ca: options.ca && readFileSync(options.ca),
    serverName: options['server-name'],
  });
  const target = { connection, app, base: api, user: options.user, password, scope: options.scope };
  target.renew = () => signIn(connection, target);
  target.token = await target.renew();

  const [major, minor] = options['cluster-version'].split('.');
  const variables = {
    hostAddress: options['host-address'],
    hostAddress2: options['host-address2'],
    rootPassword: options['root-password'],
    storageAddress: options['storage-address'],
    storagePath: options['storage-path'],
    cpuType: options['cpu-type'],
    major,
    minor,
    user: options.user,
    scope: options.scope,
    password,
    app,
  };
  options['host-nics'].split(',').forEach((name, at) => {
    variables[`hostNic${at + 1}`] = name;
  });
  const given = { ...variables };
  delete given.password;
  mkdirSync(options.out, { recursive: true });
  const transcript = createWriteStream(join(options.out, 'transcript.jsonl'));
  const started = Date.now();
  transcript.write(
    `${JSON.stringify({ transcript: 1, origin: base.origin, base: api, app, user: options.user, started: new Date(started).toISOString(), given, steps: steps.length })}\n`,
  );
  const runner = new Runner(target, variables, { waitScale: Number(options['wait-scale']) });
  const counts = { sent: 0, skipped: 0, unneeded: 0, failed: 0, unreached: 0 };
  let subject = '';
  for (const step of steps) {
    const record = await runner.run(step);
    if (record.skipped) counts[record.optional ? 'unneeded' : 'skipped'] += 1;
    else counts.sent += record.polls ?? 1;
    if (record.error) counts.failed += 1;
    if (record.reached !== undefined && record.reached !== true) counts.unreached += 1;
    transcript.write(`${JSON.stringify(record)}\n`);
    const now = step.name.split('/')[0];
    if (now !== subject) {
      subject = now;
      if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${subject}`);
    }
  }
  const seconds = (Date.now() - started) / 1000;
  const finished = Object.fromEntries(
    Object.entries(runner.variables)
      .filter(([name]) => !(name in variables && name in given) && name !== 'password')
      .filter(([, value]) => !runner.secrets.includes(value)),
  );
  transcript.write(`${JSON.stringify({ end: true, seconds, counts, variables: finished })}\n`);
  await new Promise((resolve) => transcript.end(resolve));
  connection.close();
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  console.log(
    `${steps.length} steps: ${counts.sent} requests sent, ${counts.skipped} steps skipped, ${counts.failed} without an answer, ${counts.unreached} waits that did not end well; ${seconds.toFixed(1)} s`,
  );
}
