/**
 * Engine of the lifecycle tables: moves objects between states, immediately or in persisted steps.
 */

import type { EventName } from '../../model/events.ts';
import type { FaultKey } from '../../model/faults.ts';
import type { Lifecycle, Move } from '../../model/lifecycle.ts';
import { getValueAt, type KindName, readJson, type StoredObject } from '../store/kinds.ts';
import type { NamedObject } from '../store/stored-members.ts';
import type { Task } from '../store/task-list.ts';
import type { Transaction } from '../store/transaction.ts';
import { nameable } from '../store/visible-kinds.ts';
import { getActionLabel } from './action-label.ts';
import { findBehavior } from './behavior.ts';
import { type Caller, RuleContext } from './context.ts';
import { defineWork, type TaskSubject } from './declared-tasks.ts';
import { describeFailure } from './failure-cause.ts';
import { getTypeLabel, type MessageParams } from './fault.ts';
import { HypervisorError, powerWorkName, runningPartWorkName } from './hypervisor.ts';
import { abortJobs } from './jobs.ts';
import { isNameable } from './named-objects.ts';
import type { Site } from './ports.ts';
import { reportFailedTask } from './task-attempts.ts';
import { beginWork } from './tasks.ts';
import type {
  ImageCopy,
  Packing,
  TransitionOf,
  TransitionRun,
  TransitionStart,
} from './transition-handlers.ts';

/** Name of the tasks that continue a transition. */
export const transitionTask = 'move';

interface PersistedRun extends TransitionRun {
  /** Index of the current stage. */
  readonly stage: number;
  readonly caller: Caller;
  readonly correlationId?: string;
  readonly job?: string;
  /** Whether the transition fails when this step is due. */
  readonly isLimit?: boolean;
}

/** Copies images and then writes the archive. */
export async function copyImages(
  site: Site,
  copies: readonly ImageCopy[],
  packing: Packing | undefined,
): Promise<void> {
  const together = copies.filter((copy) => copy.together);
  if (together.length > 0) await site.images.copyTogether(together);
  for (const copy of copies) {
    if (copy.together) continue;
    const { from, to, form, length, archive, shared, check } = copy;
    if (check) {
      await site.images.check(from, check.size);
      continue;
    }
    if (shared) {
      const { domain, way } = shared;
      if (way === 'release') site.sharedStorage?.disclaim(domain);
      else await site.sharedStorage?.[way](domain, { id: to, length: length ?? 0 });
      continue;
    }
    if (archive && form) await site.hostArchives.unpack(archive, from, to, form);
    else await (form ? site.images.convert(from, to, form) : site.images.copy(from, to));
    if (length !== undefined) site.images.resize(to, length);
  }
  if (packing) await site.hostArchives.pack(packing.archive, packing.document, packing.disks);
}

/** Name of the work that copies images before the end of a transition. */
export const copying = 'copy images';
export const copyImagesWork = defineWork<NotedCopying>(copying, {
  run(site, noted) {
    return copyImages(site, noted.copies, getPacking(readRun(noted)));
  },
  isCheap: (noted) =>
    !getPacking(readRun(noted)) && noted.copies.every(({ shared }) => shared?.way === 'release'),
  done(ctx, data) {
    const run = readRun(data);
    const object = findInState(ctx, run, data.state);
    if (object) arrive(ctx, run, object);
  },
  failed(ctx, data, error) {
    const object = findInState(ctx, readRun(data), data.state);
    if (object) fail(ctx, readRun(data), object, error);
  },
  subject: (ctx, data) => describeSubject(ctx, readRun(data)),
});

/** Moves an object whose transition has failed to the resulting state. */
export function fail(
  ctx: RuleContext,
  run: TransitionRun,
  object: StoredObject,
  error: Error,
): void {
  ctx.cause = describeFailure(error);
  const failed = findBehavior(ctx, run.kind)?.transitions?.onCopyFailure?.[run.operation];
  const { attribute, settled, failed: states = [] } = requireLifecycle(ctx, run.kind);
  const left = failed
    ? failed(ctx, object, run, error)
    : { ...object, [attribute]: run.before ?? states[0] ?? settled[0] };
  const event = requireMove(requireLifecycle(ctx, run.kind), run.operation).events?.fail;
  if (event) report(ctx, run, object, event);
  if (left) ctx.tx.update(run.kind, left, run.collection);
}

