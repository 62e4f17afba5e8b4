/**
 * Names for completion that are old or missing: a process of its own asks the server for them, and is
 * waited for a moment. It ends by itself, whether anybody waits or not.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ownCommand } from '../../own-command.ts';
import type { EffectiveSettings } from '../session/effective-settings.ts';
import type { Environment } from '../session/io.ts';
import {
  claimRefresh,
  type KnownNames,
  knownNames,
  type NamePlace,
} from '../session/name-cache.ts';

/** Milliseconds that somebody who pressed a key waits: less where there is something to show already. */
const patience = { known: 150, unknown: 700 } as const;

/** What the process is told to fetch, as JSON. */
export interface NamesRequest {
  readonly place: NamePlace;
  /** Values of the flags that say which server is meant. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** The names of a place, fetched if that is quick; otherwise those that were known before. */
export async function refreshNames(
  configured: EffectiveSettings,
  place: NamePlace,
  known: KnownNames,
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
    // What nobody has asked for does not belong into what somebody records.
    env: { ...env, VMCTL_RECORD: undefined },
  });
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, known.isKnown ? patience.known : patience.unknown);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    child.once('exit', end).once('error', end);
  });
  child.unref();
  return knownNames(configured, place).names;
}

/** Whether there is a token at all: without one nothing can be asked, for nobody signs in here. */
function hasToken(configured: EffectiveSettings): boolean {
  if (configured.setting('token')) return true;
  const folder = join(configured.paths.stateDirectory, 'tokens');
  return existsSync(folder) && readdirSync(folder).length > 0;
}
