/** Where a restored machine and its disks are made: as somebody said, where they were, or the only place. */
import type { ApiObject } from '../../../client/client.ts';
import { UsageError } from '../../../client/errors.ts';
import type { OperationRunner } from '../../verbs/operation-runner.ts';
import { domainFor, usableDomains } from '../vms/create/boot-image.ts';
import { onlyCluster } from '../vms/create/parts.ts';
import type { Manifest } from './manifest.ts';

export interface Places {
  /** Id of the cluster. */
  readonly cluster: string;
  /** The storage domain of each disk, by the id of the disk that was backed up. */
  readonly domains: ReadonlyMap<string, ApiObject>;
}

/** Finds the places. Throws where one is not clear, or cannot be used; nothing is changed. */
export async function placesFor(
  runner: OperationRunner,
  manifest: Manifest,
  named: { readonly cluster?: string; readonly storageDomain?: string },
): Promise<Places> {
  const cluster = await clusterFor(runner, manifest, named.cluster);
  const datacenter = String((cluster['data_center'] as ApiObject | undefined)?.['id'] ?? '');
  if (datacenter === '') {
    throw new UsageError(`clusters/${String(cluster['name'])} belongs to no data center`, {
      hint: 'give another --cluster',
    });
  }
  const domains = new Map<string, ApiObject>();
  const wanted =
    named.storageDomain === undefined
      ? undefined
      : (await runner.find(named.storageDomain, '/storagedomains')).id;
  const usable = await usableDomains(runner, datacenter);
  for (const { id, storageDomain } of manifest.disks) {
    const former = usable.find((one) => one['id'] === storageDomain);
    const isFormer = wanted === undefined && former !== undefined;
    domains.set(id, isFormer ? former : await domainFor(runner, datacenter, wanted));
  }
  return { cluster: String(cluster['id']), domains };
}

async function clusterFor(
  runner: OperationRunner,
  manifest: Manifest,
  word: string | undefined,
): Promise<ApiObject> {
  const all = await runner.list({ path: '/clusters' });
  if (word === undefined) {
    const former = all.find(({ id }) => id === manifest.cluster);
    return former ?? (await onlyCluster(runner));
  }
  const { id, item } = await runner.find(word, '/clusters');
  return item ?? all.find((one) => one['id'] === id) ?? { id };
}
