/** Runs the lifecycle tables: moves an object from state to state, now or in persisted steps. */
import type { EventName } from '../../model/events.ts';
import type { FaultKey } from '../../model/faults.ts';
import type { Lifecycle, Move } from '../../model/notation/lifecycle.ts';
import type { Words } from '../fault.ts';
import {
  type Caller,
  type EventSubjects,
  type HostPath,
  type ImageForm,
  type PackedDisk,
  RuleContext,
  type Site,
} from '../rules/context.ts';
import { rulesOf } from '../rules/registry.ts';
import { typeWord } from '../rules/words.ts';
import type { StoredObject } from '../store/document.ts';
import type { KindName } from '../store/kinds.ts';
import type { Task } from '../store/task-list.ts';
import type { Transaction } from '../store/transaction.ts';
import { abortJobs } from './job.ts';
import { beginWork, registerWork } from './work.ts';

/** Name of the tasks that carry a move on. */
export const moveTask = 'move';

export interface Journey {
  readonly kind: KindName;
  readonly collection: string;
  readonly id: string;
  /** Name of the move in the lifecycle. */
  readonly operation: string;
  /** What the end of the move needs to know. */
  readonly data?: StoredObject;
  /** States of the way that are left out this time. */
  readonly skip?: readonly string[];
  /** State in which it comes to rest this time, instead of that of the table. */
  readonly to?: string;
}

interface PersistedJourney extends Journey {
  /** Number of the stage that the object is in. */
  readonly stage: number;
  readonly caller: Caller;
  readonly correlationId?: string;
  readonly job?: string;
}

/** Objects and words for the events of a move, taken from the object as it is then. */
export type Describe = (
  ctx: RuleContext,
  object: StoredObject,
  journey: Journey,
) => { subjects: EventSubjects; words?: Words };

/** Bytes of an image to be copied to another one; onto itself, its zeros become holes. */
export interface ImageCopy {
  readonly from: string;
  /** The archive that holds the bytes; `from` is the name of the file in it then. */
  readonly archive?: HostPath;
  readonly to: string;
  /** The domain on shared storage that it is brought to, or taken from; `from` and `to` are the same. */
  readonly shared?: { readonly domain: string; readonly way: 'bring' | 'take' };
  /** The form in which it is written, where it is another one. */
  readonly form?: ImageForm;
  /** Length of the file afterwards, in bytes, where it is not that of the first. */
  readonly length?: number;
}

/** An archive that is written once the copies are made. */
export interface Packing {
  readonly archive: HostPath;
  readonly document: string;
  readonly disks: readonly PackedDisk[];
}

/** Copies images, and packs what is to be packed. */
export async function copyImages(
  site: Site,
  copies: readonly ImageCopy[],
  packing: Packing | undefined,
): Promise<void> {
  for (const { from, to, form, length, archive, shared } of copies) {
    if (shared) {
      await site.sharedStorage?.[shared.way](shared.domain, { id: to, length: length ?? 0 });
      continue;
    }
    if (archive && form) await site.hostArchives.unpack(archive, from, to, form);
    else await (form ? site.images.convert(from, to, form) : site.images.copy(from, to));
    if (length !== undefined) site.images.resize(to, length);
  }
  if (packing) await site.hostArchives.pack(packing.archive, packing.document, packing.disks);
}

/** What a kind of object does at the end of its moves. */
export interface Arrivals {
  /** Subjects and words of its events. */
  readonly describe: Describe;
  /**
   * By move: runs when it has ended, in the transaction that ends it. Returns the object to be
   * stored, or undefined when the object is gone.
   */
  readonly arrived?: Readonly<
    Record<
      string,
      (ctx: RuleContext, object: StoredObject, journey: Journey) => StoredObject | undefined
    >
  >;
  /** By move: images whose bytes are copied before it ends; until then the last state stays. */
  readonly copies?: Readonly<
    Record<
      string,
      (ctx: RuleContext, object: StoredObject, journey: Journey) => readonly ImageCopy[]
    >
  >;
  /**
   * By move: follows copying that failed. Returns the object to be stored, or undefined when it is
   * gone. By default it goes into the first failed state of its lifecycle.
   */
  readonly failed?: Readonly<
    Record<
      string,
      (
        ctx: RuleContext,
        object: StoredObject,
        journey: Journey,
        error: Error,
      ) => StoredObject | undefined
    >
  >;
}

const arrivals = new Map<KindName, Arrivals>();

