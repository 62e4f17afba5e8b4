/** Events of failed copies: each transition that copies images reports its failure. */
import { expect, it } from 'vitest';
import { behaviors } from '../../../src/server/resources/index.ts';
import { storedKinds } from '../../../src/server/store/kinds.ts';

const copying = storedKinds().flatMap((kind) => {
  const { lifecycle, transitions } = behaviors.of(kind) ?? {};
  return Object.keys(transitions?.copies ?? {}).map((operation) => ({
    name: `${kind} ${operation}`,
    event: lifecycle?.moves[operation]?.events?.fail,
    handler: transitions?.onCopyFailure?.[operation],
  }));
});

/**
 * Transitions without an event: a failed release of a storage domain is repeated at the next start.
 */
const silent = ['attached_storage_domain release'];

it('has an event, in the lifecycle or from its handler', () => {
  expect(copying.length).toBeGreaterThan(20);
  const unreported = copying.filter(
    ({ event, handler }) => event === undefined && !/event|report|fail/i.test(String(handler)),
  );
  expect(unreported.map(({ name }) => name)).toEqual(silent);
});
