/** Storage that a host can reach: iSCSI discovery and targets, logical units. */
import type { ActionBody, Resource } from '../../../model/resource.ts';
import { type Action, defineBehavior } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { digestParts } from '../../core/random.ts';
import { requireState } from '../../core/transitions.ts';
import { listAttachedDomains } from '../../inventory/data-center.ts';
import {
  addUnitState,
  completeUnit,
  type LogicalUnit,
  listLogicalUnits,
  listUnitUsers,
} from '../../inventory/logical-unit.ts';
import { findHostDataCenter } from '../../inventory/storage-pool-manager.ts';
import type { StoredObject } from '../../store/kinds.ts';
import type { IscsiTarget } from '../../store/stored-members.ts';
import type { ObjectOf } from '../../store/transaction.ts';
import { listRemovedDomains } from '../storage/domain-actions.ts';
import { getSentObject } from './checks.ts';

/** A target of an iSCSI server. */
type Target = IscsiTarget;

const iscsiPort = 3260;

/** Targets of a simulated iSCSI server: two, named after its address. */
function listTargets(address: string, port: number = iscsiPort): Target[] {
  const name = address.toLowerCase().replaceAll(':', '-');
  return [1, 2].map((number) => ({
    address,
    port,
    target: `iqn.2026-01.example.vmctl:${name}.target${number}`,
  }));
}

/** Ids of the logical units of a target, or of the Fibre Channel fabric. */
function listUnitIds(target: string): string[] {
  return [0, 1].map((number) =>
    `36${digestParts(target, 'lun', String(number)).toString('hex')}`.slice(0, 33),
  );
}

/** Name of the Fibre Channel fabric. */
const fabric = 'fibre channel';

/** Address of a logical unit of a target. */
export function describePath({ address, port, target }: Target): StoredObject {
  return { address, port, target, portal: `${address}:${port},1` };
}

/** Whether a storage domain is on one of the targets, or without targets on Fibre Channel. */
function isOnTargets(
  domain: Resource<'storage_domain'>,
  targets: readonly Target[] | undefined,
): boolean {
  if (!targets) return domain.storage?.type === 'fcp';
  const units = new Set(targets.flatMap(({ target }) => listUnitIds(target)));
  return listLogicalUnits(domain.storage).some(
    ({ id, address, target }) =>
      units.has(id ?? '') ||
      targets.some((one) => one.address === address && (!target || one.target === target)),
  );
}

type Host = ObjectOf<'host'>;
type HostStorage = Resource<'host_storage'>;

/** The targets with a session of the host. */
function listSessions(host: Host): readonly Target[] {
  return host.iscsi_logins ?? [];
}

function requireUp(ctx: RuleContext, host: Host, action: string): void {
  requireState(ctx, 'host', host, 'discover', { action });
}

function readServer(body: ActionBody): { address: string; port: number } {
  const { address, port } = getSentObject(body, 'iscsi');
  return { address: String(address), port: typeof port === 'number' ? port : iscsiPort };
}

function discover(ctx: RuleContext, host: Host, body: ActionBody): Target[] {
  requireUp(ctx, host, 'discover targets with');
  const { address, port } = readServer(body);
  return listTargets(address, port);
}

export const storageActions = {
  iscsi_discover(ctx, { object }, body) {
    const found = discover(ctx, object, body);
    return {
      iscsi_targets: found.map(({ target }) => target),
      discovered_targets: found.map(describePath),
    };
  },

  discover_iscsi: (ctx, { object }, body) => ({
    discovered_targets: discover(ctx, object, body).map(describePath),
  }),

  iscsi_login(ctx, { object }, body) {
    requireUp(ctx, object, 'log in with');
    const { address, port } = readServer(body);
    const wanted = String(getSentObject(body, 'iscsi')['target']);
    // Every target exists, even if no discovery has returned it.
    const target = { address, port, target: wanted };
    const known = listSessions(object).filter((one) => one.target !== target.target);
    ctx.tx.update('host', { ...object, iscsi_logins: [...known, target] });
    return undefined;
  },

  unregistered_storage_domains_discover(ctx, { object }, body) {
    requireUp(ctx, object, 'discover storage domains with');
    const { address } = getSentObject(body, 'iscsi');
    const targets = address === undefined ? undefined : listRequestedTargets(body);
    const found = listRemovedDomains(ctx).filter((domain) => isOnTargets(domain, targets));
    return {
      storage_domains: found.map(({ id, name, type, storage, storage_format: format }) => ({
        ...{ id, name, type, storage },
        ...(format ? { storage_format: format } : {}),
      })),
    };
  },
} satisfies Readonly<Record<string, Action<'host'>>>;

/** The targets to discover: all of the server, or the requested one. */
function listRequestedTargets(body: ActionBody): Target[] {
  const { address, port } = readServer(body);
  const { target } = getSentObject(body, 'iscsi');
  return target === undefined
    ? listTargets(address, port)
    : [{ address, port, target: String(target) }];
}

export const hostStorageBehavior = defineBehavior('host_storage', {
  compute(ctx, ref) {
    const host = ctx.tx.get('host', ref.owner?.id ?? '');
    if (!host) return [];
    const users = listUnitUsers(ctx);
    const show = (unit: LogicalUnit, type: 'fcp' | 'iscsi'): HostStorage => {
      const { status, ...shown } = addUnitState(completeUnit(unit.id ?? '', unit), users);
      const requested = ctx.parameters.flag('report_status') !== false;
      return {
        id: unit.id ?? '',
        type,
        host: { id: host.id ?? '' },
        logical_units: [requested ? { ...shown, status: status ?? 'free' } : shown],
      };
    };
    const found = new Map<string, HostStorage>();
    for (const id of listUnitIds(fabric)) found.set(id, show({ id }, 'fcp'));
    for (const target of listSessions(host)) {
      for (const id of listUnitIds(target.target)) {
        found.set(id, show({ id, ...describePath(target) }, 'iscsi'));
      }
    }
    for (const { type, units } of listConnectedUnits(ctx, host)) {
      for (const unit of units) {
        if (unit.id && !found.has(unit.id)) found.set(unit.id, show(unit, type));
      }
    }
    return [...found.values()];
  },
});

/** Logical units of the storage domains that a host is connected to. */
function listConnectedUnits(
  ctx: RuleContext,
  host: Host,
): { type: 'fcp' | 'iscsi'; units: readonly LogicalUnit[] }[] {
  return listAttachedDomains(ctx, findHostDataCenter(ctx, host)?.id ?? '').flatMap(({ id }) => {
    const storage = ctx.tx.get('storage_domain', id ?? '')?.storage;
    const type = storage?.type;
    return type === 'iscsi' || type === 'fcp' ? [{ type, units: listLogicalUnits(storage) }] : [];
  });
}