/** The copying that the end of a move waits for. */
const copying = 'copy images';
registerWork(copying, {
  run(site, data) {
    const { copies, journey } = data as unknown as NotedCopying;
    return copyImages(site, copies, packingOf(journey));
  },
  done(ctx, data) {
    const { journey } = data as unknown as NotedCopying;
    const object = waiting(ctx, data as unknown as NotedCopying);
    const lifecycle = lifecycleOf(journey.kind);
    if (object) arrive(ctx, journey, object, moveOf(lifecycle, journey.operation), lifecycle);
  },
  failed(ctx, data, error) {
    const { journey } = data as unknown as NotedCopying;
    const object = waiting(ctx, data as unknown as NotedCopying);
    if (!object) return;
    const failed = arrivals.get(journey.kind)?.failed?.[journey.operation];
    const { attribute, failed: states = [] } = lifecycleOf(journey.kind);
    const left = failed
      ? failed(ctx, object, journey, error)
      : { ...object, [attribute]: states[0] ?? object[attribute] };
    if (left) ctx.tx.update(journey.kind, left as never, journey.collection);
  },
});

function packingOf({ data }: Journey): Packing | undefined {
  return data?.['packing'] as Packing | undefined;
}

interface NotedCopying {
  readonly journey: Journey;
  /** State in which the object waits. */
  readonly state: string;
  readonly copies: readonly ImageCopy[];
}

/** The object that waits for copying; undefined where it went another way meanwhile. */
function waiting(ctx: RuleContext, { journey, state }: NotedCopying): StoredObject | undefined {
  const object = ctx.tx.get(journey.kind, journey.id, journey.collection) as
    | StoredObject
    | undefined;
  return object?.[lifecycleOf(journey.kind).attribute] === state ? object : undefined;
}

/** Says what a kind of object does at the end of its moves. */
export function onArrival(kind: KindName, what: Arrivals): void {
  arrivals.set(kind, what);
}

function lifecycleOf(kind: KindName): Lifecycle {
  const found = rulesOf(kind)?.lifecycle;
  if (!found) throw new Error(`Objects of kind ${kind} have no lifecycle.`);
  return found;
}

/** Refuses the operation unless the object is in a state from which it may begin. */
export function requireState(
  ctx: RuleContext,
  kind: KindName,
  object: StoredObject,
  operation: string,
  words: Words = {},
): void {
  const lifecycle = lifecycleOf(kind);
  const move = moveOf(lifecycle, operation);
  const state = String(object[lifecycle.attribute] ?? lifecycle.initial);
  if (move.from.includes(state)) return;
  const refusedBy: Readonly<Record<string, FaultKey | undefined>> = move.refusedBy;
  ctx.refuse(refusedBy[state] ?? move.refusedBy.otherwise, {
    action: actionWord(operation),
    type: typeWord(lifecycle.type),
    status: state,
    allowed: move.from.join(', '),
    name: String(object['name'] ?? ''),
    names: String(object['name'] ?? object['id'] ?? ''),
    ...words,
  });
}

/**
 * Begins a move: writes its first event, puts the object into the first state of its way, and
 * notes when it goes on. With speed 0 the whole way is gone at once. Whatever move the object was
 * on before ends here. Returns the object as it is now, undefined when it is gone.
 */
export function begin(
  ctx: RuleContext,
  journey: Journey,
  object: StoredObject,
): StoredObject | undefined {
  const move = moveOf(lifecycleOf(journey.kind), journey.operation);
  abortJobs(ctx, ctx.tx.tasks.removeOf(target(journey)));
  if (move.events?.begin !== undefined) report(ctx, journey, object, move.events.begin);
  return enter(ctx, journey, object, 0);
}

/** Carries a move on when its task is due. An object that went another way meanwhile is left alone. */
export function proceed(tx: Transaction, site: Site, task: Task): RuleContext {
  const journey = task.data as unknown as PersistedJourney;
  const ctx = new RuleContext(tx, site, journey.caller, journey.correlationId);
  ctx.job = journey.job;
  const object = tx.get(journey.kind, journey.id, journey.collection) as StoredObject | undefined;
  if (!object) return ctx;
  const lifecycle = lifecycleOf(journey.kind);
  const stage = moveOf(lifecycle, journey.operation).via?.[journey.stage];
  if (stage && object[lifecycle.attribute] !== stage[0]) return ctx;
  enter(ctx, journey, object, journey.stage + 1);
  return ctx;
}

