/**
 * Comparison with a real engine: finds no difference between equal responses, and detects every
 * kind of change.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';

interface Step {
  name?: string;
  status?: number;
  body?: string;
  headers?: Record<string, unknown>;
}

const recording = join(import.meta.dirname, 'engine.jsonl.gz');
const folder = mkdtempSync(join(tmpdir(), 'vmctl-compare-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const steps = gunzipSync(readFileSync(recording))
  .toString('utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line) as Step);

/** Kinds of differences between the recording and a copy with one changed step. */
function kindsAfter(name: string, change: (step: Step) => void): string[] {
  const changed = structuredClone(steps);
  const step = changed.find((one) => one.name === name);
  if (!step) throw new Error(`The recording has no step ${name}.`);
  change(step);
  writeFileSync(
    join(folder, 'transcript.jsonl'),
    changed.map((one) => `${JSON.stringify(one)}\n`).join(''),
  );
  const report = join(folder, 'report.md');
  const words = [join(import.meta.dirname, 'compare.mjs'), recording, folder, '--only', name];
  const { status, stderr } = spawnSync(process.execPath, [...words, '-o', report], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  const { causes } = JSON.parse(readFileSync(join(folder, 'score.json'), 'utf8')) as {
    causes: { kind: string }[];
  };
  return causes.map(({ kind }) => kind);
}

const name = 'small-things/bookmarks/add';
const replaced = (pattern: RegExp, by: string) => (step: Step) => {
  const before = step.body ?? '';
  step.body = before.replace(pattern, by);
  if (step.body === before) throw new Error('The text has no such part.');
};

test('finds no difference between equal responses', () => {
  expect(kindsAfter(name, () => undefined)).toEqual([]);
});

test.each<[string, (step: Step) => void]>([
  ['status', (step) => (step.status = 299)],
  ['missing', replaced(/\s*<value>.*<\/value>/, '')],
  ['extra', replaced(/<value>/, '<nonsense>x</nonsense><value>')],
  ['value', replaced(/<name>[^<]*/, '<name>another')],
  ['header', (step) => delete step.headers?.['location']],
  ['body-kind', (step) => (step.body = 'no document')],
])('detects a changed response: %s', (kind, change) => {
  expect(kindsAfter(name, change)).toContain(kind);
});
