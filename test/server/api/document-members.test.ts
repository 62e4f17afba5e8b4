/** Documents taken apart: the members that JSON has, whatever was taken apart before. */
import { expect, it } from 'vitest';
import { DocumentMembers, type Step } from '../../../src/server/api/document-members.ts';
import { KeptTexts, TextSlot } from '../../../src/server/api/kept-texts.ts';
import { seededRandom } from '../../../src/server/core/random.ts';

const random = seededRandom(7);
const below = (limit: number) => Math.floor(random() * limit);
const words = ['', 'a', '1', '"', '\\', '\\"', '":', ',"b":1', '}', '[{', 'ž😀', '\n', '\ud800'];
const text = () => Array.from({ length: below(4) }, () => words[below(words.length)]).join('');

function value(depth: number): unknown {
  switch (below(depth > 0 ? 7 : 5)) {
    case 0:
      return below(20) - 10;
    case 1:
      return random() < 0.5;
    case 2:
      return null;
    case 3:
      return 10 ** (below(40) - 20);
    case 4:
      return text();
    case 5:
      return Array.from({ length: below(3) }, () => value(depth - 1));
    default:
      return Object.fromEntries([1, 2].map(() => [text(), value(depth - 1)]));
  }
}

/** Takes documents apart, and notes what comes as what is looked for next. */
function scene() {
  const kept = new KeptTexts({ version: 1, knownVersion: 1 });
  const members = new DocumentMembers((name) => ({
    meaning: name,
    slot: name === 'other' ? undefined : new TextSlot(kept, 2_000),
  }));
  const steps: Step<string>[] = [];
  const values: string[] = [];
  return (document: string) => {
    if (!members.split(document, steps, values)) return undefined;
    for (const [index, { slot }] of steps.entries()) {
      slot?.keep(values[index] ?? '', 'kept', []);
      slot?.get(values[index] ?? '');
    }
    return steps.map(({ meaning }, index) => [meaning, values[index]]);
  };
}

it('has the members of any object, in their order', () => {
  const split = scene();
  const names = ['name', 'id', 'other', 'cpu', 'z'];
  for (let number = 0; number < 5_000; number++) {
    const chosen = names.filter(() => random() < 0.8);
    if (random() < 0.2) chosen.reverse();
    const object = Object.fromEntries(chosen.map((name) => [name, value(2)]));
    const expected = chosen.map((name) => [name, JSON.stringify(object[name])]);
    expect(split(JSON.stringify(object)), JSON.stringify(object)).toEqual(expected);
  }
});

it('tells a number from one that goes on', () => {
  const split = scene();
  expect(split('{"a":1}')).toEqual([['a', '1']]);
  expect(split('{"a":12}')).toEqual([['a', '12']]);
  expect(split('{"a":1,"b":2}')).toEqual([
    ['a', '1'],
    ['b', '2'],
  ]);
});

it.each([
  '',
  '[]',
  ' {"a":1}',
  '{ "a":1}',
  '{"a" :1}',
  '{"a":1,}',
  '{"a":1}x',
  '{"a":1',
  '{"a":}',
  '{"a":"b}',
  '{"a":{"b":1}',
  '{"a\\"b":1}',
  '{"a"',
  '{a:1}',
])('takes %j for no document', (document) => {
  expect(scene()(document)).toBeUndefined();
});
