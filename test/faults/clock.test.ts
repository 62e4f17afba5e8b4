/**
 * Changes of the system clock under a running server: tasks and expirations keep their durations,
 * and event ids keep increasing.
 */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/server/core/clock.ts';
import { loadServer } from '../../src/server/load.ts';
import type { RunningServer } from '../../src/server/main.ts';
import { RawApi, send } from '../support/raw.ts';
import { password, type ServerProcess, startServerProcess } from '../support/server.ts';
import { recordResult } from './support/catalogue.ts';

const hour = 3_600_000;
const year = 365 * 24 * hour;

/** A clock with an adjustable time of day and a monotonic time. */
class TurnedClock implements Clock {
  day = Date.parse('2026-01-01T12:00:00Z');
  passed = 0;

  now(): Date {
    return new Date(this.day);
  }

  monotonic(): number {
    return this.passed;
  }

  pass(milliseconds: number): void {
    this.day += milliseconds;
    this.passed += milliseconds;
  }
}

let clock: TurnedClock;
let folder: string;
let running: RunningServer | undefined;
let api: RawApi;

async function start(data?: string, speed = 0): Promise<void> {
  running = await (await loadServer())({
    listen: { host: '127.0.0.1', port: 0 },
    imagesListen: { host: '127.0.0.1', port: 0 },
    ...{ data, dialect: 'standard', admin: 'admin@internal', password, inventory: 'small', speed },
    ...{ tokenLifetime: 15, clock, log: () => {} },
  });
  const server = {
    ready: { api_url: running.apiUrl, auth_url: running.authUrl, username: running.username },
    ca: readFileSync(running.caFile, 'utf8'),
    password,
  } as unknown as ServerProcess;
  api = await RawApi.signIn(server);
}

/** Status of a request with the token. */
const tried = async () => (await api.json('GET', '/')).status;

