/** Retention plan for the snapshots of a VM: deletions and reasons. */
import type { Resource } from '../../../model/resource.ts';
import { matchesGlob } from '../../text/glob.ts';

/** Retention rules. */
export interface Retention {
  /** Number of newest snapshots to keep. */
  readonly keep?: number;
  /** Minimum age of deleted snapshots in milliseconds. */
  readonly olderThan?: number;
  /** Pattern of the description. The plan keeps other snapshots. */
  readonly description?: string;
}

export interface PlannedSnapshot {
  readonly id: string;
  readonly description: string;
  readonly date: string | undefined;
  readonly action: 'delete' | 'keep';
  readonly reason: string;
}

/**
 * Plans the action for each snapshot, newest first. `now` is the time of the service in
 * milliseconds.
 */
export function planPruning(
  snapshots: readonly Resource<'snapshot'>[],
  retention: Retention,
  now: number,
): readonly PlannedSnapshot[] {
  const sorted = snapshots.toSorted((a, b) => getTime(b) - getTime(a));
  let count = 0;
  return sorted.map((snapshot) => {
    const staying = findUseReason(snapshot) ?? findDescriptionReason(snapshot, retention);
    if (staying === undefined) count += 1;
    const reason = staying ?? findRetentionReason(snapshot, retention, now, count);
    return {
      id: String(snapshot.id),
      description: String(snapshot.description ?? ''),
      date: snapshot.date,
      action: reason === undefined ? 'delete' : 'keep',
      reason: reason ?? formatDeletionReason(retention),
    };
  });
}

/** Returns the time in milliseconds; 0 for an unknown date, which prevents deletion by age. */
function getTime(snapshot: Resource<'snapshot'>): number {
  const time = Date.parse(String(snapshot.date ?? ''));
  return Number.isNaN(time) ? 0 : time;
}

function findUseReason(snapshot: Resource<'snapshot'>): string | undefined {
  const type = snapshot.snapshot_type ?? 'regular';
  if (type !== 'regular') return `its type is ${String(type)}`;
  const status = snapshot.snapshot_status ?? 'ok';
  return status === 'ok' ? undefined : `its status is ${String(status)}`;
}

function findDescriptionReason(
  snapshot: Resource<'snapshot'>,
  { description }: Retention,
): string | undefined {
  if (description === undefined) return undefined;
  const text = String(snapshot.description ?? '');
  return matchesGlob(text, description) ? undefined : 'another description';
}

function findRetentionReason(
  snapshot: Resource<'snapshot'>,
  { keep, olderThan }: Retention,
  now: number,
  count: number,
): string | undefined {
  if (keep !== undefined && count <= keep) return `one of the newest ${keep}`;
  if (olderThan === undefined) return undefined;
  const time = getTime(snapshot);
  if (time === 0) return 'unknown age';
  return now - time <= olderThan ? 'too new' : undefined;
}

function formatDeletionReason({ keep, olderThan }: Retention): string {
  const parts = [
    ...(keep === undefined ? [] : [`not among the newest ${keep}`]),
    ...(olderThan === undefined ? [] : ['old enough']),
  ];
  return parts.join(', ');
}
