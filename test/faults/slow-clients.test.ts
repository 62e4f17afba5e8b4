/** Slow, silent and too many clients (E7, E8). */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Agent } from 'node:https';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RawApi, send } from '../support/raw.ts';
import { type ServerProcess, startServerProcess } from '../support/server.ts';
import { chooseCount, isFullRun, recordResult } from './support/catalogue.ts';
import { residentMiB } from './support/memory.ts';
import { isAnswered, openSocket, type RawSocket, statuses } from './support/raw-socket.ts';

// The full catalogue needs more time.
if (isFullRun) vi.setConfig({ testTimeout: 20 * 60_000 });

let server: ServerProcess;
let api: RawApi;
/** Latencies before the test. */
let idle: number[];

beforeAll(async () => {
  server = await startServerProcess(['--speed', '0', '--inventory', 'hosts=2,vms=2000']);
  api = await RawApi.signIn(server);
  idle = await latencies(50);
});

afterAll(async () => {
  await server.stop();
});

function head(method: string, path: string, headers: readonly string[] = []): string {
  const lines = [`${method} /virt-app/api${path} HTTP/1.1`];
  lines.push(`Host: ${new URL(server.ready.base_url).host}`, `Authorization: Bearer ${api.token}`);
  return `${[...lines, ...headers].join('\r\n')}\r\n\r\n`;
}

/** Latencies of sequential requests in milliseconds. */
async function latencies(requests: number): Promise<number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < requests; turn++) {
    const began = performance.now();
    expect((await api.json('GET', '/tags')).status).toBe(200);
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b);
}

const open = (number: number) =>
  Promise.all(Array.from({ length: number }, () => openSocket(server)));

it('E8 - many aborting clients cause one line in the log', async () => {
  const before = server.stderr().length;
  for (const raw of await open(50)) {
    raw.socket.write(
      head('POST', '/tags', [
        'Content-Type: application/xml',
        'Content-Length: 100',
        'Expect: 100-continue',
      ]),
    );
    await raw.until((text) => statuses(text)[0] === 100);
    raw.socket.destroy();
  }
  // A later request on another connection shows that the server has noticed the abort.
  while (!server.stderr().slice(before).includes('disconnected')) await latencies(1);
  await latencies(20);
  const lines = server.stderr().slice(before).trimEnd().split('\n');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/a client at 127\.0\.0\.1 disconnected before its request was complete/);
});

