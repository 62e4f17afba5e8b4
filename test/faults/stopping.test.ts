/** SIGTERM during writes: every committed change is answered (A9). */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RawApi, send } from '../support/raw.ts';
import { type ServerProcess, startServerProcess, vmctl } from '../support/server.ts';
import { chooseCount, isFullRun, recordResult } from './support/catalogue.ts';
import { openSocket, statuses } from './support/raw-socket.ts';

// The full catalogue needs more time.
if (isFullRun) vi.setConfig({ testTimeout: 20 * 60_000 });

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-stop-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const start = () => startServerProcess(['--data', folder, '--speed', '0', '--inventory', 'empty']);

interface Load {
  readonly answered: Set<string>;
  readonly done: Promise<unknown>;
}

/** Clients that add tags sequentially until the server exits. */
function load(server: ServerProcess, token: string, clients: number, round: string): Load {
  const answered = new Set<string>();
  const client = async (number: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: server.ca });
    for (let turn = 0; ; turn++) {
      const name = `tag-${round}-${number}-${turn}`;
      const answer = await send(`${server.ready.api_url}/tags`, {
        method: 'POST',
        agent,
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ name }),
      }).catch(() => undefined);
      if (answer?.status !== 201) break;
      answered.add(name);
    }
    agent.destroy();
  };
  const done = Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  return { answered, done };
}

async function stored(round: string): Promise<Set<string>> {
  const server = await start();
  try {
    const api = await RawApi.signIn(server);
    const answer = await api.json('GET', '/tags');
    const { tag } = answer.json<{ tag: { name: string }[] }>();
    return new Set(tag.map(({ name }) => name).filter((name) => name.startsWith(`tag-${round}-`)));
  } finally {
    await server.stop();
  }
}

describe('A9 - SIGTERM under load', () => {
  it('A9 - answers all committed changes and loses none', async () => {
    const rounds = chooseCount(20, 2);
    const clients = 24;
    let all = 0;
    for (let round = 0; round < rounds; round++) {
      const server = await start();
      const api = await RawApi.signIn(server);
      const { answered, done } = load(server, api.token, clients, String(round));
      while (answered.size < clients * 3) await new Promise((resolve) => setTimeout(resolve, 2));
      const began = performance.now();
      expect(await server.stop()).toBe(0);
      expect(performance.now() - began).toBeLessThan(10_000);
      await done;
      const there = await stored(String(round));
      expect(
        [...answered].filter((name) => !there.has(name)),
        'answered, not stored',
      ).toEqual([]);
      expect(
        [...there].filter((name) => !answered.has(name)),
        'stored, not answered',
      ).toEqual([]);
      all += answered.size;
    }
    recordResult(
      'A9',
      `${rounds} stops under ${clients} writers: 0 of ${all} changes lost, 0 committed without a response`,
    );
  });

  it('A9 control - kill -9 under the same load leaves committed changes unanswered', async () => {
    let silent = 0;
    for (let round = 0; silent === 0 && round < 30; round++) {
      const server = await start();
      const api = await RawApi.signIn(server);
      const { answered, done } = load(server, api.token, 24, `k${round}`);
      while (answered.size < 72) await new Promise((resolve) => setTimeout(resolve, 2));
      await server.kill();
      await done;
      const there = await stored(`k${round}`);
      expect(
        [...answered].filter((name) => !there.has(name)),
        'answered, not stored',
      ).toEqual([]);
      silent += [...there].filter((name) => !answered.has(name)).length;
    }
    expect(silent).toBeGreaterThan(0);
  });

  it('A9 - completes a request whose body is being received', async () => {
    const server = await start();
    const api = await RawApi.signIn(server);
    const content = '<tag><name>late</name></tag>';
    const raw = await openSocket(server);
    const head = [
      'POST /virt-app/api/tags HTTP/1.1',
      `Host: ${new URL(server.ready.base_url).host}`,
      `Authorization: Bearer ${api.token}`,
      'Content-Type: application/xml',
      'Expect: 100-continue',
      `Content-Length: ${content.length}`,
    ];
    raw.socket.write(`${head.join('\r\n')}\r\n\r\n`);
    await raw.until((text) => statuses(text)[0] === 100);
    raw.socket.write(content.slice(0, 10));
    const idle = await openSocket(server);
    const stopped = server.stop();
    // The server closes idle connections as soon as it stops.
    expect(await idle.closed).toBe('');
    raw.socket.write(content.slice(10));
    const text = await raw.closed;
    expect(statuses(text)).toEqual([100, 201]);
    expect(text).toMatch(/connection: close/i);
    expect(await stopped).toBe(0);
  });

  it('A9 - does not wait for incomplete handshakes', async () => {
    const server = await start();
    const { hostname, port } = new URL(server.ready.base_url);
    const silent = connect(Number(port), hostname);
    silent.on('error', () => {});
    await new Promise((resolve) => silent.once('connect', resolve));
    // After this response, the server has accepted the silent connection as well.
    await RawApi.signIn(server);
    const began = performance.now();
    expect(await server.stop()).toBe(0);
    expect(performance.now() - began).toBeLessThan(8_000);
    silent.destroy();
  });

  it('A9 - exits immediately at a second SIGTERM', async () => {
    const server = await start();
    const api = await RawApi.signIn(server);
    const raw = await openSocket(server);
    const head = `POST /virt-app/api/tags HTTP/1.1\r\nHost: ${new URL(server.ready.base_url).host}\r\n`;
    const rest = 'Content-Type: application/xml\r\nContent-Length: 10\r\n';
    raw.socket.write(
      `${head}Authorization: Bearer ${api.token}\r\n${rest}Expect: 100-continue\r\n\r\n`,
    );
    await raw.until((text) => statuses(text)[0] === 100);
    const idle = await openSocket(server);
    const stopped = server.stop();
    await idle.closed;
    server.process.kill('SIGTERM');
    expect(await stopped).toBe(1);
  });
});

describe('a server that is stopped before its first request', () => {
  it('A9 SIGTERM at start: exits whenever the signal arrives', async () => {
    const rounds = chooseCount(60, 12);
    let ended = 0;
    for (let round = 0; round < rounds; round++) {
      const ready = join(folder, `ready-${round}`);
      const child = spawn(
        process.execPath,
        [
          ...[vmctl, 'serve', '--memory', '--inventory', 'empty', '--ready-file', ready],
          ...['--listen', '127.0.0.1:0', '--images-listen', '127.0.0.1:0'],
        ],
        { stdio: 'ignore' },
      );
      const exit = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
      // Some signals during the start, the others as soon as the server is ready.
      if (round % 3 === 0) await pause(40 * round);
      else while (!existsSync(ready)) await pause(1);
      child.kill('SIGTERM');
      const outcome = await Promise.race([exit, pause(20_000)]);
      child.kill('SIGKILL');
      if (outcome === undefined) continue;
      ended += 1;
    }
    recordResult('A9', `${ended} of ${rounds} servers exited after SIGTERM during their start`);
    expect(ended).toBe(rounds);
  });
});
