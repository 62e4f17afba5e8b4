/** Rules of external providers of hosts, images, networks and volumes. */
import type { Resource } from '../../../model/resource.ts';
import { erase, refuseInUse } from '../../api/generic.ts';
import { define } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { namedId } from '../../core/digest.ts';
import type { StoredObject } from '../../store/document.ts';
import type { KindName } from '../../store/kinds.ts';
import { networksOf, subnetOf } from './contents.ts';
import { addProviderDomain, domainOfProvider } from './domain.ts';
import { reachActions } from './reach.ts';

const providerKinds = [
  'external_host_provider',
  'openstack_image_provider',
  'openstack_network_provider',
  'openstack_volume_provider',
] as const;

type Provider = Pick<
  Resource<'openstack_network_provider'>,
  'id' | 'name' | 'url' | 'requires_authentication' | 'username' | 'password' | 'authentication_url'
>;

const events = {
  add: 'PROVIDER_ADDED',
  update: 'PROVIDER_UPDATED',
  remove: 'PROVIDER_REMOVED',
} as const;

export const externalHostProviderRules = define('external_host_provider', {
  events,
  beforeCreate: (ctx, provider) => check(ctx, provider, 'add'),
  beforeUpdate: (ctx, _before, after) => check(ctx, after, 'edit'),
  actions: reachActions,
});

export const imageProviderRules = define('openstack_image_provider', {
  events,
  beforeCreate: (ctx, provider) => check(ctx, provider, 'add'),
  afterCreate: (ctx, { object }) => addProviderDomain(ctx, object, 'image'),
  beforeUpdate: (ctx, _before, after) => check(ctx, after, 'edit'),
  remove: (ctx, { object, place }) => removeWithDomain(ctx, place, object),
  actions: reachActions,
});

export const volumeProviderRules = define('openstack_volume_provider', {
  events,
  beforeCreate: (ctx, provider) => check(ctx, provider, 'add'),
  afterCreate: (ctx, { object }) => addProviderDomain(ctx, object, 'volume'),
  beforeUpdate: (ctx, _before, after) => check(ctx, after, 'edit'),
  remove: (ctx, { object, place }) => removeWithDomain(ctx, place, object),
  actions: reachActions,
});

export const networkProviderRules = define('openstack_network_provider', {
  events,

  beforeCreate(ctx, provider) {
    check(ctx, provider, 'add');
    provider.type ??= 'external';
    provider.read_only ??= true;
    provider.auto_sync ??= false;
    provider.unmanaged ??= false;
  },

  afterCreate(ctx, { object }) {
    const path = `/openstacknetworkproviders/${object.id}/networks`;
    for (const [index, network] of networksOf(object.id ?? '').entries()) {
      ctx.tx.insert('openstack_network', path, network);
      ctx.tx.insert('openstack_subnet', `${path}/${network.id}/subnets`, subnetOf(network, index));
    }
  },

  beforeUpdate: (ctx, _before, after) => check(ctx, after, 'edit'),

  beforeDelete(ctx, { object, place }) {
    const where = { external_provider_id: object.id ?? '' };
    const used = ctx.tx.list('network', { where, limit: 6 }) as StoredObject[];
    refuseInUse({ place, object: { ...object } }, used, 'the networks');
  },

  actions: reachActions,
});

/** Providers that a cluster names, as it lists them. */
export const externalProviderRules = define('external_provider', {
  compute(ctx, { owner }) {
    const cluster = owner?.kind === 'cluster' ? ctx.tx.get('cluster', owner.id) : undefined;
    return (cluster?.external_network_providers ?? []).flatMap(
      ({ id }) => ctx.tx.get('openstack_network_provider', id ?? '') ?? [],
    );
  },
});

function removeWithDomain(
  ctx: RuleContext,
  place: { kind: KindName; collection: string },
  provider: Provider,
): void {
  const domain = domainOfProvider(ctx, provider.id ?? '');
  if (domain?.id) {
    const id = domain.id;
    for (const { id: image } of ctx.tx.list('image', {
      where: { collection: `/storagedomains/${id}/images` },
    })) {
      if (image) ctx.afterCommit.push(() => ctx.site.images.remove(image));
    }
    for (const one of ctx.tx.list('attached_storage_domain', { where: { id } })) {
      const collection = `/datacenters/${one.data_center?.id}/storagedomains`;
      ctx.tx.remove('attached_storage_domain', id, collection);
    }
    erase(ctx, {
      place: { kind: 'storage_domain', collection: '/storagedomains' },
      object: { ...domain },
    });
  }
  ctx.event('PROVIDER_REMOVED', {}, { ObjectName: provider.name });
  erase(ctx, { place, object: { ...provider } });
}

/** Names are unique among providers of all kinds; addresses are those of web services. */
function check(ctx: RuleContext, provider: Provider, action: string): void {
  const { id, name = '', url = '' } = provider;
  const taken = providerKinds.some((kind) => {
    const found = ctx.tx.byName(kind, name);
    return found !== undefined && found.id !== id;
  });
  if (taken) ctx.refuse('NAME_IN_USE', { action, type: 'Provider', name });
  if (!isWebAddress(url)) ctx.refuse('PROVIDER_ADDRESS_INVALID', { action, url });
  provider.requires_authentication ??= false;
  if (provider.requires_authentication && !provider.username) {
    ctx.refuse('PROVIDER_NEEDS_CREDENTIALS', { action });
  }
}

function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

export const authenticationKeyRules = define('openstack_volume_authentication_key', {
  events: {
    add: 'AUTHENTICATION_KEY_ADDED',
    update: 'AUTHENTICATION_KEY_UPDATED',
    remove: 'AUTHENTICATION_KEY_REMOVED',
  },
  beforeCreate(ctx, key) {
    key.uuid ??= key.id ?? '';
    key.usage_type ??= 'ceph';
    key.creation_date = ctx.timestamp;
  },
});

export const volumeTypeRules = define('openstack_volume_type', {
  compute(_ctx, place) {
    const provider = place.owner?.id ?? '';
    return ['ceph', 'lvm'].map((name) => ({
      id: namedId(provider, 'volume type', name),
      name,
      properties: [{ name: 'volume_backend_name', value: name }],
      openstack_volume_provider: { id: provider },
    }));
  },
});
