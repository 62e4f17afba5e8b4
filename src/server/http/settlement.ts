/**
 * Requests that wait until the work they began has ended (`async=false`). A transition of the object or its
 * job wakes them; they end with the connection of their client, and are limited in number.
 */
import type { Answer, Call } from '../api/call.ts';
import { settled, settlingIds } from '../api/completion.ts';
import { booleanParameter } from '../api/request.ts';
import { visibilityFilterOf } from '../api/visibility-filter.ts';
import { type Caller, RuleContext } from '../core/context.ts';
import { Refusal } from '../core/fault.ts';
import type { Site } from '../core/ports.ts';
import type { Store } from '../store/store.ts';
import { ClientGone } from './send.ts';

/** Milliseconds after which a request is answered although its work has not ended. */
const longestWait = 10 * 60_000;

export interface WaitLimits {
  /** Requests of one user that wait at a time, and of all. */
  readonly perUser: number;
  readonly total: number;
}

const defaultLimits: WaitLimits = { perUser: 100, total: 1_000 };

/** Counts the requests that wait. */
export class SettlementWaits {
  readonly #limits: WaitLimits;
  readonly #byUser = new Map<string, number>();
  #total = 0;

  constructor(limits: WaitLimits = defaultLimits) {
    this.#limits = limits;
  }

  /**
   * Takes a place before anything is changed; the returned function gives it back. Refuses with 503 if
   * too many wait already: the client can repeat the request, or send it without `async=false`.
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
export interface WaitingRequest extends Call {
  readonly server: { readonly store: Store; readonly site: Site };
  readonly caller: Caller;
}

/** Whether the client wants the answer only when the work is done. */
export function asksToWait({ request, operation, body }: Call): boolean {
  if (operation.isAction && !Array.isArray(body)) return body['async'] === false;
  const expect = `${request.header('expect') ?? ''},${request.header('x-ovirt-expect') ?? ''}`;
  if (expect.includes('201-created')) return operation.name === 'add';
  return operation.http === 'POST' && booleanParameter(request.parameters.get('async')) === false;
}

/**
 * The answer when the work has ended; after the longest wait that of a request which does not wait. Rejects
 * with `ClientGone` if the client leaves before.
 */
export async function waitUntilSettled(ctx: WaitingRequest, result: Answer): Promise<Answer> {
  const { caller, server } = ctx;
  const { store, site } = server;
  const answerNow = () =>
    store.read((tx) => {
      const context = new RuleContext(tx, site, caller);
      context.filter = visibilityFilterOf(context, ctx.request, true);
      return settled(context, ctx, result);
    });
  const answered = answerNow() ?? (await nextAnswer(store, ctx, result, answerNow));
  await store.durable();
  return answered;
}

function nextAnswer(
  store: Store,
  call: Call,
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
        // A store that cannot be written never settles; the rejected write has the reason.
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
