/** Parts of a new VM, resolved before the first change. */

import type { ObjectOf } from '../../../../client/client.ts';
import { UsageError } from '../../../../client/errors.ts';
import type { Resource } from '../../../../model/resource.ts';
import type { TypeName } from '../../../../model/resources/index.ts';
import { isRecord } from '../../../../records.ts';
import { getObject, getReferenceId } from '../../../text/objects.ts';
import { type Collection, getCollection } from '../../../verbs/collections.ts';
import { OperationRunner } from '../../../verbs/operation-runner.ts';
import type { FoundObject } from '../../../verbs/references.ts';
import type { Run } from '../../../verbs/run.ts';
import type { BootImage } from './boot-image.ts';
import { type NicPlan, planNics } from './networks.ts';

type Body = Record<string, unknown>;

export interface VmParts {
  /** Body of the VM. */
  readonly body: Body;
  readonly image?: BootImage;
  readonly nics: readonly NicPlan[];
}

export interface RequestedParts {
  readonly image?: string | undefined;
  readonly networks: readonly string[];
  readonly initialization?: Readonly<Record<string, unknown>> | undefined;
}

const blank = 'Blank';

/** Completes the body of the VM, and resolves image, storage domain and profiles. */
export async function resolveParts(
  { cli, finder }: Run,
  sent: object,
  { image, networks, initialization }: RequestedParts,
): Promise<VmParts> {
  const body: Body = { ...sent };
  if (initialization) {
    body['initialization'] = {
      ...getObject(body, 'initialization'),
      ...initialization,
    };
  }
  if (image === undefined && networks.length === 0) return { body, nics: [] };
  const runner = await OperationRunner.create(cli, {});
  const found = body['cluster']
    ? await resolveReference(finder, body['cluster'], getCollection('/clusters'))
    : undefined;
  const cluster = found ? (found.item ?? { id: found.id }) : await findOnlyCluster(runner);
  body['cluster'] ??= { id: String(cluster.id) };
  const datacenter = String(cluster.data_center?.id ?? '');
  if (datacenter === '') {
    throw new UsageError(`clusters/${String(cluster.name)} has no data center`, {
      hint: 'use another --cluster',
    });
  }
  body['template'] ??= { name: blank };
  const templates = getCollection('/templates');
  const { id: template } = await resolveReference(finder, body['template'], templates);
  // Only images need the transfer modules.
  const images = image === undefined ? undefined : await import('./boot-image.ts');
  await images?.requireNoBootDisk(runner, template);
  const own = await runner.list({ path: '/templates/{template}/nics', ids: { template } });
  const nics = await planNics(runner, datacenter, networks, own);
  if (image === undefined || !images) return { body, nics };
  const domain = getReferenceId(body, 'storage_domain');
  const storage = domain === undefined ? undefined : String(domain);
  return { body, nics, image: await images.resolveImage(cli, runner, image, datacenter, storage) };
}

async function resolveReference<T extends TypeName>(
  finder: Run['finder'],
  reference: unknown,
  collection: Collection<T>,
): Promise<FoundObject<ObjectOf<T>>> {
  const { id, name } = isRecord(reference) ? reference : {};
  return await finder.find(String(id ?? name), collection);
}

/** Returns the only cluster. Throws `UsageError` if none or several exist. */
export async function findOnlyCluster(runner: OperationRunner): Promise<Resource<'cluster'>> {
  const clusters = await runner.list({ path: '/clusters' });
  const [only] = clusters;
  if (only && clusters.length === 1) return only;
  const names = clusters.map(({ name }) => String(name));
  throw new UsageError(`no cluster given: use one of ${names.slice(0, 10).join(', ') || 'none'}`, {
    hint:
      names.length > 0 ? `--cluster ${names[0]}` : 'create a cluster with vmctl clusters create',
  });
}