describe('E8 - many connections', () => {
  it('E8 - of one address that are idle leave capacity for others and reset none of them', async () => {
    const wanted = chooseCount(2_000, 1_050);
    const pid = server.process.pid ?? 0;
    const before = residentMiB(pid);
    // A connection that is active before, during and after.
    const [worker] = await open(1);
    const ask = async (turn: number) => {
      worker?.socket.write(head('GET', '/tags'));
      const text = await worker?.until((all) => statuses(all).length === turn && isAnswered(all));
      expect(statuses(text ?? '')).toHaveLength(turn);
    };
    await ask(1);
    const outcomes: (RawSocket | undefined)[] = [];
    const session = worker?.socket.getSession();
    const another = () =>
      openSocket(server, undefined, session ? { session } : {}).catch(() => undefined);
    for (let at = 0; at < wanted; at += 100) {
      const some = Array.from({ length: 100 }, another);
      outcomes.push(...(await Promise.all(some)));
    }
    const there = outcomes.filter((one) => one !== undefined);
    expect(there.length).toBeGreaterThan(900);
    const atOnce = there.filter(({ socket }) => !socket.destroyed).length;
    expect(atOnce).toBeLessThan(1_001);
    await ask(2);
    // Clients from another address of this computer still connect.
    const other = await fromElsewhere('127.0.0.9');
    expect(other).toBe(200);
    const perConnection = ((residentMiB(pid) - before) * 1024) / there.length;
    for (const one of there) one.socket.destroy();
    await ask(3);
    worker?.socket.destroy();
    recordResult(
      'E8',
      `${wanted} connections from one address: ${atOnce} open at the same time, ${perConnection.toFixed(0)} KiB each with TLS, 0 resets, others served`,
    );
  });

  it('E8 - of several addresses that are idle cost little memory and are not reset', async () => {
    const wanted = chooseCount(5_000, 100);
    const pid = server.process.pid ?? 0;
    const [worker] = await open(1);
    const ask = async (raw: RawSocket | undefined) => {
      const before = statuses(raw?.received() ?? '').length;
      raw?.socket.write(head('GET', '/tags'));
      const text = await raw?.until((all) => statuses(all).length > before && isAnswered(all));
      expect(statuses(text ?? '')).toHaveLength(before + 1);
    };
    await ask(worker);
    const session = worker?.socket.getSession();
    const idlers: { readonly raw: RawSocket; asked: number }[] = [];
    /** Opens connections, each of which has received a response. */
    const more = async (number: number) => {
      const address = `127.0.0.${20 + Math.floor(idlers.length / 900)}`;
      const options = { localAddress: address, ...(session ? { session } : {}) };
      await Promise.all(
        Array.from({ length: number }, async () => {
          const raw = await openSocket(server, undefined, options);
          await ask(raw);
          idlers.push({ raw, asked: performance.now() });
        }),
      );
      // On a slow computer the first connections would time out before the last one opens.
      const old = performance.now() - 25_000;
      for (const idler of idlers.filter(({ asked }) => asked < old)) {
        idler.asked = performance.now();
        idler.raw.socket.write(head('GET', '/tags'));
      }
    };
    await more(100);
    const before = residentMiB(pid);
    while (idlers.length < wanted + 100) await more(50);
    const each = ((residentMiB(pid) - before) * 1024) / wanted;
    expect(idlers.filter(({ raw }) => raw.socket.destroyed)).toEqual([]);
    await ask(worker);
    expect(await fromElsewhere('127.0.0.9')).toBe(200);
    for (const { raw } of idlers) raw.socket.destroy();
    await ask(worker);
    worker?.socket.destroy();
    // With few connections, other memory of the server dominates.
    if (isFullRun) expect(each).toBeLessThan(40);
    recordResult(
      'E8',
      `${wanted} idle connections with TLS: ${each.toFixed(0)} KiB each, 0 resets`,
    );
  });

  it('E8 - ten thousand pipelined requests on one connection are answered in order', async () => {
    const requests = chooseCount(10_000, 500);
    const raw = await openSocket(server);
    const times = latencies(20);
    raw.socket.write(head('GET', '/tags').repeat(requests));
    let seen = 0;
    let answers = 0;
    const text = await raw.until((all) => {
      // Counting from the start each time would be quadratic.
      for (
        let at = all.indexOf('HTTP/1.1 ', seen);
        at >= 0;
        at = all.indexOf('HTTP/1.1 ', at + 1)
      ) {
        seen = at + 1;
        answers += 1;
      }
      return answers === requests && isAnswered(all);
    });
    expect(statuses(text).every((status) => status === 200)).toBe(true);
    expect(statuses(text)).toHaveLength(requests);
    raw.socket.destroy();
    const median = (await times)[10] ?? 0;
    recordResult(
      'E8',
      `${requests} pipelined requests: all answered; latency of others ${median.toFixed(1)} ms under load`,
    );
  });

  it('E7 - that never read their response use a bounded amount of memory', async () => {
    const before = residentMiB(server.process.pid ?? 0);
    const sockets = await open(chooseCount(40, 8));
    for (const { socket } of sockets) {
      socket.pause();
      socket.write(head('GET', '/vms?all_content=true').repeat(8));
    }
    const times = await latencies(20);
    const grown = residentMiB(server.process.pid ?? 0) - before;
    for (const { socket } of sockets) socket.destroy();
    expect(grown).toBeLessThan(300);
    expect(times).toHaveLength(20);
    recordResult(
      'E7',
      `${sockets.length} clients that request 8 long lists and read nothing: ${Math.round(grown)} MiB`,
    );
  });
});

