/** Requests with ambiguous body ends, bodies beyond all limits, and path traversal. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawApi } from '../support/raw.ts';
import { type ServerProcess, startServerProcess } from '../support/server.ts';
import { recordResult } from './support/catalogue.ts';
import { residentMiB } from './support/memory.ts';
import { isAnswered, openSocket, sendRaw, statuses } from './support/raw-socket.ts';
import { post, smugglingVectors } from './support/smuggling.ts';

let server: ServerProcess;
let api: RawApi;
let host: string;

beforeAll(async () => {
  server = await startServerProcess(['--speed', '0', '--inventory', 'empty']);
  api = await RawApi.signIn(server);
  host = new URL(server.ready.base_url).host;
});

afterAll(async () => {
  await server.stop();
});

const path = '/virt-app/api/tags';
const body = '<tag><name>smuggled</name></tag>';

const names = async () => (await api.json('GET', '/tags')).text;

describe('E4 - an ambiguous request', () => {
  const hidden = () => ({ host, token: api.token, path });
  const inner = () => post(hidden(), [`Content-Length: ${body.length}`], body);
  const createVectors = () => new Map(smugglingVectors({ ...hidden(), inner: inner() }));
  const named = smugglingVectors({ host: '', token: '', path, inner: '' }).map(([name]) => name);

  it.each(named)('E4 - %s is refused, and the bytes after it are not read', async (name) => {
    const raw = await openSocket(server);
    raw.socket.write(Buffer.from(createVectors().get(name) ?? '', 'latin1'));
    const text = await raw.closed;
    expect(statuses(text)).toHaveLength(1);
    expect([400, 415, 417, 501]).toContain(statuses(text)[0]);
    expect(await names()).not.toContain('smuggled');
  });

  it('E4 control - unambiguous is executed, also with an absolute URL', async () => {
    const raw = await openSocket(server);
    raw.socket.write(
      post(
        hidden(),
        ['Content-Length: 0', 'X: a'],
        '',
        `DELETE https://${host}${path}/none HTTP/1.1`,
      ),
    );
    raw.socket.write(inner());
    const text = await raw.until((all) => statuses(all).length === 2 && isAnswered(all));
    raw.socket.destroy();
    expect(statuses(text)).toEqual([404, 201]);
    expect(await names()).toContain('smuggled');
    recordResult('E4', `${named.length} of ${named.length} vectors refused, 0 requests smuggled`);
  });
});

describe('E3 - a body', () => {
  const head = (headers: readonly string[], token = api.token) =>
    [`POST ${path} HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${token}`]
      .concat('Content-Type: application/xml', headers)
      .join('\r\n')
      .concat('\r\n\r\n');

  it('E3 - with a Content-Length beyond the limit is 413 before it is read', async () => {
    for (const length of [1_048_577, 10_000_000, 999_999_999_999]) {
      expect(statuses(await sendRaw(server, head([`Content-Length: ${length}`])))).toEqual([413]);
    }
  });

  it('E3 - that grows beyond the limit is 413, and no more is read', async () => {
    const raw = await openSocket(server);
    raw.socket.write(head(['Transfer-Encoding: chunked']));
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
    const write = () => {
      while (!raw.socket.destroyed && raw.socket.write(chunk));
    };
    raw.socket.on('drain', write);
    write();
    const text = await raw.until(isAnswered);
    const answeredAfter = raw.socket.bytesWritten;
    await raw.closed;
    expect(statuses(text)).toEqual([413]);
    expect(text).toMatch(/connection: close/i);
    recordResult(
      'E3',
      `413 after at most ${(answeredAfter / 2 ** 20).toFixed(1)} MiB sent (limit 1 MiB)`,
    );
  });

  it.each([
    ['gzip', 415],
    ['deflate', 415],
    ['br, gzip', 415],
    ['identity', 201],
  ])('E3 - with the coding %s is %i', async (coding, status) => {
    const name = `coded-${coding.replace(/\W/g, '')}`;
    const plain = Buffer.from(`<tag><name>${name}</name></tag>`);
    const content = coding === 'identity' ? plain : gzipSync(plain);
    const headers = { 'Content-Encoding': coding, 'Content-Type': 'application/xml' };
    expect((await api.call('POST', '/tags', { headers, body: content })).status).toBe(status);
  });

  it('E3 - is read only after authentication and a check of its length', async () => {
    const wait = ['Expect: 100-continue'];
    const ask = (headers: readonly string[], token?: string) =>
      sendRaw(server, head([...wait, ...headers], token));
    const length = ['Content-Length: 40'];
    expect(statuses(await ask(length, 'nobody'))).toEqual([401]);
    expect(statuses(await ask(['Content-Length: 5000000']))).toEqual([413]);
    expect(statuses(await ask(['Content-Encoding: gzip', ...length]))).toEqual([415]);
    const raw = await openSocket(server);
    raw.socket.write(head([...wait, 'Content-Length: 36']));
    await raw.until((text) => statuses(text).length === 1);
    raw.socket.write('<tag><name>was-asked-for</name></tag>'.slice(0, 36));
    expect(statuses(await raw.until(isAnswered))).toEqual([100, 400]);
    raw.socket.destroy();
  });

  it('E3 - without authentication is not read', async () => {
    for (const start of ['POST', 'PUT', 'DELETE']) {
      const bytes = head(['Content-Length: 900000'], 'nobody').replace('POST', start);
      const text = await sendRaw(server, bytes);
      expect(statuses(text)).toEqual([401]);
      expect(text).toMatch(/connection: close/i);
    }
  });

  it('E3 control - that is short and unused leaves the connection usable', async () => {
    const raw = await openSocket(server);
    const content = '<tag><name>short</name></tag>';
    raw.socket.write(head([`Content-Length: ${content.length}`], 'nobody'));
    raw.socket.write(content);
    await raw.until(isAnswered);
    raw.socket.write(head([`Content-Length: ${content.length}`]) + content);
    expect(
      statuses(await raw.until((text) => statuses(text).length === 2 && isAnswered(text))),
    ).toEqual([401, 201]);
    raw.socket.destroy();
  });

  it('E3 - of any number of clients uses a bounded amount of memory', async () => {
    const memory = () => residentMiB(server.process.pid ?? 0);
    const before = memory();
    const clients = 60;
    const template = `<template><description>${'x'.repeat(3_900_000)}`;
    const sockets = await Promise.all(Array.from({ length: clients }, () => openSocket(server)));
    const start = head(['Content-Length: 4000000']).replace('/tags', '/templates');
    for (const { socket } of sockets) socket.write(start + template);
    // Clients beyond the limit are refused; the others may send their bodies until a timeout.
    const waiting = () =>
      sockets.filter(({ socket, received }) => !socket.destroyed && received() === '');
    const refused = () => sockets.filter(({ received }) => statuses(received())[0] === 503);
    while (waiting().length > 8) await new Promise((resolve) => setTimeout(resolve, 5));
    const grown = memory() - before;
    expect(refused()[0]?.received()).toMatch(/retry-after: \d/i);
    // A short request is accepted anyway.
    expect((await api.json('POST', '/tags', { name: 'between' })).status).toBe(201);
    for (const { socket } of sockets) socket.destroy();
    expect(grown).toBeLessThan(250);
    recordResult(
      'E3',
      `${clients} unfinished bodies of 3.9 MB: ${Math.round(grown)} MiB of memory, ${refused().length} refused with 503`,
    );
  });
});

describe('E5 - a path', () => {
  const paths = [
    '/../../../etc/passwd',
    '/tags/..',
    '/tags/%2e%2e/%2e%2e',
    '/tags/%2f..%2f..%2fetc%2fpasswd',
    '/tags/%00',
    '/tags/a%00b',
    '//tags',
    '/tags//x',
    '/tags/%c0%ae%c0%ae/',
    '/tags/%ff',
    '/tags/%',
    '/tags/%zz',
    '/./tags',
    '/tags/;x/..',
    `/tags/${'a'.repeat(16_384)}`,
    `/${'tags/'.repeat(3_000)}`,
    '/disks/..%2f..%2fvmctl.db',
    '/icons/..%5c..%5cvmctl.db',
    '/v5/tags',
    '/tags?search=%',
  ];
  it.each(paths)('E5 - %s is 400 or 404', async (one) => {
    const bytes = `GET /virt-app/api${one} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${api.token}\r\n\r\n`;
    expect([400, 404]).toContain(statuses(await sendRaw(server, bytes))[0]);
  });

  it('E5 - outside of the API and in ids of the image daemon reaches no file', async () => {
    const { ca_file } = server.ready;
    const folder = join(ca_file, '..');
    const before = readdirSync(folder, { recursive: true }).length;
    for (const one of [
      '/virt-app/services/../../etc/passwd',
      '/_vmctl/../etc/passwd',
      '/..%2f',
      '//',
      '/virt-app//api',
    ]) {
      const text = await sendRaw(server, `GET ${one} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      expect([400, 401, 404]).toContain(statuses(text)[0]);
      expect(text).not.toContain('root:');
    }
    for (const id of ['..%2f..%2fca.pem', '%2e%2e%2fca.pem', '%00', '%ff', 'a'.repeat(10_000)]) {
      const raw = await openSocket(server, server.ready.upload_url);
      raw.socket.write(`GET /images/${id} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      expect([400, 403, 404]).toContain(statuses(await raw.until(isAnswered))[0]);
      raw.socket.destroy();
    }
    expect(readdirSync(folder, { recursive: true })).toHaveLength(before);
    expect(statSync(ca_file).size).toBe(server.ca.length);
    recordResult('E5', `${paths.length + 10} paths: 400, 401, 403 or 404, no file touched`);
  });
});
