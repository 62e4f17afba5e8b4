/** Storage that a host sees: discovery of iSCSI servers, their targets, logical units. */
import type { ActionBody, Resource } from '../../../model/resource.ts';
import { type Action, define } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { requireState } from '../../core/transitions.ts';
import type { StoredObject } from '../../store/document.ts';
import { domainsOf } from '../data-center/data-center.ts';
import {
  type LogicalUnit,
  logicalUnit,
  presentUnit,
  unitsOf,
  unitUsers,
} from '../storage/logical-unit.ts';
import { forgottenDomains } from '../storage/removal.ts';
import { sentObject } from './check.ts';
import {
  fabric,
  isBehind,
  iscsiPort,
  reached,
  type Target,
  targetsAt,
  unitsBehind,
} from './luns.ts';
import { dataCenterOf } from './spm.ts';

type Host = Resource<'host'>;
type HostStorage = Resource<'host_storage'>;

/** Hosts keep the targets that they are signed in to. */
const loginsOf = 'iscsi_logins';

function logins(host: Host): Target[] {
  return ((host as StoredObject)[loginsOf] as Target[] | undefined) ?? [];
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
    ctx.tx.update('host', { ...object, [loginsOf]: [...known, target] } as Host);
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

export const hostStorageRules = define('host_storage', {
  compute(ctx, place) {
    const host = ctx.tx.get('host', place.owner?.id ?? '');
    if (!host) return [];
    const users = unitUsers(ctx);
    const show = (unit: LogicalUnit, type: 'fcp' | 'iscsi'): HostStorage => {
      const { status, ...shown } = presentUnit(logicalUnit(unit.id ?? '', unit), users);
      const asked = ctx.parameters.flag('report_status') !== false;
      return {
        id: unit.id ?? '',
        type,
        host: { id: host.id ?? '' },
        logical_units: [asked ? { ...shown, status: status ?? 'free' } : shown],
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
  return domainsOf(ctx, dataCenterOf(ctx, host)?.id ?? '').flatMap(({ id }) => {
    const storage = ctx.tx.get('storage_domain', id ?? '')?.storage;
    const type = storage?.type;
    return type === 'iscsi' || type === 'fcp' ? [{ type, units: unitsOf(storage) }] : [];
  });
}
