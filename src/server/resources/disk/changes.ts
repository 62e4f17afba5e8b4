/** What changes in a disk through its attachment: its names, its size, who may share it. */
import type { Resource } from '../../../model/resource.ts';
import { changedMembers } from '../../api/changed-members.ts';
import type { RuleContext } from '../../core/context.ts';
import { checkName, resolveReferences } from '../../core/input.ts';
import { requireState } from '../../core/transitions.ts';
import type { StoredObject } from '../../store/document.ts';
import { extendDisk } from './actions.ts';
import { forgetChanges } from './dirty-bitmaps.ts';
import { diskWords, domainOf, hasSnapshots, settleOwners, vmsOf } from './disk.ts';

type Disk = Resource<'disk'>;

/** Members that are taken over as they were sent. */
const plain = [
  'description',
  'comment',
  'wipe_after_delete',
  'propagate_errors',
  'backup',
  'shareable',
  'sgio',
  'qcow_version',
] as const;

/** Changes the members of a disk that were sent and differ; the size only grows. */
export function changeDisk(ctx: RuleContext, disk: Disk, all: Disk): void {
  const sent: Disk = changedMembers('disk', all, disk);
  if (Object.keys(sent).length === 0) return;
  const changed: Disk = { ...disk };
  const alias = sent.alias ?? sent.name;
  if (alias !== undefined) {
    Object.assign(changed, { alias, name: alias });
    const place = { kind: 'disk', type: 'disk', collection: '/disks' } as const;
    checkName(ctx.tx, place, changed, 'edit');
  }
  for (const name of plain) {
    if (sent[name] !== undefined) Object.assign(changed, { [name]: sent[name] });
  }
  if (sent.shareable !== undefined && sent.shareable !== (disk.shareable ?? false)) {
    checkSharing(ctx, disk, sent.shareable);
  }
  if (sent.qcow_version !== undefined && disk.format !== 'cow') {
    ctx.refuse('DISK_RAW_HAS_NO_VERSION', { action: 'edit' });
  }
  if (sent.backup === 'incremental' && disk.format !== 'cow') {
    ctx.refuse('DISK_FORMAT_UNSUPPORTED', {
      action: 'edit',
      format: disk.format,
      allocation: disk.sparse ? 'sparse' : 'preallocated',
    });
  }
  if (sent.backup === 'none') forgetChanges(ctx, disk.id ?? '');
  changeOwners(ctx, changed, sent);
  const size = sent.provisioned_size;
  if (disk.storage_type !== 'lun' && size !== undefined && size !== disk.provisioned_size) {
    requireState(ctx, 'disk', disk, 'extend', diskWords(disk));
    extendDisk(ctx, changed, size);
    return;
  }
  ctx.tx.update('disk', changed);
  ctx.event('DISK_UPDATED', {}, { DiskAlias: changed.alias });
}

function changeOwners(ctx: RuleContext, disk: Disk, sent: Disk): void {
  const owners: StoredObject = {};
  if (sent.quota) owners['quota'] = { id: sent.quota.id, name: sent.quota.name };
  if (sent.disk_profile) owners['disk_profile'] = { ...sent.disk_profile };
  if (Object.keys(owners).length === 0) return;
  resolveReferences(ctx.tx, 'disk', owners);
  const before = disk.quota?.id;
  Object.assign(disk, owners);
  const domain = domainOf(ctx, disk);
  if (!domain) return;
  // What it takes is charged to a new quota only.
  const size = disk.quota?.id === before ? 0 : disk.provisioned_size;
  settleOwners(ctx, { ...disk, provisioned_size: size ?? 0 }, domain, 'edit');
}

function checkSharing(ctx: RuleContext, disk: Disk, shared: boolean): void {
  if (shared) {
    if (disk.format === 'cow') ctx.refuse('DISK_NOT_SHAREABLE', { action: 'edit' });
    if (hasSnapshots(ctx, disk))
      ctx.refuse('DISK_WITH_SNAPSHOTS_NOT_SHAREABLE', { action: 'edit' });
  } else if (vmsOf(ctx, disk).length > 1) {
    ctx.refuse('DISK_IS_SHARED', { action: 'edit' });
  }
}
