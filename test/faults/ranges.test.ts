/** `vmctl images read` and `write` with lost connections and crashing daemons. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { vmctl } from '../support/server.ts';
import { FakeDaemon } from '../transfer/support/fake-daemon.ts';
import { MiB } from '../transfer/support/images.ts';

const size = 80 * MiB;

let daemon: FakeDaemon;
let folder: string;
let copy: string;

beforeEach(async () => {
  daemon = await FakeDaemon.start(size);
  folder = mkdtempSync(join(tmpdir(), 'vmctl-ranges-'));
  copy = join(folder, 'copy');
});

afterEach(async () => {
  await daemon.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

function run(words: readonly string[], input?: Buffer): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { env: { PATH: process.env['PATH'], HOME: folder }, maxBuffer: 2 * size };
    const child = execFile(
      process.execPath,
      [vmctl, ...words],
      { ...options, encoding: 'buffer' },
      (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), stdout, stderr: stderr.toString() }),
    );
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

const ranges = () =>
  daemon.asked.filter(({ method }) => method === 'GET').map(({ range }) => range);

describe('images read', () => {
  beforeEach(() => {
    randomBytes(MiB).copy(daemon.current, 5 * MiB);
    daemon.current.fill('data', 20 * MiB, 60 * MiB);
  });

  it.each([
    ['a file', ['-O']],
    ['standard output', []],
  ])('resumes where it was interrupted, into %s', async (_, flags) => {
    let cuts = 0;
    daemon.fault = ({ method }) => {
      if (method !== 'GET' || cuts === 12) return undefined;
      cuts += 1;
      return cuts % 4 === 3 ? { status: 503 } : { bytes: 1_000_001 };
    };
    const words = ['images', 'read', daemon.getUrl(), '--offset', '4MiB'];
    const { code, stdout, stderr } = await run([...words, ...flags, ...flags.map(() => copy)]);
    expect(code, stderr).toBe(0);
    const bytes = flags.length > 0 ? readFileSync(copy) : stdout;
    expect(bytes.equals(daemon.current.subarray(4 * MiB))).toBe(true);
    expect(stderr).toContain('; retrying');
    // No retransmission: every request starts where the previous response ended.
    const firsts = ranges().map((range) => Number(/=(\d+)-/.exec(range)?.[1]));
    expect(firsts).toEqual([...firsts].sort((a, b) => a - b));
    expect(firsts.at(-1)).toBeGreaterThan(4 * MiB);
  });

  it('fails if no more data arrives, and leaves no file', async () => {
    daemon.fault = ({ method }) =>
      method !== 'GET' ? undefined : ranges().length === 1 ? { bytes: MiB } : {};
    const words = ['images', 'read', daemon.getUrl(), '-O', copy, '--retries', '1'];
    const { code, stderr } = await run(words);
    expect(code, stderr).toBe(8);
    expect(existsSync(copy)).toBe(false);
    expect(existsSync(`${copy}.partial`)).toBe(false);
  });

  it('does not accept a truncated response', async () => {
    daemon.fault = ({ method, range }) => {
      if (method === 'GET' && range.startsWith('bytes=0-')) return { bytes: MiB };
      daemon.current = daemon.current.subarray(0, 2 * MiB);
      return undefined;
    };
    const words = ['images', 'read', daemon.getUrl(), '-O', copy, '--retries', '1'];
    const { code, stderr } = await run(words);
    expect([code, stderr]).toEqual([8, expect.stringContaining(`of ${size} bytes`)]);
    expect(existsSync(copy)).toBe(false);
  });
});

describe('images write', () => {
  const image = randomBytes(70 * MiB);

  it('resends data that a crash may have lost', async () => {
    let crashes = 0;
    daemon.fault = ({ method }) => {
      if (method !== 'PUT' || daemon.count('PUT') % 4 !== 3 || crashes === 2) return undefined;
      crashes += 1;
      daemon.crash();
      return {};
    };
    const words = ['images', 'write', daemon.getUrl(), '-', '--offset', '1MiB'];
    const { code, stderr } = await run(words, image);
    expect(code, stderr).toBe(0);
    expect(crashes).toBe(2);
    expect(daemon.stable.subarray(MiB, 71 * MiB).equals(image)).toBe(true);
    expect(daemon.mostUnflushed).toBeLessThanOrEqual(40 * MiB);
  });

  it('reports the safe offset when it fails', async () => {
    daemon.fault = ({ method }) =>
      method === 'PUT' && daemon.count('PUT') > 6 ? { status: 507 } : undefined;
    const { code, stderr } = await run(['images', 'write', daemon.getUrl(), '-'], image);
    expect(code).toBe(10);
    expect(stderr).toContain(
      `${48 * MiB} bytes were accepted before the failure, ${32 * MiB} of them flushed`,
    );
  });

  it('does not survive a crash without flushes', async () => {
    daemon.fault = ({ method }) => (method === 'PUT' && daemon.count('PUT') === 2 ? {} : undefined);
    const words = ['images', 'write', daemon.getUrl(), '-', '--no-flush'];
    const { code, stderr } = await run(words, image);
    expect([code, stderr]).toEqual([
      8,
      expect.stringContaining('0 of them flushed to stable storage'),
    ]);
  });
});
