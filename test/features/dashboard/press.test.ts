/** Keys of the dashboard: no command runs without its key. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { DashboardControl } from '../../../src/features/dashboard/dashboard-control.ts';
import { press } from '../../../src/features/dashboard/press.ts';
import type { KeyName, KeyPress } from '../../../src/features/dashboard/screen/screen-view.ts';
import type { DashboardState } from '../../../src/features/dashboard/state.ts';
import { listOfferedVerbs } from '../../../src/features/dashboard/verbs.ts';
import { createObjectView } from '../../../src/features/dashboard/views.ts';

const names: readonly KeyName[] = [
  ...(['up', 'down', 'left', 'right', 'pageup', 'pagedown', 'home', 'end', 'enter'] as const),
  ...(['escape', 'tab', 'backspace', 'delete', 'clear'] as const),
];
const nouns = ['vms', 'hosts', 'disks', 'imagetransfers', 'storagedomains', 'snapshots'];

/** A dashboard with one object, which records the commands of its keys. */
function createDashboard(noun: string) {
  const runs: { verb: string; confirmed: boolean }[] = [];
  const state: DashboardState = {
    ...{ nouns: [{ noun, group: 'compute' }], title: 'x', protectedContext: undefined },
    ...{ isReadOnly: false, hasColor: false, hasUnicode: false, focus: 'main', sidebar: 0 },
    size: { width: 80, height: 24 },
    views: [createObjectView({ noun, id: 'id-1', name: 'one' })],
    mode: { kind: 'browse' },
    ...{ message: undefined, activities: [], transfers: [] },
  };
  const control: DashboardControl = {
    state,
    isBusy: false,
    quit: () => undefined,
    showMessage: () => undefined,
    openView: () => undefined,
    replaceViews: () => undefined,
    refresh: () => Promise.resolve(),
    refreshSoon: () => undefined,
    runCommand: (_command, verb) => {
      runs.push({ verb: verb.name, confirmed: verb.isHarmful });
      return Promise.resolve();
    },
  };
  return { state, control, runs };
}

it.each(nouns)('runs no verb of %s by a key that is not its own', (noun) => {
  const verbs = listOfferedVerbs(noun);
  for (const name of names.filter((one) => one !== 'enter')) {
    const { state, control, runs } = createDashboard(noun);
    state.mode = { kind: 'verbs', verbs, current: 0 };
    press(control, { name });
    expect([name, runs, state.mode.kind]).toEqual([
      name,
      [],
      name === 'escape' ? 'browse' : expect.stringMatching(/^verbs$/),
    ]);
  }
});

it('runs nothing without its key, Enter, or the answer to its question', () => {
  const key: fc.Arbitrary<KeyPress> = fc.oneof(
    fc.constantFrom(...names).map((name): KeyPress => ({ name })),
    fc.constantFrom(...'abcdefghijklmnopqrstuvxyzY123/?: ').map((text): KeyPress => ({ text })),
  );
  let count = 0;
  fc.assert(
    fc.property(fc.constantFrom(...nouns), fc.array(key, { maxLength: 30 }), (noun, keys) => {
      const { state, control, runs } = createDashboard(noun);
      for (const one of keys) {
        const { mode } = state;
        const before = runs.length;
        press(control, one);
        if (runs.length === before) continue;
        count += 1;
        const verb = listOfferedVerbs(noun).find(({ name }) => name === runs.at(-1)?.verb);
        if (verb?.isHarmful === true) {
          expect([mode.kind, one.text]).toEqual(['confirm', expect.stringMatching(/^[yY]$/)]);
        } else if (mode.kind === 'verbs') {
          expect(one.name === 'enter' || one.text === 'l' || one.text === verb?.key).toBe(true);
          expect(one).not.toEqual({ name: 'escape' });
        } else {
          expect([mode.kind, one.text]).toEqual(['browse', verb?.key]);
        }
      }
    }),
    { numRuns: 2_000 },
  );
  expect(count).toBeGreaterThan(100);
});
