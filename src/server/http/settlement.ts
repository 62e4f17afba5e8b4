/**
 * Requests that wait for the end of their work (`async=false`). A change of the object or of its
 * job wakes them. They end if the client closes its connection, and their number is limited.
 */
import type { Answer, ApiCall } from '../api/call.ts';
import { settled, settlingIds } from '../api/completion.ts';
import { booleanParameter } from '../api/request.ts';
import { createVisibilityFilter } from '../api/visibility-filter.ts';
import { type Caller, RuleContext } from '../core/context.ts';
import { Refusal } from '../core/fault.ts';
import type { Site } from '../core/ports.ts';
import type { Store } from '../store/store.ts';
import { ClientGone } from './send.ts';

/** Milliseconds after which the server responds before the end of the work. */
const longestWait = 10 * 60_000;

export interface WaitLimits {
  /** Maximum simultaneous waiting requests of one user, and of all users. */
  readonly perUser: number;
  readonly total: number;
}

const defaultLimits: WaitLimits = { perUser: 100, total: 1_000 };

/** Counts waiting requests. */
export class SettlementWaits {
  readonly #limits: WaitLimits;
  readonly #byUser = new Map<string, number>();
  #total = 0;

  constructor(limits: WaitLimits = defaultLimits) {
    this.#limits = limits;
  }

  /**
   * Counts a request before its change; the returned function ends the wait. Refuses with 503 if
   * too many requests wait: the client can retry, or omit `async=false`.
   */
  reserve({ userId }: Caller): () => void {
    const own = this.#byUser.get(userId) ?? 0;
    if (own >= this.#limits.perUser || this.#total >= this.#limits.total) {
      const whose =
        own >= this.#limits.perUser ? `${own} requests of this user` : 'Too many requests';
      throw new Refusal(
        503,
        'Service Unavailable',
        `${whose} are waiting with async=false. The request changed nothing; try again later, or without async=false.`,
        { headers: { 'Retry-After': '5' } },
      );
    }
    this.#total += 1;
    this.#byUser.set(userId, own + 1);
    return () => {
      this.#total -= 1;
      const left = (this.#byUser.get(userId) ?? 1) - 1;
      if (left > 0) this.#byUser.set(userId, left);
      else this.#byUser.delete(userId);
    };
  }
}

/** A request that waits, and the services that it needs. */
export interface WaitingRequest extends ApiCall {
  readonly server: { readonly store: Store; readonly site: Site };
  readonly caller: Caller;
}

/** Whether the client requests a response after the end of the work. */
export function asksToWait({ request, operation, body }: ApiCall): boolean {
  if (operation.isAction && !Array.isArray(body)) return body['async'] === false;
  const expect = `${request.header('expect') ?? ''},${request.header('x-ovirt-expect') ?? ''}`;
  if (expect.includes('201-created')) return operation.name === 'add';
  return operation.http === 'POST' && booleanParameter(request.parameters.get('async')) === false;
}

/**
 * Returns the response at the end of the work, or the response of a request without a wait after
 * the longest wait. Rejects with `ClientGone` if the client closes its connection.
 */
export async function waitUntilSettled(ctx: WaitingRequest, result: Answer): Promise<Answer> {
  const { caller, server } = ctx;
  const { store, site } = server;
  const answerNow = () =>
    store.read((tx) => {
      const context = new RuleContext(tx, site, caller);
      context.filter = createVisibilityFilter(context, ctx.request, true);
      return settled(context, ctx, result);
    });
  const answered = answerNow() ?? (await nextAnswer(store, ctx, result, answerNow));
  await store.durable();
  return answered;
}

function nextAnswer(
  store: Store,
  call: ApiCall,
  result: Answer,
  answerNow: () => Answer | undefined,
): Promise<Answer> {
  const { connection, address } = call.request;
  return new Promise<Answer>((resolve, reject) => {
    const end = (answer: () => void) => {
      clearTimeout(timer);
      unwatch();
      offClose();
      answer();
    };
    const look = () => {
      try {
        // After a failed write, nothing settles. The rejected write has the reason.
        if (store.failed)
          end(() => store.write(() => undefined).then(() => resolve(result), reject));
        const found = store.failed ? undefined : answerNow();
        if (found) end(() => resolve(found));
      } catch (error) {
        end(() => reject(error));
      }
    };
    const timer = setTimeout(() => end(() => resolve(result)), longestWait);
    const unwatch = store.changes.watch(settlingIds(call, result), look);
    const offClose = connection.onClose(() => end(() => reject(new ClientGone(address))));
  });
}
