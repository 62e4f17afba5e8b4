/** Objects that events and jobs name in their sentences without a reference that is shown. */

import type { KindName } from '../store/kinds.ts';
import type { NamedObject } from '../store/stored-members.ts';
import type { Transaction } from '../store/transaction.ts';
import { nameable } from '../store/visible-kinds.ts';

export type Nameable = NamedObject['kind'];

const kinds: ReadonlySet<KindName> = new Set(nameable);

/** Whether objects of a kind are named so. */
export function isNameable(kind: KindName): kind is Nameable {
  return kinds.has(kind);
}

/** Words of sentences that are the name of an object. */
const kindsOfWords: Readonly<Record<string, Nameable>> = {
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

/** Objects of one name that are looked at: copies of a disk may all be called alike. */
const maxOfAName = 8;

/** The objects that the words of a sentence name; `vm` is the machine that it is about. */
export function namedBy(
  tx: Transaction,
  messageParams: Readonly<Record<string, unknown>>,
  vm: string | undefined,
): NamedObject[] {
  return Object.entries(messageParams).flatMap(([word, value]) => {
    const kind = kindsOfWords[word];
    if (!kind || typeof value !== 'string') return [];
    return value.split(/,\s*/).flatMap((name) => meantBy(tx, kind, name, vm));
  });
}

/** Of several disks with a name that of the machine is meant, if it has one. */
function meantBy(
  tx: Transaction,
  kind: Nameable,
  name: string,
  vm: string | undefined,
): NamedObject[] {
  const ids = tx.ids(kind, { where: { name }, limit: maxOfAName });
  const attached = (id: string) =>
    tx.count('disk_attachment', { where: { disk_id: id, vm_id: vm ?? '' }, atMost: 1 }) > 0;
  const own = ids.length > 1 && kind === 'disk' ? ids.filter(attached) : [];
  return (own.length > 0 ? own : ids).map((id) => ({ kind, id }));
}
