/** Upgrade plan: selected hosts and their order. */

import { describe, expect, it } from 'vitest';
import { planUpgrade } from '../../../../src/cli/commands/clusters/upgrade-plan.ts';
import type { Resource } from '../../../../src/model/resource.ts';

const host = (
  name: string,
  status: NonNullable<Resource<'host'>['status']>,
  updatable: boolean,
  more = {},
) => ({
  ...{ id: `id-${name}`, name, status, update_available: updatable, ...more },
});
const nobody = { skipped: new Set<string>(), begun: new Set<string>() };

describe('hosts of an upgrade', () => {
  it('are in the order of their names, the manager of the pool at last', () => {
    const hosts = [
      host('b', 'up', true, { spm: { status: 'none' } }),
      host('a', 'up', true, { spm: { status: 'spm' } }),
      host('c', 'up', true),
    ];
    expect(planUpgrade(hosts, nobody).map(({ name }) => name)).toEqual(['b', 'c', 'a']);
  });

  it.each([
    ['one with an update', host('a', 'up', true), 'upgrade'],
    ['one without', host('a', 'up', false), 'none'],
    ['one in maintenance', host('a', 'maintenance', true), 'upgrade'],
    ['one in maintenance without an update', host('a', 'maintenance', false), 'none'],
    ['one that does not answer', host('a', 'non_responsive', true), 'refuse'],
    ['one whose installation failed', host('a', 'install_failed', true), 'refuse'],
  ])('%s', (_, one, action) => {
    expect(planUpgrade([one], nobody)[0]?.action).toBe(action);
  });

  it.each([
    ['upgraded, and left in maintenance', host('a', 'maintenance', false), 'activate'],
    ['left in maintenance before that', host('a', 'maintenance', true), 'upgrade'],
    ['whose installation failed', host('a', 'install_failed', true), 'upgrade'],
    ['that is up again', host('a', 'up', true), 'upgrade'],
    ['that is done', host('a', 'up', false), 'none'],
    ['that does not answer', host('a', 'non_responsive', true), 'refuse'],
  ])('of the run before: one %s', (_, one, action) => {
    expect(planUpgrade([one], { ...nobody, begun: new Set(['id-a']) })[0]?.action).toBe(action);
  });

  it('ignores a skipped host in every state', () => {
    const hosts = [host('a', 'down', true), host('b', 'up', true)];
    const plan = planUpgrade(hosts, { ...nobody, skipped: new Set(['id-a']) });
    expect(plan.map(({ action }) => action)).toEqual(['none', 'upgrade']);
  });
});
