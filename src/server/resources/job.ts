/**
 * Behavior of jobs and steps: jobs of the service are read-only, external jobs are managed by
 * clients.
 */

import { jobSteps } from '../../model/derive/jobs.ts';
import type { Resource } from '../../model/resource.ts';
import { isRecord } from '../../records.ts';
import { defineBehavior } from '../core/behavior.ts';
import type { CollectionRef } from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import { refused } from '../core/fault.ts';
import { endJob, findJob, type JobStatus, jobCollection, type StoredJob } from '../core/jobs.ts';
import { pickDefined } from '../core/member-selection.ts';
import { namedId } from '../core/random.ts';

type Step = Resource<'step'>;

export const jobBehavior = defineBehavior('job', {
  beforeCreate(ctx, job, _place, sent) {
    Object.assign(job, {
      status: 'started',
      external: true,
      auto_cleared: sent['auto_cleared'] === true,
      start_time: ctx.timestamp,
      last_updated: ctx.timestamp,
      owner: { id: ctx.caller.userId },
      ...(ctx.correlationId ? { correlation_id: ctx.correlationId } : {}),
    });
  },

  afterCreate(ctx, { object }) {
    ctx.event('EXTERNAL_JOB_ADDED', {}, { Description: object.description });
  },

  actions: {
    end(ctx, { object }, body) {
      const job = requireExternal(ctx, String(object.id), 'end');
      const hasFailed = job.own_steps?.some(({ status }) => status === 'failed') === true;
      const status = body['succeeded'] === false || hasFailed ? 'failed' : 'finished';
      const steps = (job.own_steps ?? []).map((step) => endStep(ctx, step, status));
      ctx.tx.update('job', { ...job, own_steps: steps });
      endJob(ctx, job.id, status);
      return undefined;
    },
    clear(ctx, { object }) {
      const job = requireExternal(ctx, String(object.id), 'clear');
      // A running job is cleared after its end.
      if (job.status === 'started') ctx.tx.update('job', { ...job, auto_cleared: true });
      else ctx.tx.remove('job', job.id, jobCollection);
      return undefined;
    },
  },
});

export const stepBehavior = defineBehavior('step', {
  compute: (ctx, ref) => {
    const job = requireOwner(ctx, ref);
    if (!job.external) return computeSteps(job);
    // Steps without a parent come first.
    const steps = job.own_steps ?? [];
    const isTop = (step: Step) => step.parent_step === undefined;
    return [...steps.filter(isTop), ...steps.filter((step) => !isTop(step))];
  },

  attach(ctx, ref, sent) {
    const job = requireExternal(ctx, requireOwner(ctx, ref).id, 'add a step to');
    if (job.status !== 'started') ctx.refuse('JOB_HAS_ENDED', { action: 'add', type: 'Step' });
    const steps = job.own_steps ?? [];
    const parent = sent['parent_step'];
    if (parent?.id !== undefined && !steps.some(({ id }) => id === parent.id)) {
      ctx.refuse('STEP_NOT_OF_JOB', { action: 'add', step: parent.id });
    }
    const step: Step = pickDefined({
      id: ctx.site.newId(),
      description: sent['description'],
      type: sent['type'],
      parent_step: parent && pickDefined({ id: parent.id }),
      job: { id: job.id },
      number: steps.filter((one) => readId(one['parent_step']) === parent?.id).length,
      status: 'started',
      external: true,
      external_type: sent['external_type'] || undefined,
      start_time: ctx.timestamp,
    });
    storeSteps(ctx, job, [...steps, step]);
    return step;
  },

  actions: {
    end(ctx, { ref, object }, body) {
      const job = requireExternal(ctx, requireOwner(ctx, ref).id, 'end a step of');
      const step = object;
      const status = body['succeeded'] === false ? 'failed' : 'finished';
      const steps = job.own_steps ?? [];
      storeSteps(
        ctx,
        job,
        steps.map((one) => (one['id'] === step['id'] ? endStep(ctx, one, status) : one)),
      );
      return undefined;
    },
  },
});

function requireOwner(ctx: RuleContext, ref: CollectionRef): StoredJob {
  const job = ref.owner && findJob(ctx, ref.owner.id);
  if (!job) throw new Error('Steps belong to a job.');
  return job;
}

/** The job; refuses jobs of the service. */
function requireExternal(ctx: RuleContext, id: string, action: string): StoredJob {
  const stored = findJob(ctx, id);
  if (!stored?.external) throw refused('JOB_IS_NOT_EXTERNAL', { action });
  return stored;
}

function storeSteps(ctx: RuleContext, job: StoredJob, steps: readonly Step[]): void {
  ctx.tx.update('job', { ...job, own_steps: steps, last_updated: ctx.timestamp });
}

function endStep(ctx: RuleContext, step: Step, status: JobStatus): Step {
  if (step['status'] !== 'started') return step;
  return { ...step, status, end_time: ctx.timestamp };
}

/** Computes the steps of a job of the service from its progress. */
function computeSteps(job: StoredJob): Step[] {
  const over = job.status !== 'started';
  const defaults = jobSteps
    .filter((type) => type !== 'finalizing' || over)
    .map((type): Step => {
      const status = type === 'executing' ? job.status : 'finished';
      const end = type === 'validating' ? job['start_time'] : job['end_time'];
      return pickDefined({
        // Steps are not stored: their ids follow from that of the job.
        id: namedId(job.id, type),
        description: type === 'executing' ? job.description : capitalize(type),
        type,
        status,
        start_time: type === 'finalizing' ? job['end_time'] : job['start_time'],
        end_time: status === 'started' ? undefined : end,
      });
    });
  const own = (job.own_steps ?? []).map((step) => ({
    ...step,
    parent_step: { id: namedId(job.id, 'executing') },
    status: job.status,
    ...pickDefined({ start_time: job.start_time, end_time: over ? job.end_time : undefined }),
  }));
  // Additional steps follow their parent step.
  const [first, executing, ...rest] = defaults;
  return [first, executing, ...own, ...rest].map((step, number) => ({
    ...step,
    job: { id: job.id },
    number,
    external: false,
  }));
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function readId(reference: unknown): unknown {
  return isRecord(reference) ? reference['id'] : undefined;
}
