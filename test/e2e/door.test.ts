/** Code cache of the entry point: stores compiled code between runs, and works without it. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { vmctl } from '../support/server.ts';

let folder: string;
let code: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-door-'));
  code = join(folder, 'vmctl/code');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function help(env: NodeJS.ProcessEnv = {}): string {
  return execFileSync(process.execPath, [vmctl, 'vms', 'list', '--help'], {
    encoding: 'utf8',
    env: { ...process.env, XDG_CACHE_HOME: folder, ...env },
  });
}

function kept(): string[] {
  return readdirSync(code, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.cjs'),
  );
}

describe('compiled code', () => {
  it('is cached by the first run for the next ones', () => {
    const first = help();
    expect(kept().length).toBeGreaterThan(3);
    expect(help()).toBe(first);
    expect(first).toContain('vmctl vms list');
  });

  it('of a command grows once by the code of another command', () => {
    const sizes = () => kept().map((name) => statSync(join(code, name)).size);
    const sum = () => sizes().reduce((total, size) => total + size, 0);
    execFileSync(process.execPath, [vmctl, 'context', 'list'], {
      env: { ...process.env, XDG_CACHE_HOME: folder, XDG_CONFIG_HOME: folder },
    });
    const first = sum();
    help();
    const second = sum();
    expect(second).toBeGreaterThan(first);
    const times = () => kept().map((name) => statSync(join(code, name)).mtimeMs);
    const before = times();
    help();
    expect(times()).toEqual(before);
  });

  it('is compiled again if it is damaged', () => {
    const first = help();
    for (const name of kept()) writeFileSync(join(code, name), 'damaged');
    expect(help()).toBe(first);
  });

  it('is ignored if others could have written it', () => {
    const first = help();
    const [build = ''] = readdirSync(code);
    for (const name of kept()) writeFileSync(join(code, name), 'damaged');
    chmodSync(join(code, build), 0o777);
    expect(help()).toBe(first);
  });

  it('of the latest builds is kept, that of older ones is deleted', () => {
    for (const [age, name] of ['one', 'two', 'three', 'four', 'five'].entries()) {
      const build = join(code, name);
      mkdirSync(build, { recursive: true });
      utimesSync(build, 1000 - age, 1000 - age);
    }
    help();
    const names = readdirSync(code);
    expect(names).toHaveLength(4);
    expect(names).toEqual(expect.arrayContaining(['one', 'two', 'three']));
  });

  it('is not cached in a read-only folder, or if disabled', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(help({ XDG_CACHE_HOME: file })).toContain('Usage');
    help({ NODE_DISABLE_COMPILE_CACHE: '1' });
    expect(readdirSync(folder)).toEqual(['file']);
  });
});
