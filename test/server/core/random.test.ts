/** Generated ids: reproducible from a seed, and in ascending order. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { ascendingIds, seededUuid } from '../../../src/server/core/random.ts';

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const many = (newId: () => string, count: number) => Array.from({ length: count }, () => newId());

it.each([1, 15, 5_000])('%i ids ascend across the entire range', (count) => {
  const ids = many(ascendingIds(randomUUID, count), count);
  for (const id of ids) expect(id).toMatch(form);
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(count);
  // Each id is in a separate part of the range; all parts have equal length.
  const first = (id: string) => Number.parseInt(id.slice(0, 8), 16) / 2 ** 32;
  for (const [index, id] of ids.entries()) {
    expect(Math.abs(first(id) * count - index - 0.5)).toBeLessThanOrEqual(0.50001);
  }
});

it('returns the same ids for the same seed, and others for another seed or beginning', () => {
  const ids = many(ascendingIds(seededUuid(7), 20), 20);
  expect(many(ascendingIds(seededUuid(7), 20), 20)).toEqual(ids);
  const others = [...many(ascendingIds(seededUuid(8), 20), 20), ...many(seededUuid(7, 1), 20)];
  expect(others.filter((id) => ids.includes(id))).toEqual([]);
});
