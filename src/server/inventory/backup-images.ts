/**
 * Frozen disk images of a backup: the content of its disks at its start, retained until its end.
 */
import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from '../core/context.ts';
import type { ImageCopy } from '../core/transition-handlers.ts';
import type { BitmapOfPeriod } from '../store/stored-members.ts';
import type { ObjectOf } from '../store/transaction.ts';
import { updateSizes } from './storage-space.ts';

/** A stored backup. */
export type Backup = ObjectOf<'backup'>;
type Disk = Resource<'disk'>;

function imagesPath(backup: Backup): string {
  return `/vms/${backup.vm?.id}/backups/${backup.id}/images`;
}

/** Stores a frozen image for each image disk of a backup. Returns the copies to make. */
export function freezeImages(ctx: RuleContext, backup: Backup): ImageCopy[] {
  return (backup.disks ?? []).flatMap(({ id: from = '' }) => {
    const disk = ctx.tx.get('disk', from);
    if (!disk || disk.storage_type === 'lun') return [];
    const to = ctx.site.newId();
    ctx.tx.insert('backup_image', imagesPath(backup), { ...disk, id: to, image_id: from });
    return [{ from, to }];
  });
}

/** Locks or unlocks the disks of a backup. */
export function setDisksLocked(ctx: RuleContext, backup: Backup, locked: boolean): void {
  for (const { id = '' } of backup.disks ?? []) {
    const disk = ctx.tx.get('disk', id);
    if (!disk) continue;
    if (locked) ctx.tx.update('disk', { ...disk, status: 'locked' });
    else if (disk.status === 'locked') {
      ctx.tx.update('disk', updateSizes(ctx, { ...disk, status: 'ok' }));
    }
  }
}

/**
 * Changes of a disk since the checkpoint of its backup; undefined for a full backup of the disk.
 */
export function getBackupChanges(
  ctx: RuleContext,
  backupId: string | undefined,
  diskId: string | undefined,
): readonly BitmapOfPeriod[] | undefined {
  const backup: Backup | undefined = backupId ? ctx.tx.get('backup', backupId) : undefined;
  return backup?.changes?.[diskId ?? ''];
}

/** The frozen image of a disk in a backup. Its id names the file. */
export function findFrozenImage(
  ctx: RuleContext,
  backupId: string | undefined,
  diskId: string | undefined,
): Disk | undefined {
  const backup = backupId ? ctx.tx.get('backup', backupId) : undefined;
  return backup && listImages(ctx, backup).find(({ image_id: of }) => of === diskId);
}

/** Removes the images of an ended backup, and their files after the commit. */
export function thawImages(ctx: RuleContext, backup: Backup): void {
  for (const { id = '' } of listImages(ctx, backup)) {
    ctx.tx.remove('backup_image', id, imagesPath(backup));
    ctx.afterCommit.push(() => ctx.site.images.remove(id));
  }
}

function listImages(ctx: RuleContext, backup: Backup): Disk[] {
  return ctx.tx.list('backup_image', { where: { collection: imagesPath(backup) } });
}
