/** Polling of an object until a condition is met, or it is gone. */

import { lifecycles } from '../model/derive/lifecycles.ts';
import { attributesOf, isType } from '../model/index.ts';
import type { ApiObject } from './client.ts';
import {
  ConflictError,
  ConnectionError,
  isRetryable,
  ServerError,
  type VmctlError,
  WaitTimeoutError,
} from './errors.ts';
import { pause } from './retry.ts';

/** An object to look at again and again. */
export interface PolledObject {
  /** As commands take it: `vms/web01`. */
  readonly label: string;
  /** The command that waits for it again, up to `--for`. */
  readonly resume: string;
  /** It was there a moment ago; otherwise it may have to come into being first. */
  readonly existed?: boolean;
  /** The object as it is now; `undefined` when there is none. */
  readonly fetch: () => Promise<ApiObject | undefined>;
  /** What the service says about it last, in a sentence. */
  readonly reason?: () => Promise<string | undefined>;
}

/** What is waited for. */
export interface Condition {
  /** In words, for messages: `status=up`. */
  readonly text: string;
  /** Whether it is reached; throws when it never will be. */
  readonly isMet: (now: ApiObject | undefined) => boolean;
  /** The state to show while waiting. */
  readonly stateOf: (now: ApiObject | undefined) => string;
}

export interface WaitOptions {
  readonly timeout: number;
  readonly signal?: AbortSignal;
  /** Told whenever the state changes, with the reason where `reasons` is set. */
  readonly onChange?: (state: string, reason?: string) => void;
  /** Told when the server does not answer any more, and when it does again. */
  readonly onUnavailable?: (error: VmctlError) => void;
  readonly onAvailable?: () => void;
  /** Somebody is looking: asks for the reason at each change, not only when it fails. */
  readonly reasons?: boolean;
}

/** Small changes are done at once: few requests, in exchange for a command that ends when they are. */
const minInterval = 25;
const maxInterval = 3_000;

/** Looks at the object, ever less often, until the condition is reached. */
export async function waitFor(
  polled: PolledObject,
  condition: Condition,
  options: WaitOptions,
): Promise<ApiObject | undefined> {
  const began = Date.now();
  let state: string | undefined;
  let existed = polled.existed === true;
  let trouble: VmctlError | undefined;
  for (let delay = minInterval; ; delay = Math.min(delay * 1.4, maxInterval)) {
    const { now, error } = await fetchOnce(polled);
    if (error && !trouble) options.onUnavailable?.(error);
    if (!error && trouble) options.onAvailable?.();
    trouble = error;
    if (!error) {
      existed ||= now !== undefined;
      const seen = now === undefined && !existed ? 'absent' : condition.stateOf(now);
      if (seen !== state) {
        options.onChange?.(seen, options.reasons ? await reasonOf(polled) : undefined);
      }
      state = seen;
      if (await checkCondition(polled, condition, now)) return now;
    }
    const left = options.timeout - (Date.now() - began);
    if (left <= 0 && trouble) {
      throw unavailableError(polled, condition, state, options.timeout, trouble);
    }
    if (left <= 0) {
      throw timeoutError(polled, condition, state, options.timeout, await reasonOf(polled));
    }
    await pause(Math.min(delay, left), options.signal);
  }
}

/** That the service says nothing is no reason to fail. */
async function reasonOf({ reason }: PolledObject): Promise<string | undefined> {
  return await reason?.().catch(() => undefined);
}

async function checkCondition(
  polled: PolledObject,
  condition: Condition,
  now: ApiObject | undefined,
): Promise<boolean> {
  try {
    return condition.isMet(now);
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    const reason = await reasonOf(polled);
    if (reason === undefined) throw error;
    const { code, hint } = error;
    throw new ConflictError(`${error.message}: ${reason}`, { code, ...(hint ? { hint } : {}) });
  }
}

interface Look {
  readonly now?: ApiObject | undefined;
  /** Why nothing was seen. */
  readonly error?: ConnectionError | ServerError;
}

/** A server that is away for a moment is no reason to give up. */
async function fetchOnce(polled: PolledObject): Promise<Look> {
  try {
    return { now: await polled.fetch() };
  } catch (error) {
    if (isRetryable(error)) return { error };
    throw error;
  }
}

