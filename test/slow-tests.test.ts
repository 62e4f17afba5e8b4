/** Slow tests of CI: each is covered by an area of sources, and each source folder has slow tests. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot } from './support/server.ts';
import { areas, isAffected, selectSlowFiles } from './support/slow-tests.ts';

const list = (folder: string) =>
  readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' }).map(
    (name) => `${folder}/${name}`,
  );
const slowFolders = /^test\/(?:e2e|commands|examples|faults|write-back|transfer\/takeover)\/[^/]+$/;
const slowFiles = list('test').filter(
  (path) =>
    path.endsWith('.test.ts') &&
    (slowFolders.test(path) || /^test\/features\/[^/]+\/commands\//.test(path)),
);

it('assigns each slow test to an area of sources, or to a feature', () => {
  expect(slowFiles.length).toBeGreaterThan(100);
  const unassigned = slowFiles.filter(
    (path) => !path.startsWith('test/features/') && !areas.some(({ tests }) => tests.test(path)),
  );
  expect(unassigned).toEqual([]);
});

it('assigns each source file to an area or to a feature, and each area has tests', () => {
  const sources = list('src').filter((path) => /\.(?:tsx?|json|cjs)$/.test(path));
  const unassigned = sources.filter(
    (path) => !/^src\/features\/[^/]+\//.test(path) && !areas.some((one) => one.sources.test(path)),
  );
  expect(unassigned).toEqual([]);
  for (const { tests, sources: pattern } of areas) {
    expect(
      slowFiles.some((path) => tests.test(path)),
      String(tests),
    ).toBe(true);
    expect(
      sources.some((path) => pattern.test(path)),
      String(pattern),
    ).toBe(true);
  }
});

it.each([
  ['src/server/store/group.ts', 'test/faults/power-cut.test.ts', true],
  ['src/server/store/group.ts', 'test/commands/walk.test.ts', false],
  ['src/features/ova/feature.ts', 'test/features/ova/commands/ova-files.test.ts', true],
  ['src/features/ova/feature.ts', 'test/features/mcp/commands/mcp.test.ts', false],
  ['src/features/index.ts', 'test/e2e/delete-features.test.ts', true],
  ['test/faults/support/cuts.ts', 'test/faults/kill.test.ts', true],
  ['test/faults/kill.test.ts', 'test/faults/kill.test.ts', true],
  ['.', 'test/faults/kill.test.ts', true],
  ['README.md', 'test/faults/kill.test.ts', false],
])('a change of %s affects %s: %s', (path, test, expected) => {
  expect(isAffected(test, [path])).toBe(expected);
});

it('runs each slow test in one of six parts, and after a change of its sources', () => {
  const runs = ['0', '1', '2', '3', '4', '5'].map((part) => selectSlowFiles(slowFiles, part, []));
  expect(runs.flat().sort()).toEqual([...slowFiles].sort());
  for (const run of runs) expect(run.length).toBeGreaterThan(slowFiles.length / 12);
  const paths = ['src/server/store/group.ts'];
  const affected = slowFiles.filter((file) => isAffected(file, paths));
  expect(selectSlowFiles(slowFiles, '0', paths)).toEqual(expect.arrayContaining(affected));
});
