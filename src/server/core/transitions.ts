/**
 * Engine of the lifecycle tables: takes an object from state to state, at once or in persisted steps.
 */

import type { EventName } from '../../model/events.ts';
import type { FaultKey } from '../../model/faults.ts';
import type { Lifecycle, Move } from '../../model/lifecycle.ts';
import { type KindName, readJson, type StoredObject, valueAt } from '../store/kinds.ts';
import type { NamedObject } from '../store/stored-members.ts';
import type { Task } from '../store/task-list.ts';
import type { Transaction } from '../store/transaction.ts';
import { nameable } from '../store/visible-kinds.ts';
import { behaviorOf } from './behavior.ts';
import { type Caller, RuleContext } from './context.ts';
import { defineWork, type TaskSubject } from './declared-tasks.ts';
import { failureCause } from './failure-cause.ts';
import { type MessageParams, typeLabel } from './fault.ts';
import { abortJobs } from './jobs.ts';
import { isNameable } from './named-objects.ts';
import type { Site } from './ports.ts';
import { reportGivenUp } from './task-attempts.ts';
import { beginWork } from './tasks.ts';
import type {
  ImageCopy,
  Packing,
  TransitionOf,
  TransitionRun,
  TransitionStart,
} from './transition-handlers.ts';

/** Name of the tasks that carry a move on. */
export const moveTask = 'move';

interface PersistedRun extends TransitionRun {
  /** Number of the stage that the object is in. */
  readonly stage: number;
  readonly caller: Caller;
  readonly correlationId?: string;
  readonly job?: string;
}

/** Copies images, and packs what is to be packed. */
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

/** The copying that the end of a transition waits for. */
const copying = 'copy images';
export const copyImagesWork = defineWork<NotedCopying>(copying, {
  run(site, noted) {
    return copyImages(site, noted.copies, packingOf(runOf(noted)));
  },
  isCheap: (noted) =>
    !packingOf(runOf(noted)) && noted.copies.every(({ shared }) => shared?.way === 'release'),
  done(ctx, data) {
    const run = runOf(data);
    const object = waiting(ctx, data);
    const lifecycle = lifecycleOf(ctx, run.kind);
    if (object) arrive(ctx, run, object, moveOf(lifecycle, run.operation), lifecycle);
  },
  failed(ctx, data, error) {
    const object = waiting(ctx, data);
    if (object) fail(ctx, runOf(data), object, error);
  },
  subject: (ctx, data) => subjectOf(ctx, runOf(data)),
});

/** Puts an object whose move has failed into the state that follows. */
function fail(ctx: RuleContext, run: TransitionRun, object: StoredObject, error: Error): void {
  ctx.cause = failureCause(error);
  const failed = behaviorOf(ctx, run.kind)?.transitions?.onCopyFailure?.[run.operation];
  const { attribute, settled, failed: states = [] } = lifecycleOf(ctx, run.kind);
  const left = failed
    ? failed(ctx, object, run, error)
    : { ...object, [attribute]: run.before ?? states[0] ?? settled[0] };
  const event = moveOf(lifecycleOf(ctx, run.kind), run.operation).events?.fail;
  if (event) report(ctx, run, object, event);
  if (left) ctx.tx.update(run.kind, left, run.collection);
}

function subjectOf(ctx: RuleContext, run: TransitionRun): TaskSubject {
  const object: StoredObject = ctx.tx.get(run.kind, run.id, run.collection) ?? {};
  const name = String(object['name'] ?? object['alias'] ?? object['description'] ?? run.id);
  const type = lifecycleOf(ctx, run.kind).type;
  return { task: actionWord(run.operation), type, name, objects: namedAbove(run, object) };
}

/** The object of a run, or what it belongs to: the part that rules of visibility know. */
function namedAbove({ kind, id, collection }: TransitionRun, object: StoredObject): NamedObject[] {
  if (isNameable(kind)) return [{ kind, id }];
  const disk = valueAt(object, ['disk', 'id']);
  if (typeof disk === 'string') return [{ kind: 'disk', id: disk }];
  const [, owner = '', ownerId = ''] = /^\/(\w+)s\/([^/]+)\//.exec(collection) ?? [];
  const above = nameable.find((name) => name.replace('_', '') === owner);
  return above ? [{ kind: above, id: ownerId }] : [];
}

function packingOf({ data }: TransitionRun): Packing | undefined {
  return data?.packing;
}

