/** Test of the fuzzer: it finds planted bugs, and reproduces their inputs from the seed. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { projectRoot } from '../support/server.ts';
import { createInput } from './mutate.ts';
import { targets } from './targets.ts';

const files: string[] = [];
afterEach(() => {
  for (const file of files.splice(0)) rmSync(file, { force: true });
});

interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

function fuzz(...words: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const script = join(projectRoot, 'scripts/fuzz.js');
    const child = spawn(process.execPath, [script, ...words], { cwd: projectRoot });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes: Buffer) => {
        output += bytes.toString();
      });
    }
    child.once('close', (code) => resolve({ code, output }));
  });
}

const savedIn = ({ output }: Outcome) => {
  const path = join(projectRoot, /--input (\S+)/.exec(output)?.[1] ?? 'none');
  files.push(path);
  return path;
};

describe('npm run fuzz', () => {
  it.each([
    ['crash', 'TypeError: a crash'],
    ['hang', 'not done after'],
    ['memory', 'memory grew by'],
  ])('finds a %s, saves its input, and reproduces it', async (kind, detail) => {
    const target = `planted-${kind}`;
    const run = [target, '--seconds', '60', '--seed', '11', '--deadline', '2'];
    const first = await fuzz(...run);
    expect(first.code, first.output).toBe(1);
    expect(first.output).toContain('seed 11');
    expect(first.output).toContain(`${target}: ${kind} after`);
    expect(first.output).toContain(detail);
    const path = savedIn(first);
    expect(readFileSync(path, 'latin1')).toContain('7');
    const again = await fuzz(target, '--input', path, '--deadline', '2');
    expect([again.code, again.output]).toEqual([1, expect.stringContaining(detail)]);
    rmSync(path);
    expect(savedIn(await fuzz(...run))).toBe(path);
    expect(existsSync(path)).toBe(true);
  });

  it('succeeds without findings, and refuses unknown arguments', async () => {
    const good = await fuzz('search', '--seconds', '1');
    expect([good.code, good.output]).toEqual([0, expect.stringContaining('nothing found')]);
    const bad = await fuzz('nothing');
    expect([bad.code, bad.output]).toEqual([2, expect.stringContaining('Usage: npm run fuzz')]);
    for (const name of ['qcow2', 'tar', 'ovf', 'json', 'xml', 'search', 'yaml']) {
      expect(bad.output).toContain(name);
    }
  });
});

describe('inputs', () => {
  it.each(Object.entries(targets))(
    'of %s depend only on the seed and their number',
    (_, target) => {
      for (const index of [0, 1, 99]) {
        expect(createInput(target, 3, index).equals(createInput(target, 3, index))).toBe(true);
      }
      const some = Array.from({ length: 20 }, (_, index) =>
        createInput(target, 4, index).toString('hex'),
      );
      expect(new Set(some).size).toBeGreaterThan(10);
    },
  );
});
