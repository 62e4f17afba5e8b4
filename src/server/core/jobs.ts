/**
 * Jobs of requests. Each operation that the model lists opens one. The job ends
 * with the last transition or work that the request began.
 */

import { jobDescriptions } from '../../model/derive/jobs.ts';
import { placements } from '../../model/derive/placements.ts';
import type { EnumValue } from '../../model/enums.ts';
import type { Operation } from '../../model/index.ts';
import type { KindName, StoredObject } from '../store/kinds.ts';
import type { Store } from '../store/store.ts';
import type { NamedObject } from '../store/stored-members.ts';
import type { ObjectOf } from '../store/transaction.ts';
import { type CollectionRef, getCollectionTemplate } from './collection-ref.ts';
import type { RuleContext } from './context.ts';
import { Refusal } from './fault.ts';
import { isNameable } from './named-objects.ts';

export type JobStatus = Exclude<EnumValue<'job_status'>, 'unknown'>;

/** A stored job, with members that clients do not see. */
export type StoredJob = ObjectOf<'job'> & { readonly id: string; readonly status: JobStatus };

function isStoredJob(job: ObjectOf<'job'>): job is StoredJob {
  return job.id !== undefined && job.status !== undefined && job.status !== 'unknown';
}

export const jobCollection = '/jobs';

/** Milliseconds for which jobs stay readable after success, and after failure. */
const keepFinished = 10 * 60_000;
const keepFailed = 60 * 60_000;

/**
 * Opens a job for the transitions and work of the request, or uses the external job that it names.
 */
export function openJob(ctx: RuleContext, operation: Operation): void {
  const named = ctx.parameters.text('JobId') ?? ctx.parameters.text('job_id');
  if (named !== undefined) {
    const job = findJob(ctx, named);
    if (!job?.external || job.status !== 'started') {
      const detail = `No external job ${named} is in progress.`;
      throw new Refusal(404, 'Not Found', detail);
    }
    ctx.externalJob = named;
  }
  if (describeJob(operation) !== undefined) ctx.job = ctx.site.newId();
}

/** The description of the job of an operation; undefined if it opens no job. */
function describeJob({ type, name, service }: Operation): string | undefined {
  const placement = placements[name === 'add' ? service : getCollectionTemplate(service)];
  // Lists of members and the networks of other objects: the operation leaves the object itself
  // unchanged.
  const attaches =
    placement?.is === 'members' || (placement?.is === 'computed' && type === 'network');
  return attaches ? undefined : jobDescriptions[type]?.[name];
}

/** Stores the job of the request after the operation has found its object. Returns its id. */
export function storeJob(
  ctx: RuleContext,
  operation: Operation,
  ref: CollectionRef,
  object: StoredObject,
): string | undefined {
  const description = describeJob(operation);
  if (ctx.job === undefined || description === undefined) return ctx.externalJob;
  const owner = ref.owner && ctx.tx.get(ref.owner.kind, ref.owner.id);
  const messageParams: Readonly<Record<string, unknown>> = {
    name: formatName(object),
    owner: owner ? formatName(owner) : '',
  };
  const underWay = ctx.tx.tasks.hasForJob(ctx.job);
  ctx.tx.insert('job', jobCollection, {
    id: ctx.job,
    description: description.replace(/\{(\w+)\}/g, (_, word: string) =>
      String(messageParams[word]),
    ),
    status: underWay ? 'started' : endStatus(ctx),
    external: false,
    auto_cleared: true,
    start_time: ctx.timestamp,
    last_updated: ctx.timestamp,
    ...(underWay ? {} : { end_time: ctx.timestamp, ended: ctx.steady }),
    ...(ctx.caller.userId ? { owner: { id: ctx.caller.userId } } : {}),
    ...(ctx.correlationId ? { correlation_id: ctx.correlationId } : {}),
    ...(ctx.steps.length > 0 ? { own_steps: ctx.steps } : {}),
    names: [
      ...namedAs(ref.kind, object['id']),
      ...(ref.owner ? namedAs(ref.owner.kind, ref.owner.id) : []),
    ],
  });
  return ctx.externalJob ?? ctx.job;
}

/** Stored with the job: only users who see these objects see the job. */
function namedAs(kind: KindName, id: unknown): NamedObject[] {
  return isNameable(kind) && typeof id === 'string' ? [{ kind, id }] : [];
}

function formatName(object: StoredObject): string {
  return String(object['name'] ?? object['alias'] ?? object['description'] ?? object['id'] ?? '');
}

function endStatus(ctx: RuleContext): JobStatus {
  return ctx.failed ? 'failed' : 'finished';
}

/** Ends the job of the context if none of its tasks is pending. */
export function settleJob(ctx: RuleContext): void {
  if (ctx.job !== undefined && !ctx.tx.tasks.hasForJob(ctx.job))
    endJob(ctx, ctx.job, endStatus(ctx));
}

/** Ends the jobs of cancelled transitions as aborted, if none of their other tasks is pending. */
export function abortJobs(ctx: RuleContext, jobs: readonly string[]): void {
  for (const id of jobs) {
    if (id !== ctx.job && !ctx.tx.tasks.hasForJob(id)) endJob(ctx, id, 'aborted');
  }
}

/** Ends a job, unless it has already ended. */
export function endJob(ctx: RuleContext, id: string, status: JobStatus): void {
  const job = findJob(ctx, id);
  if (job?.status !== 'started') return;
  ctx.tx.update('job', {
    ...job,
    status,
    end_time: ctx.timestamp,
    last_updated: ctx.timestamp,
    ended: ctx.steady,
  });
}

/** The stored job with this id; undefined after its retention time. */
export function findJob(ctx: RuleContext, id: string): StoredJob | undefined {
  const job = ctx.tx.get('job', id);
  return job && isStoredJob(job) ? job : undefined;
}

/**
 * Deletes ended jobs after their retention time (in service time), external ones only with
 * `auto_cleared`.
 */
export async function purgeJobs(store: Store, now: number): Promise<void> {
  const old = store
    .read((tx) => tx.list('job'))
    .filter(isStoredJob)
    .filter(({ status, ended, external, auto_cleared }) => {
      const keep = status === 'finished' ? keepFinished : keepFailed;
      return ended !== undefined && now - ended > keep && (!external || auto_cleared === true);
    });
  if (old.length === 0) return;
  await store.write((tx) => {
    for (const { id } of old) tx.remove('job', id, jobCollection);
  });
}
