/**
 * Logical units of the simulated storage network. Every id is a valid unit: size and serial number
 * derive from the id. Storage domains and disks determine its user.
 */
import { createHash } from 'node:crypto';
import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from '../core/context.ts';
import type { StoredObject } from '../store/kinds.ts';

const gibibyte = 2 ** 30;

type HostStorage = NonNullable<Resource<'storage_domain'>['storage']>;
export type LogicalUnit = NonNullable<HostStorage['logical_units']>[number];

/** A logical unit with all its properties. `sent` contains its address. */
export function completeUnit(id: string, sent: LogicalUnit = {}): LogicalUnit {
  const hash = createHash('md5').update(id).digest();
  return {
    ...sent,
    id,
    size: (50 + 50 * ((hash[0] ?? 0) % 4)) * gibibyte,
    serial: `SLIO-ORG_${hash.toString('hex').slice(0, 24)}`,
    vendor_id: 'LIO-ORG',
    product_id: `disk${(hash[1] ?? 0) % 16}`,
    lun_mapping: (hash[1] ?? 0) % 16,
    paths: 1,
    active_paths: 1,
    discard_max_size: 4 * 2 ** 20,
    discard_zeroes_data: false,
    status: 'free',
  };
}

/** The storage domain or disk that uses a logical unit. */
export interface UnitUser {
  readonly kind: 'storage_domain' | 'disk';
  readonly id: string;
  readonly name: string;
  /** Id of its volume group. */
  readonly volumeGroup?: string;
}

/** Users of logical units, by unit id. */
export function listUnitUsers(ctx: RuleContext): ReadonlyMap<string, UnitUser> {
  const users = new Map<string, UnitUser>();
  for (const domain of ctx.tx.list('storage_domain')) {
    const group = domain.storage?.volume_group;
    for (const unit of listLogicalUnits(domain.storage)) {
      users.set(unit.id ?? '', {
        kind: 'storage_domain',
        id: domain.id ?? '',
        name: domain.name ?? '',
        ...(group?.id ? { volumeGroup: group.id } : {}),
      });
    }
  }
  for (const disk of ctx.tx.list('disk', { where: { storage_type: 'lun' } })) {
    for (const unit of listLogicalUnits(disk.lun_storage)) {
      users.set(unit.id ?? '', {
        kind: 'disk',
        id: disk.id ?? '',
        name: disk.alias ?? disk.name ?? '',
      });
    }
  }
  return users;
}

/** A logical unit with its current status and user. */
export function addUnitState(unit: LogicalUnit, users: ReadonlyMap<string, UnitUser>): LogicalUnit {
  const user = users.get(unit.id ?? '');
  if (!user) return { ...unit, status: 'free' };
  return {
    ...unit,
    status: 'used',
    ...(user.kind === 'disk' ? { disk_id: user.id } : { storage_domain_id: user.id }),
    ...(user.volumeGroup ? { volume_group_id: user.volumeGroup } : {}),
  };
}

/** Logical units of a storage, in either notation. */
export function listLogicalUnits(storage: HostStorage | undefined): readonly LogicalUnit[] {
  return storage?.volume_group?.logical_units ?? storage?.logical_units ?? [];
}

/** Completes the logical units in a request. Omits those without an id. */
export function readSentUnits(units: unknown): LogicalUnit[] {
  if (!Array.isArray(units)) return [];
  return units.flatMap((unit: StoredObject) =>
    typeof unit['id'] === 'string' && unit['id'] !== '' ? [completeUnit(unit['id'], unit)] : [],
  );
}

/** Total size of logical units in bytes. */
export function sumUnitSizes(units: readonly LogicalUnit[]): number {
  return units.reduce((sum, { size }) => sum + Number(size ?? 0), 0);
}

/** Refuses units that a domain or disk uses. */
export function requireFree(
  ctx: RuleContext,
  units: readonly LogicalUnit[],
  action: string,
  type = 'Storage',
): void {
  const users = listUnitUsers(ctx);
  const taken = units.filter(({ id }) => users.has(id ?? ''));
  if (taken.length === 0) return;
  ctx.refuse('UNITS_IN_USE', {
    action,
    type,
    units: taken.map(({ id = '' }) => `${id} (${users.get(id)?.name})`).join(', '),
  });
}
