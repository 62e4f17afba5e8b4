/** From an operation of the model to the rules that perform it, and what they answer. */
import type { Dialect } from '../../model/dialect.ts';
import { addressesObject, type Operation } from '../../model/index.ts';
import type { CollectionExtras } from '../../wire/index.ts';
import { authorise } from '../auth/authorise.ts';
import { Refusal, refused } from '../fault.ts';
import { jobOf, noteJob, openJob } from '../jobs/job.ts';
import type { RuleContext } from '../rules/context.ts';
import * as generic from '../rules/generic.ts';
import type { Parameters } from '../rules/notation.ts';
import { collectionOf, locationOf, type Place, placeOf } from '../rules/places.ts';
import { actionsOf, type Presentation, present, wholeAlone } from '../rules/presentation.ts';
import { rulesOf } from '../rules/registry.ts';
import type { StoredObject } from '../store/document.ts';
import { sightOf } from './filter.ts';
import { type Following, follow, followingOf, isBounded } from './follow.ts';
import { listOptions } from './listing.ts';
import { type ApiRequest, booleanParameter } from './request.ts';
import { apiRoot } from './root.ts';
import type { Match } from './router.ts';

export interface Call {
  readonly request: ApiRequest;
  readonly match: Match;
  readonly operation: Operation;
  readonly body: StoredObject | StoredObject[];
  readonly dialect: Dialect;
}

/** What is answered, before it is encoded. */
export type Answer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
} & (
  | { readonly form: 'empty' }
  | { readonly form: 'object'; readonly type: string; readonly object: StoredObject }
  | {
      readonly form: 'list';
      readonly type: string;
      readonly items: Iterable<StoredObject>;
      readonly extras: CollectionExtras;
    }
  /** What an action answers; a creation is told in the same words. */
  | { readonly form: 'action' | 'creation'; readonly action: StoredObject }
);

