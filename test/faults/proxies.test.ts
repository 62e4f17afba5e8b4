/**
 * The same requests behind proxies that others wrote: what such a proxy takes for one request is never
 * two for the server, so nothing gets past the proxy in another's body.
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
import { figure } from './support/catalogue.ts';
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

/** What tells the request that is hidden behind a vector. */
const markOf = (turn: string, number: number) => `hidden-${turn}-${number}-end`;

function hiddenIn(turn: string, number: number): Hidden {
  const { host } = new URL(server.ready.base_url);
  const where = { host, token: api.token, path };
  const mark = markOf(turn, number);
  const body = `<tag><name>${mark}</name></tag>`;
  const start = `POST ${path}?correlation_id=${mark} HTTP/1.1`;
  return { ...where, inner: post(where, [`Content-Length: ${body.length}`], body, start) };
}

/** Sends bytes to a port; resolves with what came until the other side closed. */
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

/** Ports that nobody has at this moment. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Silent connections end soon, so that the end of an exchange is seen. */
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
    /** The lines of all requests that it has seen; whole once it has ended. */
    log: () => written + (existsSync(log) ? readFileSync(log, 'latin1') : ''),
    async stop() {
      child.kill('SIGTERM');
      await new Promise((resolve) => child.once('close', resolve));
    },
  };
}

/** The hidden requests that were carried out, though nothing says that they came as such. */
async function smuggled(turn: string, count: number, log: string): Promise<string[]> {
  const { text } = await api.json('GET', '/tags');
  return Array.from({ length: count }, (_, number) => markOf(turn, number)).filter(
    (mark) => text.includes(mark) && !log.includes(mark),
  );
}

describe.each(['haproxy', 'nginx'] as const)('E4 - behind %s', (name) => {
  const isThere = spawnSync(name, ['-v']).status === 0;
  const without = isThere ? '' : ` (needs ${name})`;

  it.skipIf(!isThere)(
    `E4 - behind ${name} no vector is more requests than it takes it for${without}`,
    async () => {
      const proxy = await startProxy(name);
      const count = smugglingVectors({ host: '', token: '', path, inner: '' }).length;
      await Promise.all(
        Array.from({ length: count }, (_, number) => {
          const [, bytes = ''] = smugglingVectors(hiddenIn(name, number))[number] ?? [];
          return exchange(proxy.port, bytes);
        }),
      );
      // It works at all, and its log is one: what comes openly is carried out, and noted.
      const open = hiddenIn(name, count).inner;
      expect(await exchange(proxy.port, open)).toMatch(/^HTTP\/1\.1 201/);
      await proxy.stop();
      expect(proxy.log()).toContain(markOf(name, count));
      expect((await api.json('GET', '/tags')).text).toContain(markOf(name, count));
      expect(await smuggled(name, count, proxy.log())).toEqual([]);
      figure('E4', `behind ${name}: ${count} vectors, 0 requests smuggled`);
    },
  );
});

it('E4 control - a proxy that takes all that comes on a connection for one request is found out', async () => {
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
  expect(await smuggled('naive', 1, log)).toEqual([markOf('naive', 0)]);
});
