/** Long-running tasks of Gluster volumes (rebalance, brick removal) and their progress. */

import { volumeTaskDuration } from '../../../model/resources/gluster-volume.ts';
import type { RuleContext } from '../../core/context.ts';
import { defineDeadline } from '../../core/declared-tasks.ts';
import { digestParts } from '../../core/random.ts';
import { cancelDeadline, scheduleDeadline } from '../../core/tasks.ts';
import type { StoredObject } from '../../store/kinds.ts';
import type { VolumeTask } from '../../store/stored-members.ts';
import type { ObjectOf } from '../../store/transaction.ts';

/** Types of the steps that move data of volumes. */
const moving = new Set(['rebalancing_volume', 'removing_bricks']);

/** Bytes of a file of a simulated volume. */
const fileSize = 4 * 2 ** 20;

/** Files and bytes that a step has moved, and its duration; undefined for other steps. */
export function readStepProgress(
  ctx: RuleContext,
  step: StoredObject,
): Readonly<Record<string, number | string>> | undefined {
  if (!moving.has(String(step['type']))) return undefined;
  const files = 500 + digestParts(String(step['id']), 'files').readUInt16LE(0);
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
  /** Ids of the bricks to empty. */
  readonly bricks?: readonly string[];
  /** Only the directory layout is recomputed; files are not moved. */
  readonly layoutOnly?: boolean;
}

/** Marks the step of a rebalance that moves no files. Responses do not contain it. */
const layoutOnlyMember = 'layout_only';

const deadline = 'gluster';

/** Type and description of the job step that does the work. */
const taskSteps = {
  rebalance: ['rebalancing_volume', 'Rebalancing'],
  remove_bricks: ['removing_bricks', 'Removing bricks from'],
} as const;

/** Path of the collection that contains a volume. */
export function formatVolumesPath(volume: Volume): string {
  return `/clusters/${volume.cluster?.id}/glustervolumes`;
}

/** The last task of a volume, until a client stops or commits it. */
export function getVolumeTask(volume: Volume): VolumeTask | undefined {
  return volume.task;
}

/** Writes an event about a volume. */
export function writeVolumeEvent(
  ctx: RuleContext,
  code: Parameters<RuleContext['event']>[0],
  volume: Volume,
  messageParams: Readonly<Record<string, string | number | undefined>> = {},
): void {
  const cluster = ctx.tx.get('cluster', volume.cluster?.id ?? '');
  ctx.event(code, { cluster, gluster_volume: volume }, messageParams);
}

/** Refuses while the volume has a running or uncommitted task. */
export function refuseBusy(ctx: RuleContext, volume: Volume, action: string, type: string): void {
  const task = getVolumeTask(volume);
  if (task && (task.status === 'started' || task.type === 'remove_bricks')) {
    ctx.refuse('VOLUME_IS_BUSY', { action, type });
  }
}

/** Starts a task. Its job lasts until the end of the task. */
export function beginTask(
  ctx: RuleContext,
  volume: Volume,
  type: VolumeTask['type'],
  { bricks = [], layoutOnly = false }: TaskOptions = {},
): void {
  const id = ctx.site.newId();
  storeTask(ctx, volume, { type, id, status: 'started', bricks });
  const [step, doing] = taskSteps[type];
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
  scheduleDeadline(ctx, deadline, target, volumeTaskDuration * ctx.site.speed, data, {
    ofJob: true,
  });
}

/** Removes the task of a volume and cancels it if it is running. */
export function dropTask(ctx: RuleContext, volume: Volume): Volume {
  cancelDeadline(ctx, deadline, volume.id ?? '');
  const { task: _gone, ...rest } = volume;
  ctx.tx.update('gluster_volume', rest, formatVolumesPath(volume));
  return rest;
}

function storeTask(ctx: RuleContext, volume: Volume, task: VolumeTask): void {
  const changed = { ...volume, ...{ task } };
  ctx.tx.update('gluster_volume', changed, formatVolumesPath(volume));
}

function endTask(ctx: RuleContext, id: string, taskId: string): void {
  const volume = ctx.tx.get('gluster_volume', id);
  const task = volume && getVolumeTask(volume);
  if (!volume || !task || task.id !== taskId) return;
  const messageParams = { TaskStatus: 'finished' };
  if (task.type === 'rebalance') {
    writeVolumeEvent(ctx, 'VOLUME_REBALANCE_ENDED', dropTask(ctx, volume), messageParams);
  } else {
    storeTask(ctx, volume, { ...task, status: 'finished' });
    writeVolumeEvent(ctx, 'BRICK_MIGRATION_ENDED', volume, messageParams);
  }
}

export const glusterTaskDeadline = defineDeadline(deadline, (ctx, { volume, task }) =>
  endTask(ctx, String(volume), String(task)),
);
