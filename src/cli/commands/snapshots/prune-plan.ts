/** Which snapshots of a machine go, and why the others stay. */
import type { ApiObject } from '../../../client/client.ts';
import { matchesGlob } from '../../text/glob.ts';

/** What stays, as somebody has said it. */
export interface Retention {
  /** So many of the newest. */
  readonly keep?: number;
  /** Those that are younger, in milliseconds. */
  readonly olderThan?: number;
  /** A pattern: others are left alone. */
  readonly description?: string;
}

export interface PlannedSnapshot {
  readonly id: string;
  readonly description: string;
  readonly date: string | undefined;
  readonly action: 'delete' | 'keep';
  /** Why it is kept, or goes. */
  readonly reason: string;
}

/**
 * The snapshots, newest first, each with what becomes of it. `now` is the time of the service, in
 * milliseconds.
 */
export function planOf(
  snapshots: readonly ApiObject[],
  retention: Retention,
  now: number,
): readonly PlannedSnapshot[] {
  const sorted = snapshots.toSorted((a, b) => timeOf(b) - timeOf(a));
  let count = 0;
  return sorted.map((snapshot) => {
    const staying = inUse(snapshot) ?? undescribed(snapshot, retention);
    if (staying === undefined) count += 1;
    const reason = staying ?? retained(snapshot, retention, now, count);
    return {
      id: String(snapshot['id']),
      description: String(snapshot['description'] ?? ''),
      date: typeof snapshot['date'] === 'string' ? snapshot['date'] : undefined,
      action: reason === undefined ? 'delete' : 'keep',
      reason: reason ?? beyond(retention),
    };
  });
}

/** Without a date it is as old as can be, and never deleted. */
function timeOf(snapshot: ApiObject): number {
  const time = Date.parse(String(snapshot['date'] ?? ''));
  return Number.isNaN(time) ? 0 : time;
}

function inUse(snapshot: ApiObject): string | undefined {
  const type = snapshot['snapshot_type'] ?? 'regular';
  if (type !== 'regular') return `its type is ${String(type)}`;
  const status = snapshot['snapshot_status'] ?? 'ok';
  return status === 'ok' ? undefined : `its status is ${String(status)}`;
}

function undescribed(snapshot: ApiObject, { description }: Retention): string | undefined {
  if (description === undefined) return undefined;
  const text = String(snapshot['description'] ?? '');
  return matchesGlob(text, description) ? undefined : 'another description';
}

function retained(
  snapshot: ApiObject,
  { keep, olderThan }: Retention,
  now: number,
  count: number,
): string | undefined {
  if (keep !== undefined && count <= keep) return `one of the newest ${keep}`;
  if (olderThan === undefined) return undefined;
  const time = timeOf(snapshot);
  if (time === 0) return 'unknown age';
  return now - time <= olderThan ? 'too new' : undefined;
}

function beyond({ keep, olderThan }: Retention): string {
  const parts = [
    ...(keep === undefined ? [] : [`not among the newest ${keep}`]),
    ...(olderThan === undefined ? [] : ['old enough']),
  ];
  return parts.join(', ');
}
