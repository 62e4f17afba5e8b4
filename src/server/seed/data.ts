/** Fills a new store with what the server begins with: generated, written by somebody, or saved. */
import { readFileSync } from 'node:fs';
import { RuleContext, type Site } from '../core/context.ts';
import { loadState } from '../store/state.ts';
import type { Transaction } from '../store/transaction.ts';
import { addInventory } from './file.ts';
import { fillFresh } from './fresh.ts';
import { addLibrary } from './library.ts';
import { addSampleUsers } from './people.ts';
import { parseInventory } from './plan.ts';
import { buildSite } from './site.ts';

export interface BeginningOptions {
  /** Login name of the administrator. */
  readonly admin: string;
  /** See `parseInventory`. */
  readonly inventory: string;
  /** File with a saved state, instead of an inventory. */
  readonly load?: string | undefined;
}

/** Puts into an empty store what the server begins with. */
export type Beginning = (tx: Transaction, site: Site) => void;

/** Reads what the options name. Rejects with what is wrong with it. */
export async function readBeginning(options: BeginningOptions): Promise<Beginning> {
  const { admin, inventory, load } = options;
  if (load !== undefined) {
    const state = readFileSync(load, 'utf8');
    return (tx, site) => loadState(tx, state, site.steady());
  }
  const plan = await parseInventory(inventory);
  return (tx, site) => {
    // A seeded inventory is the same each time, whatever the clock says of it.
    const ctx = RuleContext.system(tx, { ...site, speed: 0 });
    fillFresh(ctx, admin);
    if (plan && 'counts' in plan) buildSite(ctx, plan.counts);
    if (plan && 'objects' in plan) addInventory(ctx, plan.objects);
    if (inventory === 'small') {
      addSampleUsers(ctx, admin);
      addLibrary(ctx);
    }
  };
}
