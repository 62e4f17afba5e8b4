/** Negotiation between viewers and QEMU. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { acceptViewer, isLoopback } from '../../../src/features/qemu/console-handshake.ts';
import { createAuthority, createServerCertificate } from '../../../src/server/tls/authority.ts';
import { view } from './support/viewer.ts';

let folder: string;
let ca: string;
/** Address of the viewer in the next connections. */
let address: string;
let failures: string[];
const servers: Server[] = [];
let port: number;

/** Accepts one password, `right`, without a check of the encryption. */
function startScreen(path: string): Promise<void> {
  const screen = createServer((socket) => {
    let received = '';
    socket.on('error', () => {});
    socket.write('RFB 003.008\n');
    socket.on('data', (bytes: Buffer) => {
      const before = received.length;
      received += bytes.toString('latin1');
      const isOld = received.startsWith('RFB 003.003');
      const begin = isOld ? 12 : 13;
      const passes = (length: number) => before < length && received.length >= length;
      if (passes(12)) {
        socket.write(isOld ? Buffer.from([0, 0, 0, 2]) : Buffer.from([2, 1, 2]));
        if (isOld) socket.write(Buffer.alloc(16));
      }
      if (!isOld && passes(13)) socket.write(Buffer.alloc(16));
      if (passes(begin + 16)) socket.write(Buffer.alloc(4));
      if (passes(begin + 17)) {
        const size = Buffer.alloc(24);
        size.writeUInt16BE(640, 0);
        size.writeUInt16BE(480, 2);
        socket.write(size);
      }
    });
  });
  servers.push(screen);
  return new Promise((resolve) => screen.listen(path, resolve));
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-console-'));
  const authority = await createAuthority(new Date());
  const own = await createServerCertificate(authority, ['localhost'], new Date());
  ca = authority.certificate;
  const context = createSecureContext({ key: own.key, cert: own.certificate });
  await startScreen(join(folder, 'vnc'));
  const server = createServer((socket) => {
    socket.on('error', () => {});
    Object.defineProperty(socket, 'remoteAddress', { value: address });
    acceptViewer(socket, join(folder, 'vnc'), context).catch((error: Error) => {
      failures.push(error.message);
      if (!socket.writableEnded) socket.destroy();
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const found = server.address();
  port = typeof found === 'object' && found ? found.port : 0;
});
beforeEach(() => {
  address = '192.0.2.1';
  failures = [];
});
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

const password = 'right';
const size = { width: 640, height: 480 };

describe('a viewer on another computer', () => {
  it('uses TLS', async () => {
    expect(await view('127.0.0.1', port, { password, ca })).toEqual({ types: [19], size });
  });

  it('cannot authenticate without TLS', async () => {
    await expect(view('127.0.0.1', port, { password })).rejects.toThrow(/closed/);
    expect(failures).toEqual(['security type 2']);
  });

  it('receives the reason if its version has no TLS', async () => {
    const viewing = view('127.0.0.1', port, { password, version: '003.003' });
    await expect(viewing).rejects.toThrow('This viewer does not support TLS.');
  });
});

describe('a viewer on the computer of the server', () => {
  beforeEach(() => {
    address = '::ffff:127.0.0.1';
  });

  it('uses TLS or not', async () => {
    expect(await view('127.0.0.1', port, { password })).toEqual({ types: [2, 19], size });
    expect(await view('127.0.0.1', port, { password, ca })).toMatchObject({ size });
  });

  it.each(['003.003', '003.007'])('uses version %s', async (version) => {
    expect(await view('127.0.0.1', port, { password, version })).toMatchObject({ size });
  });
});

it.each([
  ['127.0.0.1', true],
  ['::1', true],
  ['::ffff:127.1.2.3', true],
  ['192.0.2.1', false],
  ['::ffff:10.0.0.1', false],
  ['', false],
])('address %s is local: %s', (text, isLocal) => {
  expect(isLoopback(text)).toBe(isLocal);
});
