/** All events together: unique codes and names, and placeholders. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { events } from '../../src/model/events.ts';
import { allResources } from '../../src/model/resources/index.ts';

describe('events', () => {
  it('have names that are declared once', async () => {
    const folder = new URL('../../src/model/events/', import.meta.url);
    const files = await Promise.all(
      readdirSync(folder).map((file): Promise<object> => import(new URL(file, folder).href)),
    );
    const names = [
      ...files.flatMap((file) => Object.values(file).flatMap((table) => Object.keys(table))),
      ...allResources.flatMap((resource) => Object.keys(resource.events ?? {})),
    ];
    expect(new Set(names).size).toBe(names.length);
    expect(names.toSorted()).toEqual(Object.keys(events).toSorted());
  });

  it('have unique codes', () => {
    const codes = Object.values(events).map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
  });
});
