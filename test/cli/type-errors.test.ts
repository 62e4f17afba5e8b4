/** Mistakes in commands that the compiler reports: each line below an expectation must not compile. */
import { expect, it } from 'vitest';
import { getCollection } from '../../src/cli/verbs/collections.ts';
import type { OperationRunner } from '../../src/cli/verbs/operation-runner.ts';
import type { Finder } from '../../src/cli/verbs/references.ts';
import type { Client } from '../../src/client/client.ts';
import { requireOperation } from '../../src/model/index.ts';

/** Never called: `npm run typecheck` fails if one of these lines compiles. */
async function readMistakes(client: Client, finder: Finder): Promise<unknown[]> {
  const [disk] = await client.list({ operation: requireOperation('/disks', 'list') });
  const vm = await client.object({ operation: requireOperation('/vms/{vm}', 'get') });
  const done = await client.action({ operation: requireOperation('/vms/{vm}', 'start') });
  const { item } = await finder.find('web01', getCollection('/vms'));
  return [
    // @ts-expect-error Unknown attribute of an object in a list.
    disk?.storage_typ,
    // @ts-expect-error Unknown value of an enum.
    disk?.status === 'lokced',
    // @ts-expect-error Unknown attribute of one object.
    vm['hots'],
    // @ts-expect-error Unknown attribute of a referenced object.
    vm.host?.nmae,
    // @ts-expect-error Unknown element of a response to an action.
    done.falt,
    // @ts-expect-error Unknown attribute of a found object.
    item?.memry,
    // @ts-expect-error Unknown path.
    requireOperation('/machines', 'list'),
    // @ts-expect-error Unknown operation of a path.
    requireOperation('/vms/{vm}', 'strat'),
  ];
}

/** Never called either. */
async function stepMistakes(runner: OperationRunner): Promise<unknown[]> {
  const [cluster] = await runner.list({ path: '/clusters' });
  const vm = await runner.find('web01', '/vms');
  return [
    // @ts-expect-error Unknown attribute.
    cluster?.datacenter,
    // @ts-expect-error Unknown attribute of a found object.
    vm.item?.staus,
    // @ts-expect-error Unknown path.
    await runner.list({ path: '/vmz' }),
    // @ts-expect-error Unknown operation.
    await runner.call({ path: '/vms/{vm}', name: 'strat' }),
    // @ts-expect-error Unknown attribute in a body.
    await runner.add({ path: '/vms', name: 'add', body: { memry: 1 } }),
    // @ts-expect-error Unknown parameter of an action.
    await runner.call({ path: '/vms/{vm}', name: 'stop', body: { frce: true } }),
  ];
}

it('paths, operations, attributes and enum values are checked by the compiler', () => {
  expect(readMistakes).toBeTypeOf('function');
  expect(stepMistakes).toBeTypeOf('function');
});

it('a path and an operation that exist are found', () => {
  expect(requireOperation('/vms/{vm}', 'start')).toMatchObject({ type: 'vm', isAction: true });
});
