/** The storage domain that comes with a provider of images or volumes. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import { applyDefaults } from '../../core/input.ts';
import { suppliedImages } from './contents.ts';

/** A storage domain as it is stored; which provider keeps it does not show. */
type ProviderDomain = Resource<'storage_domain'> & { provider?: string };

/** Adds the domain of a provider, with the images of a fresh repository. */
export function addProviderDomain(
  ctx: RuleContext,
  provider: { id?: string; name?: string },
  type: 'image' | 'volume',
): void {
  const id = ctx.site.newId();
  const domain: ProviderDomain = {
    id,
    name: nameFor(ctx, provider.name ?? id),
    type,
    storage: { type: type === 'image' ? 'glance' : 'cinder' },
    storage_format: 'v1',
    status: 'unattached',
    master: false,
    data_centers: [],
    provider: provider.id ?? '',
  };
  applyDefaults('storage_domain', domain);
  ctx.tx.insert('storage_domain', '/storagedomains', domain);
  if (type === 'volume') return;
  for (const [name, size] of suppliedImages) addImage(ctx, id, name, size);
}

/** Adds an image of so many bytes to the domain of a provider. */
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

/** The domain has the name of its provider, where no other domain has. */
function nameFor(ctx: RuleContext, name: string): string {
  return ctx.tx.byName('storage_domain', name) ? `${name}-images` : name;
}

/** The storage domain that a provider keeps. */
export function domainOfProvider(ctx: RuleContext, provider: string): ProviderDomain | undefined {
  const domains: ProviderDomain[] = ctx.tx.list('storage_domain');
  return domains.find((domain) => domain.provider === provider);
}
