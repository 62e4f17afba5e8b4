/** Fault rules that all servers of a store have: added at one, they strike at each. */

import { readJson } from '../../server/store/kinds.ts';
import { type Store, StoreError } from '../../server/store/store.ts';
import {
  beginFaults,
  countFault,
  hasFaults,
  removeFault,
  removeFaults,
  reserveFaultNumbers,
  storedFaults,
  writeFault,
} from './fault-list.ts';
import { type FaultRule, FaultRules, type KeptRule, type SharedRules } from './fault-rules.ts';

/**
 * The rules of a server: its own, which nobody else has, and those of the store. The first server forgets
 * those of before.
 */
export async function beginRules(
  store: Store,
  random: () => number,
  own: readonly Readonly<Record<string, unknown>>[],
  isFirst: boolean,
): Promise<FaultRules> {
  if (isFirst && store.read(hasFaults)) await store.write(beginFaults);
  const rules = new FaultRules(random, new StoredFaultRules(store));
  const first =
    own.length === 0 ? 1 : await store.write((tx) => reserveFaultNumbers(tx, own.length));
  for (const [index, rule] of own.entries()) rules.add(rule, idOf(first + index));
  return rules;
}

class StoredFaultRules implements SharedRules {
  readonly #store: Store;
  #rules: readonly KeptRule[] = [];
  #version = -1;

  constructor(store: Store) {
    this.#store = store;
  }

  /** What was known when something was last read, so that to ask costs nothing where nothing has changed. */
  get rules(): readonly KeptRule[] {
    if (this.#version === this.#store.knownVersion) return this.#rules;
    try {
      this.#store.read((tx) => {
        this.#rules = storedFaults(tx).map(({ number, rule, remaining }) => ({
          ...readJson<FaultRule>(rule),
          id: idOf(number),
          left: remaining ?? Number.POSITIVE_INFINITY,
        }));
        this.#version = this.#store.version;
      });
    } catch (error) {
      // The request that is about to be answered says what is wrong with the store.
      if (!(error instanceof StoreError)) throw error;
    }
    return this.#rules;
  }

  async add(rule: FaultRule): Promise<FaultRule> {
    const number = await this.#store.write((tx) => {
      const next = reserveFaultNumbers(tx, 1);
      writeFault(tx, { number: next, rule: JSON.stringify(rule), remaining: rule.times });
      return next;
    });
    return { ...rule, id: idOf(number) };
  }

  async remove(id?: string): Promise<boolean> {
    const removed = this.rules.filter((rule) => id === undefined || rule.id === id);
    if (removed.length === 0) return false;
    await this.#store.write((tx) => {
      if (id === undefined) removeFaults(tx);
      else removeFault(tx, numberOf(id));
    });
    return true;
  }

  count(id: string): Promise<boolean> {
    return this.#store.write((tx) => countFault(tx, numberOf(id)));
  }
}

const prefix = 'fault-';

function idOf(number: number): string {
  return `${prefix}${number}`;
}

function numberOf(id: string): number {
  return Number(id.slice(prefix.length));
}
