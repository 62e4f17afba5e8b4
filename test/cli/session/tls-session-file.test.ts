/** Where sessions of TLS are kept between commands: for whom, for how long, and that they may be lost. */
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { tlsSessionFile } from '../../../src/cli/session/tls-session-file.ts';
import { identity } from '../../support/stub-server.ts';

const origin = 'https://127.0.0.1:8443';
const trust = { ca: 'one' };
let folder: string;
let session: Buffer;

/** A session as a server gives it, good for 1000 seconds. */
beforeAll(async () => {
  const { ca, certificate: cert, key } = identity();
  const server = createServer({ cert, key, sessionTimeout: 1000 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const socket = connect({ host: '127.0.0.1', port, ca });
  session = await new Promise((resolve) => socket.once('session', resolve));
  socket.destroy();
  server.close();
});

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  folder = mkdtempSync(join(tmpdir(), 'vmctl-sessions-'));
});

afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

/** As a command has it. */
function store(of = trust, server = origin) {
  const paths = { stateDirectory: folder, configFile: '', cacheDirectory: '' };
  return tlsSessionFile({ paths, isDryRun: false }, server, of);
}

function pass(seconds: number): void {
  vi.setSystemTime(Date.now() + seconds * 1_000);
}

it('the next command has it, and nobody else may read it', () => {
  expect(store().load(origin)).toBeUndefined();
  store().save(origin, session, true);
  expect(store().load(origin)).toEqual(session);
  const [file = ''] = readdirSync(join(folder, 'tls'));
  expect(statSync(join(folder, 'tls', file)).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'tls')).mode & 0o777).toBe(0o700);
});

it('it is for one server, and for what was believed of it', () => {
  store().save(origin, session, true);
  expect(store({ ca: 'two' }).load(origin)).toBeUndefined();
  expect(store().load('https://127.0.0.1:8444')).toBeUndefined();
  expect(store(trust, 'https://127.0.0.1:8444').load('https://127.0.0.1:8444')).toBeUndefined();
});

it('it is not begun with when it is about to end', () => {
  store().save(origin, session, true);
  pass(990);
  expect(store().load(origin)).toEqual(session);
  pass(10);
  expect(store().load(origin)).toBeUndefined();
});

it('however often it is renewed, the certificate is checked again after an hour', () => {
  store().save(origin, session, true);
  for (let minutes = 0; minutes < 55; minutes += 5) {
    pass(300);
    const one = store();
    expect(one.load(origin)).toEqual(session);
    one.save(origin, session, false);
  }
  pass(299);
  expect(store().load(origin)).toEqual(session);
  pass(1);
  expect(store().load(origin)).toBeUndefined();
});

it('a server that went on with none of two in a row is offered none for a day', () => {
  for (let count = 0; count < 2; count += 1) {
    store().save(origin, session, true);
    const one = store();
    expect(one.load(origin)).toEqual(session);
    one.refuse(origin);
    expect(store().load(origin)).toBeUndefined();
    one.save(origin, session, true);
  }
  const next = store();
  expect(next.load(origin)).toBeUndefined();
  next.save(origin, session, true);
  expect(store().load(origin)).toBeUndefined();
  pass(86_400);
  store().save(origin, session, true);
  expect(store().load(origin)).toEqual(session);
});

it('one that went on with the second of them is offered more', () => {
  store().save(origin, session, true);
  const first = store();
  first.load(origin);
  first.refuse(origin);
  first.save(origin, session, true);
  const second = store();
  second.load(origin);
  second.save(origin, session, false);
  const third = store();
  third.load(origin);
  third.refuse(origin);
  third.save(origin, session, true);
  expect(store().load(origin)).toEqual(session);
});

it('what is damaged, or open to others, counts for nothing and is made anew', () => {
  store().save(origin, session, true);
  const [name = ''] = readdirSync(join(folder, 'tls'));
  const file = join(folder, 'tls', name);
  chmodSync(file, 0o644);
  expect(store().load(origin)).toBeUndefined();
  writeFileSync(file, '{"origin":', { mode: 0o600 });
  chmodSync(file, 0o600);
  expect(store().load(origin)).toBeUndefined();
  store().save(origin, session, true);
  expect(store().load(origin)).toEqual(session);
  store().forget();
  expect(store().load(origin)).toBeUndefined();
});

it('where nothing can be written nothing fails', () => {
  rmSync(folder, { recursive: true });
  writeFileSync(folder, '');
  store().save(origin, session, true);
  store().refuse(origin);
  expect(store().load(origin)).toBeUndefined();
});
