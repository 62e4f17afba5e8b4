/**
 * Downloads with a rate limit: one and several concurrent requests, interrupted and resumed,
 * verified, through a local socket and through TLS.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RawApi } from '../support/raw.ts';
import { type ServerProcess, startServerProcess } from '../support/server.ts';
import { type Running, User } from '../transfer/support/commands.ts';
import { difference, MiB, makeImage } from '../transfer/support/images.ts';
import { serverOptions } from '../transfer/support/workshop.ts';

const size = 24 * MiB + 512;

/** Too long for the path of a socket: clients have to use TLS. */
const longName = 'x'.repeat(120);

describe.each([
  ['through a socket', 'data'],
  ['through TLS', longName],
])('%s', (_, name) => {
  let server: ServerProcess;
  let place: string;
  let home: string;
  let user: User;
  let file: string;
  let copy: string;

  beforeAll(async () => {
    place = mkdtempSync(join(tmpdir(), 'vmctl-slow-'));
    file = join(place, 'image.raw');
    makeImage(file, size);
    const data = join(place, name);
    server = await startServerProcess([...serverOptions, '--data', data]);
    expect(existsSync(join(data, 'images.sock'))).toBe(name !== longName);
    const owner = new User(server, place);
    await owner.must('disks', 'upload', file, '--name', 'slow', '--storagedomain', 'data1');
  });
  afterAll(async () => {
    expect(await server.stop()).toBe(0);
    rmSync(place, { recursive: true, force: true });
  });
  beforeEach(() => {
    home = join(place, 'home');
    mkdirSync(home);
    user = new User(server, home);
    copy = join(home, 'copy.raw');
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  function downloading(...more: string[]): string[] {
    return ['disks', 'download', 'slow', copy, ...more];
  }

  async function phases(): Promise<unknown[]> {
    const api = await RawApi.signIn(server);
    const all = (await api.json('GET', '/imagetransfers')).json<{
      image_transfer: { phase: string }[];
    }>();
    return all.image_transfer.map(({ phase }) => phase);
  }

  it.each(['1', '4'])('%s at a time', async (parallel) => {
    const done = await user.runProcess(
      ...downloading('--limit-rate', '64M', '--parallel', parallel, '-o', 'json'),
    );
    expect(done.code, done.stderr).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({ verified: true, size });
    expect(difference(file, copy)).toBeUndefined();
  });

  it('without verification', async () => {
    const done = await user.run(...downloading('--limit-rate', '64M', '--no-verify', '-o', 'json'));
    expect(done.code, done.stderr).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({ verified: false });
    expect(difference(file, copy)).toBeUndefined();
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'keeps the partial file at %s, and prints the command to resume',
    async (signal, expected) => {
      const first = user.start(...downloading('--limit-rate', '4M', '-o', 'json'));
      while (user.journals().length === 0) await tick(first);
      first.process.kill(signal);
      const { code, stdout, stderr } = await first.outcome;
      expect([code, stdout]).toEqual([expected, '']);
      const error = JSON.parse(stderr) as { hint: string; next: string[] };
      expect(error.hint).toContain(`downloaded data remains in ${copy}.partial`);
      const [, ...words] = error.next[0]?.split(' ') ?? [];
      await user.must(...words, '--limit-rate', '64M', '--parallel', '2');
      expect(difference(file, copy)).toBeUndefined();
      expect(user.journals()).toEqual([]);
    },
  );

  it('succeeds if the signal arrives after the last byte', async () => {
    const running = user.start(...downloading('-o', 'jsonl'));
    running.process.stderr?.on('data', (piece: Buffer) => {
      if (piece.includes('"phase":"finalizing"')) running.process.kill('SIGINT');
    });
    const { code, stderr } = await running.outcome;
    expect([code, stderr]).toEqual([
      0,
      expect.not.stringContaining('the file is complete, but the transfer failed at its end:'),
    ]);
    expect(difference(file, copy)).toBeUndefined();
    expect((await phases()).filter((phase) => !String(phase).startsWith('finished'))).toEqual([]);
    await user.must(...downloading('--force'));
  });
});

async function tick({ process: child, outcome }: Running): Promise<void> {
  if (child.exitCode !== null) throw new Error(`it ended: ${(await outcome).stderr}`);
  await new Promise((resolve) => setTimeout(resolve, 2));
}
