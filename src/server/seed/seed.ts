/** Initial contents of a store: from counts, a document or a saved state. */
import { readFileSync } from 'node:fs';
import { type PlacedDefinition, readDefinition } from '../../definitions/document.ts';
import { parseYaml } from '../../definitions/yaml-text.ts';
import { systemReason } from '../../system-errors.ts';
import { RuleContext } from '../core/context.ts';
import type { Site } from '../core/ports.ts';
import { loadState } from '../store/state.ts';
import type { Transaction } from '../store/transaction.ts';
import { type Counts, countNames } from './counts.ts';
import { fillDefaults } from './defaults.ts';
import { addInventory } from './from-document.ts';
import { addSampleImages, addSampleUsers } from './samples.ts';
import { buildSite } from './site.ts';

const small: Counts = {
  datacenters: 1,
  clusters: 1,
  hosts: 2,
  storagedomains: 2,
  networks: 2,
  vms: 3,
  disks: 3,
};

export type Plan = { readonly counts: Counts } | { readonly objects: PlacedDefinition };

/**
 * Parses the value of `--inventory`: `empty`, `small`, `hosts=10,vms=1000`, or the path of a YAML
 * or JSON file with such counts or with the objects. Undefined for `empty`. Throws for an invalid
 * value.
 */
export async function parseInventory(text: string): Promise<Plan | undefined> {
  if (text === 'empty') return undefined;
  if (text === 'small') return { counts: small };
  if (text.includes('=')) return { counts: complete(fromPairs(text)) };
  let content: string;
  try {
    content = readFileSync(text, 'utf8');
  } catch (cause) {
    throw new Error(
      `--inventory "${text}" is not empty, small, a list of counts (hosts=10,vms=1000) or a readable file: ${systemReason(cause)}.`,
      { cause },
    );
  }
  const { value, place } = await parseYaml(content, text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`${place}: expected counts, for example "hosts: 10", or lists of objects`);
  }
  const entries = Object.entries(value);
  return entries.some(([, one]) => typeof one === 'object')
    ? { objects: readDefinition(value, place) }
    : { counts: complete(fromEntries(entries, (name) => place.at(name).position())) };
}

function fromPairs(text: string): Partial<Counts> {
  return fromEntries(
    text.split(',').map((pair) => {
      const [name = '', value = ''] = pair.split('=');
      return [name.trim(), value.trim()];
    }),
    () => '--inventory',
  );
}

function fromEntries(
  entries: readonly (readonly [string, unknown])[],
  where: (name: string) => string,
): Partial<Counts> {
  const counts: Partial<Record<keyof Counts, number>> = {};
  for (const [name, value] of entries) {
    const known = countNames.find((one) => one === name);
    if (!known)
      throw new Error(`${where(name)}: "${name}" is not one of ${countNames.join(', ')}.`);
    const count = Number(value);
    if (!Number.isInteger(count) || count < 0 || count > 1_000_000) {
      throw new Error(
        `${where(name)}: ${name}=${String(value)} is not a number from 0 to 1000000.`,
      );
    }
    counts[known] = count;
  }
  return counts;
}

/**
 * Completes omitted counts with the minimum that the other counts require. Throws for counts that
 * are too small for the others.
 */
function complete(counts: Partial<Counts>): Counts {
  const { datacenters = 1, clusters = 1, networks = 1, vms = 0 } = counts;
  const {
    hosts = Math.max(1, Math.ceil(vms / 100)),
    storagedomains = Math.max(1, datacenters),
    disks = vms,
  } = counts;
  for (const [name, count] of Object.entries({ datacenters, clusters, networks })) {
    if (count === 0) throw new Error(`--inventory: ${name}=0 is too small; use at least 1.`);
  }
  for (const [name, count] of Object.entries({ hosts, storagedomains })) {
    if (count > 0 || vms === 0) continue;
    throw new Error(`--inventory: vms=${vms} requires ${name}=1 or more, not ${name}=0.`);
  }
  if (disks > vms) {
    throw new Error(
      `--inventory: disks=${disks} is more than vms=${vms}; it is the number of VMs with a disk.`,
    );
  }
  return { datacenters, clusters, hosts, storagedomains, networks, vms, disks };
}

export interface BeginningOptions {
  /** Login name of the administrator. */
  readonly admin: string;
  /** See `parseInventory`. */
  readonly inventory: string;
  /** File with a saved state that replaces the inventory. */
  readonly load?: string | undefined;
}

/** The text of a saved state. Throws if the file cannot be read. */
function readState(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Error(`--load: cannot read "${path}": ${systemReason(cause)}.`, { cause });
  }
}

/** Fills an empty store with its initial contents. */
export type Beginning = (tx: Transaction, site: Site) => void;

/** Reads the files in the options. Rejects with a description of the problem. */
export async function readBeginning(options: BeginningOptions): Promise<Beginning> {
  const { admin, inventory, load } = options;
  if (load !== undefined) {
    const state = readState(load);
    return (tx, site) => loadState(tx, state, site.steady(), load);
  }
  const plan = await parseInventory(inventory);
  return (tx, site) => {
    // A seeded inventory must not depend on transition times.
    const ctx = RuleContext.system(tx, { ...site, speed: 0 });
    fillDefaults(ctx, admin);
    if (plan && 'counts' in plan) buildSite(ctx, plan.counts);
    if (plan && 'objects' in plan) addInventory(ctx, plan.objects);
    if (inventory === 'small') {
      addSampleUsers(ctx, admin);
      addSampleImages(ctx);
    }
  };
}
