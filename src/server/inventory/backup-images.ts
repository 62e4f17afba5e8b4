/** Images that a backup reads: those of its disks as they were when it began, kept until it ends. */
import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from '../core/context.ts';
import type { ImageCopy } from '../core/transition-handlers.ts';
import type { BitmapOfPeriod } from '../store/stored-members.ts';
import type { ObjectOf } from '../store/transaction.ts';
import { measured } from './storage-space.ts';

/** A backup as it is stored. */
export type Backup = ObjectOf<'backup'>;
type Disk = Resource<'disk'>;

function imagesPath(backup: Backup): string {
  return `/vms/${backup.vm?.id}/backups/${backup.id}/images`;
}

/** Notes an image for each disk of a backup that has one; returns what is to be copied. */
export function freezeImages(ctx: RuleContext, backup: Backup): ImageCopy[] {
  return (backup.disks ?? []).flatMap(({ id: from = '' }) => {
    const disk = ctx.tx.get('disk', from);
    if (!disk || disk.storage_type === 'lun') return [];
    const to = ctx.site.newId();
    ctx.tx.insert('backup_image', imagesPath(backup), { ...disk, id: to, image_id: from });
    return [{ from, to }];
  });
}

/** Locks the disks of a backup, or sets them free. */
export function holdDisks(ctx: RuleContext, backup: Backup, locked: boolean): void {
  for (const { id = '' } of backup.disks ?? []) {
    const disk = ctx.tx.get('disk', id);
    if (!disk) continue;
    if (locked) ctx.tx.update('disk', { ...disk, status: 'locked' });
    else if (disk.status === 'locked') {
      ctx.tx.update('disk', measured(ctx, { ...disk, status: 'ok' }));
    }
  }
}

/** What has changed in a disk since the checkpoint of its backup; undefined where it is read in full. */
export function changesIn(
  ctx: RuleContext,
  backupId: string | undefined,
  diskId: string | undefined,
): readonly BitmapOfPeriod[] | undefined {
  const backup: Backup | undefined = backupId ? ctx.tx.get('backup', backupId) : undefined;
  return backup?.changes?.[diskId ?? ''];
}

/** The image of a disk in a backup; its id is that of the file. */
export function frozenImage(
  ctx: RuleContext,
  backupId: string | undefined,
  diskId: string | undefined,
): Disk | undefined {
  const backup = backupId ? ctx.tx.get('backup', backupId) : undefined;
  return backup && imagesOf(ctx, backup).find(({ image_id: of }) => of === diskId);
}

/** Forgets the images of a backup that has ended; the files follow once that is durable. */
export function thawImages(ctx: RuleContext, backup: Backup): void {
  for (const { id = '' } of imagesOf(ctx, backup)) {
    ctx.tx.remove('backup_image', id, imagesPath(backup));
    ctx.afterCommit.push(() => ctx.site.images.remove(id));
  }
}

function imagesOf(ctx: RuleContext, backup: Backup): Disk[] {
  return ctx.tx.list('backup_image', { where: { collection: imagesPath(backup) } });
}
