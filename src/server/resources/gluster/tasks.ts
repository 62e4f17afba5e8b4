/** Long-running tasks of Gluster volumes (rebalance, brick removal) and their progress. */

import { volumeTaskDuration } from '../../../model/resources/gluster-volume.ts';
import type { RuleContext } from '../../core/context.ts';
import { defineDeadline } from '../../core/declared-tasks.ts';
import { digestOf } from '../../core/random.ts';
import { cancelDue, dueIn } from '../../core/tasks.ts';
import type { StoredObject } from '../../store/kinds.ts';
import type { VolumeTask } from '../../store/stored-members.ts';
import type { ObjectOf } from '../../store/transaction.ts';

/** Types of the steps that move data of volumes. */
const moving = new Set(['rebalancing_volume', 'removing_bricks']);

/** Bytes of a file of a simulated volume. */
const fileSize = 4 * 2 ** 20;

/** Files and bytes that a step has moved, and how long it took; undefined for other steps. */
export function progressOf(
  ctx: RuleContext,
  step: StoredObject,
): Readonly<Record<string, number | string>> | undefined {
  if (!moving.has(String(step['type']))) return undefined;
  const files = 500 + digestOf(String(step['id']), 'files').readUInt16LE(0);
  const began = Date.parse(String(step['start_time']));
  const ended = step['end_time'] ? Date.parse(String(step['end_time'])) : ctx.now.getTime();
  const whole = Math.max(1, volumeTaskDuration * ctx.site.speed);
  const share = step['status'] === 'finished' ? 1 : Math.min(1, (ended - began) / whole);
  const moved = step[layoutOnlyMember] === true ? 0 : Math.floor(files * share);
  return {
    'files.moved': moved,
    'size.moved': moved * fileSize,
    'files.scanned': Math.min(files, Math.floor(2 * files * share)),
    'files.failed': 0,
    'files.skipped': 0,
    'run.time': Math.max(0, ended - began) / 1000,
    status: step['status'] === 'started' ? 'migrating' : 'completed',
  };
}

type Volume = ObjectOf<'gluster_volume'>;

interface TaskOptions {
  /** Ids of the bricks that are emptied. */
  readonly bricks?: readonly string[];
  /** Directories are spread anew, files stay where they are. */
  readonly layoutOnly?: boolean;
}

/** Marks the step of a rebalance that moves no files; it does not show. */
const layoutOnlyMember = 'layout_only';

const deadline = 'gluster';

/** The step of a job that does the work, and what it is called. */
const stepOf = {
  rebalance: ['rebalancing_volume', 'Rebalancing'],
  remove_bricks: ['removing_bricks', 'Removing bricks from'],
} as const;

/** Path of the collection that holds a volume. */
export function volumesOf(volume: Volume): string {
  return `/clusters/${volume.cluster?.id}/glustervolumes`;
}

/** The work of a volume that was started last, and neither stopped nor taken account of. */
export function taskOf(volume: Volume): VolumeTask | undefined {
  return volume.task;
}

/** Events about a volume. */
export function tell(
  ctx: RuleContext,
  code: Parameters<RuleContext['event']>[0],
  volume: Volume,
  messageParams: Readonly<Record<string, string | number | undefined>> = {},
): void {
  const cluster = ctx.tx.get('cluster', volume.cluster?.id ?? '');
  ctx.event(code, { cluster, gluster_volume: volume }, messageParams);
}

/** Refuses while the volume works on something, or has finished what was not taken account of. */
export function refuseBusy(ctx: RuleContext, volume: Volume, action: string, type: string): void {
  const task = taskOf(volume);
  if (task && (task.status === 'started' || task.type === 'remove_bricks')) {
    ctx.refuse('VOLUME_IS_BUSY', { action, type });
  }
}

/** Begins work; its job lasts until it is done. */
export function beginTask(
  ctx: RuleContext,
  volume: Volume,
  type: VolumeTask['type'],
  { bricks = [], layoutOnly = false }: TaskOptions = {},
): void {
  const id = ctx.site.newId();
  keepTask(ctx, volume, { type, id, status: 'started', bricks });
  const [step, doing] = stepOf[type];
  ctx.steps.push({
    id,
    type: step,
    description: `${doing} Gluster Volume ${volume.name}`,
    external_type: 'gluster',
    ...(layoutOnly ? { [layoutOnlyMember]: true } : {}),
  });
  if (ctx.site.speed === 0) {
    endTask(ctx, volume.id ?? '', id);
    return;
  }
  const target = volume.id ?? '';
  const data = { volume: target, task: id };
  dueIn(ctx, deadline, target, volumeTaskDuration * ctx.site.speed, data, { ofJob: true });
}

/** Forgets the work of a volume; what is under way ends here. */
export function dropTask(ctx: RuleContext, volume: Volume): Volume {
  cancelDue(ctx, deadline, volume.id ?? '');
  const { task: _gone, ...rest } = volume;
  ctx.tx.update('gluster_volume', rest, volumesOf(volume));
  return rest;
}

function keepTask(ctx: RuleContext, volume: Volume, task: VolumeTask): void {
  const changed = { ...volume, ...{ task } };
  ctx.tx.update('gluster_volume', changed, volumesOf(volume));
}

function endTask(ctx: RuleContext, id: string, taskId: string): void {
  const volume = ctx.tx.get('gluster_volume', id);
  const task = volume && taskOf(volume);
  if (!volume || !task || task.id !== taskId) return;
  const messageParams = { TaskStatus: 'finished' };
  if (task.type === 'rebalance') {
    tell(ctx, 'VOLUME_REBALANCE_ENDED', dropTask(ctx, volume), messageParams);
  } else {
    keepTask(ctx, volume, { ...task, status: 'finished' });
    tell(ctx, 'BRICK_MIGRATION_ENDED', volume, messageParams);
  }
}

export const glusterTaskDeadline = defineDeadline(deadline, (ctx, { volume, task }) =>
  endTask(ctx, String(volume), String(task)),
);
