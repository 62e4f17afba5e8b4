/** Every list and every object of the model on terminals of several widths. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getDisplayWidth } from '../../src/cli/text/display-width.ts';
import { listModelNouns } from '../../src/cli/verbs/collections.ts';
import { listVerbs } from '../../src/cli/verbs/derive-verbs.ts';
import { createExampleAt } from '../../src/cli/verbs/examples.ts';
import { deriveFlags } from '../../src/cli/verbs/flags.ts';
import { sampleId } from '../../src/model/notation/commands.ts';
import { createStep } from '../commands/support/walk.ts';
import { before } from '../examples/before.ts';
import { type ExamplesSite, splitWords, startExamplesSite } from '../examples/site.ts';
import { builtVmctl } from '../support/in-process.ts';
import { selectSlowCases } from '../support/slow-tests.ts';

/** Command lines that show something, one for each collection. */
const all = listModelNouns().flatMap((noun) =>
  listVerbs(noun)
    .filter(({ kind }) => kind === 'list' || kind === 'get')
    .flatMap((verb) => {
      const flags = deriveFlags(verb);
      return verb.candidates.map((place) => {
        const { http, path } = place.operation;
        const step = createStep(`${http} ${path}`, createExampleAt(verb, flags, place));
        const prepared = step.before ?? before[`${noun} ${verb.name}`] ?? before[noun] ?? [];
        return { ...step, prepared };
      });
    }),
);

const cases = selectSlowCases(all, 'test/e2e/terminal-widths.test.ts', ({ line }) => line);

let site: ExamplesSite;
let isSpoilt = false;
let shown = 0;

beforeAll(async () => {
  site = await startExamplesSite();
});
afterAll(() => site.stop());

const onTerminal = (line: string, terminal: number) =>
  builtVmctl(splitWords(line).slice(1), {
    env: { ...site.env, LANG: 'C.UTF-8', NO_COLOR: '1' },
    terminal,
  });

/**
 * A value without spaces, with its name: it continues in the next line so that it can be copied.
 */
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
      // A few objects do not exist by default.
      if (code === 3) return;
      expect(code, stderr).toBe(0);
      const lines = stdout.split('\n').slice(0, -1);
      for (const text of lines) {
        expect(text).not.toMatch(/[─│┌┐└┘]|\b[\da-f]{8}-[\da-f-]*…/);
        if (!unbreakable.test(text)) expect(getDisplayWidth(text), text).toBeLessThanOrEqual(width);
      }
      // Nothing is truncated if every value has separate lines.
      if (width === 40) expect(stdout).not.toContain('…');
      shown += 1;
    }
  });

  it('nearly all of them exist', () => {
    expect(shown / 2).toBeGreaterThan(cases.length - 40);
  });
});
