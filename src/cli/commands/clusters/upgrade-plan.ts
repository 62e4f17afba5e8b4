/** Which hosts of a cluster are upgraded, in which order, and why others are not. */
import type { ApiObject } from '../../../client/client.ts';

/** What becomes of a host. */
export interface PlannedHost {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly action: 'upgrade' | 'activate' | 'none' | 'refuse';
  readonly reason: string;
}

interface PlanRequest {
  /** Names and ids of hosts that are left alone. */
  readonly skipped: ReadonlySet<string>;
  /** Ids of hosts that an earlier run, which stopped, has begun with. */
  readonly begun: ReadonlySet<string>;
}

/** States that an upgrade may begin in beside those in which the host works. */
const stranded: ReadonlySet<string> = new Set(['install_failed', 'non_operational']);

/** The hosts in their order: by name, the one that manages the storage pool last. */
export function planOf(hosts: readonly ApiObject[], request: PlanRequest): readonly PlannedHost[] {
  return hosts
    .toSorted(
      (a, b) => Number(isManager(a)) - Number(isManager(b)) || (nameOf(a) < nameOf(b) ? -1 : 1),
    )
    .map((host) => {
      const status = String(host['status'] ?? 'unknown');
      const known = { id: String(host['id']), name: nameOf(host), status };
      return { ...known, ...decided(host, known, request) };
    });
}

function decided(
  host: ApiObject,
  { id, name, status }: Pick<PlannedHost, 'id' | 'name' | 'status'>,
  { skipped, begun }: PlanRequest,
): Pick<PlannedHost, 'action' | 'reason'> {
  if (skipped.has(id) || skipped.has(name)) return { action: 'none', reason: 'skipped' };
  const isBegun = begun.has(id);
  const isUpdatable = host['update_available'] === true;
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
  if (isBegun && stranded.has(status)) {
    return { action: 'upgrade', reason: 'started by an earlier run' };
  }
  return { action: 'refuse', reason: `its status is ${status}` };
}

function isManager(host: ApiObject): boolean {
  return (host['spm'] as ApiObject | undefined)?.['status'] === 'spm';
}

function nameOf(host: ApiObject): string {
  return String(host['name'] ?? host['id']);
}
