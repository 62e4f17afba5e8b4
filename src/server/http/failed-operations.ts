/** Responses to refused operations: failed actions, and unknown ids in dialects that follow an engine. */
import { hasPlainRefusal } from '../../model/action-answers.ts';
import type { Answer } from '../api/call.ts';
import { isInputRefusal, Refusal } from '../core/fault.ts';
import { maskSecrets } from '../core/masked-secrets.ts';
import { isUnaddressed } from './refusal-answers.ts';
import type { RequestContext } from './request-context.ts';
import { findInsteadAnswer } from './unknown-id-answers.ts';

/**
 * The response to a refused operation, or `list` if the list below the unknown parent is the response.
 * Throws the error, or the refusal of an engine, if the response is a plain fault.
 */
export function answerToRefusal(ctx: RequestContext, error: unknown): Answer | 'list' {
  const { dialect, match, operation } = ctx;
  const instead = dialect.engineRefusals ? findInsteadAnswer(error, operation, match) : undefined;
  if (!instead) return failedAction(ctx, error);
  if ('answer' in instead) return instead.answer;
  if (!('refusal' in instead)) return 'list';
  if (instead.isBare) throw instead.refusal;
  return failedAction(ctx, instead.refusal);
}

/** The response to a refused action: the action of the request with the fault. Rethrows other errors. */
function failedAction({ body, dialect, operation }: RequestContext, error: unknown): Answer {
  if (!operation.isAction || !(error instanceof Refusal)) throw error;
  const isPlain = isInputRefusal(error) || isUnaddressed(error) || hasPlainRefusal(operation);
  if (dialect.engineRefusals && isPlain) throw error;
  const { status, reason, detail } = error;
  const fault = { reason, ...(detail === undefined ? {} : { detail }) };
  const sent = Array.isArray(body) ? {} : maskSecrets(body);
  return { status, form: 'action', action: { ...sent, fault, status: 'failed' } };
}
