/** Actions on objects and collections, and their responses. */
import {
  continuesAfterResponse,
  listShownMembers,
  returnsJob,
  returnsObject,
  returnsRequest,
} from '../../model/action-answers.ts';
import { addressesObject } from '../../model/index.ts';
import { findBehavior, requireAction } from '../core/behavior.ts';
import type { RuleContext } from '../core/context.ts';
import { requireForAction } from '../core/input.ts';
import { storeJob } from '../core/jobs.ts';
import { maskSecrets } from '../core/masked-secrets.ts';
import { pickMembers } from '../core/member-selection.ts';
import type { StoredObject } from '../store/kinds.ts';
import {
  type Answer,
  type ApiCall,
  createPresentation,
  permit,
  resolveCallCollection,
  sentIn,
  targetIn,
} from './call.ts';
import { unwatched } from './call-log.ts';
import { redactedAction } from './redact.ts';
import { type ApiRequest, booleanParameter, createParameters } from './request.ts';
import { show } from './show.ts';

/** The `job` member of a response; empty without a job. */
export function jobMember(request: ApiRequest, job: string | undefined): StoredObject {
  return job === undefined ? {} : { job: { id: job, href: `${request.apiPath}/jobs/${job}` } };
}

/** Performs an action. Responds after its completion, or immediately with 202 if the request has `async`. */
export function act(ctx: RuleContext, call: ApiCall): Answer {
  const { request } = call;
  const body = sentIn(call);
  const { result, job, object } = runAction(ctx, call, body);
  const visible = result && ctx.filter ? redactedAction(ctx.filter, result) : result;
  const isBare = call.dialect.engineAnswers && !returnsRequest(call.operation);
  const repeated = isBare ? {} : body;
  const hasJob = !call.dialect.engineAnswers || returnsJob(call.operation);
  const action = {
    ...maskSecrets({ ...repeated, ...visible }),
    ...object,
    ...jobMember(request, hasJob ? job : undefined),
  };
  const continues = call.dialect.engineAnswers && continuesAfterResponse(call.operation);
  const early =
    body['async'] === true ||
    (continues && body['async'] !== false) ||
    (request.method === 'DELETE' && booleanParameter(request.parameters.get('async')) === true);
  if (!early) {
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
      ...(continues ? pending(action, object) : { ...action, status: 'in_progress' }),
    },
  };
}

/** The response to an action that continues: without its object. */
function pending(action: StoredObject, object: StoredObject = {}): StoredObject {
  const own = pickMembers(action, (name) => !(name in object));
  return { ...own, async: true, status: 'pending' };
}

interface Acted {
  readonly result: StoredObject | undefined;
  readonly job: string | undefined;
  /** The object of the action, as the response shows it. */
  readonly object?: StoredObject;
}

/** Checks the permits of an action, and runs its behavior: on an object, or on a collection. */
export function runAction(ctx: RuleContext, call: ApiCall, body: StoredObject): Acted {
  return addressesObject(call.match.service)
    ? actOnObject(ctx, call, body)
    : actOnCollection(ctx, call, body);
}

function actOnObject(ctx: RuleContext, call: ApiCall, body: StoredObject): Acted {
  const { dialect, operation } = call;
  const { engineAnswers, engineRefusals } = dialect;
  // An engine validates the body before it finds the object.
  if (engineRefusals) requireForAction(dialect, operation, unwatched(body));
  const target = targetIn(ctx, call);
  permit(ctx, call, target.ref, target.object);
  if (!engineRefusals) requireForAction(dialect, operation, unwatched(body));
  const result = requireAction(ctx, target.ref.kind, operation.name)(ctx, target, body);
  const job = storeJob(ctx, operation, target.ref, target.object);
  const { type } = target.ref;
  const isShown = engineAnswers && returnsObject(operation);
  if (!isShown || result?.[type] !== undefined) return { result, job };
  const shown = show(createPresentation(ctx, call), target.ref, target.object);
  const members = listShownMembers(operation.service).map((name) => [name, shown[name]] as const);
  return { result, job, object: { [type]: Object.fromEntries(members) } };
}

/** Runs an action of a collection, or removes several of its objects. */
function actOnCollection(ctx: RuleContext, call: ApiCall, body: StoredObject): Acted {
  const ref = resolveCallCollection(ctx, call);
  permit(ctx, call, ref);
  const { operation, request } = call;
  requireForAction(call.dialect, operation, unwatched(body));
  const behavior = findBehavior(ctx, ref.kind);
  const action =
    operation.name === 'remove'
      ? behavior?.removeMany
      : behavior?.collectionActions?.[operation.name];
  if (!action) throw new Error(`No behavior for ${operation.name} of ${ref.service}.`);
  const result = action(ctx, ref, body, createParameters(request));
  return { result, job: storeJob(ctx, operation, ref, {}) };
}
