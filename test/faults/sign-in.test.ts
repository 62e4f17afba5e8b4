/** Guessed passwords, tokens and cookies (F1, F2). */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RawAnswer, RawApi, requestToken, send } from '../support/raw.ts';
import { password, type ServerProcess, startServerProcess } from '../support/server.ts';
import { chooseCount, isFullRun, recordResult } from './support/catalogue.ts';
import { computeYuenT } from './support/statistics.ts';

// The full catalogue needs more time.
if (isFullRun) vi.setConfig({ testTimeout: 20 * 60_000 });

let server: ServerProcess;
let api: RawApi;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-sign-in-'));
  server = await startServerProcess(['--speed', '0', '--inventory', 'small', '--data', folder]);
  api = await RawApi.signIn(server);
});

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const basic = (user: string, secret: string) =>
  `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;

interface Attempt {
  readonly user: string;
  readonly secret: string;
  /** Source address, one of this computer. */
  readonly from: string;
}

const agents = new Map<string, Agent>();
function createAgent(from: string): Agent {
  const agent =
    agents.get(from) ?? new Agent({ keepAlive: true, ca: server.ca, localAddress: from });
  agents.set(from, agent);
  return agent;
}

/** All ways to sign in with a name and a password. */
const channels: Readonly<Record<string, (attempt: Attempt) => Promise<RawAnswer>>> = {
  'the password grant': ({ user, secret, from }) =>
    send(`${server.ready.auth_url}/oauth/token`, {
      method: 'POST',
      agent: createAgent(from),
      headers: { Accept: 'application/json', 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        ...{ grant_type: 'password', scope: 'virt-app-api' },
        ...{ username: user, password: secret },
      }).toString(),
    }),
  'the HTTP grant': ({ user, secret, from }) =>
    send(
      `${server.ready.auth_url}/oauth/token?grant_type=urn:ovirt:params:oauth:grant-type:http&scope=virt-app-api`,
      {
        agent: createAgent(from),
        headers: { Accept: 'application/json', Authorization: basic(user, secret) },
      },
    ),
  'Basic on the API': ({ user, secret, from }) =>
    send(`${server.ready.api_url}/tags`, {
      agent: createAgent(from),
      headers: { Authorization: basic(user, secret) },
    }),
  'Basic on a session': ({ user, secret, from }) =>
    send(`${server.ready.api_url}/tags`, {
      agent: createAgent(from),
      headers: { Authorization: basic(user, secret), Prefer: 'persistent-auth' },
    }),
  'Basic on the stand-in': ({ user, secret, from }) =>
    send(`${new URL(server.ready.base_url).origin}/_vmctl/live`, {
      agent: createAgent(from),
      headers: { Authorization: basic(user, secret) },
    }),
};

const events = async (code: number, word: string) => {
  const { event = [] } = (await api.json('GET', `/events?search=type%3D${code}`)).json<{
    event?: { description: string }[];
  }>();
  return event.filter(({ description }) => description.includes(word));
};

describe.each(Object.entries(channels))('F1 - %s', (name, attempt) => {
  const number = Object.keys(channels).indexOf(name) + 10;
  const user = 'admin@internal';
  const from = `127.0.1.${number}`;
  const other = `127.0.2.${number}`;
  const strip = ({ status, headers, text }: RawAnswer) => {
    const { date: _, 'correlation-id': __, ...rest } = headers;
    return { status, headers: rest, text };
  };

  it('F1 - does not distinguish an unknown user from a wrong password, and writes events', async () => {
    const stranger = `nobody-${number}@internal`;
    const unknown = await attempt({ user: stranger, secret: 'x', from });
    const wrong = await attempt({ user, secret: 'x', from });
    expect(strip(unknown)).toEqual(strip(wrong));
    expect([400, 401]).toContain(wrong.status);
    expect(await events(114, from)).toHaveLength(2);
    expect((await attempt({ user, secret: password, from: other })).status).toBe(200);
    expect(await events(30, other)).toHaveLength(1);
  });

  it('F1 - accepts ten wrong passwords, then none: 429 with Retry-After', async () => {
    let tried = 0;
    const untilRefused = async (): Promise<RawAnswer> => {
      for (;;) {
        const answer = await attempt({ user, secret: `guess ${tried}`, from });
        if (answer.status === 429) return answer;
        tried += 1;
      }
    };
    const refused = await untilRefused();
    // One attempt had failed before.
    expect(tried).toBe(9);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    // The right password is refused as well, otherwise guesses could be distinguished. On a slow
    // computer the delay may have ended; then the test restarts it.
    let right = await attempt({ user, secret: password, from });
    for (let turn = 0; right.status !== 429 && turn < 5; turn++) {
      await untilRefused();
      right = await attempt({ user, secret: password, from });
    }
    expect(right.status).toBe(429);
    // From another address the administrator can sign in.
    expect((await attempt({ user, secret: password, from: other })).status).toBe(200);
    // Existing sessions keep working.
    expect((await api.json('GET', '/tags')).status).toBe(200);
    expect((await events(114, from)).length).toBeLessThanOrEqual(6 + tried / 9);
  });
});

describe('F1 - guessing', () => {
  it('F1 - by sixteen concurrent clients is mostly refused, and others are served', async () => {
    const guesses = chooseCount(10_000, 600);
    const from = '127.0.3.1';
    const latency = async () => {
      const began = performance.now();
      expect((await api.json('GET', '/tags')).status).toBe(200);
      return performance.now() - began;
    };
    const measure = async (done: () => boolean) => {
      const times: number[] = [];
      while (!done()) times.push(await latency());
      return times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0;
    };
    let quiet = 0;
    const idle = await measure(() => quiet++ >= 100);
    let turn = 0;
    const statuses: number[] = [];
    const guess = channels['the password grant'] as (attempt: Attempt) => Promise<RawAnswer>;
    const guesser = async () => {
      while (turn < guesses) {
        turn += 1;
        const { status } = await guess({ user: 'admin@internal', secret: `g${turn}`, from });
        statuses.push(status);
      }
    };
    let over = false;
    const guessers = Promise.all(Array.from({ length: 16 }, guesser)).finally(() => {
      over = true;
    });
    const busy = await measure(() => over);
    await guessers;
    const tried = statuses.filter((status) => status !== 429).length;
    // A guess is possible after each delay: 1 s, 2 s, 4 s...
    expect(tried).toBeLessThan(25);
    const times = `p95 of other requests ${idle.toFixed(1)} ms idle, ${busy.toFixed(1)} ms under load`;
    recordResult(
      'F1',
      `${guesses} guesses by 16 clients: ${tried} verified, the others 429; ${times}`,
    );
  });

  it('F1 - takes as long for an unknown user as for a wrong password', async () => {
    const samples = chooseCount(2_000, 25);
    const grant = channels['the password grant'] as (attempt: Attempt) => Promise<RawAnswer>;
    const known: number[] = [];
    const unknown: number[] = [];
    for (let turn = 0; turn < samples; turn++) {
      // Changing addresses avoid refusals, and the order alternates.
      const from = `127.${10 + (turn >> 14)}.${(turn >> 6) & 255}.${1 + (turn & 63)}`;
      const pair: [number[], string][] = [
        [known, 'admin@internal'],
        [unknown, `nobody-${turn}@internal`],
      ];
      for (const [times, user] of turn % 2 ? pair.reverse() : pair) {
        const began = performance.now();
        expect((await grant({ user, secret: `x${turn}`, from })).status).toBe(400);
        times.push(performance.now() - began);
        agents.get(from)?.destroy();
        agents.delete(from);
      }
    }
    expect(Math.abs(computeYuenT(known, unknown))).toBeLessThan(4.5);
    recordResult(
      'F1',
      `unknown user and wrong password, timing: |t| = ${Math.abs(computeYuenT(known, unknown)).toFixed(2)} over ${samples} pairs`,
    );
  });

  it('F1 control - detects a response that is a tenth faster', () => {
    const times = Array.from({ length: 60 }, (_, turn) => 55 + (turn % 7));
    expect(
      Math.abs(
        computeYuenT(
          times,
          times.map((time) => time * 0.9),
        ),
      ),
    ).toBeGreaterThan(4.5);
    expect(Math.abs(computeYuenT(times, [...times].reverse()))).toBeLessThan(4.5);
  });

  it('F1 - lets sixty-four clients sign in at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 64 }, () => requestToken(server)));
    expect(answers.map(({ status }) => status)).toEqual(new Array(64).fill(200));
  });
});

describe('F1 - a token', () => {
  it('F1 - is long, random, and not stored on the disk', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, () => requestToken(server)));
    const texts = tokens.map((answer) => String(answer.json()['access_token']));
    expect(new Set(texts).size).toBe(20);
    for (const text of texts)
      expect(Buffer.from(text, 'base64url').length).toBeGreaterThanOrEqual(16);
    let files = 0;
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      files += 1;
      const bytes = readFileSync(join(entry.parentPath, entry.name));
      for (const text of texts) expect(bytes.includes(text), entry.name).toBe(false);
    }
    expect(files).toBeGreaterThan(3);
    // Control: the search finds stored text.
    const found = readFileSync(join(folder, 'vmctl.db-wal')).includes('admin@internal');
    expect(found).toBe(true);
  });
});

describe('F2 - refuses credentials that are no longer valid:', () => {
  const read = (headers: Record<string, string>, path = '/tags') =>
    send(`${server.ready.api_url}${path}`, { ca: server.ca, headers });
  const getCookie = (answer: RawAnswer) => String(answer.headers['set-cookie']).split(';')[0] ?? '';
  const persistent = { Prefer: 'persistent-auth' };

  it('F2 - a token that is forged, truncated, expired, revoked or of another server', async () => {
    const other = await startServerProcess(['--token-lifetime', '0']);
    try {
      const good = String((await requestToken(server)).json()['access_token']);
      const bearer = (token: string) => read({ Authorization: `Bearer ${token}` });
      expect((await bearer(good)).status).toBe(200);
      const expired = String((await requestToken(other)).json()['access_token']);
      const atOther = await send(`${other.ready.api_url}/tags`, {
        ca: other.ca,
        headers: { Authorization: `Bearer ${expired}` },
      });
      expect(atOther.status).toBe(401);
      for (const token of [
        expired,
        good.slice(1),
        `${good}x`,
        '',
        'x'.repeat(10_000),
        "' OR 1=1",
      ]) {
        const answer = await bearer(token);
        expect([answer.status, answer.headers['www-authenticate']]).toEqual([
          401,
          expect.stringMatching(/^Basic/),
        ]);
      }
      await send(`${server.ready.auth_url}/oauth/revoke?token=${good}`, {
        method: 'POST',
        ca: server.ca,
      });
      expect((await bearer(good)).status).toBe(401);
    } finally {
      await other.stop();
    }
  });

  it('F2 - a session whose token has ended', async () => {
    const token = String((await requestToken(server)).json()['access_token']);
    const opened = await read({ ...persistent, Authorization: `Bearer ${token}` });
    const Cookie = getCookie(opened);
    expect((await read({ ...persistent, Cookie })).status).toBe(200);
    const unrelated = await read({ ...persistent, Authorization: `Bearer ${api.token}` });
    await send(`${server.ready.base_url}/services/sso-logout?token=${token}`, { ca: server.ca });
    expect((await read({ ...persistent, Cookie })).status).toBe(401);
    expect((await read({ ...persistent, Cookie: getCookie(unrelated) })).status).toBe(200);
  });

  it('F2 - a cookie is limited to this server, path and HTTP, and ends without Prefer', async () => {
    const opened = await read({ ...persistent, Authorization: `Bearer ${api.token}` });
    const flags = String(opened.headers['set-cookie']);
    for (const flag of ['Secure', 'HttpOnly', 'SameSite=Strict', 'Path=/virt-app/api']) {
      expect(flags).toContain(flag);
    }
    const Cookie = getCookie(opened);
    expect(
      Buffer.from(Cookie.replace('JSESSIONID=', ''), 'base64url').length,
    ).toBeGreaterThanOrEqual(16);
    expect((await read({ Cookie })).status).toBe(401);
    expect((await read({ ...persistent, Cookie })).status).toBe(401);
    recordResult(
      'F2',
      'expired, revoked, foreign and truncated tokens, ended and forged cookies: 401',
    );
  });

  it('F2 - a cookie chosen by an attacker is not used', async () => {
    const Cookie = 'JSESSIONID=chosen-by-somebody-else';
    const headers = { ...persistent, Authorization: `Bearer ${api.token}`, Cookie };
    const opened = await read(headers);
    expect(getCookie(opened)).toMatch(/^JSESSIONID=.{20,}/);
    expect(getCookie(opened)).not.toBe(Cookie);
    expect((await read({ ...persistent, Cookie })).status).toBe(401);
  });
});
