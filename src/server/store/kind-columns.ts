/** Table columns of all stored kinds. The build computes them and stores them as JSON. */
import { searchFields } from '../../model/derive/search.ts';
import { services } from '../../model/derive/services.ts';
import { listAttributes, parseKind } from '../../model/index.ts';
import { derivedKinds } from '../../model/notation/kinds.ts';
import { type Column, columnName, ownColumn } from './own-column.ts';

/** Additional paths that rules use for lookups, besides references and search fields. */
const lookedUp: Readonly<Record<string, readonly string[]>> = {
  vm: ['memory', 'cpu.topology.sockets', 'cpu.topology.cores', 'cpu.topology.threads'],
  event: ['index', 'custom_id'],
  nic: ['mac.address'],
  snapshot_nic: ['mac.address'],
  cdrom: ['file.id'],
  template: ['version.base_template.id'],
  image_transfer: ['phase'],
  disk: ['total_size', 'storage_type'],
  disk_snapshot: ['actual_size'],
  gluster_brick: ['server_id'],
};

function defineColumns(kind: string, type: string): readonly Column[] {
  const found = new Map<string, Column>();
  const add = (column: Column | undefined) => column && found.set(column.name, column);
  for (const [attribute, { kind: form, writeOnly }] of Object.entries(listAttributes(type))) {
    if (parseKind(form).form === 'ref' && !writeOnly) {
      add({ name: columnName([attribute, 'id']), path: [attribute, 'id'], sql: 'TEXT' });
    }
  }
  for (const field of Object.values(searchFields[type] ?? {})) {
    if (field.path && !field.through) add(ownColumn(type, field.path.split('.')));
  }
  for (const path of lookedUp[kind] ?? []) add(ownColumn(type, path.split('.')));
  found.delete('name');
  found.delete('id');
  return [...found.values()];
}

const served = Object.values(services).map(({ type }) => [type, type] as const);

/** By kind: the columns of its table in addition to collection, id, name and document. */
export const kindColumns: Readonly<Record<string, readonly Column[]>> = Object.fromEntries(
  [...served, ...Object.entries(derivedKinds)].map(([kind, type]) => [
    kind,
    defineColumns(kind, type),
  ]),
);