export function describeSubject(ctx: RuleContext, run: TransitionRun): TaskSubject {
  const object: StoredObject = ctx.tx.get(run.kind, run.id, run.collection) ?? {};
  const name = String(object['name'] ?? object['alias'] ?? object['description'] ?? run.id);
  const type = requireLifecycle(ctx, run.kind).type;
  return { task: getActionLabel(run.operation), type, name, objects: findNamedObject(run, object) };
}

/** The object of a run or its owner: the nearest one with visibility rules. */
function findNamedObject(
  { kind, id, collection }: TransitionRun,
  object: StoredObject,
): NamedObject[] {
  if (isNameable(kind)) return [{ kind, id }];
  const disk = getValueAt(object, ['disk', 'id']);
  if (typeof disk === 'string') return [{ kind: 'disk', id: disk }];
  const [, owner = '', ownerId = ''] = /^\/(\w+)s\/([^/]+)\//.exec(collection) ?? [];
  const above = nameable.find((name) => name.replace('_', '') === owner);
  return above ? [{ kind: above, id: ownerId }] : [];
}

function getPacking({ data }: TransitionRun): Packing | undefined {
  return data?.packing;
}

interface NotedCopying {
  readonly run?: TransitionRun;
  /** Name of `run` in stores of an earlier version. */
  readonly journey?: TransitionRun;
  /** State of the object during the copy. */
  readonly state: string;
  readonly copies: readonly ImageCopy[];
}

function readRun({ run, journey }: NotedCopying): TransitionRun {
  const found = run ?? journey;
  if (!found) throw new Error('A copy was recorded without the transition that waits for it.');
  return found;
}

/** The object of a run; undefined if its state has changed since. */
export function findInState(
  ctx: RuleContext,
  run: TransitionRun,
  state: string,
): StoredObject | undefined {
  const object: StoredObject | undefined = ctx.tx.get(run.kind, run.id, run.collection);
  return object?.[requireLifecycle(ctx, run.kind).attribute] === state ? object : undefined;
}

function requireLifecycle(ctx: RuleContext, kind: KindName): Lifecycle {
  const found = findBehavior(ctx, kind)?.lifecycle;
  if (!found) throw new Error(`Objects of kind ${kind} have no lifecycle.`);
  return found;
}

/** Refuses the operation unless the object is in a state that permits it. */
export function requireState<K extends KindName>(
  ctx: RuleContext,
  kind: K,
  object: StoredObject,
  operation: TransitionOf<K>,
  messageParams: MessageParams = {},
): void {
  const lifecycle = requireLifecycle(ctx, kind);
  const move = requireMove(lifecycle, operation);
  const state = String(object[lifecycle.attribute] ?? lifecycle.initial);
  if (move.from.includes(state)) return;
  const refusedBy: Readonly<Record<string, FaultKey | undefined>> = move.refusedBy;
  ctx.refuse(refusedBy[state] ?? move.refusedBy.otherwise, {
    action: getActionLabel(operation),
    type: getTypeLabel(lifecycle.type),
    status: state,
    allowed: move.from.join(', '),
    name: String(object['name'] ?? ''),
    names: String(object['name'] ?? object['id'] ?? ''),
    ...messageParams,
  });
}

/**
 * Starts a transition: writes its first event, sets the first state, and schedules the next step.
 * With speed 0, the transition completes immediately. Cancels any other transition of the object.
 * Returns the current object, or undefined if it was deleted.
 */
export function beginTransition<K extends KindName>(
  ctx: RuleContext,
  start: TransitionStart<K>,
  object: StoredObject,
): StoredObject | undefined;
export function beginTransition(
  ctx: RuleContext,
  { data, ...start }: TransitionStart,
  object: StoredObject,
): StoredObject | undefined {
  const { attribute, settled } = requireLifecycle(ctx, start.kind);
  const before = settled.find((state) => state === object[attribute]);
  const run: TransitionRun = {
    ...{ ...start, id: String(object['id'] ?? '') },
    ...(data ? { data } : {}),
    ...(before === undefined ? {} : { before }),
  };
  const move = requireMove(requireLifecycle(ctx, run.kind), run.operation);
  abortJobs(ctx, ctx.tx.tasks.removeByTarget(formatTarget(run)));
  if (move.events?.begin !== undefined) report(ctx, run, object, move.events.begin);
  return enter(ctx, run, object, 0);
}