interface NotedCopying {
  readonly run?: TransitionRun;
  /** What stores that an earlier version wrote have instead of `run`. */
  readonly journey?: TransitionRun;
  /** State in which the object waits. */
  readonly state: string;
  readonly copies: readonly ImageCopy[];
}

function runOf({ run, journey }: NotedCopying): TransitionRun {
  const found = run ?? journey;
  if (!found) throw new Error('A copy was recorded without the transition that waits for it.');
  return found;
}

/** The object that waits for copying; undefined where it went another way meanwhile. */
function waiting(ctx: RuleContext, noted: NotedCopying): StoredObject | undefined {
  const { state } = noted;
  const run = runOf(noted);
  const object: StoredObject | undefined = ctx.tx.get(run.kind, run.id, run.collection);
  return object?.[lifecycleOf(ctx, run.kind).attribute] === state ? object : undefined;
}

function lifecycleOf(ctx: RuleContext, kind: KindName): Lifecycle {
  const found = behaviorOf(ctx, kind)?.lifecycle;
  if (!found) throw new Error(`Objects of kind ${kind} have no lifecycle.`);
  return found;
}

/** Refuses the operation unless the object is in a state from which it may begin. */
export function requireState<K extends KindName>(
  ctx: RuleContext,
  kind: K,
  object: StoredObject,
  operation: TransitionOf<K>,
  messageParams: MessageParams = {},
): void {
  const lifecycle = lifecycleOf(ctx, kind);
  const move = moveOf(lifecycle, operation);
  const state = String(object[lifecycle.attribute] ?? lifecycle.initial);
  if (move.from.includes(state)) return;
  const refusedBy: Readonly<Record<string, FaultKey | undefined>> = move.refusedBy;
  ctx.refuse(refusedBy[state] ?? move.refusedBy.otherwise, {
    action: actionWord(operation),
    type: typeLabel(lifecycle.type),
    status: state,
    allowed: move.from.join(', '),
    name: String(object['name'] ?? ''),
    names: String(object['name'] ?? object['id'] ?? ''),
    ...messageParams,
  });
}

/**
 * Begins a move: writes its first event, puts the object into the first state of its way, and
 * notes when it goes on. With speed 0 the whole way is gone at once. Whatever move the object was
 * on before ends here. Returns the object as it is now, undefined when it is gone.
 */
export function begin<K extends KindName>(
  ctx: RuleContext,
  start: TransitionStart<K>,
  object: StoredObject,
): StoredObject | undefined;
export function begin(
  ctx: RuleContext,
  { data, ...start }: TransitionStart,
  object: StoredObject,
): StoredObject | undefined {
  const { attribute, settled } = lifecycleOf(ctx, start.kind);
  const before = settled.find((state) => state === object[attribute]);
  const run: TransitionRun = {
    ...{ ...start, id: String(object['id'] ?? '') },
    ...(data ? { data } : {}),
    ...(before === undefined ? {} : { before }),
  };
  const move = moveOf(lifecycleOf(ctx, run.kind), run.operation);
  abortJobs(ctx, ctx.tx.tasks.removeOf(target(run)));
  if (move.events?.begin !== undefined) report(ctx, run, object, move.events.begin);
  return enter(ctx, run, object, 0);
}

/** Carries a move on when its task is due. An object that went another way meanwhile is left alone. */
export function proceed(tx: Transaction, site: Site, task: Task): RuleContext {
  const run = readJson<PersistedRun>(task.data);
  const ctx = new RuleContext(tx, site, run.caller, run.correlationId);
  ctx.job = run.job;
  const object: StoredObject | undefined = tx.get(run.kind, run.id, run.collection);
  if (!object) return ctx;
  const lifecycle = lifecycleOf(ctx, run.kind);
  const stage = moveOf(lifecycle, run.operation).via?.[run.stage];
  if (stage && object[lifecycle.attribute] !== stage[0]) return ctx;
  enter(ctx, run, object, run.stage + 1);
  return ctx;
}

