/** The events of all subjects together: every code and every name once, words that are filled in. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { events } from '../../src/model/events.ts';

describe('events', () => {
  it('have names that are declared once', () => {
    const folder = new URL('../../src/model/events/', import.meta.url);
    const names = readdirSync(folder).flatMap((file) => {
      const text = readFileSync(new URL(file, folder), 'utf8');
      return [...text.matchAll(/^ {2}([A-Z][A-Z0-9_]+): \{/gm)].map(([, name]) => name);
    });
    expect(names.length).toBe(Object.keys(events).length);
    expect(new Set(names).size).toBe(names.length);
  });

  it('have codes of their own', () => {
    const codes = Object.values(events).map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
  });
});