/** Continues a transition when its task is due. Ignores an object whose state has changed since. */
export function continueTransition(tx: Transaction, site: Site, task: Task): RuleContext {
  const run = readJson<PersistedRun>(task.data);
  const ctx = new RuleContext(tx, site, run.caller, run.correlationId);
  ctx.job = run.job;
  const object: StoredObject | undefined = tx.get(run.kind, run.id, run.collection);
  if (!object) return ctx;
  const lifecycle = requireLifecycle(ctx, run.kind);
  const stage = requireMove(lifecycle, run.operation).via?.[run.stage];
  if (stage && object[lifecycle.attribute] !== stage[0]) return ctx;
  if (run.isLimit) {
    ctx.failed = true;
    fail(ctx, run, object, new HypervisorError('the guest did not respond in time'));
    return ctx;
  }
  enter(ctx, run, object, run.stage + 1);
  return ctx;
}

/**
 * Fails a transition whose transaction throws in every attempt: the object enters a failed state,
 * if its lifecycle has one.
 */
export function failTransition(tx: Transaction, site: Site, task: Task): RuleContext {
  const run = readJson<PersistedRun>(task.data);
  const ctx = new RuleContext(tx, site, run.caller, run.correlationId);
  ctx.job = run.job;
  ctx.failed = true;
  const reason = 'its rule always reports an internal error';
  reportFailedTask(ctx, describeSubject(ctx, run), reason);
  const object: StoredObject | undefined = tx.get(run.kind, run.id, run.collection);
  if (object) fail(ctx, run, object, new Error(reason));
  return ctx;
}

function enter(
  ctx: RuleContext,
  run: TransitionRun,
  object: StoredObject,
  first: number,
): StoredObject | undefined {
  const lifecycle = requireLifecycle(ctx, run.kind);
  const move = requireMove(lifecycle, run.operation);
  const stages = move.via ?? [];
  const handlers = findBehavior(ctx, run.kind)?.transitions;
  const power = ctx.site.hypervisor && handlers?.power?.[run.operation];
  const part = ctx.site.hypervisor && handlers?.devices?.[run.operation]?.(ctx, object, run);
  let current = object;
  for (const [stage, [state, milliseconds]] of stages.entries()) {
    if (stage < first || run.skip?.includes(state)) continue;
    current = { ...current, [lifecycle.attribute]: state };
    if (!ctx.firstStates.has(run.id)) ctx.firstStates.set(run.id, state);
    if (ctx.site.speed === 0 || power || part) continue;
    ctx.tx.update(run.kind, current, run.collection);
    scheduleStep(ctx, run, stage, milliseconds * ctx.site.speed);
    return current;
  }
  if (power || part) {
    ctx.tx.update(run.kind, current, run.collection);
    const state = String(current[lifecycle.attribute]);
    const noted = { run, state, ...(power ? { change: power(ctx, current, run) } : { part }) };
    beginWork(ctx, power ? powerWorkName : runningPartWorkName, formatTarget(run), noted);
    return current;
  }
  const copies = handlers?.copies?.[run.operation]?.(ctx, current, run) ?? [];
  if (copies.length > 0 || getPacking(run)) {
    ctx.tx.update(run.kind, current, run.collection);
    const state = String(current[lifecycle.attribute]);
    beginWork(ctx, copying, formatTarget(run), { run, state, copies });
    return current;
  }
  return arrive(ctx, run, current);
}

