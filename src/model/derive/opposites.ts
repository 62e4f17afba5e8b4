/** Opposites of operations, by path of the service and name. */
import type { OppositeLimit } from '../notation/resource.ts';
import { allResources } from '../resources/index.ts';
import { allCollections } from './collections.ts';

/** Operation that reverts another one. */
export interface Opposite {
  /** Path template of the service with the opposite operation. */
  readonly service: string;
  readonly operation: string;
  readonly where?: OppositeLimit;
  /** Attributes of attached objects that the request contains in addition to their ids. */
  readonly attaches?: readonly string[];
}

type Entry = readonly [service: string, operation: string, opposite: Opposite];

const entries = allCollections.flatMap(({ type, path, objects, declared }): readonly Entry[] => {
  if (objects === undefined) return [];
  const rules = allResources.find(({ name }) => name === type)?.operations ?? {};
  const actions = Object.keys(declared.actions ?? {}).flatMap((name): readonly Entry[] => {
    const operation = rules[name]?.opposite;
    if (operation === undefined || !(operation in (declared.actions ?? {}))) return [];
    return [[objects, name, { service: objects, operation }]];
  });
  if (!declared.add || !declared.remove) return actions;
  const given = declared.placement.is === 'members' || declared.attaches;
  const how = (name: 'add' | 'remove') => {
    const where = rules[name]?.oppositeWhere;
    if (given) return { attaches: given === true ? [] : given };
    return where ? { where } : {};
  };
  const canBe = (name: 'add' | 'remove') => given || rules[name]?.opposite !== undefined;
  return [
    ...actions,
    ...(canBe('add')
      ? [[path, 'add', { service: objects, operation: 'remove', ...how('add') }] as const]
      : []),
    ...(canBe('remove')
      ? [[objects, 'remove', { service: path, operation: 'add', ...how('remove') }] as const]
      : []),
  ];
});

/**
 * Opposites by service and operation. An operation without an entry loses data or has no opposite.
 */
export const opposites: Readonly<Record<string, Readonly<Record<string, Opposite>>>> =
  Object.fromEntries(
    [...new Set(entries.map(([service]) => service))].map((service) => [
      service,
      Object.fromEntries(
        entries.filter(([one]) => one === service).map(([, name, opposite]) => [name, opposite]),
      ),
    ]),
  );
