/** Where a machine and its disks are made: as somebody said, where they were, or the only place. */
import type { ApiObject } from '../../../../client/client.ts';
import { UsageError } from '../../../../client/errors.ts';
import type { OperationRunner } from '../../../verbs/operation-runner.ts';
import { domainFor, usableDomains } from './boot-image.ts';
import { onlyCluster } from './parts.ts';

/** Where they were, by ids; nothing where nobody knows. */
export interface FormerPlaces {
  readonly cluster?: string;
  readonly disks: readonly { readonly id: string; readonly storageDomain?: string | undefined }[];
}

export interface Places {
  /** Id of the cluster. */
  readonly cluster: string;
  /** Id of the data center. */
  readonly datacenter: string;
  /** The storage domain of each disk, by the id that it had. */
  readonly domains: ReadonlyMap<string, ApiObject>;
}

/** Finds the places. Throws where one is not clear, or cannot be used; nothing is changed. */
export async function placesFor(
  runner: OperationRunner,
  former: FormerPlaces,
  named: { readonly cluster?: string; readonly storageDomain?: string },
): Promise<Places> {
  const cluster = await clusterFor(runner, former, named.cluster);
  const datacenter = String((cluster['data_center'] as ApiObject | undefined)?.['id'] ?? '');
  if (datacenter === '') {
    throw new UsageError(`clusters/${String(cluster['name'])} has no data center`, {
      hint: 'use another --cluster',
    });
  }
  const domains = new Map<string, ApiObject>();
  const wanted =
    named.storageDomain === undefined
      ? undefined
      : (await runner.find(named.storageDomain, '/storagedomains')).id;
  const usable = await usableDomains(runner, datacenter);
  for (const { id, storageDomain } of former.disks) {
    const same = wanted === undefined && usable.find((one) => one['id'] === storageDomain);
    domains.set(id, same || (await domainFor(runner, datacenter, wanted)));
  }
  return { cluster: String(cluster['id']), datacenter, domains };
}

async function clusterFor(
  runner: OperationRunner,
  former: FormerPlaces,
  word: string | undefined,
): Promise<ApiObject> {
  const all = await runner.list({ path: '/clusters' });
  if (word === undefined) {
    return all.find(({ id }) => id === former.cluster) ?? (await onlyCluster(runner));
  }
  const { id, item } = await runner.find(word, '/clusters');
  return item ?? all.find((one) => one['id'] === id) ?? { id };
}
