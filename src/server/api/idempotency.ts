/**
 * `Idempotency-Key` header. A client that has lost the response to a request can repeat it with
 * the same key, at any server of the site. The server performs it once, and repeats the first
 * response.
 */
import { createHash } from 'node:crypto';
import type { RuleContext } from '../core/context.ts';
import { Refusal } from '../core/fault.ts';
import {
  findDoneRequest,
  hasExpiredKeys,
  removeExpiredKeys,
  removeOldestKeys,
  storeDoneRequest,
} from '../store/idempotency-keys.ts';
import { readJson, writeDocument } from '../store/kinds.ts';
import type { Store } from '../store/store.ts';
import type { Answer, ApiCall } from './call.ts';

/** Milliseconds for which a key is stored. */
const lifetime = 24 * 3600 * 1000;
const longestKey = 255;

/**
 * Maximum stored keys of a user, and bytes of their responses. The oldest keys are deleted. The
 * limits are checked after `between` keys, and after each long response.
 */
export const keyLimits = { keys: 10_000, bytes: 32 * 2 ** 20, between: 100, longAnswer: 2 ** 16 };
let untilCount = 0;

/**
 * Runs `work` in the transaction of `ctx`, or returns the stored response for the key. Refuses an
 * invalid key with 400, and the key of another request with 409.
 */
export function onceForKey(ctx: RuleContext, call: ApiCall, work: () => Answer): Answer {
  const given = call.request.header('idempotency-key')?.trim();
  if (given === undefined) return work();
  if (given === '' || given.length > longestKey) {
    throw new Refusal(
      400,
      'Bad Idempotency-Key',
      `An Idempotency-Key has 1 to ${longestKey} characters.`,
    );
  }
  // Keys of a user have a common prefix.
  const owner = `${ctx.caller.userId}:`;
  const key = `${owner}${digest([given])}`;
  const request = digest(identifyRequest(call));
  const done = findDoneRequest(ctx.tx, key);
  if (done && done.request !== request) {
    throw new Refusal(
      409,
      'Idempotency-Key was used',
      'Another request used this Idempotency-Key; use a new key for each request.',
    );
  }
  // Stored below.
  if (done) return readJson<Answer>(done.answer);
  const answer = work();
  // Other responses belong to reads, and cannot be stored.
  if (['empty', 'object', 'action', 'creation'].includes(answer.form)) {
    const text = writeDocument({ ...answer });
    storeDoneRequest(ctx.tx, key, { request, answer: text }, ctx.steady + lifetime);
    untilCount -= 1;
    if (untilCount <= 0 || text.length > keyLimits.longAnswer) {
      untilCount = keyLimits.between;
      removeOldestKeys(ctx.tx, owner, keyLimits);
    }
  }
  return answer;
}

/** Deletes expired keys, by service time. */
export async function purgeIdempotencyKeys(store: Store, now: number): Promise<void> {
  if (!store.read((tx) => hasExpiredKeys(tx, now))) return;
  await store.write((tx) => removeExpiredKeys(tx, now));
}

/** Identity of a request, independent of its format. */
function identifyRequest({ request, operation, body }: ApiCall): readonly string[] {
  const parameters = [...request.parameters].map(([name, value]) => `${name}=${value}`).sort();
  return [operation.http, request.segments.join('/'), ...parameters, writeDocument({ body })];
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
