/** Every list and every object of the model, as terminals of several widths show them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { displayWidth } from '../../src/cli/text/display-width.ts';
import { modelNouns } from '../../src/cli/verbs/collections.ts';
import { verbsOf } from '../../src/cli/verbs/derive-verbs.ts';
import { exampleAt } from '../../src/cli/verbs/examples.ts';
import { flagsOf } from '../../src/cli/verbs/flags.ts';
import { sampleId } from '../../src/model/notation/commands.ts';
import { stepOf } from '../commands/support/walk.ts';
import { before } from '../examples/before.ts';
import { type ExamplesSite, startExamplesSite, wordsOf } from '../examples/site.ts';
import { builtVmctl } from '../support/in-process.ts';
import { thirdOf } from '../support/thirds.ts';

/** The command lines that show something, one for each place where it can be found. */
const all = modelNouns().flatMap((noun) =>
  verbsOf(noun)
    .filter(({ kind }) => kind === 'list' || kind === 'get')
    .flatMap((verb) => {
      const flags = flagsOf(verb);
      return verb.candidates.map((place) => {
        const { http, path } = place.operation;
        const step = stepOf(`${http} ${path}`, exampleAt(verb, flags, place));
        const prepared = step.before ?? before[`${noun} ${verb.name}`] ?? before[noun] ?? [];
        return { ...step, prepared };
      });
    }),
);

const cases = thirdOf(all, ({ line }) => line);

let site: ExamplesSite;
let isSpoilt = false;
let shown = 0;

beforeAll(async () => {
  site = await startExamplesSite();
});
afterAll(() => site.stop());

const onTerminal = (line: string, terminal: number) =>
  builtVmctl(wordsOf(line).slice(1), {
    env: { ...site.env, LANG: 'C.UTF-8', NO_COLOR: '1' },
    terminal,
  });

/** A value without blanks, with its name: it goes on in the next line, so that it can be copied. */
const unbreakable = /^([\w.]+:?)? *\S+$/;

describe('on a terminal', () => {
  it.each(cases)('$line', async ({ line, prepared, maker }) => {
    if (isSpoilt) await site.restore();
    isSpoilt = prepared.length > 0 || maker !== undefined;
    for (const one of prepared) {
      if (one.startsWith('= ')) await site.adopt(one.slice(2));
      else await site.run(`${one} --yes`);
    }
    const id = maker && (await site.must(`${maker} --yes -o id`)).trim();
    const words = id ? line.replace(sampleId, id) : line;
    for (const width of [80, 40]) {
      const { code, stdout, stderr } = await onTerminal(words, width);
      // A few are not there until something else has been done.
      if (code === 3) return;
      expect(code, stderr).toBe(0);
      const lines = stdout.split('\n').slice(0, -1);
      for (const text of lines) {
        expect(text).not.toMatch(/[─│┌┐└┘]|\b[\da-f]{8}-[\da-f-]*…/);
        if (!unbreakable.test(text)) expect(displayWidth(text), text).toBeLessThanOrEqual(width);
      }
      // Nothing is cut where every value has lines of its own.
      if (width === 40) expect(stdout).not.toContain('…');
      shown += 1;
    }
  });

  it('nearly all of them are there to be shown', () => {
    expect(shown / 2).toBeGreaterThan(cases.length - 40);
  });
});
