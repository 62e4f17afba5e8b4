/** Near names, for suggestions. */
import { describe, expect, it } from 'vitest';
import { findCloseMatches } from '../../../src/cli/text/did-you-mean.ts';

describe('near names', () => {
  const names = ['web01', 'web02', 'database', 'mail'];

  it.each([
    ['wbe01', ['web01', 'web02']],
    ['datab', ['database']],
    ['base', ['database']],
    ['zzz', []],
  ])('of %s are %j', (word, near) => {
    expect(findCloseMatches(word, names)).toEqual(near);
  });
});
