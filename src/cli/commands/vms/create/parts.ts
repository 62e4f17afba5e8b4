/** What a new machine is to have, found before anything is made. */
import type { ApiObject } from '../../../../client/client.ts';
import { UsageError } from '../../../../client/errors.ts';
import { collectionAt } from '../../../verbs/collections.ts';
import { OperationRunner } from '../../../verbs/operation-runner.ts';
import type { Run } from '../../../verbs/run.ts';
import type { BootImage } from './boot-image.ts';
import { type NewNic, newNics } from './networks.ts';

type Body = Record<string, unknown>;

export interface Parts {
  /** The machine itself, as it is sent. */
  readonly body: Body;
  readonly image?: BootImage;
  readonly nics: readonly NewNic[];
}

export interface WantedParts {
  readonly image?: string | undefined;
  readonly networks: readonly string[];
  readonly initialization?: Readonly<Record<string, unknown>> | undefined;
}

const blank = 'Blank';

/** Completes the body of the machine, and finds image, storage domain and profiles. */
export async function findParts(
  { cli, finder }: Run,
  sent: object,
  { image, networks, initialization }: WantedParts,
): Promise<Parts> {
  const body: Body = { ...sent };
  if (initialization) {
    body['initialization'] = {
      ...(body['initialization'] as object | undefined),
      ...initialization,
    };
  }
  if (image === undefined && networks.length === 0) return { body, nics: [] };
  const runner = await OperationRunner.begin(cli, {});
  const cluster = body['cluster']
    ? await found(finder, body['cluster'], '/clusters')
    : await onlyCluster(runner);
  body['cluster'] ??= { id: String(cluster['id']) };
  const datacenter = String((cluster['data_center'] as ApiObject | undefined)?.['id'] ?? '');
  if (datacenter === '') {
    throw new UsageError(`clusters/${String(cluster['name'])} has no data center`, {
      hint: 'use another --cluster',
    });
  }
  body['template'] ??= { name: blank };
  const { id } = await found(finder, body['template'], '/templates');
  const template = String(id);
  // The code of transfers is loaded for images alone.
  const images = image === undefined ? undefined : await import('./boot-image.ts');
  await images?.requireNoBootDisk(runner, template);
  const own = await runner.list({ path: '/templates/{template}/nics', ids: { template } });
  const taken = own.map(({ name }) => String(name));
  const nics = await newNics(runner, datacenter, networks, taken);
  if (image === undefined || !images) return { body, nics };
  const domain = (body['storage_domain'] as ApiObject | undefined)?.['id'];
  const storage = domain === undefined ? undefined : String(domain);
  return { body, nics, image: await images.findImage(cli, runner, image, datacenter, storage) };
}

async function found(finder: Run['finder'], reference: unknown, path: string): Promise<ApiObject> {
  const { id, name } = reference as ApiObject;
  const { id: known, item } = await finder.find(String(id ?? name), collectionAt(path));
  return item ?? { id: known };
}

/** The cluster that is meant where none is named. */
export async function onlyCluster(runner: OperationRunner): Promise<ApiObject> {
  const clusters = await runner.list({ path: '/clusters' });
  const [only] = clusters;
  if (only && clusters.length === 1) return only;
  const names = clusters.map(({ name }) => String(name));
  throw new UsageError(`no cluster given: use one of ${names.slice(0, 10).join(', ') || 'none'}`, {
    hint:
      names.length > 0 ? `--cluster ${names[0]}` : 'create a cluster with vmctl clusters create',
  });
}
