/**
 * The header `Idempotency-Key`: whoever does not know whether a request was done, because its answer got
 * lost, sends it again with the same key, to any server of the site. It is done once, and gets the first
 * answer again.
 */
import { createHash } from 'node:crypto';
import type { RuleContext } from '../core/context.ts';
import { Refusal } from '../core/fault.ts';
import {
  doneWithKey,
  hasExpiredKeys,
  noteDone,
  removeExpiredKeys,
  removeOldestKeys,
} from '../store/idempotency-keys.ts';
import { readJson, writeDocument } from '../store/kinds.ts';
import type { Store } from '../store/store.ts';
import type { Answer, Call } from './call.ts';

/** Milliseconds that a key is remembered. */
const lifetime = 24 * 3600 * 1000;
const longestKey = 255;

/**
 * Keys of one user that are remembered, and bytes of their answers; beyond that those of the oldest are
 * forgotten. They are counted with each of so many, and with each long answer.
 */
export const keyLimits = { keys: 10_000, bytes: 32 * 2 ** 20, between: 100, longAnswer: 2 ** 16 };
let untilCount = 0;

/**
 * Does the work of a request in the transaction of `ctx`, unless it was done before with its key. Refuses
 * with 400 a key that is none, and with 409 one that another request had.
 */
export function onceForKey(ctx: RuleContext, call: Call, work: () => Answer): Answer {
  const given = call.request.header('idempotency-key')?.trim();
  if (given === undefined) return work();
  if (given === '' || given.length > longestKey) {
    throw new Refusal(
      400,
      'Bad Idempotency-Key',
      `An Idempotency-Key has 1 to ${longestKey} characters.`,
    );
  }
  // Those of a user are next to each other.
  const owner = `${ctx.caller.userId}:`;
  const key = `${owner}${digest([given])}`;
  const request = digest(nameOf(call));
  const done = doneWithKey(ctx.tx, key);
  if (done && done.request !== request) {
    throw new Refusal(
      409,
      'Idempotency-Key was used',
      'Another request used this Idempotency-Key; use a new key for each request.',
    );
  }
  // It was noted below.
  if (done) return readJson<Answer>(done.answer);
  const answer = work();
  // Others hold what cannot be written down; they only read.
  if (['empty', 'object', 'action', 'creation'].includes(answer.form)) {
    const text = writeDocument({ ...answer });
    noteDone(ctx.tx, key, { request, answer: text }, ctx.steady + lifetime);
    untilCount -= 1;
    if (untilCount <= 0 || text.length > keyLimits.longAnswer) {
      untilCount = keyLimits.between;
      removeOldestKeys(ctx.tx, owner, keyLimits);
    }
  }
  return answer;
}

/** Forgets the keys that were used long enough ago by the time of the service. */
export async function purgeIdempotencyKeys(store: Store, now: number): Promise<void> {
  if (!store.read((tx) => hasExpiredKeys(tx, now))) return;
  await store.write((tx) => removeExpiredKeys(tx, now));
}

/** What a request asks for, in whatever format it says that. */
function nameOf({ request, operation, body }: Call): readonly string[] {
  const parameters = [...request.parameters].map(([name, value]) => `${name}=${value}`).sort();
  return [operation.http, request.segments.join('/'), ...parameters, writeDocument({ body })];
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
