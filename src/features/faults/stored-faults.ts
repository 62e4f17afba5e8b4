/** Fault rules shared by all servers of a store. */

import { readJson } from '../../server/store/kinds.ts';
import { type Store, StoreError } from '../../server/store/store.ts';
import {
  countFault,
  hasFaults,
  listStoredFaults,
  removeFault,
  removeFaults,
  reserveFaultNumbers,
  resetFaults,
  writeFault,
} from './fault-list.ts';
import { type CountedRule, type FaultRule, FaultRules, type SharedRules } from './fault-rules.ts';

/**
 * Rules of a server: its own rules and those of the store. The first server removes the rules of
 * earlier runs.
 */
export async function createRules(
  store: Store,
  random: () => number,
  own: readonly Readonly<Record<string, unknown>>[],
  isFirst: boolean,
): Promise<FaultRules> {
  if (isFirst && store.read(hasFaults)) await store.write(resetFaults);
  const rules = new FaultRules(random, new StoredFaultRules(store));
  const first =
    own.length === 0 ? 1 : await store.write((tx) => reserveFaultNumbers(tx, own.length));
  for (const [index, rule] of own.entries()) rules.add(rule, formatId(first + index));
  return rules;
}

class StoredFaultRules implements SharedRules {
  readonly #store: Store;
  #rules: readonly CountedRule[] = [];
  #version = -1;

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Rules as of the last read of the store, so that a check costs nothing while the store is
   * unchanged.
   */
  get rules(): readonly CountedRule[] {
    if (this.#version === this.#store.knownVersion) return this.#rules;
    try {
      this.#store.read((tx) => {
        this.#rules = listStoredFaults(tx).map(({ number, rule, remaining }) => ({
          ...readJson<FaultRule>(rule),
          id: formatId(number),
          remaining: remaining ?? Number.POSITIVE_INFINITY,
        }));
        this.#version = this.#store.version;
      });
    } catch (error) {
      // The current request reports the error of the store.
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
    return { ...rule, id: formatId(number) };
  }

  async remove(id?: string): Promise<boolean> {
    const removed = this.rules.filter((rule) => id === undefined || rule.id === id);
    if (removed.length === 0) return false;
    await this.#store.write((tx) => {
      if (id === undefined) removeFaults(tx);
      else removeFault(tx, parseId(id));
    });
    return true;
  }

  count(id: string): Promise<boolean> {
    return this.#store.write((tx) => countFault(tx, parseId(id)));
  }
}

const prefix = 'fault-';

function formatId(number: number): string {
  return `${prefix}${number}`;
}

function parseId(id: string): number {
  return Number(id.slice(prefix.length));
}
