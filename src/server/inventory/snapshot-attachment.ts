/**
 * Disks of snapshots that are attached to a second machine, as backup tools do it that read inside of
 * a machine of their own. The attachment has the id of the disk, and shows what the snapshot keeps of it.
 */
import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from '../core/context.ts';
import type { StoredObject } from '../store/kinds.ts';
import type { ObjectOf } from '../store/transaction.ts';

type Attachment = ObjectOf<'disk_attachment'>;
type Disk = Resource<'disk'>;
type Image = Resource<'disk_snapshot'>;

/** The snapshot whose disk an attachment is of; none where it is of the disk itself. */
export function snapshotOf(attachment: Attachment): string | undefined {
  return attachment.snapshot?.id;
}

/** The attachment with a note of the snapshot whose disk it is of. */
export function withSnapshot(attachment: Attachment, snapshot: string): Attachment {
  return { ...attachment, snapshot: { id: snapshot } };
}

/** The disk that is to be attached as a snapshot keeps it. Refuses where it does not keep it, or not yet. */
export function diskInSnapshot(ctx: RuleContext, sent: StoredObject, id: string): Disk {
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

/** Refuses while one of these images is attached to another machine. */
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
      .filter((one) => image.snapshot?.id && snapshotOf(one) === image.snapshot.id)
      .map(({ vm }) => {
        const snapshot = ctx.tx.get('snapshot', image.snapshot?.id ?? '')?.description ?? '';
        return `${image.alias}/${snapshot}/${ctx.tx.get('vm', vm?.id ?? '')?.name}`;
      });
  });
  if (found.length === 0) return;
  ctx.refuse('DISK_SNAPSHOT_ATTACHED', { action, type, names: found.join(', ') });
}
