/** Names that engines allow (`test/data/engine`): characters of names by type, operating systems and their former names. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { naming } from '../../src/model/derive/naming.ts';
import { namePatterns } from '../../src/model/notation/naming.ts';
import { operatingSystems, systemNamed } from '../../src/model/operating-systems.ts';

function readRows(name: string): string[][] {
  const file = new URL(`../data/engine/${name}.tsv`, import.meta.url);
  const [, ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => line.split('\t'));
}

/** One character of each allowed class, and others. */
const printable = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at));
const others = [' ', 'é', 'ж', '中', '٣', '\u0000', '\n', '😀', '<', '&'];

/** Whether a class, for example `letters digits . _ -` contains a character. */
function isIn(words: readonly string[], character: string): boolean {
  if (words.includes('letters') && /\p{L}/u.test(character)) return true;
  if (words.includes('digits') && /\p{N}/u.test(character)) return true;
  if (words.includes('ASCII') && /[A-Za-z0-9]/.test(character)) return true;
  return words.includes(character);
}

// The recorded engine accepts any characters in names of disks and profiles, contrary to its
// annotations.
describe('characters of names', () => {
  it.each(readRows('name-characters'))('of %s: %s', (type = '', characters = '') => {
    const words = characters.split(' ');
    const { pattern = 'any' } = naming[type] ?? {};
    const { test } = namePatterns[pattern];
    for (const character of [...printable, ...others]) {
      expect([character, test.test(`a${character}b`)]).toEqual([character, isIn(words, character)]);
    }
  });
});

describe('operating systems', () => {
  it('match those of engines', () => {
    const known = operatingSystems.map(([id, name, , architecture]) => [id, name, architecture]);
    expect(known.toSorted()).toEqual(readRows('operating-systems').toSorted());
  });

  it.each(readRows('former-os-names'))('%s is %s', (former = '', name = '') => {
    expect(systemNamed(former)).toBe(name);
  });
});
