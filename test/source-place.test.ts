/** Positions in documents: each path leads to its key or item, with both parsers. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseYaml } from '../src/definitions/yaml-text.ts';
import { jsonPlace, type SourcePlace, type Step } from '../src/source-place.ts';
import { runs } from './support/mutants.ts';

/** Every path in a value, with the text at its position: the key, or the item. */
function* listPaths(value: unknown, above: readonly Step[] = []): Generator<[Step[], string]> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield [[...above, index], JSON.stringify(item).slice(0, 1)];
      yield* listPaths(item, [...above, index]);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      yield [[...above, name], JSON.stringify(name)];
      yield* listPaths(member, [...above, name]);
    }
  }
}

/** Remaining text from a position. */
function textAt(text: string, place: SourcePlace, firstLine = 1): string {
  const [, line, column] = /^FILE:(\d+):(\d+)$/.exec(place.position()) ?? expect.fail();
  const lines = text.split('\n').slice(Number(line) - firstLine);
  return lines.join('\n').slice(Number(column) - 1);
}

const key = fc.oneof(fc.constantFrom('a', 'b', '{', '}', '],', ':', '"', '\\', 'a.b'), fc.string());
const usable = key.filter((name) => !/^(?:|__proto__|<<)$/.test(name) && !/\p{C}/u.test(name));
const { value: documents } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(0, -1.5, true, '', 'x"\\', '[{,:}]'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(usable, tie('value'), { maxKeys: 4 }),
  ),
}));

it('lead to the key or item in JSON and YAML, and agree', async () => {
  const indents = fc.constantFrom(0, 2);
  await fc.assert(
    fc.asyncProperty(documents, indents, async (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      const json = jsonPlace('FILE', text);
      const { place: yaml } = await parseYaml(text, 'FILE');
      for (const [steps, begin] of listPaths(value)) {
        const found = textAt(text, json.at(...steps));
        expect(found.startsWith(begin), `${text} ${JSON.stringify(steps)}: ${found}`).toBe(true);
        expect(yaml.at(...steps).position()).toBe(json.at(...steps).position());
      }
    }),
    { numRuns: runs(200) },
  );
});

it.each([
  [['a', 0, 'missing'], '3:6: a[0].missing'],
  [['a', 5], '3:1: a[5]'],
  [['a', 0, 'b', 'c'], '3:7: a[0].b.c'],
  [['missing'], '2:1: missing'],
  [[], '2:1'],
] as const)('of %j, which the text lacks, are those of the deepest parent', (steps, text) => {
  const place = jsonPlace('FILE', '{\n"a":[{"b":1}, 2]}', 2);
  expect(String(place.at(...steps))).toBe(`FILE:${text}`);
});
