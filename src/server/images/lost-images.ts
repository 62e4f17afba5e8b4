/** Detection of missing and truncated image files at startup: their disks become illegal. */
import { RuleContext } from '../core/context.ts';
import type { Site } from '../core/ports.ts';
import { forgetChanges, recordUnknown } from '../inventory/dirty-bitmaps.ts';
import { endLostDownload } from '../resources/image-transfer/behavior.ts';
import type { Transfer } from '../resources/image-transfer/image.ts';
import type { ImageRecord } from '../store/image-list.ts';
import type { Store } from '../store/store.ts';
import type { DiskFiles } from './disk-files.ts';

/** Differences from the recorded state. */
export interface ImageFindings {
  readonly lost: readonly ImageRecord[];
  readonly found: readonly ImageRecord[];
}

/** Checks all expected files. */
export function findImages(store: Store, files: DiskFiles): ImageFindings {
  const lost: ImageRecord[] = [];
  const found: ImageRecord[] = [];
  for (const record of store.read((tx) => tx.images.needed())) {
    const whole = files.isWhole(record);
    if (whole && record.lost) found.push(record);
    if (!whole && !record.lost) lost.push(record);
  }
  return { lost, found };
}

/**
 * Makes disks with lost images illegal, and disks with recovered images usable. Writes an event for
 * each.
 */
export async function applyImageFindings(
  store: Store,
  site: Site,
  findings: ImageFindings,
): Promise<void> {
  if (findings.lost.length + findings.found.length === 0) return;
  const ctx = await store.write((tx) => {
    const context = RuleContext.system(tx, site);
    for (const { id } of findings.lost) {
      tx.images.setLost(id, true);
      markLost(context, id);
    }
    for (const { id } of findings.found) {
      tx.images.setLost(id, false);
      markFound(context, id);
    }
    return context;
  });
  for (const effect of ctx.afterCommit) await effect();
}

/** Ends all transfers after a restore: the backup may lack bytes that clients have sent. */
export async function endTransfers(store: Store, site: Site): Promise<void> {
  const ctx = await store.write((tx) => {
    const context = RuleContext.system(tx, site);
    const transfers: Transfer[] = tx.list('image_transfer');
    for (const transfer of transfers) {
      if (transfer.finished !== undefined) continue;
      // Bytes that arrived during the backup may be in the image but not in its dirty bitmap.
      if (transfer.direction !== 'download') forgetChanges(context, transfer.disk?.id ?? '');
      endLostDownload(context, transfer);
    }
    tx.statement("DELETE FROM meta WHERE key = 'restored'").run();
    return context;
  });
  for (const effect of ctx.afterCommit) await effect();
}

function markLost(ctx: RuleContext, id: string): void {
  // Without its dirty bitmap, the entire disk counts as changed; no data is lost.
  if (recordUnknown(ctx.tx, id)) {
    ctx.tx.images.emptied(id);
    return;
  }
  let isUploaded = false;
  const transfers: Transfer[] = ctx.tx.list('image_transfer');
  for (const transfer of transfers) {
    const its = [transfer.id, transfer.disk?.id, transfer.snapshot?.id, transfer.frozen];
    if (transfer.finished !== undefined || !its.includes(id)) continue;
    // An upload continues after its image is recovered; until then, its ticket cannot be opened.
    if (transfer.direction === 'download') endLostDownload(ctx, transfer);
    else isUploaded = true;
  }
  if (isUploaded) return;
  const disk = ctx.tx.get('disk', id);
  const image = disk ? undefined : ctx.tx.get('disk_snapshot', id);
  if (disk) ctx.tx.update('disk', { ...disk, status: 'illegal' });
  if (image) ctx.tx.update('disk_snapshot', { ...image, status: 'illegal' });
  const of = disk ?? ctx.tx.get('disk', image?.disk?.id ?? '');
  ctx.event('DISK_IMAGE_LOST', {}, { DiskAlias: of?.alias ?? id });
}

function markFound(ctx: RuleContext, id: string): void {
  const disk = ctx.tx.get('disk', id);
  const image = disk ? undefined : ctx.tx.get('disk_snapshot', id);
  if (disk?.status === 'illegal') ctx.tx.update('disk', { ...disk, status: 'ok' });
  if (image?.status === 'illegal') ctx.tx.update('disk_snapshot', { ...image, status: 'ok' });
  const of = disk ?? ctx.tx.get('disk', image?.disk?.id ?? '');
  ctx.event('DISK_IMAGE_FOUND', {}, { DiskAlias: of?.alias ?? id });
}