/** Performs an operation inside the transaction of the context. */
export function serve(ctx: RuleContext, call: Call): Answer {
  const { operation, request } = call;
  if (operation.service === '/') {
    return operation.isAction ? reload(ctx, call) : apiRoot(ctx, call.dialect, request);
  }
  if (operation.http !== 'GET') openJob(ctx, operation);
  const view = presentationOf(ctx, call);
  switch (operation.name) {
    case 'list':
      return list(ctx, call, view);
    case 'get':
      return get(ctx, call, view);
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

/** There is no configuration beside the command line: it is in force already. */
function reload(ctx: RuleContext, call: Call): Answer {
  if (!ctx.caller.superUser) throw refused('NOT_AUTHORIZED', { permit: 'of a super user' });
  ctx.event(1010);
  return { status: 200, form: 'action', action: { ...sentIn(call), status: 'complete' } };
}

/** The object or action that was sent. Refuses a list with 400, where it has no place. */
function sentIn({ body }: Call): StoredObject {
  if (!Array.isArray(body)) return body;
  throw new Refusal(400, 'Request syntactically incorrect.', 'expected one object, found a list');
}

function presentationOf(ctx: RuleContext, { request, operation }: Call): Presentation {
  const asked = request.parameters.get('all_content') ?? request.header('all-content') ?? undefined;
  const changes = operation.http !== 'GET' && operation.http !== 'HEAD';
  const alone = operation.name === 'get' && wholeAlone.has(operation.type);
  return {
    ctx,
    apiPath: request.apiPath,
    allContent: changes || alone || booleanParameter(asked) === true,
    everything: booleanParameter(asked) === true,
  };
}

/** The collection that the request addresses, or that holds the object it addresses. */
function placeIn(ctx: RuleContext, { match, request }: Call): Place {
  const named = addressesObject(match.service);
  const place = generic.located(
    ctx,
    named
      ? placeOf(ctx.tx, collectionOf(match.service), match.ids.slice(0, -1))
      : placeOf(ctx.tx, match.service, match.ids),
    named ? match.ids.at(-1) : undefined,
  );
  return sightOf(ctx, request)?.part(place) ?? place;
}

function targetIn(ctx: RuleContext, call: Call): ReturnType<typeof generic.find> {
  return generic.find(ctx, placeIn(ctx, call), call.match.ids.at(-1) ?? '');
}

/** Step 4: refuses a change that the caller has no permits for. */
function permit(ctx: RuleContext, call: Call, place: Place, object?: StoredObject): void {
  const sent = Array.isArray(call.body) ? {} : call.body;
  authorise(ctx, call.operation, { place, ...(object ? { object } : {}), sent });
}

function show(view: Presentation, place: Place, object: StoredObject): StoredObject {
  const { service, path } = locationOf(place, String(object['id']));
  if (object['id'] === undefined) {
    const {
      id: _id,
      href: _href,
      link: _link,
      ...shown
    } = present(view, place.kind, object, service, path);
    return shown;
  }
  if (place.members?.told === 'link') return { id: object['id'], href: view.apiPath + path };
  return present(view, place.kind, object, service, path);
}

function list(ctx: RuleContext, call: Call, view: Presentation): Answer {
  const place = placeIn(ctx, call);
  const { request } = call;
  const options = listOptions(ctx, place, request, call.dialect, call.operation);
  const { service } = locationOf(place, '');
  const following = followingIn(ctx, call, view, place);
  const actions = actionsOf(place.service);
  const base = `${request.apiPath}/${request.segments.join('/')}`;
  const items = (limit?: number) =>
    shownOneByOne(view, place, options ? generic.read(ctx, place, options) : [], following, limit);
  // Whatever is refused is refused before the first byte of a long list is sent.
  const safe = !following || isBounded(following, place.type, service);
  if (!safe) for (const _ of items());
  return {
    status: 200,
    form: 'list',
    type: place.type,
    items: items(Number.POSITIVE_INFINITY),
    extras:
      actions.length > 0
        ? { actions: { link: actions.map((rel) => ({ rel, href: `${base}/${rel}` })) } }
        : {},
  };
}

/** What the request asks to be followed from the objects of a place. */
function followingIn(
  ctx: RuleContext,
  { request }: Call,
  view: Presentation,
  place: Place,
): Following | undefined {
  const paths = request.parameters.get('follow');
  const { service } = locationOf(place, '');
  return paths ? followingOf(view, place.type, service, paths, sightOf(ctx, request)) : undefined;
}

function* shownOneByOne(
  view: Presentation,
  place: Place,
  found: Iterable<StoredObject>,
  following: Following | undefined,
  limit?: number,
): Generator<StoredObject> {
  const { service } = locationOf(place, '');
  for (const object of found) {
    const shown = show(view, place, object);
    if (following) follow(following, place.type, service, [shown], limit);
    yield shown;
  }
}

function get(ctx: RuleContext, call: Call, view: Presentation): Answer {
  const { place, object } = targetIn(ctx, call);
  const shown = show(view, place, object);
  const following = followingIn(ctx, call, view, place);
  if (following) follow(following, place.type, locationOf(place, '').service, [shown]);
  return { status: 200, form: 'object', type: place.type, object: shown };
}

function add(ctx: RuleContext, call: Call, view: Presentation): Answer {
  const place = placeIn(ctx, call);
  permit(ctx, call, place);
  const many = rulesOf(place.kind)?.addMany;
  if (many) return addMany(ctx, call, view, place, many as AddMany);
  const sent = sentIn(call);
  const object = generic.add(ctx, place, sent);
  const job = noteJob(ctx, call.operation, place, object);
  const shown = show(view, place, object);
  const told = place.members?.told ?? 'object';
  if (told === 'action') return { status: 200, form: 'action', action: { status: 'complete' } };
  if (told !== 'object') {
    const answer = told === 'sent' ? { ...sent, id: shown['id'], href: shown['href'] } : shown;
    return { status: 200, form: 'object', type: place.type, object: answer };
  }
  const headers = shown['href'] ? { Location: String(shown['href']) } : {};
  const rules = rulesOf(place.kind);
  const lifecycle = rules?.lifecycle;
  const state = lifecycle && object[lifecycle.attribute];
  // What has no state has nothing to wait for: disks that are logical units.
  if (rules?.addsWith) {
    return { status: rules.addsWith, form: 'object', type: place.type, object: shown };
  }
  if (rules?.addsAtOnce || !state || lifecycle.settled.includes(String(state))) {
    return { status: 201, headers, form: 'object', type: place.type, object: shown };
  }
  shown['creation_status'] = 'in_progress';
  if (job !== undefined) {
    const href = `${String(shown['href'])}/creation_status/${job}`;
    shown['link'] = [...((shown['link'] ?? []) as object[]), { rel: 'creation_status', href }];
  }
  return { status: 202, headers, form: 'object', type: place.type, object: shown };
}

type AddMany = (ctx: RuleContext, place: Place, sent: StoredObject[]) => StoredObject[];

/** Adds several objects; one that was sent alone is answered alone. */
function addMany(
  ctx: RuleContext,
  { body, operation, request }: Call,
  view: Presentation,
  place: Place,
  add: AddMany,
): Answer {
  const headers = { Location: `${request.apiPath}/${request.segments.join('/')}` };
  const added = add(ctx, place, Array.isArray(body) ? body : [body]);
  noteJob(ctx, operation, place, added[0] ?? {});
  const items = added.map((object) => show(view, place, object));
  const [only] = items;
  return !Array.isArray(body) && only
    ? { status: 201, form: 'object', type: place.type, object: only }
    : { status: 201, headers, form: 'list', type: place.type, items, extras: {} };
}

function update(ctx: RuleContext, call: Call, view: Presentation): Answer {
  const target = targetIn(ctx, call);
  permit(ctx, call, target.place, target.object);
  const object = generic.update(ctx, target, sentIn(call));
  noteJob(ctx, call.operation, target.place, object);
  return {
    status: 200,
    form: 'object',
    type: target.place.type,
    object: show(view, target.place, object),
  };
}

function remove(ctx: RuleContext, call: Call): Answer {
  const { request } = call;
  if (!addressesObject(call.match.service)) return act(ctx, call);
  const target = targetIn(ctx, call);
  permit(ctx, call, target.place, target.object);
  generic.remove(ctx, target, parametersOf(request));
  const job = noteJob(ctx, call.operation, target.place, target.object as StoredObject);
  const expects = `${request.header('expect') ?? ''},${request.header('x-ovirt-expect') ?? ''}`;
  const early =
    booleanParameter(request.parameters.get('async')) || expects.includes('202-accepted');
  return early
    ? { status: 202, form: 'empty' }
    : { status: 200, form: 'action', action: { ...jobMember(request, job), status: 'complete' } };
}

function jobMember(request: ApiRequest, job: string | undefined): StoredObject {
  return job === undefined ? {} : { job: { id: job, href: `${request.apiPath}/jobs/${job}` } };
}

/** Parameters of the query, as the rules read them. */
export function parametersOf(request: ApiRequest): Parameters {
  return {
    flag: (name) => booleanParameter(request.parameters.get(name)),
    text: (name) => request.parameters.get(name) || undefined,
  };
}

function act(ctx: RuleContext, call: Call): Answer {
  const { request } = call;
  const body = sentIn(call);
  const { result, job } = addressesObject(call.match.service)
    ? actOnObject(ctx, call, body)
    : actOnCollection(ctx, call, body);
  const action = { ...body, ...result, ...jobMember(request, job) };
  if (body['async'] !== true) {
    return { status: 200, form: 'action', action: { ...action, status: 'complete' } };
  }
  const base = `${request.apiPath}/${request.segments.join('/')}`;
  const parent = base.slice(0, base.lastIndexOf('/'));
  const links = [
    { rel: 'parent', href: parent },
    { rel: 'replay', href: base },
  ];
  return {
    status: 202,
    form: 'action',
    action: {
      ...(job === undefined ? {} : { id: job, href: `${base}/${job}`, link: links }),
      ...action,
      status: 'in_progress',
    },
  };
}

interface Acted {
  readonly result: StoredObject | undefined;
  readonly job: string | undefined;
}

function actOnObject(ctx: RuleContext, call: Call, body: StoredObject): Acted {
  const target = targetIn(ctx, call);
  permit(ctx, call, target.place, target.object);
  const result = generic.act(ctx, target, call.operation, body);
  return { result, job: noteJob(ctx, call.operation, target.place, target.object as StoredObject) };
}

function actOnCollection(ctx: RuleContext, call: Call, body: StoredObject): Acted {
  const place = placeIn(ctx, call);
  permit(ctx, call, place);
  const { operation, request } = call;
  const result = generic.actOnCollection(ctx, place, operation, body, parametersOf(request));
  return { result, job: noteJob(ctx, operation, place, {}) };
}

/**
 * The answer once the object of the call has come to rest, or undefined while it has not. An
 * object that ended in a failed state is answered as a failed action.
 */
export function settled(ctx: RuleContext, call: Call, result: Answer): Answer | undefined {
  const job = jobOf(ctx, jobIdOf(result));
  if (job?.status === 'started') return undefined;
  const failedJob = job?.status === 'failed' || job?.status === 'aborted';
  const place = placeIn(ctx, call);
  const lifecycle = rulesOf(place.kind)?.lifecycle;
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
