/** Snapshots that a retention plan deletes, by number and age. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planPruning } from '../../../../src/cli/commands/snapshots/prune-plan.ts';
import type { Resource } from '../../../../src/model/resource.ts';

const hour = 3_600_000;
const now = Date.parse('2030-01-10T00:00:00Z');

/** Creates a snapshot with an age in hours. */
const aged = (hours: number, more: Partial<Resource<'snapshot'>> = {}): Resource<'snapshot'> => ({
  id: `s${hours}`,
  description: `nightly ${hours}`,
  date: new Date(now - hours * hour).toISOString(),
  snapshot_type: 'regular',
  snapshot_status: 'ok',
  ...more,
});

const doomed = (...args: Parameters<typeof planPruning>) =>
  planPruning(...args).flatMap(({ id, action }) => (action === 'delete' ? [id] : []));

describe('deleted snapshots', () => {
  const four = [aged(3), aged(1), aged(4), aged(2)];

  it.each([
    ['beyond a number', { keep: 2 }, ['s3', 's4']],
    ['older than an age', { olderThan: 2.5 * hour }, ['s3', 's4']],
    ['of exactly an age stay', { olderThan: 3 * hour }, ['s4']],
    ['that meet both conditions, not only one', { keep: 1, olderThan: 2.5 * hour }, ['s3', 's4']],
    ['except those that the number keeps', { keep: 3, olderThan: hour / 2 }, ['s4']],
    ['all of them', { keep: 0 }, ['s1', 's2', 's3', 's4']],
    ['none of so few', { keep: 9 }, []],
    ['of a description', { keep: 0, description: 'nightly [12]' }, ['s1', 's2']],
  ])('%s', (_, retention, expected) => {
    expect(doomed(four, retention, now)).toEqual(expected);
  });

  it.each<[string, Partial<Resource<'snapshot'>>, string]>([
    ['the active one', { snapshot_type: 'active' }, 'its type is active'],
    ['a preview', { snapshot_type: 'preview' }, 'its type is preview'],
    ['that of a stateless machine', { snapshot_type: 'stateless' }, 'its type is stateless'],
    ['a locked one', { snapshot_status: 'locked' }, 'its status is locked'],
    ['one in preview', { snapshot_status: 'in_preview' }, 'its status is in_preview'],
  ])('never %s, and it does not count', (_, more, reason) => {
    const plan = planPruning([aged(1, more), aged(2), aged(3)], { keep: 1 }, now);
    expect(plan[0]).toMatchObject({ action: 'keep', reason });
    expect(plan.slice(1).map(({ action }) => action)).toEqual(['keep', 'delete']);
  });

  it('never delete a snapshot without a date because of its age', () => {
    const undated: Resource<'snapshot'> = { id: 'undated', snapshot_type: 'regular' };
    expect(doomed([undated, aged(1)], { olderThan: 0 }, now)).toEqual(['s1']);
    expect(doomed([undated, aged(1)], { keep: 1 }, now)).toEqual(['undated']);
  });

  it('keep the requested number of newest snapshots', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 999 })), fc.nat(20), (ages, keep) => {
        const plan = planPruning(
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
