/** Actions on objects and collections, and their responses. */
import { answersObject, answersSent, shownInAnswer } from '../../model/action-answers.ts';
import { addressesObject } from '../../model/index.ts';
import type { RuleContext } from '../core/context.ts';
import { requireForAction } from '../core/input.ts';
import { noteJob } from '../core/jobs.ts';
import { withMaskedSecrets } from '../core/masked-secrets.ts';
import type { StoredObject } from '../store/kinds.ts';
import {
  type Answer,
  type Call,
  collectionRefOf,
  permit,
  presentationOf,
  sentIn,
  targetIn,
} from './call.ts';
import { unwatched } from './call-log.ts';
import * as generic from './generic.ts';
import { redactedAction } from './redact.ts';
import { type ApiRequest, booleanParameter, parametersOf } from './request.ts';
import { show } from './show.ts';

/** The `job` member of a response; empty without a job. */
export function jobMember(request: ApiRequest, job: string | undefined): StoredObject {
  return job === undefined ? {} : { job: { id: job, href: `${request.apiPath}/jobs/${job}` } };
}

/** Performs an action. Responds after its completion, or immediately with 202 if the request has `async`. */
export function act(ctx: RuleContext, call: Call): Answer {
  const { request } = call;
  const body = sentIn(call);
  const acted: Acted = addressesObject(call.match.service)
    ? actOnObject(ctx, call, body)
    : actOnCollection(ctx, call, body);
  const { result, job, object } = acted;
  const visible = result && ctx.filter ? redactedAction(ctx.filter, result) : result;
  const isBare = call.dialect.engineAnswers && !answersSent(call.operation);
  const repeated = isBare ? {} : body;
  const action = {
    ...withMaskedSecrets({ ...repeated, ...visible }),
    ...object,
    ...jobMember(request, job),
  };
  const early =
    body['async'] === true ||
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
      ...action,
      status: 'in_progress',
    },
  };
}

interface Acted {
  readonly result: StoredObject | undefined;
  readonly job: string | undefined;
  /** The object of the action, as the response shows it. */
  readonly object?: StoredObject;
}

/** Calls an action on the object of the request. */
export function actOnObject(ctx: RuleContext, call: Call, body: StoredObject): Acted {
  const { engineRefusals } = call.dialect;
  // Engines check the body before they look up the object.
  if (engineRefusals) requireForAction(call.dialect, call.operation, unwatched(body));
  const target = targetIn(ctx, call);
  permit(ctx, call, target.ref, target.object);
  if (!engineRefusals) requireForAction(call.dialect, call.operation, unwatched(body));
  const result = generic.act(ctx, target, call.operation, body);
  const job = noteJob(ctx, call.operation, target.ref, target.object);
  const { type } = target.ref;
  const isShown = call.dialect.engineAnswers && answersObject(call.operation);
  if (!isShown || result?.[type] !== undefined) return { result, job };
  const shown = show(presentationOf(ctx, call), target.ref, target.object);
  const members = shownInAnswer(call.operation.service).map((name) => [name, shown[name]] as const);
  return { result, job, object: { [type]: Object.fromEntries(members) } };
}

function actOnCollection(ctx: RuleContext, call: Call, body: StoredObject): Acted {
  const ref = collectionRefOf(ctx, call);
  permit(ctx, call, ref);
  const { operation, request } = call;
  requireForAction(call.dialect, operation, unwatched(body));
  const result = generic.actOnCollection(ctx, ref, operation, body, parametersOf(request));
  return { result, job: noteJob(ctx, operation, ref, {}) };
}
