/** Requests through a real proxy, to a host that only the proxy can resolve. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { namedHosts, startWeb } from '../examples/named-hosts.ts';
import { type Home, makeHome } from '../support/command.ts';
import { type ServerProcess, startServerProcess } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'vmctl-proxy-'));
const hosts = namedHosts(folder);
const engine = 'https://engine.example.com';
const secret = `Basic ${Buffer.from('jane:se same').toString('base64')}`;

/** Bytes of a disk. */
const image = randomBytes(3 * 2 ** 20);

let server: ServerProcess;
let web: Awaited<ReturnType<typeof startWeb>>;
let home: Home;
let proxy: Server;
let address: string;
/** Requests of the proxy. */
let asked: string[] = [];
/** The proxy requires authentication. */
let isClosed = false;

beforeAll(async () => {
  server = await startServerProcess(['--speed', '0', '--inventory', 'small', ...hosts.flags]);
  web = await startWeb(image);
  const ports: Readonly<Record<string, number>> = {
    'engine.example.com:443': Number(new URL(server.ready.base_url).port),
    'web.example.com:443': web.port,
  };
  proxy = createServer().on('connect', (request, socket) => {
    asked.push(String(request.url));
    if (isClosed && request.headers['proxy-authorization'] !== secret) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const to = ports[String(request.url)] ?? Number(String(request.url).split(':')[1]);
    const way = connect(to, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      way.pipe(socket).pipe(way);
    });
    for (const end of [socket, way]) end.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  home = makeHome(server);
});
beforeEach(() => {
  asked = [];
  isClosed = false;
});
afterAll(async () => {
  proxy.closeAllConnections();
  proxy.close();
  web.server.closeAllConnections();
  web.server.close();
  home.remove();
  rmSync(folder, { recursive: true, force: true });
  await server.stop();
});

const list = (env: NodeJS.ProcessEnv) =>
  home.run(['vms', 'list', '-o', 'name'], {
    VMCTL_URL: engine,
    VMCTL_CA_FILE: hosts.caFile,
    ...env,
  });

describe('the way to the service', () => {
  it.each(['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY'])('goes through %s', async (name) => {
    const { code, stdout, stderr } = await list({ [name]: `http://${address}` });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('vms/vm-01');
    expect(new Set(asked)).toEqual(new Set(['engine.example.com:443']));
  });

  it('login looks at the certificate through it, and --timing works', async () => {
    const env = { HTTPS_PROXY: address, VMCTL_URL: '', VMCTL_CA_FILE: '', VMCTL_USERNAME: '' };
    const words = ['login', engine, '--username', 'admin@internal'];
    const first = await home.run(words, env);
    const [, fingerprint = ''] = /--ca-fingerprint (\S+)/.exec(first.stderr) ?? [];
    expect([first.code, fingerprint]).toEqual([8, expect.stringMatching(/^[0-9A-F:]{95}$/)]);
    const second = await home.run([...words, '--ca-fingerprint', fingerprint], env);
    expect([second.code, second.stderr]).toEqual([0, expect.stringContaining('signed in')]);
    const third = await home.run(['vms', 'list', '-o', 'name', '--timing'], env);
    expect([third.code, third.stderr]).toEqual([0, expect.stringContaining('TLS')]);
    expect(asked.length).toBeGreaterThanOrEqual(4);
  });

  it('user and password are in its address', async () => {
    isClosed = true;
    const refused = await list({ HTTPS_PROXY: `http://${address}` });
    expect(refused.code).toBe(8);
    expect(refused.stderr).toContain(
      `proxy ${address} does not connect to engine.example.com:443: 407`,
    );
    const { code } = await list({ HTTPS_PROXY: `http://jane:se%20same@${address}` });
    expect(code).toBe(0);
  });

  it('distinguishes an unreachable proxy from an unreachable server', async () => {
    const { code, stderr } = await list({ HTTPS_PROXY: 'http://127.0.0.1:9' });
    expect([code, stderr]).toEqual([
      8,
      expect.stringContaining('proxy: cannot connect to 127.0.0.1:9: connection refused'),
    ]);
  });

  it('an unusable proxy is an error', async () => {
    const { code, stderr } = await list({ ALL_PROXY: 'socks5://127.0.0.1:1080' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('ALL_PROXY: not the address')]);
  });

  it('goes straight where NO_PROXY says so, and to this machine', async () => {
    const { code } = await list({ HTTPS_PROXY: address, NO_PROXY: 'example.com' });
    expect(code).toBe(8);
    const near = await list({ HTTPS_PROXY: address, VMCTL_URL: server.ready.base_url });
    expect(near.code).toBe(0);
    expect(asked).toEqual([]);
  });

  it('doctor tells which way that is', async () => {
    const env = { HTTPS_PROXY: address, VMCTL_URL: engine, VMCTL_CA_FILE: hosts.caFile };
    const { stdout } = await home.run(['doctor', '-o', 'json'], env);
    const found = JSON.parse(stdout) as { check: string; status: string; detail: string }[];
    expect(found.find(({ check }) => check === 'proxy')?.detail).toBe(`through ${address}`);
    expect(found.find(({ check }) => check === 'product')?.status).toBe('ok');
  });
});

describe('the way to the image daemon and to sources', () => {
  let remote: ServerProcess;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    // The path is too long for a unix socket, so image transfers use the network.
    const deep = join(folder, 'x'.repeat(100));
    mkdirSync(deep);
    const everywhere = ['--listen', '0.0.0.0:0', '--images-listen', '0.0.0.0:0'];
    const data = ['--data', join(deep, 'data')];
    remote = await startServerProcess(['--speed', '0', ...data, ...everywhere]);
    env = {
      HTTPS_PROXY: address,
      VMCTL_URL: remote.ready.base_url,
      VMCTL_CA_FILE: remote.ready.ca_file,
    };
  });
  afterAll(async () => void (await remote.stop()));

  it('goes through the proxy in both directions', async () => {
    const file = join(folder, 'disk.raw');
    writeFileSync(file, image);
    const upload = ['disks', 'upload', file, '--storagedomain', 'data1'];
    const up = await home.run(upload, env);
    expect([up.code, up.stderr]).toEqual([0, expect.any(String)]);
    const daemon = `${hostname()}:${new URL(remote.ready.upload_url).port}`;
    expect(asked).toContain(daemon);
    asked = [];
    const copy = join(folder, 'copy.raw');
    const down = await home.run(['disks', 'download', 'disk', copy], env);
    expect([down.code, down.stderr]).toEqual([
      0,
      expect.stringContaining(`disks/disk downloaded to ${copy}: 3 MiB`),
    ]);
    expect(readFileSync(copy).equals(image)).toBe(true);
    // Counts the connections for ranges as well: the transfer uses several.
    expect(asked.filter((one) => one === daemon).length).toBeGreaterThan(1);
  });

  it('goes through the proxy to a source at an address', async () => {
    const from = 'https://web.example.com/fetched.raw';
    const words = ['disks', 'upload', from, '--storagedomain', 'data1'];
    const { code, stderr } = await home.run([...words, '--source-ca-file', hosts.caFile], env);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    expect(asked).toContain('web.example.com:443');
  });
});
