/** Patterns for names. */
import { describe, expect, it } from 'vitest';
import { createGlobSearch, matchesGlob } from '../../../src/cli/text/glob.ts';

describe('a pattern', () => {
  it.each([
    ['web*', ['web', 'web01', 'web 01'], ['Web01', 'xweb']],
    ['db-?', ['db-1', 'db-ä', 'db-😀'], ['db-', 'db-10']],
    ['*a*b', ['ab', 'xaxb', 'aab'], ['ba', 'abx']],
    ['[a-c]x', ['ax', 'cx'], ['dx', 'x']],
    ['[!a]x', ['bx'], ['ax']],
    ['\\*', ['*'], ['x', '\\*']],
    ['[]]', [']'], ['[']],
    ['a.c', ['a.c'], ['abc']],
    ['', [''], ['x']],
    ['[', ['['], ['x']],
  ])('%s', (pattern, matching, others) => {
    for (const name of matching) expect(matchesGlob(name, pattern), name).toBe(true);
    for (const name of others) expect(matchesGlob(name, pattern), name).toBe(false);
  });

  it('of many stars is no work', () => {
    expect(matchesGlob('a'.repeat(5_000), `${'*a'.repeat(30)}*b`)).toBe(false);
  });

  it('is searched for as what it surely finds', () => {
    expect(createGlobSearch('db-?[0-9]*', ['name'])).toBe('name="db-***"');
    expect(createGlobSearch('web', ['alias'])).toBe('alias="web"');
    expect(createGlobSearch("it's", ['name'])).toBeUndefined();
  });
});
