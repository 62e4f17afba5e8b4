/** Upgrade plan for the hosts of a cluster: order, actions and reasons. */
import type { Resource } from '../../../model/resource.ts';

/** Planned action for a host. */
export interface PlannedHost {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly action: 'upgrade' | 'activate' | 'none' | 'refuse';
  readonly reason: string;
}

interface PlanRequest {
  /** Names and ids of excluded hosts. */
  readonly skipped: ReadonlySet<string>;
  /** Ids of hosts that an interrupted run started to upgrade. */
  readonly begun: ReadonlySet<string>;
}

/** States other than `up` and `maintenance` from which a resumed upgrade can start. */
const resumableStates: ReadonlySet<string> = new Set(['install_failed', 'non_operational']);

/** Plans all hosts, sorted by name, with the storage pool manager last. */
export function planUpgrade(
  hosts: readonly Resource<'host'>[],
  request: PlanRequest,
): readonly PlannedHost[] {
  return hosts
    .toSorted(
      (a, b) =>
        Number(isPoolManager(a)) - Number(isPoolManager(b)) ||
        (getHostName(a) < getHostName(b) ? -1 : 1),
    )
    .map((host) => {
      const status = String(host.status ?? 'unknown');
      const known = { id: String(host.id), name: getHostName(host), status };
      return { ...known, ...decideAction(host, known, request) };
    });
}

function decideAction(
  host: Resource<'host'>,
  { id, name, status }: Pick<PlannedHost, 'id' | 'name' | 'status'>,
  { skipped, begun }: PlanRequest,
): Pick<PlannedHost, 'action' | 'reason'> {
  if (skipped.has(id) || skipped.has(name)) return { action: 'none', reason: 'skipped' };
  const isBegun = begun.has(id);
  const isUpdatable = host.update_available === true;
  if (status === 'up') {
    return isUpdatable
      ? { action: 'upgrade', reason: 'update available' }
      : { action: 'none', reason: 'no update available' };
  }
  if (status === 'maintenance') {
    if (isUpdatable) {
      return {
        action: 'upgrade',
        reason: isBegun ? 'started by an earlier run' : 'update available; stays in maintenance',
      };
    }
    return isBegun
      ? { action: 'activate', reason: 'upgraded by an earlier run' }
      : { action: 'none', reason: 'in maintenance, no update available' };
  }
  if (isBegun && resumableStates.has(status)) {
    return { action: 'upgrade', reason: 'started by an earlier run' };
  }
  return { action: 'refuse', reason: `its status is ${status}` };
}

function isPoolManager(host: Resource<'host'>): boolean {
  return host.spm?.status === 'spm';
}

function getHostName(host: Resource<'host'>): string {
  return String(host.name ?? host.id);
}
