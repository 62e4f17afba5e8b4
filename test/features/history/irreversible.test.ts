/** Attributes that an update cannot restore: `undo` refuses each with the reason. */
import { describe, expect, it } from 'vitest';
import type { HistoryStep, Values } from '../../../src/features/history/history-file.ts';
import { listUndoSteps } from '../../../src/features/history/inverse.ts';
import { listAllOperations, listAttributes, parseKind } from '../../../src/model/index.ts';
import type { Attribute } from '../../../src/model/notation/attributes.ts';
import { allResources } from '../../../src/model/resources/index.ts';

const updates = listAllOperations().filter(({ name, path }) => name === 'update' && path !== '/');

/** Two values of an attribute. */
function valuesFor({ kind }: Attribute): readonly [before: unknown, after: unknown] {
  const { form, list } = parseKind(kind);
  if (list) return [[], [{ id: 'b' }]];
  if (form === 'ref') return [{ id: 'a' }, { id: 'b' }];
  // No type has this member: the test is about the structure itself.
  if (form === 'struct') return [{ member: 1 }, { member: 2 }];
  return [1, 2];
}

function findUndo(service: string, before: Values, body: Values) {
  const ids = Object.fromEntries(
    [...service.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, 'x']),
  );
  const step: HistoryStep = {
    ...{ method: 'PUT', path: service, service, operation: 'update', ids, body, before },
    outcome: { status: 200 },
  };
  const [undoing] = listUndoSteps([step]);
  return undoing;
}

const cases = updates.flatMap(({ service, type }) =>
  Object.entries<Attribute>(listAttributes(type)).map(
    ([name, attribute]) => [`${service} ${name}`, service, name, attribute] as const,
  ),
);

describe('undo of the update of one attribute', () => {
  it('knows all attributes of all services', () => expect(cases.length).toBeGreaterThan(500));

  it.each(cases)('%s', (_, service, name, attribute) => {
    const [before, after] = valuesFor(attribute);
    const { inverse, why } = findUndo(service, { [name]: before }, { [name]: after }) ?? {};
    const reason = attribute.onlyGrows
      ? 'it can only grow'
      : !attribute.mut.includes('U')
        ? 'no update changes it'
        : attribute.writeOnly
          ? 'the previous value was not recorded'
          : undefined;
    if (reason === undefined) {
      expect(inverse).toMatchObject({
        kind: 'update',
        values: { [name]: before },
        irreversible: [],
      });
    } else {
      expect([inverse, why]).toEqual([undefined, `${name} cannot be reverted: ${reason}`]);
    }
  });

  it('restores the other attributes, and names the remaining ones', () => {
    const before = { provisioned_size: 1, description: 'a' };
    const after = { provisioned_size: 2, description: 'b' };
    expect(findUndo('/disks/{disk}', before, after)?.inverse).toMatchObject({
      values: { description: 'a' },
      irreversible: [{ path: 'provisioned_size', why: 'it can only grow' }],
    });
  });

  it('restores a part that references another object', () => {
    const [before, body] = [{ domain: { name: 'a' } }, { domain: { name: 'b' } }];
    const { inverse } = findUndo('/templates/{template}', before, body) ?? {};
    expect(inverse).toMatchObject({ values: before, irreversible: [] });
  });

  it.each([
    [{ provisioned_size: 2 }, 'disk.provisioned_size cannot be reverted: it can only grow'],
    [{ alias: 'b' }, 'disk.alias cannot be reverted: the previous value was not recorded'],
  ])('refuses the update of a disk through its attachment: %j', (disk, why) => {
    const path = '/vms/{vm}/diskattachments/{attachment}';
    expect(findUndo(path, { disk: { id: 'a' } }, { disk })).toMatchObject({ why });
  });
});

it('declares an attribute whose description says that it only grows', () => {
  const attributes = allResources.flatMap((one) =>
    Object.entries<Attribute>(one.attributes).map(([name, attribute]) => ({
      name: `${one.name}.${name}`,
      ...attribute,
    })),
  );
  const described = attributes.filter(({ doc = '' }) =>
    /only (?:grow|raise|rise|increase)/i.test(doc),
  );
  expect(described.length).toBeGreaterThan(1);
  expect(described.filter(({ onlyGrows }) => !onlyGrows).map(({ name }) => name)).toEqual([]);
});
