/**
 * Dispatch of operations: the step from an operation of the model to the behavior that performs it.
 */
import type { FileAnswer } from '../../model/files.ts';
import { addressesObject, operationsOf } from '../../model/index.ts';
import { absentInNew, shownWhenSent, statesOfNew } from '../../model/shown-below.ts';
import { behaviorOf } from '../core/behavior.ts';
import { type CollectionRef, locationOf } from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import { refused } from '../core/fault.ts';
import { noteJob, openJob } from '../core/jobs.ts';
import { withMaskedSecrets } from '../core/masked-secrets.ts';
import type { StoredObject } from '../store/kinds.ts';
import type { Slices } from '../store/slices.ts';
import { leaseNames } from '../store/staged.ts';
import { act, actOnObject, jobMember } from './act.ts';
import {
  type Answer,
  type Call,
  collectionRefOf,
  permit,
  presentationOf,
  sentIn,
  targetIn,
} from './call.ts';
import { discreet } from './discreet-refusals.ts';
import {
  type Budget,
  budgetOfAnswer,
  type Following,
  follow,
  followingOf,
  isBounded,
  unlimited,
} from './follow.ts';
import * as generic from './generic.ts';
import { listOptions } from './list-options.ts';
import { actionsOf } from './object-links.ts';
import type { Presentation } from './presentation.ts';
import { booleanParameter, parametersOf } from './request.ts';
import { apiRoot } from './root.ts';
import { show } from './show.ts';
import { isFiltered, visibilityFilterOf } from './visibility-filter.ts';

/**
 * Performs an operation inside the transaction of the context. What only reads may be interrupted:
 * others have a turn then, and may change what was not looked at yet.
 */
export function* serve(ctx: RuleContext, call: Call): Slices<Answer> {
  const { operation, request } = call;
  const reads = operation.http === 'GET' && !call.file && !request.parameters.has('refresh');
  ctx.asUser = isFiltered(ctx, request);
  ctx.filter = visibilityFilterOf(ctx, request, reads);
  if (operation.service === '/') {
    return operation.isAction ? reload(ctx, call) : apiRoot(ctx, call.dialect, request);
  }
  if (operation.http !== 'GET') openJob(ctx, operation);
  if (call.file) return file(ctx, call, call.file);
  const view = presentationOf(ctx, call);
  switch (operation.name) {
    case 'list':
      return yield* list(ctx, call, view);
    case 'get':
      return yield* get(ctx, call, view);
    case 'add':
      return add(ctx, call, view);
    case 'update':
      return update(ctx, call, view);
    case 'remove':
      return remove(ctx, call);
    default:
      return act(ctx, call);
  }
}

/**
 * Refuses an operation that the caller has no permits for, and does nothing else: before what is costly and
 * done ahead of the transaction.
 */
export function requirePermits(ctx: RuleContext, call: Call): void {
  try {
    ctx.filter = visibilityFilterOf(ctx, call.request, false);
    const sent = { ...call, body: structuredClone(call.body) };
    if (addressesObject(call.match.service)) {
      const { ref, object } = targetIn(ctx, call);
      permit(ctx, sent, ref, object);
    } else permit(ctx, sent, collectionRefOf(ctx, call));
  } catch (error) {
    throw discreet(ctx, call, error);
  }
}

/** There is no configuration beside the command line: it is in force already. */
function reload(ctx: RuleContext, call: Call): Answer {
  if (!ctx.caller.superUser) throw refused('NOT_AUTHORIZED', { permit: 'of a super user' });
  ctx.event('CONFIGURATION_RELOADED');
  return {
    status: 200,
    form: 'action',
    action: { ...withMaskedSecrets(sentIn(call)), status: 'complete' },
  };
}

/** The file that an action of the object makes; asking for it takes the permits of that action. */
function file(ctx: RuleContext, call: Call, { action, member, media }: FileAnswer): Answer {
  const operation = operationsOf(call.match.service).find(({ name }) => name === action);
  if (!operation) throw new Error(`${call.match.service} has no action ${action}.`);
  const { result } = actOnObject(ctx, { ...call, operation }, sentIn(call));
  const content = result?.[member];
  if (typeof content !== 'string' && !(content instanceof Uint8Array)) {
    throw new Error(`${action} makes no file.`);
  }
  return { status: 200, form: 'file', media, content };
}

