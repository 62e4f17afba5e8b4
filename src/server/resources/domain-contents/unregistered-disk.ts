/** Rules of disks that are on a storage domain, but not in the inventory: register, remove. */

import { define } from '../../core/behavior.ts';
import type { Place } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import { entityNotFound } from '../../core/fault.ts';
import { registerDisk } from './unregistered.ts';

export const unregisteredDiskRules = define('unregistered_disk', {
  attach(ctx, place, sent) {
    return register(ctx, place, String(sent['id']));
  },

  remove(ctx, { object, place }) {
    const id = object.id ?? '';
    ctx.tx.remove('unregistered_disk', id, place.collection);
    for (const { id: image } of ctx.tx.list('disk_snapshot', { where: { disk_id: id } })) {
      if (image) ctx.afterCommit.push(() => ctx.site.images.remove(image));
    }
    ctx.tx.removeBelow('disk_snapshot', `/disks/${id}`);
    ctx.afterCommit.push(() => ctx.site.images.remove(id));
    const domain = ctx.tx.get('storage_domain', place.owner?.id ?? '');
    ctx.event('DISK_REMOVED', { storage_domain: domain }, { DiskAlias: object.alias ?? id });
  },

  actions: {
    register(ctx, { object, place }) {
      register(ctx, place, object.id ?? '');
      return undefined;
    },
  },
});

function register(ctx: RuleContext, place: Place, id: string) {
  const disk = registerDisk(ctx, place.owner?.id ?? '', id);
  if (!disk) throw entityNotFound(`Disk: id=${id}`);
  ctx.event('DISK_ADDED', {}, { DiskAlias: disk.alias ?? id });
  return disk;
}
