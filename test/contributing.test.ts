/** Changes in CONTRIBUTING.md, compared with the sources that they change. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readChanges, replaceParts } from './e2e/support/walk-through.ts';
import { projectRoot } from './support/server.ts';

const changes = [
  ...readChanges(
    readFileSync(join(projectRoot, 'CONTRIBUTING.md'), 'utf8'),
    'Four changes, step by step',
  ).values(),
].flat();
const sources = new Map<string, string>();
const read = (file: string) => sources.get(file) ?? readFileSync(join(projectRoot, file), 'utf8');

// `test/e2e/walk-through.test.ts` also builds and tests the result, but takes minutes.
it.each(changes)('can change $file', (change) => {
  const source = change.form === 'ts' ? change.text : replaceParts(read(change.file), change);
  sources.set(change.file, source);
  expect(source).toMatch(/\n$/);
});
