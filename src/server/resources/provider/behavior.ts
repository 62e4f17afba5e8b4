/** External providers of hosts, images, networks and volumes: connectivity tests and certificates. */
import { X509Certificate } from 'node:crypto';
import type { Resource } from '../../../model/resource.ts';
import { type Action, defineBehavior } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { refused } from '../../core/fault.ts';
import { namedId } from '../../core/random.ts';
import { erase, refuseInUse } from '../../core/removal.ts';
import type { KindName, StoredObject } from '../../store/kinds.ts';
import { createInitialSubnet, listProviderNetworks } from './contents.ts';
import { addProviderDomain, findProviderDomain, renameProviderDomain } from './images.ts';

type Certificate = Resource<'certificate'>;

const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

type ProviderKind =
  | 'external_host_provider'
  | 'openstack_image_provider'
  | 'openstack_network_provider'
  | 'openstack_volume_provider';

const reachActions = {
  /**
   * Providers are simulated: all remote addresses count as reachable. Addresses of this computer
   * are probed.
   */
  test_connectivity(ctx, target) {
    const { name, url = '' } = target.object;
    const { hostname, port, protocol } = new URL(url);
    if (!loopback.test(hostname)) return undefined;
    ctx.afterCommit.push(async () => {
      const number = Number(port || (protocol === 'https:' ? 443 : 80));
      if (await ctx.site.answers(hostname.replace(/[[\]]/g, ''), number)) return;
      throw refused('PROVIDER_UNREACHABLE', { action: 'test', name, url });
    });
    return undefined;
  },

  import_certificates(ctx, { object, ref }, body) {
    const provider = object;
    const sent = (body.certificates ?? []).map((one) => parseCertificate(ctx, one));
    const known = new Map([...(provider.trusted ?? []), ...sent].map((one) => [one.id, one]));
    ctx.tx.update(ref.kind, { ...provider, trusted: [...known.values()] });
    ctx.event('PROVIDER_CERTIFICATES_IMPORTED', {}, { ObjectName: provider.name });
    return undefined;
  },
} satisfies Readonly<Record<string, Action<ProviderKind>>>;

/** Parses a certificate, as PEM or as its base64 content. */
function parseCertificate(
  ctx: RuleContext,
  { content = '' }: Certificate,
): StoredObject & Certificate {
  let certificate: X509Certificate;
  try {
    const pem = content.includes('BEGIN');
    certificate = new X509Certificate(pem ? content : Buffer.from(content, 'base64'));
  } catch {
    return ctx.refuse('CERTIFICATE_INVALID', { action: 'import' });
  }
  const lines = certificate.subject.split('\n');
  const part = (name: string) =>
    lines.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1);
  return {
    id: namedId(certificate.fingerprint256, 'certificate'),
    name: part('CN') ?? '',
    organization: part('O') ?? '',
    subject: lines.join(','),
    content: certificate.toString().trimEnd(),
  };
}

const content = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBuTCCAV+gAwIBAgIUR1wk8gKKiz2h1e+eW9Do3V4BTsIwCgYIKoZIzj0EAwIw',
  'MTEQMA4GA1UECgwHRXhhbXBsZTEdMBsGA1UEAwwUcHJvdmlkZXIuZXhhbXBsZS5j',
  'b20wIBcNMjYxMTIxMTQyMjM3WhgPMjEyNjEwMjgxNDIyMzdaMDExEDAOBgNVBAoM',
  'B0V4YW1wbGUxHTAbBgNVBAMMFHByb3ZpZGVyLmV4YW1wbGUuY29tMFkwEwYHKoZI',
  'zj0CAQYIKoZIzj0DAQcDQgAE+eJvkB0ivJmS6w/aLjHdnzwNvrGu86xEMlKha+MS',
  'gkdzS8HLIJdgDGW1jD/0grP7C7XylKrSiPQMa8tQ9U4DIaNTMFEwHQYDVR0OBBYE',
  'FB9n5M40bZmLFrWhsA/2reeCZl/MMB8GA1UdIwQYMBaAFB9n5M40bZmLFrWhsA/2',
  'reeCZl/MMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhANVuWzWa',
  'umPN+402WeVjGe00ZN6wz3eMMUFB769jqdbgAiBtokYrqGprXQ0Ecf6XYOl8rHE5',
  'Sp2zuEY8tBr1qJ05NA==',
  '-----END CERTIFICATE-----',
].join('\n');

/** The certificate of the provider and its trusted issuers. */
export const certificateBehavior = defineBehavior('certificate', {
  compute(ctx, ref) {
    const presented = {
      id: namedId(ref.owner?.id ?? '', 'certificate'),
      name: 'provider.example.com',
      organization: 'Example',
      subject: 'O=Example,CN=provider.example.com',
      content,
    };
    const kind = providerKinds.find((one) => one === ref.owner?.kind);
    const { trusted = [] } = (kind && ctx.tx.get(kind, ref.owner?.id ?? '')) ?? {};
    return [presented, ...trusted.filter((one) => one.content !== content)];
  },
});

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

