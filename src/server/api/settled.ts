/** Whether what was asked for is done, for clients that wait for it. */

import type { RuleContext } from '../core/context.ts';
import { jobOf } from '../core/jobs.ts';
import type { StoredObject } from '../store/document.ts';
import { type Answer, type Call, placeIn, presentationOf, show } from './call.ts';

/**
 * The answer once the object of the call has come to rest, or undefined while it has not. An
 * object that ended in a failed state is answered as a failed action.
 */
export function settled(ctx: RuleContext, call: Call, result: Answer): Answer | undefined {
  const job = jobOf(ctx, jobIdOf(result));
  if (job?.status === 'started') return undefined;
  const failedJob = job?.status === 'failed' || job?.status === 'aborted';
  const place = placeIn(ctx, call);
  const lifecycle = ctx.behavior(place.kind)?.lifecycle;
  if (!lifecycle) return failedJob ? failedAction(result, 'The work failed.') : result;
  const id = result.form === 'object' ? String(result.object['id']) : (call.match.ids.at(-1) ?? '');
  const object = ctx.tx.get(place.kind, id, place.collection) as StoredObject | undefined;
  if (!object) return result;
  const state = String(object[lifecycle.attribute] ?? lifecycle.settled[0]);
  if (!lifecycle.settled.includes(state)) return undefined;
  if (result.form === 'object') {
    const shown = show(presentationOf(ctx, call), place, object);
    return { ...result, status: 201, object: shown };
  }
  const badly = lifecycle.failed?.includes(state) || failedJob;
  return badly ? failedAction(result, `The object is ${state}.`) : result;
}

function failedAction(result: Answer, detail: string): Answer {
  if (result.form !== 'action') return result;
  const fault = { reason: 'Operation Failed', detail: `[${detail}]` };
  return { ...result, action: { ...result.action, status: 'failed', fault } };
}

function jobIdOf(result: Answer): string {
  const job = result.form === 'action' ? (result.action['job'] as { id?: string }) : undefined;
  return job?.id ?? '';
}
