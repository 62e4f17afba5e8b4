/**
 * Refresh of outdated or missing names for completion.
 * A background process fetches them from the server. Completion waits for it briefly; the process
 * continues without it.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ownCommand } from '../../own-command.ts';
import type { EffectiveSettings } from '../session/effective-settings.ts';
import type { Environment } from '../session/io.ts';
import {
  type CachedNames,
  claimRefresh,
  type NameCollection,
  readCachedNames,
} from '../session/name-cache.ts';

/** Milliseconds that a key press waits, depending on whether cached names exist. */
const waitMs = { known: 150, unknown: 700 } as const;

/** Request to the background process, as JSON. */
export interface NamesRequest {
  readonly place: NameCollection;
  /** Values of the flags that select the server. */
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * Returns the names of a collection: fetched if the server responds quickly, otherwise from the
 * cache.
 */
export async function refreshNames(
  configured: EffectiveSettings,
  place: NameCollection,
  known: CachedNames,
  env: Environment,
  options: NamesRequest['options'],
): Promise<readonly string[]> {
  if (!hasToken(configured) || !claimRefresh(configured, place)) return known.names;
  const { spawn } = process.getBuiltinModule('node:child_process');
  const { file, words } = ownCommand();
  const request: NamesRequest = { place, options };
  const child = spawn(file, [...words, '__names', JSON.stringify(request)], {
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
    // Background requests must not be part of a recording.
    env: { ...env, VMCTL_RECORD: undefined },
  });
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, known.isKnown ? waitMs.known : waitMs.unknown);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    child.once('exit', end).once('error', end);
  });
  child.unref();
  return readCachedNames(configured, place).names;
}

/**
 * Whether a token exists. Without one, no request is possible, because completion never signs in.
 */
function hasToken(configured: EffectiveSettings): boolean {
  if (configured.setting('token')) return true;
  const folder = join(configured.paths.stateDirectory, 'tokens');
  return existsSync(folder) && readdirSync(folder).length > 0;
}