describe('I in one process, with a simulated clock', () => {
  beforeEach(() => {
    clock = new TurnedClock();
    folder = mkdtempSync(join(tmpdir(), 'vmctl-clock-'));
  });
  afterEach(async () => {
    await running?.stop();
    running = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([0, -hour, 10 * year, -20 * year])(
    'I a token is valid for 15 s, regardless of clock changes (%d)',
    async (turn) => {
      await start();
      clock.day += turn;
      clock.pass(14_999);
      expect(await tried()).toBe(200);
      clock.day -= turn / 2;
      clock.pass(1);
      expect(await tried()).toBe(401);
    },
  );

  it('I control: it does not expire if no time passes', async () => {
    await start();
    clock.day += 10 * year;
    expect(await tried()).toBe(200);
  });

  it('I a cookie session is valid from use to use', async () => {
    await start();
    const basic = Buffer.from(`admin@internal:${password}`).toString('base64');
    const headers = { Prefer: 'persistent-auth', 'Session-TTL': '2' };
    const ask = (more: Record<string, string>) =>
      send(`${running?.apiUrl}/vms?max=1`, { ca: api.server.ca, headers: { ...headers, ...more } });
    const first = await ask({ Authorization: `Basic ${basic}` });
    const cookie = String(first.headers['set-cookie']).split(';')[0] ?? '';
    clock.day -= hour;
    clock.pass(119_000);
    expect((await ask({ Cookie: cookie })).status).toBe(200);
    clock.day += 10 * year;
    clock.pass(119_000);
    expect((await ask({ Cookie: cookie })).status).toBe(200);
    clock.day -= 20 * year;
    clock.pass(121_000);
    expect((await ask({ Cookie: cookie })).status).toBe(401);
  });

  it('I event ids increase, regardless of event times', async () => {
    await start();
    const ids = async () =>
      (await api.json('GET', '/events?max=5'))
        .json<{ event: { id: string }[] }>()
        .event.map(({ id }) => Number(id));
    const [before = 0] = await ids();
    clock.day -= hour;
    await api.json('POST', '/bookmarks', { name: 'earlier', value: 'x' });
    clock.day += 10 * year;
    await api.json('POST', '/bookmarks', { name: 'later', value: 'x' });
    const after = await ids();
    expect(after.slice(0, 2)).toEqual([before + 2, before + 1]);
  });

  it('I a token and a session keep exactly their remaining time after a restart', async () => {
    const data = join(folder, 'data');
    await start(data);
    const { token } = api;
    const session = { Prefer: 'persistent-auth', 'Session-TTL': '1' };
    const ask = (headers: Record<string, string>) =>
      send(`${running?.apiUrl}/`, { ca: api.server.ca, headers: { ...session, ...headers } });
    const opened = await ask({ Authorization: `Bearer ${token}` });
    const Cookie = String(opened.headers['set-cookie']).split(';')[0] ?? '';
    clock.pass(10_000);
    await running?.stop();
    // This process may still have the file open.
    const moved = join(folder, 'moved');
    cpSync(data, moved, { recursive: true, preserveTimestamps: true });
    clock.day += hour;
    await start(moved);
    api = new RawApi(api.server, token);
    clock.day -= 5 * hour;
    clock.pass(4_999);
    expect(await tried()).toBe(200);
    clock.pass(1);
    expect(await tried()).toBe(401);
    clock.pass(44_999);
    expect((await ask({ Cookie })).status).toBe(200);
    await new Promise(setImmediate);
    clock.pass(60_001);
    expect((await ask({ Cookie })).status).toBe(401);
  });
});

const library = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu']
  .map((path) => join(path, 'faketime/libfaketime.so.1'))
  .find(existsSync);

describe.skipIf(!library)(
  `I a process with a changed clock${library ? '' : ' (needs libfaketime)'}`,
  () => {
    let turned: string;
    let server: ServerProcess;
    let session: RawApi;
    let place: string;
    const turn = (text: string) => writeFileSync(turned, `${text}\n`);

    beforeAll(async () => {
      place = mkdtempSync(join(tmpdir(), 'vmctl-faketime-'));
      turned = join(place, 'clock');
      turn('+0');
      server = await startServerProcess(
        ['--data', join(place, 'data'), '--speed', '1', '--token-lifetime', '3'],
        {
          LD_PRELOAD: library,
          FAKETIME_TIMESTAMP_FILE: turned,
          FAKETIME_NO_CACHE: '1',
          FAKETIME_DONT_FAKE_MONOTONIC: '1',
        },
      );
      session = await RawApi.signIn(server);
    });
    afterAll(async () => {
      await server.stop();
      rmSync(place, { recursive: true, force: true });
    });

    const machines = async (status: string) =>
      (await session.json('GET', `/vms?search=status%3D${status}`))
        .json<{ vm: { id: string }[] }>()
        .vm.map(({ id }) => id);
    const readTime = async () =>
      (await session.json('GET', '/events?max=1')).json<{
        event: { id: string; time: string | number }[];
      }>().event[0];

    it('I VMs that are starting reach their state, tokens keep their lifetime, timers do not busy-loop', async () => {
      const began = performance.now();
      const [starting] = await machines('down');
      const [stopping] = await machines('up');
      expect((await session.json('POST', `/vms/${starting}/start`, {})).status).toBe(200);
      const before = await readTime();
      turn('-1h');
      expect((await session.json('POST', `/vms/${stopping}/shutdown`, {})).status).toBe(200);
      const back = await readTime();
      // Verify that the harness changes the clock, otherwise the test checks nothing.
      expect(Date.parse(String(back?.time)) || Number(back?.time)).toBeLessThan(
        (Date.parse(String(before?.time)) || Number(before?.time)) - hour / 2,
      );
      expect(Number(back?.id)).toBeGreaterThan(Number(before?.id));
      turn('+10y');
      const lived = async () => (await session.json('GET', '/')).status === 200;
      while (await lived()) await new Promise((resolve) => setTimeout(resolve, 20));
      const seconds = (performance.now() - began) / 1000;
      expect(seconds).toBeGreaterThan(2.5);
      session = await RawApi.signIn(server);
      for (const [id, status] of [
        [starting, 'up'],
        [stopping, 'down'],
      ]) {
        while ((await session.json('GET', `/vms/${id}`)).json()['status'] !== status) {
          if (!(await lived())) session = await RawApi.signIn(server);
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
      // A timer loop would use a complete processor.
      const cpu = () => {
        const fields =
          readFileSync(`/proc/${server.process.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
        return Number(fields[11]) + Number(fields[12]);
      };
      const used = cpu();
      await new Promise((resolve) => setTimeout(resolve, 1000));
      expect(cpu() - used).toBeLessThan(30);
      recordResult(
        'I',
        `clock -1 h, then +10 years: VM started and stopped, a token of 3 s lived ${seconds.toFixed(1)} s, event ids increased`,
      );
    });
  },
);
