/** Which snapshots go, by number and by age. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planOf } from '../../../../src/cli/commands/snapshots/prune-plan.ts';

const hour = 3_600_000;
const now = Date.parse('2030-01-10T00:00:00Z');

/** A snapshot that is so many hours old. */
const aged = (hours: number, more: Record<string, unknown> = {}) => ({
  id: `s${hours}`,
  description: `nightly ${hours}`,
  date: new Date(now - hours * hour).toISOString(),
  snapshot_type: 'regular',
  snapshot_status: 'ok',
  ...more,
});

const doomed = (...args: Parameters<typeof planOf>) =>
  planOf(...args).flatMap(({ id, action }) => (action === 'delete' ? [id] : []));

describe('snapshots that go', () => {
  const four = [aged(3), aged(1), aged(4), aged(2)];

  it.each([
    ['beyond a number', { keep: 2 }, ['s3', 's4']],
    ['beyond an age', { olderThan: 2.5 * hour }, ['s3', 's4']],
    ['of exactly an age stay', { olderThan: 3 * hour }, ['s4']],
    ['beyond both, not beyond one', { keep: 1, olderThan: 2.5 * hour }, ['s3', 's4']],
    ['where the number keeps more', { keep: 3, olderThan: hour / 2 }, ['s4']],
    ['all of them', { keep: 0 }, ['s1', 's2', 's3', 's4']],
    ['none of so few', { keep: 9 }, []],
    ['of a description', { keep: 0, description: 'nightly [12]' }, ['s1', 's2']],
  ])('%s', (_, retention, expected) => {
    expect(doomed(four, retention, now)).toEqual(expected);
  });

  it.each([
    ['the active one', { snapshot_type: 'active' }, 'its type is active'],
    ['a preview', { snapshot_type: 'preview' }, 'its type is preview'],
    ['that of a stateless machine', { snapshot_type: 'stateless' }, 'its type is stateless'],
    ['a locked one', { snapshot_status: 'locked' }, 'its status is locked'],
    ['one in preview', { snapshot_status: 'in_preview' }, 'its status is in_preview'],
  ])('never %s, and it does not count', (_, more, reason) => {
    const plan = planOf([aged(1, more), aged(2), aged(3)], { keep: 1 }, now);
    expect(plan[0]).toMatchObject({ action: 'keep', reason });
    expect(plan.slice(1).map(({ action }) => action)).toEqual(['keep', 'delete']);
  });

  it('one without a date is the oldest, and too old for nobody', () => {
    const undated = { id: 'undated', snapshot_type: 'regular' };
    expect(doomed([undated, aged(1)], { olderThan: 0 }, now)).toEqual(['s1']);
    expect(doomed([undated, aged(1)], { keep: 1 }, now)).toEqual(['undated']);
  });

  it('of any number the newest stay, as many as were asked for', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 999 })), fc.nat(20), (ages, keep) => {
        const plan = planOf(
          ages.map((age) => aged(age)),
          { keep },
          now,
        );
        const kept = plan.filter(({ action }) => action === 'keep').map(({ id }) => id);
        const newest = ages.toSorted((a, b) => a - b).slice(0, keep);
        expect(kept).toEqual(newest.map((age) => `s${age}`));
      }),
    );
  });
});
