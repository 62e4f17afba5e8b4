/** Declared opposites of operations. */
import { describe, expect, it } from 'vitest';
import { opposites } from '../../src/model/derive/opposites.ts';
import { listAttributes, listOperations } from '../../src/model/index.ts';

const pairs = Object.entries(opposites).flatMap(([service, operations]) =>
  Object.entries(operations).map(([name, opposite]) => ({ service, name, opposite })),
);

const findOperation = (service: string, name: string) =>
  listOperations(service).find((one) => one.name === name);

describe('opposites', () => {
  it('are existing operations', () => {
    const missing = pairs.filter(
      ({ service, name, opposite }) =>
        !findOperation(service, name) || !findOperation(opposite.service, opposite.operation),
    );
    expect(missing).toEqual([]);
  });

  it('are mutual', () => {
    const oneWay = pairs.filter(({ service, name, opposite }) => {
      const back = opposites[opposite.service]?.[opposite.operation];
      return back?.service !== service || back.operation !== name;
    });
    expect(oneWay).toEqual([]);
  });

  it('have existing conditions and attributes', () => {
    for (const { service, name, opposite } of pairs) {
      const operation = findOperation(service, name);
      const attributes = listAttributes(operation?.type ?? '');
      for (const one of opposite.attaches ?? []) expect(attributes).toHaveProperty(one);
      const { sent, unless } = opposite.where ?? {};
      if (sent !== undefined) expect(attributes).toHaveProperty(sent.split('.')[0] ?? '');
      if (unless) expect(operation?.query).toContain(unless[0]);
    }
  });

  it('never lose data: they stop no work and delete no created object', () => {
    expect(opposites['/vms']).toBeUndefined();
    expect(Object.keys(opposites['/vms/{vm}'] ?? {}).sort()).toEqual([
      'freeze_filesystems',
      'thaw_filesystems',
    ]);
    expect(Object.keys(opposites['/hosts/{host}'] ?? {}).sort()).toEqual([
      'activate',
      'deactivate',
    ]);
    expect(opposites['/tags']).toBeUndefined();
    expect(opposites['/vms/{vm}/tags']?.['add']?.operation).toBe('remove');
  });
});
