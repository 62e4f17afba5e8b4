/** How far the work on a Gluster volume is: what the step of its job measures. */
import { volumeTaskDuration } from '../../../model/resources/gluster-volume.ts';
import type { RuleContext } from '../../core/context.ts';
import { digestOf } from '../../core/digest.ts';
import type { StoredObject } from '../../store/document.ts';
import { layoutOnlyMember } from './tasks.ts';

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