/** Ends a move whose transaction throws each time: its object fails, as far as its lifecycle allows. */
export function giveUpMove(tx: Transaction, site: Site, task: Task): RuleContext {
  const run = readJson<PersistedRun>(task.data);
  const ctx = new RuleContext(tx, site, run.caller, run.correlationId);
  ctx.job = run.job;
  ctx.failed = true;
  const reason = 'its rule always reports an internal error';
  reportGivenUp(ctx, subjectOf(ctx, run), reason);
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
  const lifecycle = lifecycleOf(ctx, run.kind);
  const move = moveOf(lifecycle, run.operation);
  const stages = move.via ?? [];
  let current = object;
  for (const [stage, [state, milliseconds]] of stages.entries()) {
    if (stage < first || run.skip?.includes(state)) continue;
    current = { ...current, [lifecycle.attribute]: state };
    if (!ctx.firstStates.has(run.id)) ctx.firstStates.set(run.id, state);
    if (ctx.site.speed === 0) continue;
    ctx.tx.update(run.kind, current, run.collection);
    carryOn(ctx, run, stage, milliseconds * ctx.site.speed);
    return current;
  }
  const copies =
    behaviorOf(ctx, run.kind)?.transitions?.copies?.[run.operation]?.(ctx, current, run) ?? [];
  if (copies.length > 0 || packingOf(run)) {
    ctx.tx.update(run.kind, current, run.collection);
    const state = String(current[lifecycle.attribute]);
    beginWork(ctx, copying, target(run), { run, state, copies });
    return current;
  }
  return arrive(ctx, run, current, move, lifecycle);
}

/** Notes that the run goes on from a stage, in so many milliseconds. */
function carryOn(ctx: RuleContext, run: TransitionRun, stage: number, milliseconds: number): void {
  const { kind, collection, id, operation, data, skip, before, to } = run;
  const persisted: PersistedRun = {
    ...{ kind, collection, id, operation, stage, caller: ctx.caller },
    ...(data ? { data } : {}),
    ...(skip ? { skip } : {}),
    ...(to ? { to } : {}),
    ...(before === undefined ? {} : { before }),
    ...(ctx.correlationId ? { correlationId: ctx.correlationId } : {}),
    ...(ctx.job === undefined ? {} : { job: ctx.job }),
  };
  const due = ctx.steady + Math.round(milliseconds);
  ctx.tx.tasks.add(due, moveTask, target(run), persisted);
}

/** How often an object that cannot arrive yet looks again, in milliseconds. */
const patience = 1_000;

/**
 * For the end of a move that cannot be reached yet: the object stays in the last state of its way,
 * and tries again in a while. Its `arrived` returns what this returns.
 */
export function stay(ctx: RuleContext, run: TransitionRun, object: StoredObject): undefined {
  const lifecycle = lifecycleOf(ctx, run.kind);
  const stages = moveOf(lifecycle, run.operation).via ?? [];
  const stage = stages.length - 1;
  const current = { ...object, [lifecycle.attribute]: stages[stage]?.[0] };
  ctx.tx.update(run.kind, current, run.collection);
  carryOn(ctx, run, stage, Math.max(patience, patience * ctx.site.speed));
  return undefined;
}

function arrive(
  ctx: RuleContext,
  run: TransitionRun,
  object: StoredObject,
  move: Move,
  lifecycle: Lifecycle,
): StoredObject | undefined {
  const to = run.to ?? move.to;
  if (to !== undefined && lifecycle.failed?.includes(to)) ctx.failed = true;
  let current: StoredObject | undefined =
    to === undefined ? object : { ...object, [lifecycle.attribute]: to };
  const arrived = behaviorOf(ctx, run.kind)?.transitions?.onEnd?.[run.operation];
  if (move.events?.end !== undefined && to === undefined) {
    report(ctx, run, current, move.events.end);
  }
  if (arrived) current = arrived(ctx, current, run);
  if (current === undefined) return undefined;
  ctx.tx.update(run.kind, current, run.collection);
  // It came to nothing at the very end: whoever found that has told what there is to tell.
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
  const described = behaviorOf(ctx, run.kind)?.transitions?.describe(ctx, object, run);
  ctx.cause ??= run.data?.cause;
  ctx.event(event, described?.subjects, {
    ...described?.words,
    ...run.data?.words,
  });
}

function moveOf(lifecycle: Lifecycle, operation: string): Move {
  const move = lifecycle.moves[operation];
  if (!move) throw new Error(`The lifecycle of ${lifecycle.type} has no move ${operation}.`);
  return move;
}

function target(run: TransitionRun): string {
  return `${run.kind}:${run.collection}/${run.id}`;
}

const actionWords: Readonly<Record<string, string>> = {
  start: 'run',
  update: 'edit',
  deactivate: 'switch to maintenance',
  suspend: 'hibernate',
};

/** The word for an operation in the sentences of faults. */
export function actionWord(operation: string): string {
  return actionWords[operation] ?? operation.replaceAll('_', ' ');
}
