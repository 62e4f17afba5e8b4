/** `vmctl images serve` as a process: the standalone image daemon. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/command.ts';
import { vmctl } from '../support/server.ts';

const size = 1 << 20;
const hasQemuNbd = spawnSync('qemu-nbd', ['--version']).status === 0;

interface Ready {
  readonly url: string;
  readonly images: readonly string[];
  readonly unix_socket: string | null;
  readonly control_socket: string | null;
  readonly ca_file: string | null;
  readonly pid: number;
}

interface Serving {
  readonly ready: Ready;
  readonly process: ChildProcess;
  readonly stderr: () => string;
  readonly ended: Promise<number | null>;
}

let home: Home;
let running: Serving[];

beforeEach(() => {
  home = makeHome();
  running = [];
});
afterEach(async () => {
  for (const { process, ended } of running) {
    process.kill('SIGKILL');
    await ended;
  }
  home.remove();
});

const at = (name: string) => join(home.folder, name);

/** Ticket file for an image of one MiB. */
function ticket(changes: Record<string, unknown> = {}): string {
  const file = at(`ticket-${String(changes['uuid'] ?? 't')}.json`);
  writeFileSync(at('disk.raw'), Buffer.alloc(size, 'x'));
  const document = {
    uuid: 't',
    size,
    ops: ['read', 'write'],
    timeout: 300,
    url: `file://${at('disk.raw')}`,
    ...changes,
  };
  writeFileSync(file, JSON.stringify(document));
  return file;
}

