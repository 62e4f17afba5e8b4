/**
 * What is on a storage domain that is not in the inventory: virtual machines, templates and disks of
 * a domain that was detached, and what was exported. They can be registered or imported.
 */
import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from '../core/context.ts';
import { hasDisksOn } from '../store/conditions.ts';
import type { KindName, StoredObject } from '../store/kinds.ts';
import type { Origin, Part } from '../store/stored-members.ts';
import type { ObjectOf } from '../store/transaction.ts';
import { forgetChanges } from './dirty-bitmaps.ts';

export type { Origin, Part };

type Domain = Resource<'storage_domain'>;
type Disk = Resource<'disk'>;

/** A virtual machine or template on a storage domain; what it has beside its type does not show. */
export type Stored<T> = T & { parts?: readonly Part[]; origin_names?: Origin };

/** Path of what is on a domain: `vms`, `templates` or `disks`. */
export function contentsOf(domain: string, what: 'vms' | 'templates' | 'disks'): string {
  return `/storagedomains/${domain}/${what}`;
}

/** Kinds of what only describes how others see an object. */
const viewKinds = new Set<KindName>(['disk_snapshot']);

/**
 * Takes what is only on this domain out of the inventory: it stays on the domain, to be registered
 * again. Virtual machines with disks elsewhere stay, without the disks of this domain.
 */
export function leaveInventory(ctx: RuleContext, domain: Domain): void {
  const id = domain.id ?? '';
  const disks = ctx.tx.referring('disk', 'storage_domains', id);
  const here = new Set(disks.map((disk) => disk.id ?? ''));
  if (here.size === 0) return;
  for (const vm of usersOf(ctx, id, 'vm')) {
    if (onlyHere(ctx, `/vms/${vm.id}/diskattachments`, here)) {
      takeOut(ctx, 'vm', 'domain_vm', vm, contentsOf(id, 'vms'));
    }
  }
  for (const template of usersOf(ctx, id, 'template')) {
    if (onlyHere(ctx, `/templates/${template.id}/diskattachments`, here)) {
      takeOut(ctx, 'template', 'domain_template', template, contentsOf(id, 'templates'));
    }
  }
  for (const disk of disks) leave(ctx, disk, id);
}

/** Virtual machines or templates with disks on a domain. */
export function usersOf<K extends 'vm' | 'template'>(
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

function takeOut(
  ctx: RuleContext,
  kind: 'vm' | 'template',
  as: 'domain_vm' | 'domain_template',
  object: StoredObject,
  collection: string,
): void {
  const path = `/${kind}s/${object['id']}`;
  const parts = partsBelow(ctx, path);
  for (const { kind: part } of parts) ctx.tx.removeBelow(part, path);
  ctx.tx.remove(kind, String(object['id']));
  const permissions = { where: { [`${kind}_id`]: String(object['id']) } };
  for (const { id } of ctx.tx.list('permission', permissions)) {
    if (id) ctx.tx.remove('permission', id);
  }
  ctx.tx.insert(as, collection, { ...object, parts });
}

/** What is kept below a path. */
export function partsBelow(ctx: RuleContext, path: string): Part[] {
  return ctx.tx
    .kindsBelow(path)
    .filter((kind) => !viewKinds.has(kind))
    .flatMap((kind) =>
      ctx.tx
        .below(kind, path)
        .map(({ collection, object }) => ({ kind, collection, object: object })),
    );
}

/** A disk leaves the inventory; its image stays. */
function leave(ctx: RuleContext, disk: Disk, domain: string): void {
  const id = disk.id ?? '';
  for (const owner of ['vm', 'template'] as const) {
    for (const attachment of ctx.tx.list('disk_attachment', { where: { disk_id: id } })) {
      const user = attachment[owner]?.id;
      if (user) ctx.tx.remove('disk_attachment', id, `/${owner}s/${user}/diskattachments`);
    }
  }
  forgetChanges(ctx, id);
  ctx.tx.remove('disk', id);
  ctx.tx.insert('unregistered_disk', contentsOf(domain, 'disks'), disk);
}

/** Erases the images of everything that is on a domain but not in the inventory. */
export function eraseContents(ctx: RuleContext, domain: string): void {
  const collection = contentsOf(domain, 'disks');
  for (const { id = '' } of ctx.tx.list('unregistered_disk', { where: { collection } })) {
    for (const { id: image = '' } of ctx.tx.list('disk_snapshot', { where: { disk_id: id } })) {
      ctx.afterCommit.push(() => ctx.site.images.remove(image));
    }
    ctx.tx.removeBelow('disk_snapshot', `/disks/${id}`);
    ctx.afterCommit.push(() => ctx.site.images.remove(id));
  }
}

/** Takes a disk of a domain into the inventory again. Returns it. */
export function registerDisk(ctx: RuleContext, domain: string, id: string): Disk | undefined {
  const collection = contentsOf(domain, 'disks');
  const disk = ctx.tx.get('unregistered_disk', id, collection);
  if (!disk) return undefined;
  ctx.tx.remove('unregistered_disk', id, collection);
  ctx.tx.insert('disk', '/disks', { ...disk, status: 'ok' });
  return disk;
}