/** Lists hold nothing but their items; these two say what can be done with them as a whole. */
const listsWithActions: ReadonlySet<string> = new Set(['host_nic', 'gluster_brick']);

function* list(ctx: RuleContext, call: Call, view: Presentation): Slices<Answer> {
  const ref = collectionRefOf(ctx, call);
  const { request } = call;
  const { service } = locationOf(ref, '');
  const names = leaseNames();
  let found: readonly generic.Part[];
  let following: Following | undefined;
  try {
    const options = listOptions(ctx, ref, request, call.dialect, call.operation, names);
    following = yield* followingIn(call, { ...view, brief: true }, ref);
    found = options ? yield* generic.read(ctx, ref, options) : [];
  } finally {
    names.release(ctx.tx);
  }
  const actions = listsWithActions.has(ref.type) ? actionsOf(ref.service) : [];
  const base = `${request.apiPath}/${request.segments.join('/')}`;
  const shown = (part: generic.Part, budget: Budget) =>
    shownOneByOne(view, ref, part.objects(), following, budget);
  // Whatever is refused is refused before the first byte of a long list is sent.
  const count = found.length * generic.partSize;
  const safe = !following || (yield* isBounded(following, ref.type, service, count));
  const budget = budgetOfAnswer();
  if (!safe) for (const part of found) for (const _ of shown(part, budget)) yield;
  const encoder = following ? undefined : call.encoded?.encoderFor(view, ref);
  return {
    status: 200,
    form: 'list',
    type: ref.type,
    service: ref.service,
    parts: found.map((part) => {
      const { documents } = part;
      return {
        objects: (media) =>
          encoder && documents ? encoder.items(media, documents()) : shown(part, unlimited),
      };
    }),
    extras:
      actions.length > 0
        ? { actions: { link: actions.map((rel) => ({ rel, href: `${base}/${rel}` })) } }
        : {},
  };
}

/** What the request asks to be followed from the objects of a place. */
function* followingIn(
  { request }: Call,
  view: Presentation,
  ref: CollectionRef,
): Slices<Following | undefined> {
  const paths = request.parameters.get('follow');
  const { service } = locationOf(ref, '');
  return paths ? yield* followingOf(view, ref.type, service, paths) : undefined;
}

/** The objects as they are shown, and nothing in between where others may have a turn. */
function* shownOneByOne(
  view: Presentation,
  ref: CollectionRef,
  found: Iterable<StoredObject>,
  following: Following | undefined,
  budget: Budget,
): Generator<StoredObject | undefined, void, undefined> {
  const { service } = locationOf(ref, '');
  for (const object of found) {
    const shown = show(view, ref, object);
    if (following) yield* follow(following, ref.type, service, [shown], budget);
    yield shown;
  }
}

function* get(ctx: RuleContext, call: Call, view: Presentation): Slices<Answer> {
  const ref = collectionRefOf(ctx, call);
  const id = call.match.ids.at(-1) ?? '';
  const follows = call.request.parameters.get('follow');
  const encoder = follows ? undefined : call.encoded?.encoderFor(view, ref);
  if (encoder) {
    const document = generic.findDocument(ctx, ref, id);
    if (encoder.isShort(document)) {
      return { status: 200, form: 'text', text: (media) => encoder.body(media, document) };
    }
  }
  const { object } = generic.find(ctx, ref, id);
  const shown = show(view, ref, object);
  const following = yield* followingIn(call, { ...view, alone: false }, ref);
  if (following) yield* follow(following, ref.type, locationOf(ref, '').service, [shown]);
  return { status: 200, form: 'object', type: ref.type, object: shown };
}

