/** Cells of tables: values as people read them. */
import { describe, expect, it } from 'vitest';
import { formatBytes, formatForPeople, formatPlain } from '../../../src/cli/output/cells.ts';

describe('cells', () => {
  it('hold what people read', () => {
    const now = Date.parse('2030-01-01T00:00:00Z');
    expect(formatBytes(1_536)).toBe('1.5 KiB');
    expect(formatForPeople('2029-12-31T23:57:00Z', 'date', now)).toBe('3m ago');
    expect(formatForPeople('2030-01-01T00:00:30Z', 'date', now)).toBe('in 30s');
    expect(formatForPeople('2001-02-03T00:00:00Z', 'date', now)).toBe('2001-02-03');
    expect(formatPlain([{ name: 'a' }, { id: 'b' }, 'c'])).toBe('a,b,c');
    expect(formatPlain({ major: 4, minor: 7 })).toBe('4.7');
    expect(formatPlain({ name: 'x', value: 1 })).toBe('x=1');
  });
});
