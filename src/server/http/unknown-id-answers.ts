/** Responses about unknown ids in paths, in dialects that follow a deployed engine. */
import type { Operation } from '../../model/index.ts';
import {
  getUnknownIdAnswer,
  type UnknownIdAnswer,
  unknownIdStatuses,
} from '../../model/unknown-ids.ts';
import type { Answer } from '../api/call.ts';
import type { Match } from '../api/request.ts';
import { BareNotFound, Refusal } from '../core/fault.ts';
import { isUuid } from '../core/input.ts';
import { isUnaddressed } from './refusal-answers.ts';

/** A replacement for a refusal: a response, another refusal, or the list without a check of its parent. */
export type Instead =
  | { readonly answer: Answer }
  | { readonly refusal: Refusal; readonly isBare: boolean }
  | { readonly lists: true };

/**
 * The response of an engine if an id of the path leads to no object; undefined for the usual one, 404 without a
 * body. A malformed id always gets the usual one; a malformed id of an event gets 400.
 */
export function findInsteadAnswer(
  error: unknown,
  operation: Operation,
  match: Match,
): Instead | undefined {
  if (!(error instanceof Refusal) || !isUnaddressed(error)) return undefined;
  if (error instanceof BareNotFound) return undefined;
  if (operation.type === 'event' && !match.ids.every(isNumber)) {
    const detail = 'The id of an event is a number.';
    return { refusal: new Refusal(400, 'Operation failed', detail), isBare: true };
  }
  if (!match.ids.every(isUuid)) return undefined;
  return made(getUnknownIdAnswer(operation), operation, error.detail);
}

function made(
  answer: UnknownIdAnswer,
  { type, path }: Operation,
  detail: string | undefined,
): Instead | undefined {
  const status = unknownIdStatuses[answer];
  const fault = (isBare: boolean): Instead => ({
    refusal: new Refusal(status, 'Operation Failed', detail),
    isBare,
  });
  switch (answer) {
    case 'gone':
      return undefined;
    case 'refused':
      return fault(false);
    case 'fault':
    case 'bare':
    case 'conflict':
      return fault(true);
    case 'empty':
      return { answer: { status, form: 'list', type, service: path, parts: [], extras: {} } };
    case 'listed':
      return { lists: true };
    case 'done':
      return { answer: { status, form: 'action', action: { status: 'complete' } } };
  }
}

/** Whether an id is a number of 64 bits, like the ids of events. */
function isNumber(id: string): boolean {
  return /^\d{1,19}$/.test(id) && BigInt(id) < 2n ** 63n;
}