describe.concurrent('E7 - slow clients', () => {
  it('E7 - of every kind are closed after ten seconds, and do not delay others', async () => {
    const each = chooseCount(100, 20);
    const body = ['Content-Type: application/xml', 'Content-Length: 1000'];
    const sorts: Readonly<Record<string, string>> = {
      'nothing at all': '',
      'half a head': head('GET', '/tags').slice(0, -2),
      'no body': head('POST', '/tags', body),
      'half a body': `${head('POST', '/tags', body)}<tag>`,
      'a body that drips': head('POST', '/tags', body),
      'a head that drips': head('GET', '/tags').slice(0, -2),
    };
    const groups: [string, RawSocket[]][] = [];
    const ended: Promise<number>[] = [];
    for (const [name, bytes] of Object.entries(sorts)) {
      const sockets = await open(each);
      for (const { socket, closed } of sockets) {
        const began = performance.now();
        ended.push(closed.then(() => performance.now() - began));
        socket.write(bytes);
      }
      groups.push([name, sockets]);
    }
    const drip = setInterval(() => {
      for (const [name, sockets] of groups) {
        if (!name.endsWith('drips')) continue;
        for (const { socket } of sockets) if (socket.writable) socket.write('x');
      }
    }, 500);
    const meanwhile = await latencies(50);
    const lives = await Promise.all(ended);
    clearInterval(drip);
    const seconds = Math.max(...lives) / 1_000;
    for (const [name, sockets] of groups) {
      const [text = ''] = sockets.map(({ received }) => received());
      expect(statuses(text), name).toEqual(name === 'nothing at all' ? [] : [408]);
    }
    const p99 = (times: number[]) => times[Math.floor(times.length * 0.99)] ?? 0;
    recordResult(
      'E7',
      `${each * 6} slow connections closed after ${seconds.toFixed(1)} s; p99 of other requests ${p99(idle).toFixed(1)} ms idle, ${p99(meanwhile).toFixed(1)} ms under load`,
    );
  });

  it('E7 control - one that is slow but active is answered after ten seconds', async () => {
    const raw = await openSocket(server);
    const content = `<tag><name>slow</name>${' '.repeat(9_000)}</tag>`;
    raw.socket.write(
      head('POST', '/tags', ['Content-Type: application/xml', `Content-Length: ${content.length}`]),
    );
    for (let at = 0; at < content.length; at += 450) {
      raw.socket.write(content.slice(at, at + 450));
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    expect(statuses(await raw.until(isAnswered))).toEqual([201]);
    raw.socket.destroy();
  });
});

it.runIf(isFullRun && existsSync('/usr/bin/slowhttptest'))(
  'E7 - of slowhttptest open only as many connections as the limit',
  async () => {
    const words = ['-c', '400', '-H', '-i', '10', '-r', '400', '-t', 'GET', '-l', '20', '-p', '3'];
    const { stdout } = await new Promise<{ stdout: string; error: unknown }>((resolve) =>
      execFile('slowhttptest', [...words, '-u', `${server.ready.api_url}/tags`], (error, out) =>
        resolve({ stdout: out, error }),
      ),
    );
    // Output without terminal control codes.
    const plain = stripVTControlCharacters(stdout);
    expect(plain).toMatch(/service available:\s+YES/);
    expect(plain).toMatch(/Exit status:\s+No open connections left/);
    recordResult('E7', `slowhttptest, 400 slow heads: all closed, the service available`);
  },
  60_000,
);

/** Status of a request from another address of this computer. */
async function fromElsewhere(localAddress: string): Promise<number> {
  const agent = new Agent({ ca: server.ca, localAddress });
  const headers = { Authorization: `Bearer ${api.token}` };
  const { status } = await send(`${server.ready.api_url}/tags`, { agent, headers });
  agent.destroy();
  return status;
}
