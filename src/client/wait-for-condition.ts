/** Wait for an object until it meets a condition or is deleted. */

import { lifecycles } from '../model/derive/lifecycles.ts';
import { isType, listAttributes } from '../model/index.ts';
import type { ApiObject } from './client.ts';
import {
  ConflictError,
  ConnectionError,
  ServerError,
  type VmctlError,
  WaitTimeoutError,
} from './errors.ts';
import { poll } from './poll.ts';

/** Object to poll. */
export interface PolledObject<O extends object = ApiObject> {
  /** Label for messages: `vms/web01`. */
  readonly label: string;
  /** Command that waits again, up to `--for`. */
  readonly resume: string;
  /** Whether the object existed before. If not, its creation may be pending. */
  readonly existed?: boolean;
  /** Fetches the object. `undefined` if it does not exist. */
  readonly fetch: () => Promise<O | undefined>;
  /** Latest message of the service about the object. */
  readonly reason?: () => Promise<string | undefined>;
}

/** Condition to wait for. */
export interface Condition<O extends object = ApiObject> {
  /** Condition in messages: `status=up`. */
  readonly text: string;
  /** Whether the condition is met. Throws if it can never be met. */
  readonly isMet: (now: O | undefined) => boolean;
  /** State to show while waiting. */
  readonly getState: (now: O | undefined) => string;
}

export interface WaitOptions {
  readonly timeout: number;
  readonly signal?: AbortSignal;
  /** Called when the state changes, with the reason if `reasons` is set. */
  readonly onChange?: (state: string, reason?: string) => void;
  /** Called when the server stops responding, and when it responds again. */
  readonly onUnavailable?: (error: VmctlError) => void;
  readonly onAvailable?: () => void;
  /** Fetches the reason of each change, not only of a failure, for interactive use. */
  readonly reasons?: boolean;
}

/**
 * Small changes end immediately. The first polls are frequent, so that the command ends soon after.
 */
const interval = { firstMs: 25, factor: 1.4, maxMs: 3_000 };

/** Polls an object at increasing intervals until the condition is met. */
export async function waitFor<O extends object>(
  polled: PolledObject<O>,
  condition: Condition<O>,
  options: WaitOptions,
): Promise<O | undefined> {
  let state: string | undefined;
  let existed = polled.existed === true;
  let isUnavailable = false;
  const createError = async (failure: VmctlError | undefined) =>
    failure
      ? unavailableError(polled, condition, state, options.timeout, failure)
      : timeoutError(polled, condition, state, options.timeout, await fetchReason(polled));
  const onUnavailable = (error: VmctlError) => {
    if (!isUnavailable) options.onUnavailable?.(error);
    isUnavailable = true;
  };
  const timeout = { ms: options.timeout, createError };
  const { fetch: read } = polled;
  for await (const now of poll({
    read,
    interval,
    signal: options.signal,
    onUnavailable,
    timeout,
  })) {
    if (isUnavailable) options.onAvailable?.();
    isUnavailable = false;
    existed ||= now !== undefined;
    const seen = now === undefined && !existed ? 'absent' : condition.getState(now);
    if (seen !== state) {
      options.onChange?.(seen, options.reasons ? await fetchReason(polled) : undefined);
    }
    state = seen;
    if (await checkCondition(polled, condition, now)) return now;
  }
  return undefined;
}

/** The reason is optional, so ignore errors. */
async function fetchReason({ reason }: Pick<PolledObject, 'reason'>): Promise<string | undefined> {
  return await reason?.().catch(() => undefined);
}

async function checkCondition<O extends object>(
  polled: PolledObject<O>,
  condition: Condition<O>,
  now: O | undefined,
): Promise<boolean> {
  try {
    return condition.isMet(now);
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    const reason = await fetchReason(polled);
    if (reason === undefined) throw error;
    const { code, hint } = error;
    throw new ConflictError(`${error.message}: ${reason}`, { code, ...(hint ? { hint } : {}) });
  }
}

/** Creates the error of a timeout while the server was unavailable. */
function unavailableError(
  { label, resume }: Pick<PolledObject, 'label' | 'resume'>,
  condition: Pick<Condition, 'text'>,
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
  { label, resume }: Pick<PolledObject, 'label' | 'resume'>,
  condition: Pick<Condition, 'text'>,
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

/** Transitional states of deployed services, for types without declared transitions. */
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

/** State attribute of a type, if any. */
export function stateAttribute(type: string): string | undefined {
  const known = lifecycles[type]?.attribute;
  if (known !== undefined || !isType(type)) return known;
  if (type === 'snapshot') return 'snapshot_status';
  const attributes = listAttributes(type);
  return stateAttributes.find((name) => attributes[name] !== undefined);
}

/** Pseudo-state of objects without a state attribute. */
const stateless = 'exists';

/** State of an object. */
export function getState(type: string, now: ApiObject | undefined): string {
  if (now === undefined) return 'gone';
  const attribute = stateAttribute(type);
  const state = attribute === undefined ? undefined : now[attribute];
  return state === undefined ? stateless : String(state);
}

/** Milliseconds during which an outdated state can still be visible after an operation. */
const grace = 10_000;

/**
 * Condition that an operation leads to: a target state of the model, absence after a removal,
 * otherwise any stable state.
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
  const currentState = (now: ApiObject | undefined) => getState(type, now);
  /** An object without a state shows the result of the operation. */
  const shownState = (now: ApiObject | undefined) => {
    const state = currentState(now);
    return state === stateless && operations.includes('add') ? 'created' : state;
  };
  if (ends) return { text: 'gone', isMet: (now) => now === undefined, getState: shownState };
  const target = move?.to;
  if (target === undefined || !lifecycle) {
    const isSettled = (state: string) =>
      lifecycle ? lifecycle.settled.includes(state) : !passing.has(state);
    return {
      text: 'settled',
      isMet: (now) =>
        now === undefined || currentState(now) === stateless || isSettled(currentState(now)),
      getState: shownState,
    };
  }
  const goals = new Set([target, ...(move?.or ?? [])]);
  const began = Date.now();
  let left = false;
  return {
    text: `${lifecycle.attribute}=${target}`,
    getState: shownState,
    isMet: (now) => {
      const state = currentState(now);
      if (goals.has(state) || state === stateless) return true;
      // The service removes an object whose creation failed.
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
