/** Objects that the texts of events and jobs name without a visible reference. */

import type { KindName } from '../store/kinds.ts';
import type { NamedObject } from '../store/stored-members.ts';
import type { Transaction } from '../store/transaction.ts';
import { nameable } from '../store/visible-kinds.ts';

export type Nameable = NamedObject['kind'];

const kinds: ReadonlySet<KindName> = new Set(nameable);

/** Whether events and jobs can record objects of a kind as named. */
export function isNameable(kind: KindName): kind is Nameable {
  return kinds.has(kind);
}

/** Message parameters whose value is the name of an object. */
const parameterKinds: Readonly<Record<string, Nameable>> = {
  VmName: 'vm',
  VmPoolName: 'vm_pool',
  TemplateName: 'template',
  HostName: 'host',
  SourceHostName: 'host',
  DestinationHostName: 'host',
  ClusterName: 'cluster',
  DataCenterName: 'data_center',
  StorageDomainName: 'storage_domain',
  DiskAlias: 'disk',
  DiskName: 'disk',
  NetworkName: 'network',
  Networks: 'network',
  QuotaName: 'quota',
  VolumeName: 'gluster_volume',
};

/** Maximum objects checked for one name: copies of a disk may share an alias. */
const maxNamesakes = 8;

/** The objects that the parameters of a message name. `vm` is the VM of the event. */
export function findNamedObjects(
  tx: Transaction,
  messageParams: Readonly<Record<string, unknown>>,
  vm: string | undefined,
): NamedObject[] {
  return Object.entries(messageParams).flatMap(([word, value]) => {
    const kind = parameterKinds[word];
    if (!kind || typeof value !== 'string') return [];
    return value.split(/,\s*/).flatMap((name) => findNamed(tx, kind, name, vm));
  });
}

/** If several disks share the name, prefers those attached to the VM. */
function findNamed(
  tx: Transaction,
  kind: Nameable,
  name: string,
  vm: string | undefined,
): NamedObject[] {
  const ids = tx.ids(kind, { where: { name }, limit: maxNamesakes });
  const attached = (id: string) =>
    tx.count('disk_attachment', { where: { disk_id: id, vm_id: vm ?? '' }, atMost: 1 }) > 0;
  const own = ids.length > 1 && kind === 'disk' ? ids.filter(attached) : [];
  return (own.length > 0 ? own : ids).map((id) => ({ kind, id }));
}