async function serve(words: readonly string[], input = ''): Promise<Serving> {
  const readyFile = at('ready.json');
  const command = ['images', 'serve', '--listen', '127.0.0.1:0', '--ready-file', readyFile];
  const child = spawn(process.execPath, [vmctl, ...command, ...words], {
    cwd: home.folder,
    env: { PATH: process.env['PATH'], HOME: home.folder },
  });
  child.stdin.end(input);
  let stderr = '';
  child.stderr.on('data', (piece: Buffer) => {
    stderr += piece.toString();
  });
  let isOver = false;
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  ended.then(() => {
    isOver = true;
  });
  while (!existsSync(readyFile)) {
    if (isOver) throw new Error(stderr);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const ready = JSON.parse(readFileSync(readyFile, 'utf8')) as Ready;
  const serving = { ready, process: child, stderr: () => stderr, ended };
  running.push(serving);
  return serving;
}

const curl = (...words: string[]) => execFileSync('curl', ['-sS', '--fail', ...words]);

describe('images serve', () => {
  it('serves an image over TLS with its own certificate until it is stopped', async () => {
    const { ready, process, ended, stderr } = await serve(['--ticket', ticket()]);
    expect(ready.images).toEqual([`${ready.url}/images/t`]);
    expect(ready.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const [url = ''] = ready.images;
    const ca = ['--ca-file', ready.ca_file ?? ''];
    const written = await home.run(['images', 'write', url, '-', ...ca], {}, 'hello');
    expect([written.code, written.stderr]).toEqual([0, expect.stringContaining('5 B')]);
    expect(readFileSync(at('disk.raw')).subarray(0, 7).toString()).toBe('helloxx');
    const read = await home.run(['images', 'read', url, '--size', '7', ...ca]);
    expect(read.stdout).toBe('helloxx');
    await expect.poll(stderr).toContain(`image: ${url}`);
    process.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  it('reads a ticket from standard input, and stores its certificate authority', async () => {
    const document = readFileSync(ticket(), 'utf8');
    const first = await serve(['--ticket', '-'], document);
    first.process.kill('SIGINT');
    expect(await first.ended).toBe(0);
    const ca = readFileSync(first.ready.ca_file ?? '', 'utf8');
    const second = await serve(['--ticket', '-'], document);
    expect(readFileSync(second.ready.ca_file ?? '', 'utf8')).toBe(ca);
  });

  it('serves plain HTTP and a unix socket, for several tickets, on request', async () => {
    const files = [ticket(), ticket({ uuid: 'second', ops: ['read'] })];
    const socket = at('images.sock');
    const words = ['--no-tls', '--unix-socket', 'images.sock'];
    const { ready } = await serve(['--ticket', ...files, ...words]);
    expect(ready).toMatchObject({ unix_socket: socket, ca_file: null });
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    for (const url of ready.images) expect(curl(url).length).toBe(size);
    expect(curl('--unix-socket', socket, 'http://x/images/second').length).toBe(size);
    const options = JSON.parse(curl('-X', 'OPTIONS', ready.images[0] ?? '').toString());
    expect(options.unix_socket).toBe(socket);
  });

  it('accepts tickets through its control socket, as its help shows', async () => {
    const { ready, process, ended } = await serve(['--control-socket', 'control.sock', '--no-tls']);
    const control = at('control.sock');
    expect(ready).toMatchObject({ control_socket: control, images: [] });
    expect(statSync(control).mode & 0o777).toBe(0o600);
    const tickets = ['--unix-socket', control];
    curl(...tickets, '-T', ticket(), 'http://localhost/tickets/t');
    expect(curl(`${ready.url}/images/t`).length).toBe(size);
    const seen = JSON.parse(curl(...tickets, 'http://localhost/tickets/t').toString());
    expect(seen).toMatchObject({ uuid: 't', size, url: `file://${at('disk.raw')}` });
    curl(...tickets, '-X', 'PATCH', '-d', '{"timeout":60}', 'http://localhost/tickets/t');
    curl(...tickets, '-X', 'DELETE', 'http://localhost/tickets/t');
    expect(() => curl(`${ready.url}/images/t`)).toThrow('403');
    process.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(existsSync(control)).toBe(false);
  });

  it.runIf(hasQemuNbd)('serves an image of an NBD server', async () => {
    const socket = at('nbd.sock');
    const file = ticket({ url: `nbd:unix:${socket}` });
    const server = spawn('qemu-nbd', ['-k', socket, '-t', '-f', 'raw', at('disk.raw')]);
    try {
      while (!existsSync(socket)) await new Promise((resolve) => setTimeout(resolve, 5));
      const { ready } = await serve(['--ticket', file, '--no-tls']);
      const [url = ''] = ready.images;
      const patch = '{"op":"zero","offset":0,"size":4096,"flush":true}';
      curl('-X', 'PATCH', '-d', patch, url);
      const expected = Buffer.alloc(size, 'x').fill(0, 0, 4096);
      expect(curl(url).equals(expected)).toBe(true);
      expect(readFileSync(at('disk.raw')).equals(expected)).toBe(true);
    } finally {
      server.kill('SIGKILL');
    }
  });

  it.each<[string, () => string[], RegExp]>([
    ['no ticket to serve', () => [], /no ticket to serve[\s\S]*--ticket/],
    ['a file that is absent', () => ['--ticket', 'none.json'], /cannot read "none\.json"/],
    ['a ticket that is none', () => ['--ticket', ticket({ size: -1 })], /size must be an integer/],
    ['a url of no kind', () => ['--ticket', ticket({ url: 'ftp://x' })], /ftp:\/\/x/],
    [
      'two tickets of one name',
      () => ['--ticket', ticket(), ticket()],
      /has a ticket with the uuid of another one/,
    ],
    ['half a certificate', () => ['--ticket', ticket(), '--tls-key', 'k'], /must be used together/],
    [
      'a certificate for plain HTTP',
      () => ['--ticket', ticket(), '--no-tls', '--tls-key', 'k', '--tls-cert', 'c'],
      /not valid with --no-tls/,
    ],
    [
      'a certificate that is absent',
      () => ['--ticket', ticket(), '--tls-key', 'k', '--tls-cert', 'c'],
      /'c'/,
    ],
    ['no connections', () => ['--ticket', ticket(), '--max-connections', '0'], /1 to 512/],
    ['an address of no kind', () => ['--ticket', ticket(), '--listen', 'x'], /HOST:PORT/],
    [
      'a file with the name of the socket',
      () => ['--ticket', ticket(), '--control-socket', at('disk.raw'), '--listen', '127.0.0.1:0'],
      /not a socket/,
    ],
  ])('refuses %s', async (_name, words, message) => {
    const { code, stderr } = await home.run(['images', 'serve', ...words()]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  it('reports an address in use', async () => {
    const { ready } = await serve(['--ticket', ticket(), '--no-tls']);
    const words = ['--ticket', ticket(), '--listen', new URL(ready.url).host];
    const { code, stderr } = await home.run(['images', 'serve', ...words]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/another program uses the address[\s\S]*--listen/),
    ]);
  });
});

describe('serve', () => {
  it('has the control API of its image daemon on request', async () => {
    const control = at('tickets.sock');
    const words = ['--memory', '--listen', '127.0.0.1:0', '--images-listen', '127.0.0.1:0'];
    const look = `curl -sS --unix-socket ${control} -o /dev/null -w '%{http_code}' http://x/tickets/t`;
    const outcome = await home.run([
      ...['serve', ...words, '--images-control-socket', control, '--', 'sh', '-c', look],
    ]);
    expect([outcome.code, outcome.stdout]).toEqual([0, '404']);
  });
});
