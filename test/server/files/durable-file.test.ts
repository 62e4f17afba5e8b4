/** Durable writes of files, only if they change the file. */
import {
  chmodSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { keepDurably } from '../../../src/server/files/durable-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'durable-'));
const path = join(folder, 'file');
afterAll(() => rmSync(folder, { recursive: true }));

it('leaves an identical file unchanged, and replaces a different one', () => {
  keepDurably(path, 'one', 0o644);
  const first = statSync(path);
  expect(first.mode & 0o777).toBe(0o644);
  keepDurably(path, 'one', 0o644);
  expect(statSync(path).ino).toBe(first.ino);
  keepDurably(path, 'two', 0o644);
  expect(readFileSync(path, 'utf8')).toBe('two');
  chmodSync(path, 0o600);
  keepDurably(path, 'two', 0o644);
  expect(statSync(path).mode & 0o777).toBe(0o644);
});

it('replaces a link with a file', () => {
  const target = join(folder, 'target');
  writeFileSync(target, 'three');
  chmodSync(target, 0o777);
  rmSync(path, { force: true });
  symlinkSync(target, path);
  keepDurably(path, 'three', 0o777);
  expect(statSync(path).ino).not.toBe(statSync(target).ino);
});