function add(ctx: RuleContext, call: Call, view: Presentation): Answer {
  const ref = collectionRefOf(ctx, call);
  permit(ctx, call, ref);
  const many = behaviorOf(ctx, ref.kind)?.addMany;
  if (many) return addMany(ctx, call, view, ref, many);
  const sent = sentIn(call);
  const object = generic.add(ctx, ref, sent);
  const job = noteJob(ctx, call.operation, ref, object);
  const shown = show(view, ref, object);
  const answers = ref.members?.answers ?? 'object';
  if (answers === 'action') return { status: 200, form: 'action', action: { status: 'complete' } };
  if (answers !== 'object') {
    const answer =
      answers === 'sent'
        ? {
            ...withMaskedSecrets(sent, ref.type),
            id: shown['id'],
            ...(call.dialect.engineAnswers ? {} : { href: shown['href'] }),
          }
        : shown;
    return { status: 200, form: 'object', type: ref.type, object: answer };
  }
  const headers = shown['href'] ? { Location: String(shown['href']) } : {};
  const behavior = behaviorOf(ctx, ref.kind);
  const lifecycle = behavior?.lifecycle;
  const state = lifecycle && object[lifecycle.attribute];
  // What has no state has nothing to wait for: disks that are logical units.
  if (behavior?.addsWith) {
    return { status: behavior.addsWith, form: 'object', type: ref.type, object: shown };
  }
  if (call.dialect.engineAnswers) {
    const attribute = lifecycle?.attribute ?? 'status';
    const first = statesOfNew[ref.service] ?? ctx.firstStates.get(String(object['id']));
    if (shown[attribute] !== undefined && first) shown[attribute] = first;
    for (const name of absentInNew[ref.type] ?? []) delete shown[name];
    return { status: 201, headers, form: 'object', type: ref.type, object: shown };
  }
  if (behavior?.addsAtOnce || !state || lifecycle.settled.includes(String(state))) {
    return { status: 201, headers, form: 'object', type: ref.type, object: shown };
  }
  shown['creation_status'] = 'in_progress';
  if (job !== undefined) {
    const href = `${String(shown['href'])}/creation_status/${job}`;
    const links: readonly unknown[] = Array.isArray(shown['link']) ? shown['link'] : [];
    shown['link'] = [...links, { rel: 'creation_status', href }];
  }
  return { status: 202, headers, form: 'object', type: ref.type, object: shown };
}

type AddMany = (ctx: RuleContext, ref: CollectionRef, sent: StoredObject[]) => StoredObject[];

/** Adds several objects; one that was sent alone is answered alone. */
function addMany(
  ctx: RuleContext,
  { body, operation, request }: Call,
  view: Presentation,
  ref: CollectionRef,
  add: AddMany,
): Answer {
  const headers = { Location: `${request.apiPath}/${request.segments.join('/')}` };
  const added = add(ctx, ref, Array.isArray(body) ? body : [body]);
  noteJob(ctx, operation, ref, added[0] ?? {});
  const items = added.map((object) => show(view, ref, object));
  const [only] = items;
  return !Array.isArray(body) && only
    ? { status: 201, form: 'object', type: ref.type, object: only }
    : {
        status: 201,
        headers,
        form: 'list',
        type: ref.type,
        parts: [{ objects: () => items }],
        extras: {},
      };
}

function update(ctx: RuleContext, call: Call, view: Presentation): Answer {
  const target = targetIn(ctx, call);
  permit(ctx, call, target.ref, target.object);
  const sent = sentIn(call);
  const object = generic.update(ctx, target, sent);
  noteJob(ctx, call.operation, target.ref, object);
  const { type } = target.ref;
  const shown = show(view, target.ref, object);
  if (call.dialect.engineAnswers) {
    for (const name of shownWhenSent[type] ?? []) if (!sent[name]) delete shown[name];
  }
  return { status: 200, form: 'object', type, object: shown };
}

function remove(ctx: RuleContext, call: Call): Answer {
  const { request } = call;
  if (!addressesObject(call.match.service)) return act(ctx, call);
  const target = targetIn(ctx, call);
  permit(ctx, call, target.ref, target.object);
  generic.remove(ctx, target, parametersOf(request));
  const job = noteJob(ctx, call.operation, target.ref, target.object);
  const expects = `${request.header('expect') ?? ''},${request.header('x-ovirt-expect') ?? ''}`;
  const early =
    booleanParameter(request.parameters.get('async')) || expects.includes('202-accepted');
  return early
    ? { status: 202, form: 'empty' }
    : { status: 200, form: 'action', action: { ...jobMember(request, job), status: 'complete' } };
}
