/**
 * Cache of object names from lists, for completion and suggestions.
 * One file for each server and collection, one name a line. Outdated names do no harm.
 */
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, sep } from 'node:path';
import type { EffectiveSettings } from './effective-settings.ts';
import { makePrivateDirectory } from './private-file.ts';

/** Maximum number of names in a file. */
export const maxNames = 20_000;

/** Milliseconds during which names are fresh. Long lists cost the server more. */
const freshFor = { short: 60_000, long: 600_000 } as const;
const longList = 1_000;

/** Milliseconds after which a claim expires: its process has finished or failed by then. */
const claimExpiryMs = 30_000;

/** Collection of the names: a noun, alone or below parents. */
export interface NameCollection {
  readonly noun: string;
  /** Noun and argument of each parent, outermost first. */
  readonly parents?: readonly (readonly [noun: string, word: string])[];
}

export interface CachedNames {
  readonly names: readonly string[];
  /** Whether the cache has an entry. Without one, the names are unknown. */
  readonly isKnown: boolean;
  readonly isFresh: boolean;
}

/** Reads the cached names of a collection on the configured server. */
export function readCachedNames(configured: EffectiveSettings, place: NameCollection): CachedNames {
  const file = getCachePath(configured, place);
  const time = file === undefined ? undefined : getModifiedTime(file);
  if (file === undefined || time === undefined)
    return { names: [], isKnown: false, isFresh: false };
  const names = readLines(file);
  const limit = names.length > longList ? freshFor.long : freshFor.short;
  return { names, isKnown: true, isFresh: Math.abs(Date.now() - time) < limit };
}

/**
 * Stores names for completion. A complete list replaces the cached names; a partial one extends
 * them. Ignores write errors. A dry run writes nothing.
 */
export function cacheNames(
  configured: EffectiveSettings,
  place: NameCollection,
  names: readonly string[],
  isComplete: boolean,
): void {
  const file = getCachePath(configured, place);
  if (file === undefined || configured.isDryRun || (names.length === 0 && !isComplete)) return;
  try {
    const before = readLines(file);
    if (!isComplete && names.every((name) => before.includes(name))) return;
    const all = isComplete ? names : [...new Set([...names, ...before])];
    const cached = all.filter((name) => name !== '' && !/[\p{Cc}]/u.test(name)).slice(0, maxNames);
    const text = `${cached.join('\n')}\n`;
    // Most lists equal the cached one: then only the time changes.
    if (isComplete && text === `${before.join('\n')}\n`) {
      const now = Date.now() / 1_000;
      utimesSync(file, now, now);
    } else {
      makePrivateDirectory(dirname(file));
      const draft = `${file}.${process.pid}`;
      writeFileSync(draft, text, { mode: 0o600 });
      // A partial list does not make the other names fresh.
      if (!isComplete) utimesSync(draft, 0, (getModifiedTime(file) ?? 0) / 1_000);
      renameSync(draft, file);
    }
    const claim = getClaimPath(file);
    if (isComplete && getModifiedTime(claim) !== undefined) rmSync(claim, { force: true });
  } catch {
    // The next list retries.
  }
}

/**
 * Claims the refresh of the names. Returns false for other processes that ask at the same time, or
 * soon after a failure.
 */
export function claimRefresh(configured: EffectiveSettings, place: NameCollection): boolean {
  const file = getCachePath(configured, place);
  if (file === undefined) return false;
  const claim = getClaimPath(file);
  try {
    mkdirSync(dirname(claim), { recursive: true, mode: 0o700 });
    const time = getModifiedTime(claim);
    if (time !== undefined && Math.abs(Date.now() - time) > claimExpiryMs) {
      rmSync(claim, { force: true });
    }
    closeSync(openSync(claim, 'wx', 0o600));
    return true;
  } catch {
    // Another process has the claim, or the cache is not writable.
    return false;
  }
}

function getClaimPath(file: string): string {
  return `${file}.asked`;
}

function getModifiedTime(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    return [];
  }
}

/** Path of the cache file; undefined if no server is configured. */
function getCachePath(configured: EffectiveSettings, place: NameCollection): string | undefined {
  try {
    const url = configured.setting('url')?.value ?? configured.context()?.url;
    if (url === undefined || url === '') return undefined;
    const { host } = new URL(url.includes('://') ? url : `https://${url}`);
    const server = host.replaceAll(/[^\w.-]/g, '_');
    return [configured.paths.cacheDirectory, 'names', server, formatFileName(place)].join(sep);
  } catch {
    return undefined;
  }
}

/** File name of a collection: `vms`, `nics@vms=vm-01`. */
function formatFileName({ noun, parents = [] }: NameCollection): string {
  if (parents.length === 0) return noun;
  const above = parents
    .map(([kind, word]) => `${kind}=${encodeURIComponent(word).replaceAll('*', '%2A')}`)
    .join('@');
  // Long names that agree at both ends share a file. Completion then offers the names of both.
  const short = above.length > 160 ? `${above.slice(0, 80)}~${above.slice(-80)}` : above;
  return `${noun}@${short}`;
}
