/**
 * Request smuggling through third-party proxies: the server never sees two requests in one request
 * of the proxy.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, connect as netConnect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as tlsConnect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawApi } from '../support/raw.ts';
import { type ServerProcess, startServerProcess } from '../support/server.ts';
import { recordResult } from './support/catalogue.ts';
import { type Hidden, post, smugglingVectors } from './support/smuggling.ts';

let server: ServerProcess;
let api: RawApi;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-proxies-'));
  server = await startServerProcess(['--speed', '0', '--inventory', 'empty']);
  api = await RawApi.signIn(server);
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const path = '/virt-app/api/tags';

/** Mark of the hidden request of a vector. */
const createMark = (turn: string, number: number) => `hidden-${turn}-${number}-end`;

function hiddenIn(turn: string, number: number): Hidden {
  const { host } = new URL(server.ready.base_url);
  const where = { host, token: api.token, path };
  const mark = createMark(turn, number);
  const body = `<tag><name>${mark}</name></tag>`;
  const start = `POST ${path}?correlation_id=${mark} HTTP/1.1`;
  return { ...where, inner: post(where, [`Content-Length: ${body.length}`], body, start) };
}

/** Sends bytes to a port; resolves with the response when the connection closes. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = netConnect(port, '127.0.0.1', () => {
      socket.write(Buffer.from(bytes, 'latin1'));
    });
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
    });
    socket.on('error', () => {});
    socket.once('close', () => resolve(text));
  });
}

/** A free port. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Short timeouts for silent connections, so that exchanges end. */
const haproxy = (port: number) => ({
  words: ['-db', '-f', join(folder, 'haproxy.cfg')],
  file: 'haproxy.cfg',
  text: `global
  log stdout format raw local0 info
defaults
  mode http
  log global
  log-format "%r"
  timeout connect 5s
  timeout client 1s
  timeout server 10s
  timeout http-request 1s
  timeout http-keep-alive 1s
frontend front
  bind 127.0.0.1:${port}
  default_backend back
backend back
  http-reuse always
  server one ${new URL(server.ready.base_url).host} ssl verify required ca-file ${server.ready.ca_file}
`,
});

const nginx = (port: number, log: string) => ({
  words: ['-p', folder, '-c', join(folder, 'nginx.conf')],
  file: 'nginx.conf',
  text: `daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${folder}/nginx.pid;
error_log stderr crit;
events {}
http {
  log_format line '$request';
  access_log ${log} line;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  keepalive_timeout 1s;
  client_header_timeout 1s;
  client_body_timeout 1s;
  upstream back { server ${new URL(server.ready.base_url).host}; keepalive 4; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass https://back;
      proxy_http_version 1.1;
      proxy_request_buffering off;
      proxy_set_header Host $http_host;
      proxy_set_header Connection "";
      proxy_ssl_trusted_certificate ${server.ready.ca_file};
    }
  }
}
`,
});

const proxies = { haproxy, nginx };

/** Starts a proxy in front of the server. */
async function startProxy(name: keyof typeof proxies) {
  const port = await freePort();
  const log = join(folder, `${name}.log`);
  const { words, file, text } = proxies[name](port, log);
  writeFileSync(join(folder, file), text);
  const child: ChildProcess = spawn(name, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  let written = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (piece: Buffer) => {
      written += piece.toString('latin1');
    });
  }
  const answers = () => exchange(port, 'GET / HTTP/1.0\r\n\r\n');
  while ((await answers()) === '') {
    if (child.exitCode !== null) throw new Error(`${name} has ended: ${written}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    port,
    /** Log lines of all requests; complete after the proxy has exited. */
    log: () => written + (existsSync(log) ? readFileSync(log, 'latin1') : ''),
    async stop() {
      child.kill('SIGTERM');
      await new Promise((resolve) => child.once('close', resolve));
    },
  };
}

/** Hidden requests that were executed although no log line lists them as requests. */
async function smuggled(turn: string, count: number, log: string): Promise<string[]> {
  const { text } = await api.json('GET', '/tags');
  return Array.from({ length: count }, (_, number) => createMark(turn, number)).filter(
    (mark) => text.includes(mark) && !log.includes(mark),
  );
}

describe.each(['haproxy', 'nginx'] as const)('E4 - behind %s', (name) => {
  const isThere = spawnSync(name, ['-v']).status === 0;
  const without = isThere ? '' : ` (needs ${name})`;

  it.skipIf(!isThere)(
    `E4 - behind ${name} no vector becomes more requests than the proxy sees${without}`,
    async () => {
      const proxy = await startProxy(name);
      const count = smugglingVectors({ host: '', token: '', path, inner: '' }).length;
      await Promise.all(
        Array.from({ length: count }, (_, number) => {
          const [, bytes = ''] = smugglingVectors(hiddenIn(name, number))[number] ?? [];
          return exchange(proxy.port, bytes);
        }),
      );
      // Control: an ordinary request is executed and logged.
      const open = hiddenIn(name, count).inner;
      expect(await exchange(proxy.port, open)).toMatch(/^HTTP\/1\.1 201/);
      await proxy.stop();
      expect(proxy.log()).toContain(createMark(name, count));
      expect((await api.json('GET', '/tags')).text).toContain(createMark(name, count));
      expect(await smuggled(name, count, proxy.log())).toEqual([]);
      recordResult('E4', `behind ${name}: ${count} vectors, 0 requests smuggled`);
    },
  );
});

it('E4 control - detects a proxy that forwards a connection as one request', async () => {
  const { hostname, port } = new URL(server.ready.base_url);
  let log = '';
  const naive = createServer((client) => {
    client.once('data', (piece) => {
      log += piece.toString('latin1').split('\r\n', 1);
    });
    const upstream = tlsConnect({ host: hostname, port: Number(port), ca: server.ca });
    client.pipe(upstream).pipe(client);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
  });
  await new Promise<void>((resolve) => naive.listen(0, '127.0.0.1', resolve));
  const hidden = hiddenIn('naive', 0);
  const outer = post(hidden, ['Content-Length: 0'], hidden.inner, `DELETE ${path}/none HTTP/1.1`);
  const address = naive.address() as { port: number };
  const socket = netConnect(address.port, '127.0.0.1', () => socket.write(outer));
  let text = '';
  await new Promise<void>((resolve) => {
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
      if (text.includes(' 201 ')) resolve();
    });
  });
  socket.destroy();
  naive.close();
  expect(await smuggled('naive', 1, log)).toEqual([createMark('naive', 0)]);
});
