/** Placement of a VM and its disks: as requested, as before, or the only candidate. */

import { UsageError } from '../../../../client/errors.ts';
import type { Resource } from '../../../../model/resource.ts';
import type { OperationRunner } from '../../../verbs/operation-runner.ts';
import { listUsableDomains, selectDomain } from './boot-image.ts';
import { findOnlyCluster } from './parts.ts';

/** Former placement by ids, as far as known. */
export interface FormerPlacement {
  readonly cluster?: string;
  readonly disks: readonly { readonly id: string; readonly storageDomain?: string | undefined }[];
}

export interface Placement {
  readonly cluster: string;
  readonly datacenter: string;
  /** Storage domains by the former id of the disk. */
  readonly domains: ReadonlyMap<string, Resource<'storage_domain'>>;
}

/** Selects cluster and storage domains. Throws if one is ambiguous or unusable. Changes nothing. */
export async function selectPlacement(
  runner: OperationRunner,
  former: FormerPlacement,
  named: { readonly cluster?: string; readonly storageDomain?: string },
): Promise<Placement> {
  const cluster = await selectCluster(runner, former, named.cluster);
  const datacenter = String(cluster.data_center?.id ?? '');
  if (datacenter === '') {
    throw new UsageError(`clusters/${String(cluster.name)} has no data center`, {
      hint: 'use another --cluster',
    });
  }
  const domains = new Map<string, Resource<'storage_domain'>>();
  const wanted =
    named.storageDomain === undefined
      ? undefined
      : (await runner.find(named.storageDomain, '/storagedomains')).id;
  const usable = await listUsableDomains(runner, datacenter);
  for (const { id, storageDomain } of former.disks) {
    const same = wanted === undefined && usable.find((one) => one.id === storageDomain);
    domains.set(id, same || (await selectDomain(runner, datacenter, wanted)));
  }
  return { cluster: String(cluster.id), datacenter, domains };
}

async function selectCluster(
  runner: OperationRunner,
  former: FormerPlacement,
  word: string | undefined,
): Promise<Resource<'cluster'>> {
  const all = await runner.list({ path: '/clusters' });
  if (word === undefined) {
    return all.find(({ id }) => id === former.cluster) ?? (await findOnlyCluster(runner));
  }
  const { id, item } = await runner.find(word, '/clusters');
  return item ?? all.find((one) => one.id === id) ?? { id };
}
