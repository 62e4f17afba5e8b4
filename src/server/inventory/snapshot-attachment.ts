/**
 * Disks of snapshots attached to a second VM, for backup tools that run inside a VM. The attachment
 * has the id of the disk, and shows its state in the snapshot.
 */
import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from '../core/context.ts';
import type { StoredObject } from '../store/kinds.ts';
import type { ObjectOf } from '../store/transaction.ts';

type Attachment = ObjectOf<'disk_attachment'>;
type Disk = Resource<'disk'>;
type Image = Resource<'disk_snapshot'>;

/** Id of the snapshot whose disk is attached; undefined for an ordinary attachment. */
export function getAttachedSnapshot(attachment: Attachment): string | undefined {
  return attachment.snapshot?.id;
}

/** The attachment with a reference to the snapshot of its disk. */
export function withSnapshot(attachment: Attachment, snapshot: string): Attachment {
  return { ...attachment, snapshot: { id: snapshot } };
}

/**
 * The disk in a snapshot, for an attachment. Refuses a disk that the snapshot does not contain, or
 * does not contain yet.
 */
export function requireSnapshotDisk(ctx: RuleContext, sent: StoredObject, id: string): Disk {
  const action = 'attach';
  const type = 'Virtual Disk';
  const snapshot = ctx.tx.get('snapshot', id);
  if (!snapshot) ctx.refuse('SNAPSHOT_DOES_NOT_EXIST', { action, type });
  if (snapshot.snapshot_type !== 'regular') ctx.refuse('SNAPSHOT_NOT_REGULAR', { action });
  if (snapshot.snapshot_status !== 'ok') {
    ctx.refuse('IMAGE_OF_BUSY_SNAPSHOT', { action, status: snapshot.snapshot_status });
  }
  const disk = ctx.tx.get('disk', String(sent['id'] ?? '')) ?? {};
  const stored = ctx.tx.list('disk_snapshot', { where: { snapshot_id: id } });
  const image = stored.find((one) => one.disk?.id === disk.id);
  const names = disk.alias ?? String(sent['id'] ?? '');
  if (!image) ctx.refuse('DISK_NOT_IN_SNAPSHOT', { action, names });
  if (image.status === 'illegal') ctx.refuse('DISK_IS_ILLEGAL', { action, type, names });
  return disk;
}

/** Refuses if one of these images is attached to another VM. */
export function requireNotAttached(
  ctx: RuleContext,
  images: readonly Image[],
  action: string,
  type: string,
): void {
  const found = images.flatMap((image) => {
    const attachments = ctx.tx.list('disk_attachment', {
      where: { disk_id: image.disk?.id ?? '' },
    });
    return attachments
      .filter((one) => image.snapshot?.id && getAttachedSnapshot(one) === image.snapshot.id)
      .map(({ vm }) => {
        const snapshot = ctx.tx.get('snapshot', image.snapshot?.id ?? '')?.description ?? '';
        return `${image.alias}/${snapshot}/${ctx.tx.get('vm', vm?.id ?? '')?.name}`;
      });
  });
  if (found.length === 0) return;
  ctx.refuse('DISK_SNAPSHOT_ATTACHED', { action, type, names: found.join(', ') });
}
