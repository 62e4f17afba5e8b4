/** Size in the index of an xz file, compared with files that xz creates. */
import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { xzSize } from '../../src/transfer/xz-index.ts';

const has = spawnSync('xz', ['--version']).status === 0;

const xz = (bytes: Buffer, ...flags: string[]) =>
  execFileSync('xz', ['-c', ...flags], { input: bytes, maxBuffer: 2 ** 26 });

const told = (file: Buffer) =>
  xzSize(async (offset, length) => file.subarray(offset, offset + length), file.length);

describe.skipIf(!has)('the uncompressed size of an xz file', () => {
  const bytes = Buffer.from(Array.from({ length: 3_000_001 }, (_, at) => (at * at) >> 8));

  it.each([
    ['one block', ['-0']],
    ['many blocks', ['-0', '--block-size=100000']],
    ['blocks of several threads', ['-0', '-T2', '--block-size=1MiB']],
    ['another check', ['-0', '--check=sha256']],
  ])('is read from its index: %s', async (_, flags) => {
    expect(await told(xz(bytes, ...flags))).toBe(bytes.length);
  });

  it('is 0 for an empty file', async () => {
    expect(await told(xz(Buffer.alloc(0)))).toBe(0);
  });

  it.each([
    ['two streams', () => Buffer.concat([xz(bytes, '-0'), xz(bytes, '-0')])],
    ['padding after the stream', () => Buffer.concat([xz(bytes, '-0'), Buffer.alloc(4)])],
    ['a truncated file', () => xz(bytes, '-0').subarray(0, -5)],
    ['a file without a beginning', () => xz(bytes, '-0').subarray(64)],
    ['another file', () => bytes],
    ['a tiny file', () => Buffer.from('YZ')],
  ])('is unknown for %s', async (_, file) => {
    expect(await told(file())).toBeUndefined();
  });
});
