/** The events of all subjects together: every code and every name once, words that are filled in. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { events } from '../../src/model/events.ts';

describe('events', () => {
  it('have codes that are declared once', () => {
    const folder = new URL('../../src/model/events/', import.meta.url);
    const codes = readdirSync(folder).flatMap((file) => {
      const text = readFileSync(new URL(file, folder), 'utf8');
      return [...text.matchAll(/^ {2}(\d+): \{/gm)].map(([, code]) => code);
    });
    expect(codes.length).toBe(Object.keys(events).length);
    expect(new Set(codes).size).toBe(codes.length);
  });

  it('have names of their own', () => {
    const names = Object.values(events).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});