/** The error of a timeout during which the server was unavailable. */
function unavailableError(
  { label, resume }: PolledObject,
  condition: Condition,
  state: string | undefined,
  timeout: number,
  error: VmctlError,
): VmctlError {
  const Kind = error instanceof ConnectionError ? ConnectionError : ServerError;
  const seen = state === undefined ? '' : `; last state: ${state}`;
  const command = `${resume} --for ${condition.text}`;
  return new Kind(
    `timed out after ${Math.round(timeout / 1_000)} s waiting for ${condition.text} of ${label}: ${error.message}${seen}`,
    {
      code: error.code,
      hint: `the operation may continue; once the server responds: ${command}`,
      next: [command],
      retryable: true,
      cause: error,
    },
  );
}

function timeoutError(
  { label, resume }: PolledObject,
  condition: Condition,
  state: string | undefined,
  timeout: number,
  reason: string | undefined,
): WaitTimeoutError {
  const lastEvent = reason === undefined ? '' : `; last event: ${reason}`;
  const seen = state === undefined || state.startsWith('waiting') ? '' : `; state: ${state}`;
  return new WaitTimeoutError(
    `timed out after ${Math.round(timeout / 1_000)} s waiting for ${condition.text} of ${label}${seen}${lastEvent}`,
    {
      hint: `to wait longer: ${resume} --for ${condition.text}`,
      next: [`${resume} --for ${condition.text}`],
    },
  );
}

/** States of the deployed family of services that end by themselves, for types without a table. */
const passing: ReadonlySet<string> = new Set([
  'locked',
  'image_locked',
  'pending',
  'in_progress',
  'initializing',
  'starting',
  'finalizing',
  'preparing_for_maintenance',
  'activating',
  'detaching',
]);

const stateAttributes = ['status', 'phase', 'snapshot_status'];

/** The attribute that holds the state of objects of a type, if they have one. */
export function stateAttribute(type: string): string | undefined {
  const known = lifecycles[type]?.attribute;
  if (known !== undefined || !isType(type)) return known;
  if (type === 'snapshot') return 'snapshot_status';
  const attributes = attributesOf(type);
  return stateAttributes.find((name) => attributes[name] !== undefined);
}

/** State of objects whose type has no state attribute. */
const stateless = 'exists';

/** The state of an object in one word. */
export function stateOf(type: string, now: ApiObject | undefined): string {
  if (now === undefined) return 'gone';
  const attribute = stateAttribute(type);
  const state = attribute === undefined ? undefined : now[attribute];
  return state === undefined ? stateless : String(state);
}

/** How long a state that the operation should have left may still be seen. */
const grace = 10_000;

/**
 * Where an operation leads: to the state that the table of the type names, to nothing when the
 * object is removed, else to any state that does not end by itself.
 */
export function conditionFor(
  type: string,
  operations: readonly string[],
  label: string,
): Condition {
  const lifecycle = lifecycles[type];
  const move = operations.map((name) => lifecycle?.moves[name]).find((one) => one !== undefined);
  const ends =
    operations.includes('remove') || (move !== undefined && move.to === undefined && !move.stays);
  const currentState = (now: ApiObject | undefined) => stateOf(type, now);
  /** Progress reports the result of the operation for an object without a state. */
  const shownState = (now: ApiObject | undefined) => {
    const state = currentState(now);
    return state === stateless && operations.includes('add') ? 'created' : state;
  };
  if (ends) return { text: 'gone', isMet: (now) => now === undefined, stateOf: shownState };
  const target = move?.to;
  if (target === undefined || !lifecycle) {
    const rests = (state: string) =>
      lifecycle ? lifecycle.settled.includes(state) : !passing.has(state);
    return {
      text: 'settled',
      isMet: (now) =>
        now === undefined || currentState(now) === stateless || rests(currentState(now)),
      stateOf: shownState,
    };
  }
  const goals = new Set([target, ...(move?.or ?? [])]);
  const began = Date.now();
  let left = false;
  return {
    text: `${lifecycle.attribute}=${target}`,
    stateOf: shownState,
    isMet: (now) => {
      const state = currentState(now);
      if (goals.has(state) || state === stateless) return true;
      // What fails to be made is taken away again by the service.
      if (now === undefined && Date.now() - began > grace) {
        throw new ConflictError(`${label} was deleted while waiting for ${target}`, {
          code: 'unexpected_state',
          hint: 'vmctl events list',
        });
      }
      if (!lifecycle.settled.includes(state)) left = true;
      else if (left || Date.now() - began > grace) {
        throw new ConflictError(`${label} is ${state} instead of ${target}`, {
          code: 'unexpected_state',
          hint: 'vmctl events list',
        });
      }
      return false;
    },
  };
}
