/** Private files: for their owner alone, changed by one at a time. */
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readPrivate, withLock, writePrivate } from '../../../src/cli/session/private-file.ts';
import { temporaryHome } from '../support/run.ts';

describe('private files', () => {
  let home: ReturnType<typeof temporaryHome>;
  let path: string;

  beforeEach(() => {
    home = temporaryHome();
    path = join(home.path, 'a/b/file.json');
  });

  afterEach(() => home.remove());

  it('are readable only by their owner, like their directory', () => {
    writePrivate(path, 'x');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(home.path, 'a/b')).mode & 0o777).toBe(0o700);
    writePrivate(path, 'y');
    expect(readPrivate(path, 'secret')).toBe('y');
  });

  it('close a directory that others may look into', () => {
    mkdirSync(join(home.path, 'a/b'), { recursive: true, mode: 0o755 });
    writePrivate(path, 'x');
    expect(statSync(join(home.path, 'a/b')).mode & 0o777).toBe(0o700);
  });

  it('are refused when others may read or change them', () => {
    writePrivate(path, 'x');
    chmodSync(path, 0o640);
    expect(() => readPrivate(path, 'secret')).toThrow(`other users can read ${path}`);
    expect(readPrivate(path, 'trusted')).toBe('x');
    chmodSync(path, 0o620);
    expect(() => readPrivate(path, 'trusted')).toThrow(`other users can change ${path}`);
  });

  it('are no symbolic links, neither read nor written through', () => {
    const target = join(home.path, 'target');
    writeFileSync(target, 'precious', { mode: 0o600 });
    mkdirSync(join(home.path, 'a/b'), { recursive: true });
    symlinkSync(target, path);
    expect(() => readPrivate(path, 'secret')).toThrow('symbolic link');
    writePrivate(path, 'mine');
    expect(readFileSync(target, 'utf8')).toBe('precious');
    expect(readPrivate(path, 'secret')).toBe('mine');
  });

  it('that are missing are nothing', () => {
    expect(readPrivate(path, 'secret')).toBeUndefined();
  });

  it('are changed by one at a time', async () => {
    writePrivate(path, '0');
    const add = () =>
      withLock(path, () => writePrivate(path, String(Number(readPrivate(path, 'secret')) + 1)));
    await Promise.all(Array.from({ length: 10 }, add));
    expect(readPrivate(path, 'secret')).toBe('10');
  });
});
