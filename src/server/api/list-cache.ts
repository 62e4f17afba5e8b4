/**
 * Encoded parts of lists, kept while the store does not change: whoever waits for something, or
 * shows it, asks for the same list again and again.
 */
import type { RuleContext } from '../core/context.ts';
import type { KindName } from '../store/kinds.ts';
import type { Store } from '../store/store.ts';
import type { Call } from './call.ts';
import type { Part } from './generic.ts';

/** Bytes that are kept at most. */
const most = 16 * 1024 * 1024;
/** Keys that are remembered at most. */
const mostAsked = 1_000;

export class ListCache {
  readonly #store: Pick<Store, 'version'>;
  /** Asked for once. To keep every part costs whoever walks through all pages more than it gives. */
  readonly #asked = new Set<string>();
  /** Asked for at least twice, in the order in which they were made. */
  readonly #parts = new Map<string, Uint8Array>();
  #version = -1;
  #size = 0;

  constructor(store: Pick<Store, 'version'>) {
    this.#store = store;
  }

  /** The part with this key; made anew unless it was kept and the store is as it was then. */
  part(key: string, make: () => Uint8Array): Uint8Array {
    if (this.#version !== this.#store.version) this.#forget();
    const kept = this.#parts.get(key);
    if (kept) return kept;
    const made = make();
    if (this.#asked.delete(key)) this.#keep(key, made);
    else if (this.#asked.size < mostAsked) this.#asked.add(key);
    else this.#asked.clear();
    return made;
  }

  #forget(): void {
    this.#asked.clear();
    this.#parts.clear();
    this.#size = 0;
    this.#version = this.#store.version;
  }

  #keep(key: string, made: Uint8Array): void {
    this.#parts.set(key, made);
    this.#size += made.length;
    for (const [oldest, { length }] of this.#parts) {
      if (this.#size <= most) break;
      this.#parts.delete(oldest);
      this.#size -= length;
    }
  }
}

/** Parts of longer lists are not worth the memory: nobody asks for them again and again. */
const longestKept = 40;

/**
 * What tells the parts of a list from those of others, for as long as the store does not change;
 * undefined where what is shown may change without it.
 */
export function listKey(
  { request }: Call,
  ctx: RuleContext,
  kind: KindName,
  parts: readonly Part[],
): string | undefined {
  const rules = ctx.behavior(kind);
  const lasts = rules?.present === undefined || rules.presentsStored === true;
  if (!lasts || parts.length > longestKept || parts.some(({ keys }) => !keys)) return undefined;
  const { apiPath, segments, parameters } = request;
  const header = request.header('all-content');
  return JSON.stringify([ctx.caller.userId, apiPath, segments, [...parameters], header]);
}