/** Schedules the next step of a run after `milliseconds`. */
function scheduleStep(
  ctx: RuleContext,
  run: TransitionRun,
  stage: number,
  milliseconds: number,
  limit: { readonly isLimit?: true } = {},
): void {
  const { kind, collection, id, operation, data, skip, before, to } = run;
  const persisted: PersistedRun = {
    ...{ kind, collection, id, operation, stage, caller: ctx.caller, ...limit },
    ...(data ? { data } : {}),
    ...(skip ? { skip } : {}),
    ...(to ? { to } : {}),
    ...(before === undefined ? {} : { before }),
    ...(ctx.correlationId ? { correlationId: ctx.correlationId } : {}),
    ...(ctx.job === undefined ? {} : { job: ctx.job }),
  };
  const due = ctx.steady + Math.round(milliseconds);
  ctx.tx.tasks.add(due, transitionTask, formatTarget(run), persisted);
}

/** Fails a transition after `milliseconds`, unless an event ends it before. */
export function limitTransition(ctx: RuleContext, run: TransitionRun, milliseconds: number): void {
  const stages = requireMove(requireLifecycle(ctx, run.kind), run.operation).via ?? [];
  scheduleStep(ctx, run, stages.length - 1, milliseconds, { isLimit: true });
}

/** Ends a transition after an event outside of the server. Its pending tasks are removed. */
export function endTransition(ctx: RuleContext, run: TransitionRun, object: StoredObject): void {
  const [job] = ctx.tx.tasks.removeByTarget(formatTarget(run));
  ctx.job ??= job;
  arrive(ctx, run, object);
}

/** Milliseconds until the retry of a transition that cannot end yet. */
const retryMs = 1_000;

/**
 * For a transition that cannot end yet: the object remains in the last intermediate state, and the
 * transition retries later. Its `onEnd` handler returns this result.
 */
export function postponeEnd(ctx: RuleContext, run: TransitionRun, object: StoredObject): undefined {
  const lifecycle = requireLifecycle(ctx, run.kind);
  const stages = requireMove(lifecycle, run.operation).via ?? [];
  const stage = stages.length - 1;
  const current = { ...object, [lifecycle.attribute]: stages[stage]?.[0] };
  ctx.tx.update(run.kind, current, run.collection);
  scheduleStep(ctx, run, stage, Math.max(retryMs, retryMs * ctx.site.speed));
  return undefined;
}

function arrive(
  ctx: RuleContext,
  run: TransitionRun,
  object: StoredObject,
): StoredObject | undefined {
  const lifecycle = requireLifecycle(ctx, run.kind);
  const move = requireMove(lifecycle, run.operation);
  const to = run.to ?? move.to;
  if (to !== undefined && lifecycle.failed?.includes(to)) ctx.failed = true;
  let current: StoredObject | undefined =
    to === undefined ? object : { ...object, [lifecycle.attribute]: to };
  const arrived = findBehavior(ctx, run.kind)?.transitions?.onEnd?.[run.operation];
  if (move.events?.end !== undefined && to === undefined) {
    report(ctx, run, current, move.events.end);
  }
  if (arrived) current = arrived(ctx, current, run);
  if (current === undefined) return undefined;
  ctx.tx.update(run.kind, current, run.collection);
  // The handler at the end has failed the object and written the event.
  if (endsBadly(lifecycle, current) && to !== undefined && !lifecycle.failed?.includes(to)) {
    ctx.failed = true;
    return current;
  }
  if (move.events?.end !== undefined && to !== undefined) {
    report(ctx, run, current, move.events.end);
  }
  return current;
}

function endsBadly(lifecycle: Lifecycle, object: StoredObject): boolean {
  return lifecycle.failed?.includes(String(object[lifecycle.attribute])) ?? false;
}

function report(
  ctx: RuleContext,
  run: TransitionRun,
  object: StoredObject,
  event: EventName,
): void {
  const described = findBehavior(ctx, run.kind)?.transitions?.describe(ctx, object, run);
  ctx.cause ??= run.data?.cause;
  ctx.event(event, described?.subjects, {
    ...described?.words,
    ...run.data?.words,
  });
}

function requireMove(lifecycle: Lifecycle, operation: string): Move {
  const move = lifecycle.moves[operation];
  if (!move) throw new Error(`The lifecycle of ${lifecycle.type} has no move ${operation}.`);
  return move;
}

/** Target of the tasks of a run. */
export const formatTarget = ({ kind, collection, id }: TransitionRun): string =>
  `${kind}:${collection}/${id}`;
