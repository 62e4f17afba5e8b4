/** Storage that a host sees: iSCSI discovery and targets, logical units. */
import type { ActionBody, Resource } from '../../../model/resource.ts';
import { type Action, define } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { digestOf } from '../../core/random.ts';
import { requireState } from '../../core/transitions.ts';
import { domainsOf } from '../../inventory/data-center.ts';
import {
  type LogicalUnit,
  logicalUnit,
  presentUnit,
  unitsOf,
  unitUsers,
} from '../../inventory/logical-unit.ts';
import { dataCenterOfHost } from '../../inventory/storage-pool-manager.ts';
import type { StoredObject } from '../../store/kinds.ts';
import type { IscsiTarget } from '../../store/stored-members.ts';
import type { ObjectOf } from '../../store/transaction.ts';
import { forgottenDomains } from '../storage/domain-actions.ts';
import { sentObject } from './checks.ts';

/** A target of an iSCSI server. */
type Target = IscsiTarget;

const iscsiPort = 3260;

/** Targets that a simulated iSCSI server offers: two, named after its address. */
function targetsAt(address: string, port: number = iscsiPort): Target[] {
  const name = address.toLowerCase().replaceAll(':', '-');
  return [1, 2].map((number) => ({
    address,
    port,
    target: `iqn.2026-01.example.vmctl:${name}.target${number}`,
  }));
}

/** Ids of the logical units behind a target, or of those that Fibre Channel reaches. */
function unitsBehind(target: string): string[] {
  return [0, 1].map((number) =>
    `36${digestOf(target, 'lun', String(number)).toString('hex')}`.slice(0, 33),
  );
}

/** Where Fibre Channel leads. */
const fabric = 'fibre channel';

/** How a logical unit of a target is reached. */
export function reached({ address, port, target }: Target): StoredObject {
  return { address, port, target, portal: `${address}:${port},1` };
}

/** Whether a storage domain lies behind one of the targets; without targets, on Fibre Channel. */
function isBehind(
  domain: Resource<'storage_domain'>,
  targets: readonly Target[] | undefined,
): boolean {
  if (!targets) return domain.storage?.type === 'fcp';
  const units = new Set(targets.flatMap(({ target }) => unitsBehind(target)));
  return unitsOf(domain.storage).some(
    ({ id, address, target }) =>
      units.has(id ?? '') ||
      targets.some((one) => one.address === address && (!target || one.target === target)),
  );
}

type Host = ObjectOf<'host'>;
type HostStorage = Resource<'host_storage'>;

/** The targets that a host is signed in to. */
function logins(host: Host): readonly Target[] {
  return host.iscsi_logins ?? [];
}

function requireUp(ctx: RuleContext, host: Host, action: string): void {
  requireState(ctx, 'host', host, 'discover', { action });
}

function serverOf(body: ActionBody): { address: string; port: number } {
  const { address, port } = sentObject(body, 'iscsi');
  return { address: String(address), port: typeof port === 'number' ? port : iscsiPort };
}

function discover(ctx: RuleContext, host: Host, body: ActionBody): Target[] {
  requireUp(ctx, host, 'discover targets with');
  const { address, port } = serverOf(body);
  return targetsAt(address, port);
}

export const storageActions = {
  iscsi_discover(ctx, { object }, body) {
    const found = discover(ctx, object, body);
    return {
      iscsi_targets: found.map(({ target }) => target),
      discovered_targets: found.map(reached),
    };
  },

  discover_iscsi: (ctx, { object }, body) => ({
    discovered_targets: discover(ctx, object, body).map(reached),
  }),

  iscsi_login(ctx, { object }, body) {
    requireUp(ctx, object, 'log in with');
    const { address, port } = serverOf(body);
    const wanted = String(sentObject(body, 'iscsi')['target']);
    // Any target is there, also one that no discovery told of.
    const target = { address, port, target: wanted };
    const known = logins(object).filter((one) => one.target !== target.target);
    ctx.tx.update('host', { ...object, iscsi_logins: [...known, target] });
    return undefined;
  },

  unregistered_storage_domains_discover(ctx, { object }, body) {
    requireUp(ctx, object, 'discover storage domains with');
    const { address } = sentObject(body, 'iscsi');
    const targets = address === undefined ? undefined : searched(body);
    const found = forgottenDomains(ctx).filter((domain) => isBehind(domain, targets));
    return {
      storage_domains: found.map(({ id, name, type, storage, storage_format: format }) => ({
        ...{ id, name, type, storage },
        ...(format ? { storage_format: format } : {}),
      })),
    };
  },
} satisfies Readonly<Record<string, Action<'host'>>>;

/** The targets that a discovery looks at: all of the server, or the one that was named. */
function searched(body: ActionBody): Target[] {
  const { address, port } = serverOf(body);
  const { target } = sentObject(body, 'iscsi');
  return target === undefined
    ? targetsAt(address, port)
    : [{ address, port, target: String(target) }];
}

export const hostStorageBehavior = define('host_storage', {
  compute(ctx, ref) {
    const host = ctx.tx.get('host', ref.owner?.id ?? '');
    if (!host) return [];
    const users = unitUsers(ctx);
    const show = (unit: LogicalUnit, type: 'fcp' | 'iscsi'): HostStorage => {
      const { status, ...shown } = presentUnit(logicalUnit(unit.id ?? '', unit), users);
      const requested = ctx.parameters.flag('report_status') !== false;
      return {
        id: unit.id ?? '',
        type,
        host: { id: host.id ?? '' },
        logical_units: [requested ? { ...shown, status: status ?? 'free' } : shown],
      };
    };
    const found = new Map<string, HostStorage>();
    for (const id of unitsBehind(fabric)) found.set(id, show({ id }, 'fcp'));
    for (const target of logins(host)) {
      for (const id of unitsBehind(target.target)) {
        found.set(id, show({ id, ...reached(target) }, 'iscsi'));
      }
    }
    for (const { type, units } of connected(ctx, host)) {
      for (const unit of units) {
        if (unit.id && !found.has(unit.id)) found.set(unit.id, show(unit, type));
      }
    }
    return [...found.values()];
  },
});

/** Logical units of the storage domains that a host is connected to. */
function connected(
  ctx: RuleContext,
  host: Host,
): { type: 'fcp' | 'iscsi'; units: readonly LogicalUnit[] }[] {
  return domainsOf(ctx, dataCenterOfHost(ctx, host)?.id ?? '').flatMap(({ id }) => {
    const storage = ctx.tx.get('storage_domain', id ?? '')?.storage;
    const type = storage?.type;
    return type === 'iscsi' || type === 'fcp' ? [{ type, units: unitsOf(storage) }] : [];
  });
}
