/** Changes: operations that add, update and remove objects, actions, and files that an action creates. */

import { absentInNew, shownWhenSent, statesOfNew } from '../../model/change-answers.ts';
import type { FileAnswer } from '../../model/files.ts';
import { addressesObject, listOperations } from '../../model/index.ts';
import { findBehavior } from '../core/behavior.ts';
import type { CollectionRef } from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import { refused } from '../core/fault.ts';
import { openJob, storeJob } from '../core/jobs.ts';
import { maskSecrets } from '../core/masked-secrets.ts';
import type { StoredObject } from '../store/kinds.ts';
import { act, jobMember, runAction } from './act.ts';
import {
  type Answer,
  type ApiCall,
  createPresentation,
  permit,
  resolveCallCollection,
  sentIn,
  targetIn,
} from './call.ts';
import { discreet } from './discreet-refusals.ts';
import * as generic from './generic.ts';
import { asSent } from './hidden-references.ts';
import type { Presentation } from './presentation.ts';
import { booleanParameter, createParameters } from './request.ts';
import { show } from './show.ts';
import { createVisibilityFilter, isFiltered } from './visibility-filter.ts';

/** Performs a change inside the transaction of the context, and refuses it without names of hidden objects. */
export function change(ctx: RuleContext, call: ApiCall): Answer {
  try {
    return asSent(ctx, perform(ctx, call));
  } catch (error) {
    throw discreet(ctx, call, error);
  }
}

function perform(ctx: RuleContext, call: ApiCall): Answer {
  const { operation, request } = call;
  ctx.asUser = isFiltered(ctx, request);
  ctx.filter = createVisibilityFilter(ctx, request, false);
  if (operation.service === '/') return reload(ctx, call);
  if (operation.http !== 'GET') openJob(ctx, operation);
  if (call.file) return file(ctx, call, call.file);
  switch (operation.name) {
    case 'add':
      return add(ctx, call, createPresentation(ctx, call));
    case 'update':
      return update(ctx, call, createPresentation(ctx, call));
    case 'remove':
      return remove(ctx, call);
    default:
      return act(ctx, call);
  }
}

/** Refuses a change without permission, before costly work outside of its transaction. */
export function requirePermits(ctx: RuleContext, call: ApiCall): void {
  try {
    ctx.filter = createVisibilityFilter(ctx, call.request, false);
    const sent = { ...call, body: structuredClone(call.body) };
    if (addressesObject(call.match.service)) {
      const { ref, object } = targetIn(ctx, call);
      permit(ctx, sent, ref, object);
    } else permit(ctx, sent, resolveCallCollection(ctx, call));
  } catch (error) {
    throw discreet(ctx, call, error);
  }
}

/** The configuration is the command line, which has nothing to reload. */
function reload(ctx: RuleContext, call: ApiCall): Answer {
  if (!ctx.caller.superUser) throw refused('NOT_AUTHORIZED', { permit: 'of a super user' });
  ctx.event('CONFIGURATION_RELOADED');
  return {
    status: 200,
    form: 'action',
    action: { ...maskSecrets(sentIn(call)), status: 'complete' },
  };
}

/** Responds with the file that an action of the object creates. Requires the permits of the action. */
function file(ctx: RuleContext, call: ApiCall, { action, member, media }: FileAnswer): Answer {
  const operation = listOperations(call.match.service).find(({ name }) => name === action);
  if (!operation) throw new Error(`${call.match.service} has no action ${action}.`);
  const { result } = runAction(ctx, { ...call, operation }, sentIn(call));
  const content = result?.[member];
  if (typeof content !== 'string' && !(content instanceof Uint8Array)) {
    throw new Error(`${action} creates no file.`);
  }
  return { status: 200, form: 'file', media, content };
}

function add(ctx: RuleContext, call: ApiCall, view: Presentation): Answer {
  const ref = resolveCallCollection(ctx, call);
  permit(ctx, call, ref);
  const many = findBehavior(ctx, ref.kind)?.addMany;
  if (many) return addMany(ctx, call, view, ref, many);
  const sent = sentIn(call);
  const object = generic.add(ctx, ref, sent);
  const job = storeJob(ctx, call.operation, ref, object);
  const shown = show(view, ref, object);
  const answers = ref.members?.answers ?? 'object';
  if (answers === 'action') return { status: 200, form: 'action', action: { status: 'complete' } };
  if (answers !== 'object') {
    const answer =
      answers === 'sent'
        ? {
            ...maskSecrets(sent, ref.type),
            id: shown['id'],
            ...(call.dialect.engineAnswers ? {} : { href: shown['href'] }),
          }
        : shown;
    return { status: 200, form: 'object', type: ref.type, object: answer };
  }
  const headers = shown['href'] ? { Location: String(shown['href']) } : {};
  const behavior = findBehavior(ctx, ref.kind);
  const lifecycle = behavior?.lifecycle;
  const state = lifecycle && object[lifecycle.attribute];
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
  // Objects without a state need no wait: logical units.
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

/** Adds several objects. The response to a single object is the object itself. */
function addMany(
  ctx: RuleContext,
  { body, operation, request }: ApiCall,
  view: Presentation,
  ref: CollectionRef,
  add: AddMany,
): Answer {
  const headers = { Location: `${request.apiPath}/${request.segments.join('/')}` };
  const added = add(ctx, ref, Array.isArray(body) ? body : [body]);
  storeJob(ctx, operation, ref, added[0] ?? {});
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

function update(ctx: RuleContext, call: ApiCall, view: Presentation): Answer {
  const target = targetIn(ctx, call);
  permit(ctx, call, target.ref, target.object);
  const sent = sentIn(call);
  const object = generic.update(ctx, target, sent);
  storeJob(ctx, call.operation, target.ref, object);
  const { type } = target.ref;
  const shown = show(view, target.ref, object);
  if (call.dialect.engineAnswers) {
    for (const name of shownWhenSent[type] ?? []) if (!sent[name]) delete shown[name];
  }
  return { status: 200, form: 'object', type, object: shown };
}

function remove(ctx: RuleContext, call: ApiCall): Answer {
  const { request } = call;
  if (!addressesObject(call.match.service)) return act(ctx, call);
  const target = targetIn(ctx, call);
  permit(ctx, call, target.ref, target.object);
  generic.remove(ctx, target, createParameters(request));
  const job = storeJob(ctx, call.operation, target.ref, target.object);
  const expects = `${request.header('expect') ?? ''},${request.header('x-ovirt-expect') ?? ''}`;
  const early =
    booleanParameter(request.parameters.get('async')) || expects.includes('202-accepted');
  return early
    ? { status: 202, form: 'empty' }
    : { status: 200, form: 'action', action: { ...jobMember(request, job), status: 'complete' } };
}
