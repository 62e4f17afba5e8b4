/** TLS sessions: later processes resume them, only with the same server. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket, TlsOptions } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { TrustError } from '../../src/client/errors.ts';
import { Http, type Trust } from '../../src/client/http.ts';
import { parseLifetime, type TlsSessions } from '../../src/client/tls-sessions.ts';
import { identity } from '../support/stub-server.ts';

const { ca } = identity();
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

interface Site {
  readonly origin: string;
  readonly server: Server;
  /** Whether each connection resumed a session. */
  readonly reused: boolean[];
}

async function siteOf(label = 'first', options: TlsOptions = {}, port = 0): Promise<Site> {
  const { certificate: cert, key } = identity(label);
  const reused: boolean[] = [];
  const server = createServer({ cert, key, ...options }, (_, response) => response.end('x'));
  server.on('secureConnection', (socket: TLSSocket) => reused.push(socket.isSessionReused()));
  server.on('tlsClientError', () => {});
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return { origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, server, reused };
}

/** Store of the latest session in memory, without expiry. */
class Memory implements TlsSessions {
  kept: Buffer | undefined;
  readonly log: string[] = [];
  load = () => this.kept;
  save = (_: string, session: Buffer, isVerified: boolean) => {
    this.kept = session;
    this.log.push(isVerified ? 'verified' : 'continued');
  };
  refuse = () => {
    this.kept = undefined;
    this.log.push('refused');
  };
}

/** Sends one request like a separate process. */
async function ask(origin: string, sessions: TlsSessions, trust: Trust = { ca }): Promise<string> {
  const http = await Http.open({ trust, sessions, retries: 0 });
  try {
    const { body } = await http.send({ method: 'GET', origin, path: '/' });
    return Buffer.from(body).toString();
  } finally {
    await http.close();
  }
}

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('with %s', (version) => {
  it('the next process resumes the session', async () => {
    const { origin, reused } = await siteOf('first', { maxVersion: version });
    const sessions = new Memory();
    for (let count = 0; count < 3; count += 1) expect(await ask(origin, sessions)).toBe('x');
    expect(reused).toEqual([false, true, true]);
    expect(sessions.log[0]).toBe('verified');
    expect(sessions.log.slice(1)).not.toContain('verified');
  });

  it('a server that has lost the session is verified again, and responds', async () => {
    const { origin, server, reused } = await siteOf('first', { maxVersion: version });
    const sessions = new Memory();
    await ask(origin, sessions);
    server.setTicketKeys(randomBytes(48));
    expect(await ask(origin, sessions)).toBe('x');
    expect(sessions.log).toEqual(['verified', 'refused', 'verified']);
    expect(reused).not.toContain(true);
    await ask(origin, sessions);
    expect(reused.at(-1)).toBe(true);
  });

  it('another server at the same address is refused', async () => {
    const { origin, server } = await siteOf('first', { maxVersion: version });
    const sessions = new Memory();
    await ask(origin, sessions);
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    const impostor = await siteOf('second', { maxVersion: version }, Number(new URL(origin).port));
    let asked = 0;
    impostor.server.on('request', () => {
      asked += 1;
    });
    await expect(ask(origin, sessions)).rejects.toBeInstanceOf(TrustError);
    expect(asked).toBe(0);
    expect(sessions.log).toEqual(['verified', 'refused']);
  });
});

it('concurrent connections resume the same session', async () => {
  const { origin, reused } = await siteOf();
  const sessions = new Memory();
  await ask(origin, sessions);
  const http = await Http.open({ trust: { ca }, sessions });
  const one = () => http.send({ method: 'GET', origin, path: '/' });
  await Promise.all([one(), one(), one()]);
  await http.close();
  expect(reused).toEqual([false, true, true, true]);
});

it('an unreachable server is reported, and the session remains', async () => {
  const { origin } = await siteOf();
  const sessions = new Memory();
  await ask(origin, sessions);
  // A reserved port, because a released one could be in use again.
  await expect(ask('https://127.0.0.1:1', sessions)).rejects.toThrow('connection refused');
  expect(sessions.log).toEqual(['verified']);
  expect(sessions.kept).toBeDefined();
});

it('without verification, no session is stored or resumed', async () => {
  const { origin, reused } = await siteOf();
  const sessions = new Memory();
  await ask(origin, sessions, { insecure: true });
  expect(sessions.log).toEqual([]);
  await ask(origin, sessions);
  await ask(origin, sessions, { insecure: true });
  expect(reused).toEqual([false, false, false]);
});

it('the session of an untrusted server is not stored', async () => {
  const { origin } = await siteOf('second');
  const sessions = new Memory();
  await expect(ask(origin, sessions)).rejects.toBeInstanceOf(TrustError);
  expect(sessions.log).toEqual([]);
});

describe('the lifetime of a session', () => {
  it('is that of the server', async () => {
    const { origin } = await siteOf('first', { sessionTimeout: 1234 });
    const sessions = new Memory();
    await ask(origin, sessions);
    expect(parseLifetime(sessions.kept ?? Buffer.alloc(0))).toBe(1234);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['no sequence', Buffer.from('020101', 'hex')],
    ['too short', Buffer.from('30820fff', 'hex')],
    ['an element that exceeds the sequence', Buffer.from('3003a2050203', 'hex')],
    ['text', Buffer.from('no session')],
  ])('of %s is absent', (_, bytes) => {
    expect(parseLifetime(bytes)).toBe(0);
  });
});