export const externalHostProviderBehavior = defineBehavior('external_host_provider', {
  events,
  beforeCreate: (ctx, provider) => check(ctx, provider, 'add'),
  beforeUpdate: (ctx, _before, after) => check(ctx, after, 'edit'),
  actions: reachActions,
});

export const imageProviderBehavior = defineBehavior('openstack_image_provider', {
  events,
  beforeCreate(ctx, provider) {
    check(ctx, provider, 'add', true);
    const { url } = provider;
    if (url === undefined || !ctx.site.dialect.engineRefusals) return;
    const isTaken = ctx.tx.list('openstack_image_provider', {}).some((other) => other.url === url);
    if (isTaken) ctx.refuse('PROVIDER_ADDRESS_IN_USE', { action: 'add', url });
  },
  afterCreate: (ctx, { object }) => addProviderDomain(ctx, object, 'image'),
  beforeUpdate(ctx, _before, after, _place, sent) {
    // Engines clear the tenant unless the request contains it.
    if (ctx.site.dialect.engineAnswers && !sent.tenant_name) delete after.tenant_name;
    check(ctx, after, 'edit', true);
  },
  afterUpdate: (ctx, _before, { object }) => renameProviderDomain(ctx, object),
  remove: (ctx, { object, ref }) => removeWithDomain(ctx, ref, object),
  actions: reachActions,
});

export const volumeProviderBehavior = defineBehavior('openstack_volume_provider', {
  events,
  beforeCreate: (ctx, provider) => check(ctx, provider, 'add'),
  afterCreate: (ctx, { object }) => addProviderDomain(ctx, object, 'volume'),
  beforeUpdate: (ctx, _before, after) => check(ctx, after, 'edit'),
  afterUpdate: (ctx, _before, { object }) => renameProviderDomain(ctx, object),
  remove: (ctx, { object, ref }) => removeWithDomain(ctx, ref, object),
  actions: reachActions,
});

export const networkProviderBehavior = defineBehavior('openstack_network_provider', {
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
    for (const [index, network] of listProviderNetworks(object.id ?? '').entries()) {
      ctx.tx.insert('openstack_network', path, network);
      ctx.tx.insert(
        'openstack_subnet',
        `${path}/${network.id}/subnets`,
        createInitialSubnet(network, index),
      );
    }
  },

  beforeUpdate: (ctx, _before, after) => check(ctx, after, 'edit'),

  beforeDelete(ctx, { object, ref }) {
    const where = { external_provider_id: object.id ?? '' };
    const used = ctx.tx.list('network', { where, limit: 6 });
    refuseInUse({ ref, object: { ...object } }, used, 'the networks');
  },

  actions: reachActions,
});

/** Providers in the list of a cluster. */
export const externalProviderBehavior = defineBehavior('external_provider', {
  compute(ctx, { owner }) {
    const cluster = owner?.kind === 'cluster' ? ctx.tx.get('cluster', owner.id) : undefined;
    return (cluster?.external_network_providers ?? []).flatMap(
      ({ id }) => ctx.tx.get('openstack_network_provider', id ?? '') ?? [],
    );
  },
});

function removeWithDomain(
  ctx: RuleContext,
  ref: { kind: KindName; collection: string },
  provider: Provider,
): void {
  const domain = findProviderDomain(ctx, provider.id ?? '');
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
      ref: { kind: 'storage_domain', collection: '/storagedomains' },
      object: { ...domain },
    });
  }
  ctx.event('PROVIDER_REMOVED', {}, { ObjectName: provider.name });
  erase(ctx, { ref, object: { ...provider } });
}

/** Validates a provider: names are unique among all kinds, and addresses are HTTP URLs. */
function check(ctx: RuleContext, provider: Provider, action: string, isOfImages = false): void {
  const { id, name = '', url = '' } = provider;
  const taken = providerKinds.some((kind) => {
    const found = ctx.tx.byName(kind, name);
    return found !== undefined && found.id !== id;
  });
  if (taken) ctx.refuse('NAME_IN_USE', { action, type: 'Provider', name });
  // An image provider may be added without an address.
  const isOpen = isOfImages && provider.url === undefined && ctx.site.dialect.engineRefusals;
  if (!isOpen && !isWebAddress(url)) ctx.refuse('PROVIDER_ADDRESS_INVALID', { action, url });
  provider.requires_authentication ??= false;
  if (provider.requires_authentication && !provider.username) {
    ctx.refuse('PROVIDER_NEEDS_CREDENTIALS', { action });
  }
}

function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

export const authenticationKeyBehavior = defineBehavior('openstack_volume_authentication_key', {
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

export const volumeTypeBehavior = defineBehavior('openstack_volume_type', {
  compute(_ctx, ref) {
    const provider = ref.owner?.id ?? '';
    return ['ceph', 'lvm'].map((name) => ({
      id: namedId(provider, 'volume type', name),
      name,
      properties: [{ name: 'volume_backend_name', value: name }],
      openstack_volume_provider: { id: provider },
    }));
  },
});
