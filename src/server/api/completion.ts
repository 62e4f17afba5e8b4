/** Completion of asynchronous requests, for clients that wait. */

import { isRecord } from '../../records.ts';
import { findBehavior } from '../core/behavior.ts';
import { type Caller, RuleContext } from '../core/context.ts';
import { isUuid } from '../core/input.ts';
import { findJob, type JobStatus } from '../core/jobs.ts';
import type { Site } from '../core/ports.ts';
import type { StoredObject } from '../store/kinds.ts';
import type { Store } from '../store/store.ts';
import { type Answer, type ApiCall, createPresentation, resolveCallCollection } from './call.ts';
import { type ApiRequest, route } from './request.ts';
import { show } from './show.ts';
import { createVisibilityFilter } from './visibility-filter.ts';

const progress: Readonly<Record<JobStatus, string>> = {
  started: 'in_progress',
  finished: 'complete',
  failed: 'failed',
  aborted: 'failed',
};

/** State of an asynchronous action or creation at a path; undefined for other paths. */
export function findCompletionStatus(
  server: { readonly store: Store; readonly site: Site },
  request: ApiRequest,
  caller: Caller,
): Answer | undefined {
  const id = request.segments.at(-1);
  const above = request.segments.slice(0, -1);
  if (request.method !== 'GET' || id === undefined) return undefined;
  const creation = above.at(-1) === 'creation_status';
  const action = !creation && route(above)?.operations.get('POST')?.isAction === true;
  if (!action && !(creation && route(above.slice(0, -1)))) return undefined;
  const job = server.store.read((tx) => {
    const ctx = new RuleContext(tx, server.site, caller);
    const filter = createVisibilityFilter(ctx, request, true);
    return filter?.sees('job', id) === false ? undefined : findJob(ctx, id);
  });
  // An engine responds to each id. Unknown ones are complete.
  const isComplete = server.site.dialect.engineAnswers && isUuid(id) && !job;
  if (!isComplete && (!job || job.external)) return undefined;
  const status = job ? progress[job.status] : 'complete';
  const state = {
    id,
    href: `${request.apiPath}/${request.segments.join('/')}`,
    status,
    ...(status === 'failed' ? { fault: { reason: 'Asynchronous task failed' } } : {}),
  };
  return { status: 200, form: creation ? 'creation' : 'action', action: state };
}

/**
 * Response after the object has settled; undefined before. For an object in a failure state, it is
 * a failed action.
 */
export function settled(ctx: RuleContext, call: ApiCall, result: Answer): Answer | undefined {
  const job = findJob(ctx, readJobId(result));
  if (job?.status === 'started') return undefined;
  const failedJob = job?.status === 'failed' || job?.status === 'aborted';
  const ref = resolveCallCollection(ctx, call);
  const lifecycle = findBehavior(ctx, ref.kind)?.lifecycle;
  if (!lifecycle) return failedJob ? failedAction(result, 'The work failed.') : result;
  const id = result.form === 'object' ? String(result.object['id']) : (call.match.ids.at(-1) ?? '');
  const object: StoredObject | undefined = ctx.tx.get(ref.kind, id, ref.collection);
  if (!object) return result;
  const state = String(object[lifecycle.attribute] ?? lifecycle.settled[0]);
  if (!lifecycle.settled.includes(state)) return undefined;
  if (result.form === 'object') {
    const shown = show(createPresentation(ctx, call), ref, object);
    return { ...result, status: 201, object: shown };
  }
  const badly = lifecycle.failed?.includes(state) || failedJob;
  return badly ? failedAction(result, `The object is ${state}.`) : result;
}

/** Ids of the objects whose changes can settle a call. */
export function settlingIds(call: ApiCall, result: Answer): string[] {
  const id = result.form === 'object' ? String(result.object['id']) : (call.match.ids.at(-1) ?? '');
  return [readJobId(result), id].filter((one) => one !== '');
}

function failedAction(result: Answer, detail: string): Answer {
  if (result.form !== 'action') return result;
  const fault = { reason: 'Operation Failed', detail: `[${detail}]` };
  return { ...result, action: { ...result.action, status: 'failed', fault } };
}

function readJobId(result: Answer): string {
  const job = result.form === 'action' ? result.action['job'] : undefined;
  return isRecord(job) ? String(job['id'] ?? '') : '';
}
