/** Images of external repositories, and the storage domains of their providers. */

import { byIdOrName } from '../../../model/notation/collections.ts';
import type { ActionBody, Resource } from '../../../model/resource.ts';
import { add } from '../../api/generic.ts';
import { defineBehavior } from '../../core/behavior.ts';
import { resolveCollection } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import { notFound } from '../../core/fault.ts';
import { applyDefaults, requireAll, resolveMember, resolveReferenceId } from '../../core/input.ts';
import { moveDisk, prepareDisk } from '../../inventory/disk.ts';
import type { DiskMove } from '../../inventory/disk-transitions.ts';
import { suppliedImages } from './contents.ts';

/** A stored storage domain. Responses do not contain its provider. */
type ProviderDomain = Resource<'storage_domain'> & { provider?: string };

interface Provider {
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
}

/** Adds the domain of a provider with the initial images of a repository. */
export function addProviderDomain(
  ctx: RuleContext,
  provider: Provider,
  type: 'image' | 'volume',
): void {
  const id = ctx.site.newId();
  const domain: ProviderDomain = {
    id,
    ...chooseNames(ctx, provider),
    type,
    storage: { type: type === 'image' ? 'glance' : 'cinder' },
    storage_format: 'v1',
    status: 'unattached',
    master: false,
    // The free space of a provider is not monitored.
    critical_space_action_blocker: 0,
    warning_low_space_indicator: 0,
    provider: provider.id ?? '',
  };
  applyDefaults('storage_domain', domain);
  ctx.tx.insert('storage_domain', '/storagedomains', domain);
  if (type === 'volume') return;
  for (const [name, size] of suppliedImages) addImage(ctx, id, name, size);
}

/** Adds an image of `size` bytes to the domain of a provider. */
export function addImage(
  ctx: RuleContext,
  domain: string,
  name: string,
  size: number,
): Resource<'image'> {
  const id = ctx.site.newId();
  const image = { id, name, type: 'disk', size, storage_domain: { id: domain } } as const;
  ctx.tx.insert('image', `/storagedomains/${domain}/images`, image);
  return image;
}

/** Name and description of a domain: those of its provider, with a suffix if the name is in use. */
function chooseNames(ctx: RuleContext, { id, name = '', description }: Provider) {
  const other: ProviderDomain | undefined = ctx.tx.byName('storage_domain', name);
  const isTaken = other !== undefined && other.provider !== id;
  return { name: isTaken ? `${name}-images` : name, description: description ?? '' };
}

/** Updates the name and description of the domain of a provider. */
export function renameProviderDomain(ctx: RuleContext, provider: Provider): void {
  const domain = findProviderDomain(ctx, provider.id ?? '');
  if (domain) ctx.tx.update('storage_domain', { ...domain, ...chooseNames(ctx, provider) });
}

/** The storage domain of a provider. */
export function findProviderDomain(ctx: RuleContext, provider: string): ProviderDomain | undefined {
  const domains: ProviderDomain[] = ctx.tx.list('storage_domain');
  return domains.find((domain) => domain.provider === provider);
}

type Image = Resource<'image'> & { format?: Resource<'disk'>['format'] };
type Disk = Resource<'disk'>;

export const imageBehavior = defineBehavior('image', {
  locate(ctx, ref) {
    const domain = ctx.tx.get('storage_domain', ref.owner?.id ?? '');
    if (domain?.type === 'image') return ref;
    throw notFound(`Storage domain ${domain?.name} is of type ${domain?.type} and has no images.`);
  },

  actions: {
    import: (ctx, { object }, body) => importImage(ctx, object, body),
  },
});

export const openstackImageBehavior = defineBehavior('openstack_image', {
  compute(ctx, ref) {
    const provider = ref.owner?.id ?? '';
    return listImages(ctx, provider).map(({ id = '', name = '' }) => ({
      id,
      name,
      openstack_image_provider: { id: provider },
    }));
  },

  actions: {
    import(ctx, { object, ref }, body) {
      const image = listImages(ctx, ref.owner?.id ?? '').find(({ id }) => id === object.id);
      return image ? importImage(ctx, image, body) : undefined;
    },
  },
});

function listImages(ctx: RuleContext, provider: string): Image[] {
  const domain = findProviderDomain(ctx, provider);
  return ctx.tx.list('image', { where: { collection: `/storagedomains/${domain?.id}/images` } });
}

/** Creates a disk from an image, or a template with that disk. */
function importImage(ctx: RuleContext, image: Image, body: ActionBody): undefined {
  const asTemplate = body['import_as_template'] === true;
  if (asTemplate) requireAll('Action', [byIdOrName('cluster')], body, 'import');
  const domain = resolveMember(ctx.tx, 'storage_domain', body.storage_domain ?? {});
  const sent = body['disk'] ?? {};
  const id = ctx.site.newId();
  const disk: Disk = {
    id,
    alias: sent.alias ?? sent.name ?? image.name ?? id,
    format: image.format ?? 'raw',
    sparse: true,
    provisioned_size: image.size ?? 0,
    storage_domains: [{ id: domain }],
  };
  fitToDomain(ctx, disk, domain);
  prepareDisk(ctx, disk);
  applyDefaults('disk', disk);
  ctx.tx.insert('disk', '/disks', disk);
  const template = asTemplate ? addTemplate(ctx, image, id, body) : undefined;
  const data: DiskMove = { target: image.id ?? '', ...(template ? { template } : {}) };
  moveDisk(ctx, { collection: '/disks' }, disk, 'import', { ...data });
  return undefined;
}

function fitToDomain(ctx: RuleContext, disk: Disk, id: string): void {
  const type = ctx.tx.get('storage_domain', id)?.storage?.type;
  if (disk.format === 'raw' && (type === 'iscsi' || type === 'fcp')) disk.sparse = false;
}

/** Adds a template with the disk, locked until the copy ends. Returns its id. */
function addTemplate(ctx: RuleContext, image: Image, disk: string, body: ActionBody): string {
  const cluster = resolveReferenceId(ctx.tx, 'cluster', body.cluster) ?? '';
  const id = ctx.site.newId();
  const sent = body['template'] ?? {};
  const blank = ctx.tx.byName('template', 'Blank') ?? {};
  ctx.tx.insert('template', '/templates', {
    ...blank,
    id,
    name: sent.name ?? image.name ?? id,
    description: '',
    status: 'locked',
    creation_time: ctx.timestamp,
    cluster: { id: cluster },
    version: { version_number: 1, version_name: 'base version', base_template: { id } },
  });
  ctx.tx.insert('disk_attachment', `/templates/${id}/diskattachments`, {
    id: disk,
    disk: { id: disk },
    template: { id },
    bootable: true,
    active: true,
    interface: 'virtio',
    read_only: false,
    pass_discard: false,
    uses_scsi_reservation: false,
  });
  return id;
}

export const openstackNetworkBehavior = defineBehavior('openstack_network', {
  actions: {
    /** Creates a network in a data center that refers to the provider. */
    import(ctx, { object, ref }, body) {
      const dataCenter = resolveMember(ctx.tx, 'data_center', body.data_center ?? {});
      add(ctx, resolveCollection(ctx.tx, '/networks', []), {
        name: object.name,
        data_center: { id: dataCenter },
        external_provider: { id: ref.owner?.id },
      });
      return undefined;
    },
  },
});
