/** Mistakes in declarations that the compiler reports: each line below an expectation must not compile. */
import { expect, it } from 'vitest';
import { isType, listAttributes } from '../../src/model/index.ts';
import { lifecycle } from '../../src/model/notation/lifecycle.ts';
import { owner } from '../../src/model/notation/permits.ts';
import type { Resource } from '../../src/model/resource.ts';

/** Never called: `npm run typecheck` fails if one of these lines compiles. */
function mistakes(disk: Resource<'disk'>): unknown[] {
  return [
    // @ts-expect-error Unknown permit.
    owner('edit_vm_propertes'),
    // @ts-expect-error Unknown attribute.
    disk.storage_typ,
    // @ts-expect-error Unknown value of an enum.
    disk.status === 'lokced',
    // @ts-expect-error Unknown type.
    listAttributes('vm') satisfies Resource<'machine'>,
    lifecycle({
      type: 'vm',
      attribute: 'status',
      initial: 'down',
      settled: ['down'],
      // @ts-expect-error A move without a fault for other states.
      moves: { start: { from: ['down'], to: 'down' } },
    }),
  ];
}

it('names of permits, attributes, types and enum values are checked by the compiler', () => {
  expect(mistakes).toBeTypeOf('function');
  expect(isType('machine')).toBe(false);
});
