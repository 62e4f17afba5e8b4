/**
 * How far an action or a creation is that was answered with 202: resources below the action and the
 * object, named by the job (specification 2.3).
 */

import type { Caller } from '../core/context.ts';
import { RuleContext } from '../core/context.ts';
import { type JobStatus, jobOf } from '../core/jobs.ts';
import type { ApiServer } from '../http/pipeline.ts';
import type { Answer } from './call.ts';
import type { ApiRequest } from './request.ts';
import { route } from './router.ts';
import { sightOf } from './visibility-filter.ts';

const progress: Readonly<Record<JobStatus, string>> = {
  started: 'in_progress',
  finished: 'complete',
  failed: 'failed',
  aborted: 'failed',
};

/** The state of what a path names; undefined where it names nothing of this sort. */
export function statusOf(
  server: ApiServer,
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
    const sight = sightOf(ctx, request, true);
    return sight?.sees('job', id) === false ? undefined : jobOf(ctx, id);
  });
  if (!job || job.external) return undefined;
  const status = progress[job.status];
  const state = {
    id,
    href: `${request.apiPath}/${request.segments.join('/')}`,
    status,
    ...(status === 'failed' ? { fault: { reason: 'Asynchronous task failed' } } : {}),
  };
  return { status: 200, form: creation ? 'creation' : 'action', action: state };
}
