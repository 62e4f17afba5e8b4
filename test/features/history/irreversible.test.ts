/** Attributes that no update can set back: `undo` refuses each with the reason. */
import { describe, expect, it } from 'vitest';
import type { HistoryStep, Values } from '../../../src/features/history/history-file.ts';
import { undoingsOf } from '../../../src/features/history/inverse.ts';
import { listAllOperations, listAttributes, parseKind } from '../../../src/model/index.ts';
import type { Attribute } from '../../../src/model/notation/attributes.ts';
import { allResources } from '../../../src/model/resources/index.ts';

const updates = listAllOperations().filter(({ name, path }) => name === 'update' && path !== '/');

/** Two values of an attribute. */
function valuesFor({ kind }: Attribute): readonly [before: unknown, after: unknown] {
  const { form, list } = parseKind(kind);
  if (list) return [[], [{ id: 'b' }]];
  if (form === 'ref') return [{ id: 'a' }, { id: 'b' }];
  // No type has this member: the structure itself is what is tested.
  if (form === 'struct') return [{ member: 1 }, { member: 2 }];
  return [1, 2];
}

function undoingOf(service: string, before: Values, body: Values) {
  const ids = Object.fromEntries(
    [...service.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, 'x']),
  );
  const step: HistoryStep = {
    ...{ method: 'PUT', path: service, service, operation: 'update', ids, body, before },
    outcome: { status: 200 },
  };
  const [undoing] = undoingsOf([step]);
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
    const { inverse, why } = undoingOf(service, { [name]: before }, { [name]: after }) ?? {};
    const reason = attribute.onlyGrows
      ? 'it can only grow'
      : !attribute.mut.includes('U')
        ? 'no update changes it'
        : attribute.writeOnly
          ? 'the previous value was not recorded'
          : undefined;
    if (reason === undefined) {
      expect(inverse).toMatchObject({ kind: 'update', values: { [name]: before }, left: [] });
    } else {
      expect([inverse, why]).toEqual([undefined, `${name} cannot be reverted: ${reason}`]);
    }
  });

  it('sets back the other attributes, and names those that stay', () => {
    const before = { provisioned_size: 1, description: 'a' };
    const after = { provisioned_size: 2, description: 'b' };
    expect(undoingOf('/disks/{disk}', before, after)?.inverse).toMatchObject({
      values: { description: 'a' },
      left: [{ path: 'provisioned_size', why: 'it can only grow' }],
    });
  });

  it('sets back a part that names another object', () => {
    const [before, body] = [{ domain: { name: 'a' } }, { domain: { name: 'b' } }];
    const { inverse } = undoingOf('/templates/{template}', before, body) ?? {};
    expect(inverse).toMatchObject({ values: before, left: [] });
  });

  it.each([
    [{ provisioned_size: 2 }, 'disk.provisioned_size cannot be reverted: it can only grow'],
    [{ alias: 'b' }, 'disk.alias cannot be reverted: the previous value was not recorded'],
  ])('refuses the update of a disk through its attachment: %j', (disk, why) => {
    const path = '/vms/{vm}/diskattachments/{attachment}';
    expect(undoingOf(path, { disk: { id: 'a' } }, { disk })).toMatchObject({ why });
  });
});

it('an attribute whose description says that it only grows is declared so', () => {
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
