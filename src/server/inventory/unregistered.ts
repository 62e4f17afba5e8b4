/**
 * Unregistered contents of a storage domain: VMs, templates and disks of a detached domain, and
 * exports. They can be registered or imported.
 */
import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from '../core/context.ts';
import { hasDisksOn } from '../store/conditions.ts';
import type { KindName, StoredObject } from '../store/kinds.ts';
import type { OriginNames, StoredPart } from '../store/stored-members.ts';
import type { ObjectOf } from '../store/transaction.ts';
import { forgetChanges } from './dirty-bitmaps.ts';

export type { OriginNames, StoredPart };

type Domain = Resource<'storage_domain'>;
type Disk = Resource<'disk'>;

/** A VM or template on a storage domain. Responses do not contain the additional members. */
export type WithOrigin<T> = T & { parts?: readonly StoredPart[]; origin_names?: OriginNames };

/** Path of the contents of a domain: `vms`, `templates` or `disks`. */
export function formatContentsPath(domain: string, what: 'vms' | 'templates' | 'disks'): string {
  return `/storagedomains/${domain}/${what}`;
}

/** Kinds that describe objects from the view of others. */
const viewKinds = new Set<KindName>(['disk_snapshot']);

/**
 * Removes objects that exist only on this domain from the inventory. They remain on the domain and
 * can be registered again. VMs with disks elsewhere remain, without the disks of this domain.
 */
export function leaveInventory(ctx: RuleContext, domain: Domain): void {
  const id = domain.id ?? '';
  const disks = ctx.tx.referring('disk', 'storage_domains', id);
  const here = new Set(disks.map((disk) => disk.id ?? ''));
  if (here.size === 0) return;
  for (const vm of listDomainUsers(ctx, id, 'vm')) {
    if (onlyHere(ctx, `/vms/${vm.id}/diskattachments`, here)) {
      unregisterOwner(ctx, 'vm', 'domain_vm', vm, formatContentsPath(id, 'vms'));
    }
  }
  for (const template of listDomainUsers(ctx, id, 'template')) {
    if (onlyHere(ctx, `/templates/${template.id}/diskattachments`, here)) {
      unregisterOwner(
        ctx,
        'template',
        'domain_template',
        template,
        formatContentsPath(id, 'templates'),
      );
    }
  }
  for (const disk of disks) unregisterDisk(ctx, disk, id);
}

/** VMs or templates with disks on a domain. */
export function listDomainUsers<K extends 'vm' | 'template'>(
  ctx: RuleContext,
  domain: string,
  kind: K,
): ObjectOf<K>[] {
  return ctx.tx.list(kind, { condition: hasDisksOn(domain, kind) });
}

function onlyHere(ctx: RuleContext, collection: string, here: ReadonlySet<string>): boolean {
  return ctx.tx
    .list('disk_attachment', { where: { collection } })
    .every(({ id = '' }) => here.has(id) || ctx.tx.get('disk', id)?.storage_type === 'lun');
}

function unregisterOwner(
  ctx: RuleContext,
  kind: 'vm' | 'template',
  as: 'domain_vm' | 'domain_template',
  object: StoredObject,
  collection: string,
): void {
  const path = `/${kind}s/${object['id']}`;
  const parts = listPartsBelow(ctx, path);
  for (const { kind: part } of parts) ctx.tx.removeBelow(part, path);
  ctx.tx.remove(kind, String(object['id']));
  const permissions = { where: { [`${kind}_id`]: String(object['id']) } };
  for (const { id } of ctx.tx.list('permission', permissions)) {
    if (id) ctx.tx.remove('permission', id);
  }
  ctx.tx.insert(as, collection, { ...object, parts });
}

/** Objects below a path. */
export function listPartsBelow(ctx: RuleContext, path: string): StoredPart[] {
  return ctx.tx
    .kindsBelow(path)
    .filter((kind) => !viewKinds.has(kind))
    .flatMap((kind) =>
      ctx.tx
        .below(kind, path)
        .map(({ collection, object }) => ({ kind, collection, object: object })),
    );
}

/** Removes a disk from the inventory. Its image remains. */
function unregisterDisk(ctx: RuleContext, disk: Disk, domain: string): void {
  const id = disk.id ?? '';
  for (const owner of ['vm', 'template'] as const) {
    for (const attachment of ctx.tx.list('disk_attachment', { where: { disk_id: id } })) {
      const user = attachment[owner]?.id;
      if (user) ctx.tx.remove('disk_attachment', id, `/${owner}s/${user}/diskattachments`);
    }
  }
  forgetChanges(ctx, id);
  ctx.tx.remove('disk', id);
  ctx.tx.insert('unregistered_disk', formatContentsPath(domain, 'disks'), disk);
}

/** Erases the images of all unregistered objects on a domain. */
export function eraseContents(ctx: RuleContext, domain: string): void {
  const collection = formatContentsPath(domain, 'disks');
  for (const { id = '' } of ctx.tx.list('unregistered_disk', { where: { collection } })) {
    for (const { id: image = '' } of ctx.tx.list('disk_snapshot', { where: { disk_id: id } })) {
      ctx.afterCommit.push(() => ctx.site.images.remove(image));
    }
    ctx.tx.removeBelow('disk_snapshot', `/disks/${id}`);
    ctx.afterCommit.push(() => ctx.site.images.remove(id));
  }
}

/** Registers a disk of a domain. Returns it. */
export function registerDisk(ctx: RuleContext, domain: string, id: string): Disk | undefined {
  const collection = formatContentsPath(domain, 'disks');
  const disk = ctx.tx.get('unregistered_disk', id, collection);
  if (!disk) return undefined;
  ctx.tx.remove('unregistered_disk', id, collection);
  ctx.tx.insert('disk', '/disks', { ...disk, status: 'ok' });
  return disk;
}