function enter(
  ctx: RuleContext,
  journey: Journey,
  object: StoredObject,
  first: number,
): StoredObject | undefined {
  const lifecycle = lifecycleOf(journey.kind);
  const move = moveOf(lifecycle, journey.operation);
  const stages = move.via ?? [];
  let current = object;
  for (let stage = first; stage < stages.length; stage++) {
    const [state, milliseconds] = stages[stage] as readonly [string, number];
    if (journey.skip?.includes(state)) continue;
    current = { ...current, [lifecycle.attribute]: state };
    if (ctx.site.speed === 0) continue;
    ctx.tx.update(journey.kind, current as never, journey.collection);
    carryOn(ctx, journey, stage, milliseconds * ctx.site.speed);
    return current;
  }
  const copies =
    arrivals.get(journey.kind)?.copies?.[journey.operation]?.(ctx, current, journey) ?? [];
  if (copies.length > 0 || packingOf(journey)) {
    ctx.tx.update(journey.kind, current as never, journey.collection);
    const state = String(current[lifecycle.attribute]);
    beginWork(ctx, copying, target(journey), { journey, state, copies });
    return current;
  }
  return arrive(ctx, journey, current, move, lifecycle);
}

/** Notes that the journey goes on from a stage, in so many milliseconds. */
function carryOn(ctx: RuleContext, journey: Journey, stage: number, milliseconds: number): void {
  const { kind, collection, id, operation, data, skip, to } = journey;
  const persisted: PersistedJourney = {
    ...{ kind, collection, id, operation, stage, caller: ctx.caller },
    ...(data ? { data } : {}),
    ...(skip ? { skip } : {}),
    ...(to ? { to } : {}),
    ...(ctx.correlationId ? { correlationId: ctx.correlationId } : {}),
    ...(ctx.job === undefined ? {} : { job: ctx.job }),
  };
  const due = ctx.steady + Math.round(milliseconds);
  ctx.tx.tasks.add(due, moveTask, target(journey), persisted as unknown as StoredObject);
}

/** How often an object that cannot arrive yet looks again, in milliseconds. */
const patience = 1_000;

/**
 * For the end of a move that cannot be reached yet: the object stays in the last state of its way,
 * and tries again in a while. Its `arrived` returns what this returns.
 */
export function stay(ctx: RuleContext, journey: Journey, object: StoredObject): undefined {
  const lifecycle = lifecycleOf(journey.kind);
  const stages = moveOf(lifecycle, journey.operation).via ?? [];
  const stage = stages.length - 1;
  const current = { ...object, [lifecycle.attribute]: stages[stage]?.[0] };
  ctx.tx.update(journey.kind, current as never, journey.collection);
  carryOn(ctx, journey, stage, Math.max(patience, patience * ctx.site.speed));
  return undefined;
}

function arrive(
  ctx: RuleContext,
  journey: Journey,
  object: StoredObject,
  move: Move,
  lifecycle: Lifecycle,
): StoredObject | undefined {
  const to = journey.to ?? move.to;
  if (to !== undefined && lifecycle.failed?.includes(to)) ctx.failed = true;
  let current: StoredObject | undefined =
    to === undefined ? object : { ...object, [lifecycle.attribute]: to };
  const arrived = arrivals.get(journey.kind)?.arrived?.[journey.operation];
  if (move.events?.end !== undefined && to === undefined) {
    report(ctx, journey, current, move.events.end);
  }
  if (arrived) current = arrived(ctx, current, journey);
  if (current === undefined) return undefined;
  ctx.tx.update(journey.kind, current as never, journey.collection);
  // It came to nothing at the very end: whoever found that has told what there is to tell.
  if (endsBadly(lifecycle, current) && to !== undefined && !lifecycle.failed?.includes(to)) {
    ctx.failed = true;
    return current;
  }
  if (move.events?.end !== undefined && to !== undefined) {
    report(ctx, journey, current, move.events.end);
  }
  return current;
}

function endsBadly(lifecycle: Lifecycle, object: StoredObject): boolean {
  return lifecycle.failed?.includes(String(object[lifecycle.attribute])) ?? false;
}

function report(ctx: RuleContext, journey: Journey, object: StoredObject, event: EventName): void {
  const told = arrivals.get(journey.kind)?.describe(ctx, object, journey);
  ctx.event(event, told?.subjects, {
    ...told?.words,
    ...(journey.data?.['words'] as Words | undefined),
  });
}

function moveOf(lifecycle: Lifecycle, operation: string): Move {
  const move = lifecycle.moves[operation];
  if (!move) throw new Error(`The lifecycle of ${lifecycle.type} has no move ${operation}.`);
  return move;
}

function target(journey: Journey): string {
  return `${journey.kind}:${journey.collection}/${journey.id}`;
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
