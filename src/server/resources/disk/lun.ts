/** Disks that are a logical unit of a storage network as a whole. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import { requireAll } from '../../core/input.ts';
import type { StoredObject } from '../../store/document.ts';
import { connect } from '../storage/connection.ts';
import { requireFree } from '../storage/domain-actions.ts';
import { presentUnit, sentUnits, unitsOf, unitUsers } from '../storage/logical-unit.ts';

type Disk = Resource<'disk'>;

/** Members that only images have. */
const ofImages = [
  'provisioned_size',
  'format',
  'sparse',
  'initial_size',
  'storage_domains',
  'image_id',
  'quota',
  'disk_profile',
  'backup',
];

/** Completes and checks a new disk on a logical unit. It has no status: the storage is there. */
export function prepareLogicalUnit(ctx: RuleContext, disk: Disk): void {
  const storage = disk.lun_storage ?? {};
  requireAll('Disk', ['lun_storage.type'], disk as StoredObject, 'add');
  const [unit, ...others] = unitsOf(storage);
  const members = storage.type === 'iscsi' ? ['address', 'target', 'port', 'id'] : ['id'];
  requireAll('LogicalUnit', members, unit ?? {}, 'add');
  if (others.length > 0) ctx.refuse('DISK_HAS_ONE_UNIT', { action: 'add' });
  const units = sentUnits([unit]);
  requireFree(ctx, units, 'add', 'Virtual Disk');
  for (const name of ofImages) delete (disk as StoredObject)[name];
  disk.storage_type = 'lun';
  disk.content_type ??= 'data';
  disk.sgio ??= 'disabled';
  const { type = 'iscsi' } = storage;
  disk.lun_storage = { type, logical_units: units };
  connect(ctx, disk.lun_storage);
}

/** The disk with what the storage says of its unit now. */
export function withUnit(ctx: RuleContext, disk: Disk): Disk {
  const users = unitUsers(ctx);
  const units = unitsOf(disk.lun_storage).map((unit) => presentUnit(unit, users));
  return { ...disk, lun_storage: { ...disk.lun_storage, logical_units: units } };
}
