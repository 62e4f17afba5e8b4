/**
 * Names of objects that lists have shown: what completion offers, and what mistyped names are compared
 * with. One file for each server and place, a name in a line; old names do no harm.
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

/** More are of no use to anybody who presses a key. */
export const maxNames = 20_000;

/** Milliseconds for which names count as fresh; long lists cost the server more. */
const freshFor = { short: 60_000, long: 600_000 } as const;
const longList = 1_000;

/** After so many milliseconds names may be asked for again; who asked is done or has given up by then. */
const retryAfter = 30_000;

/** Which objects: those of a noun, by themselves or below others. */
export interface NamePlace {
  readonly noun: string;
  /** Noun and word of what is above them, from the outermost in. */
  readonly parents?: readonly (readonly [noun: string, word: string])[];
}

export interface KnownNames {
  readonly names: readonly string[];
  /** Whether somebody has looked; where nobody has, there may be any. */
  readonly isKnown: boolean;
  readonly isFresh: boolean;
}

/** The names that were seen at a place of the server of the settings. */
export function knownNames(configured: EffectiveSettings, place: NamePlace): KnownNames {
  const file = fileOf(configured, place);
  const time = file === undefined ? undefined : changedAt(file);
  if (file === undefined || time === undefined)
    return { names: [], isKnown: false, isFresh: false };
  const names = read(file);
  const limit = names.length > longList ? freshFor.long : freshFor.short;
  return { names, isKnown: true, isFresh: Math.abs(Date.now() - time) < limit };
}

/**
 * Keeps names for completion: in place of those before when the list was whole, else beside them.
 * That they cannot be kept is no failure. A dry run writes nothing.
 */
export function cacheNames(
  configured: EffectiveSettings,
  place: NamePlace,
  names: readonly string[],
  isWhole: boolean,
): void {
  const file = fileOf(configured, place);
  if (file === undefined || configured.isDryRun || (names.length === 0 && !isWhole)) return;
  try {
    const before = read(file);
    if (!isWhole && names.every((name) => before.includes(name))) return;
    const all = isWhole ? names : [...new Set([...names, ...before])];
    const cached = all.filter((name) => name !== '' && !/[\p{Cc}]/u.test(name)).slice(0, maxNames);
    const text = `${cached.join('\n')}\n`;
    // Most lists show what the one before them has shown: then the names are only as fresh as now.
    if (isWhole && text === `${before.join('\n')}\n`) {
      const now = Date.now() / 1_000;
      utimesSync(file, now, now);
    } else {
      makePrivateDirectory(dirname(file));
      const draft = `${file}.${process.pid}`;
      writeFileSync(draft, text, { mode: 0o600 });
      // A part of the names does not make the others fresh.
      if (!isWhole) utimesSync(draft, 0, (changedAt(file) ?? 0) / 1_000);
      renameSync(draft, file);
    }
    const claim = claimOf(file);
    if (isWhole && changedAt(claim) !== undefined) rmSync(claim, { force: true });
  } catch {
    // The next list tries again.
  }
}

/**
 * Whether this process is the one to ask the server for the names now: others that would ask at the
 * same time, or again soon after a failure, are told not to.
 */
export function claimRefresh(configured: EffectiveSettings, place: NamePlace): boolean {
  const file = fileOf(configured, place);
  if (file === undefined) return false;
  const claim = claimOf(file);
  try {
    mkdirSync(dirname(claim), { recursive: true, mode: 0o700 });
    const time = changedAt(claim);
    if (time !== undefined && Math.abs(Date.now() - time) > retryAfter) {
      rmSync(claim, { force: true });
    }
    closeSync(openSync(claim, 'wx', 0o600));
    return true;
  } catch {
    // Somebody else has it, or nothing can be kept here.
    return false;
  }
}

function claimOf(file: string): string {
  return `${file}.asked`;
}

function changedAt(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}

function read(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    return [];
  }
}

/** Where the names of a place are; nothing when it is not known which server is meant. */
function fileOf(configured: EffectiveSettings, place: NamePlace): string | undefined {
  try {
    const url = configured.setting('url')?.value ?? configured.context()?.url;
    if (url === undefined || url === '') return undefined;
    const { host } = new URL(url.includes('://') ? url : `https://${url}`);
    const server = host.replaceAll(/[^\w.-]/g, '_');
    return [configured.paths.cacheDirectory, 'names', server, keyOf(place)].join(sep);
  } catch {
    return undefined;
  }
}

/** The name of the file: `vms`, `nics@vms=vm-01`. */
function keyOf({ noun, parents = [] }: NamePlace): string {
  if (parents.length === 0) return noun;
  const above = parents
    .map(([kind, word]) => `${kind}=${encodeURIComponent(word).replaceAll('*', '%2A')}`)
    .join('@');
  // Two that are the same at both ends may share a file: the names of one are offered for the other.
  const short = above.length > 160 ? `${above.slice(0, 80)}~${above.slice(-80)}` : above;
  return `${noun}@${short}`;
}
