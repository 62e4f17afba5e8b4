/** Reads: lists and single objects, with followed links. Long lists run in slices. */
import { type CollectionRef, locateObject } from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import type { StoredObject } from '../store/kinds.ts';
import type { Slices } from '../store/slices.ts';
import { leaseNames } from '../store/temporary-tables.ts';
import { type Answer, type ApiCall, createPresentation, resolveCallCollection } from './call.ts';
import { discreet } from './discreet-refusals.ts';
import {
  type Budget,
  budgetOfAnswer,
  type Following,
  follow,
  isBounded,
  parseFollow,
  unlimited,
} from './follow.ts';
import * as generic from './generic.ts';
import { asSent } from './hidden-references.ts';
import { listOptions } from './list-options.ts';
import { listActionNames } from './object-links.ts';
import type { Presentation } from './presentation.ts';
import { apiRoot } from './root.ts';
import { show } from './show.ts';
import { createVisibilityFilter, isFiltered } from './visibility-filter.ts';

/**
 * Reads a collection or an object inside the transaction of the context. Other requests run between the
 * slices, and may change objects that are not read yet. Refuses without names of hidden objects.
 */
export function* read(ctx: RuleContext, call: ApiCall): Slices<Answer> {
  try {
    return asSent(ctx, yield* perform(ctx, call));
  } catch (error) {
    throw discreet(ctx, call, error);
  }
}

function* perform(ctx: RuleContext, call: ApiCall): Slices<Answer> {
  const { operation, request } = call;
  ctx.asUser = isFiltered(ctx, request);
  ctx.filter = createVisibilityFilter(ctx, request, !request.parameters.has('refresh'));
  if (operation.service === '/') return apiRoot(ctx, call.dialect, request);
  const view = createPresentation(ctx, call);
  return operation.name === 'list' ? yield* list(ctx, call, view) : yield* get(ctx, call, view);
}

/** Types whose lists contain actions. */
const listsWithActions: ReadonlySet<string> = new Set(['host_nic', 'gluster_brick']);

function* list(ctx: RuleContext, call: ApiCall, view: Presentation): Slices<Answer> {
  const ref = resolveCallCollection(ctx, call);
  const { request } = call;
  const { service } = locateObject(ref, '');
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
  const actions = listsWithActions.has(ref.type) ? listActionNames(ref.service) : [];
  const base = `${request.apiPath}/${request.segments.join('/')}`;
  const shown = (part: generic.Part, budget: Budget) =>
    shownOneByOne(view, ref, part.objects(), following, budget);
  // Refusals must precede the first byte of a long list.
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

/** Followed links of the objects of a collection. */
function* followingIn(
  { request }: ApiCall,
  view: Presentation,
  ref: CollectionRef,
): Slices<Following | undefined> {
  const paths = request.parameters.get('follow');
  const { service } = locateObject(ref, '');
  return paths ? yield* parseFollow(view, ref.type, service, paths) : undefined;
}

/** Representations of objects. Other requests can run at each undefined element. */
function* shownOneByOne(
  view: Presentation,
  ref: CollectionRef,
  found: Iterable<StoredObject>,
  following: Following | undefined,
  budget: Budget,
): Generator<StoredObject | undefined, void, undefined> {
  const { service } = locateObject(ref, '');
  for (const object of found) {
    const shown = show(view, ref, object);
    if (following) yield* follow(following, ref.type, service, [shown], budget);
    yield shown;
  }
}

function* get(ctx: RuleContext, call: ApiCall, view: Presentation): Slices<Answer> {
  const ref = resolveCallCollection(ctx, call);
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
  if (following) yield* follow(following, ref.type, locateObject(ref, '').service, [shown]);
  return { status: 200, form: 'object', type: ref.type, object: shown };
}
