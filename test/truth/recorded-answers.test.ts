/** Responses of the recorded engine, as the tool reads and prints them. */
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { renderView } from '../../src/cli/output/render.ts';
import { CommandContext } from '../../src/cli/session/command-context.ts';
import { formats } from '../../src/cli/session/settings.ts';
import { getCollectionNoun } from '../../src/cli/verbs/collections.ts';
import { decodeObjects, type RecordedObjects, recordedSteps } from './support/recorded-engine.ts';

const io = {
  env: {},
  stdin: new PassThrough(),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
};
const cli = new CommandContext(io, new AbortController().signal, () =>
  Promise.reject(new Error('nothing connects')),
);

const reads: (RecordedObjects & { readonly name: string })[] = [];
const errors: string[] = [];
for (const step of recordedSteps()) {
  try {
    const read = decodeObjects(step);
    if (read) reads.push({ name: step.name, ...read });
  } catch (error) {
    errors.push(`${step.name}: ${String(error)}`);
  }
}

it('are read without an error', () => {
  expect(errors).toEqual([]);
  expect(reads.length).toBeGreaterThan(1000);
});

it.each(formats)('are printed as %s', async (format) => {
  const wrong: string[] = [];
  for (const { name, operation, single, items } of reads) {
    const noun = getCollectionNoun(operation.service.replace(/\/\{\w+\}$/, ''));
    let text = '';
    for await (const piece of renderView(
      cli,
      format,
      { noun, type: operation.type, single },
      [items],
      true,
    )) {
      text += piece;
    }
    if (/\[object |\bNaN\b/.test(text)) wrong.push(`${name}: ${text.slice(0, 200)}`);
    if (text === '' && items.length > 0 && format !== 'id' && format !== 'name') {
      wrong.push(`${name}: nothing is printed`);
    }
  }
  expect(wrong).toEqual([]);
});
