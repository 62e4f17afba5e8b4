/**
 * Names of objects that lists have shown: what completion offers. One file for each server and noun,
 * a name in a line; old names do no harm, and nobody signs in for new ones.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EffectiveSettings } from './effective-settings.ts';
import { makePrivateDirectory } from './private-file.ts';

/** More are of no use to anybody who presses a key. */
const maxNames = 5_000;

/** The names that were seen of a noun at the server of the settings; none where none is known. */
export function cachedNames(configured: EffectiveSettings, noun: string): readonly string[] {
  const file = fileOf(configured, noun);
  return file === undefined ? [] : read(file);
}

/**
 * Keeps names for completion: in place of those before when the list was whole, else beside them.
 * That they cannot be kept is no failure.
 */
export function cacheNames(
  configured: EffectiveSettings,
  noun: string,
  names: readonly string[],
  isWhole: boolean,
): void {
  const file = fileOf(configured, noun);
  if (file === undefined || (names.length === 0 && !isWhole)) return;
  try {
    const before = read(file);
    const all = isWhole ? names : [...new Set([...names, ...before])];
    const cached = all.filter((name) => name !== '' && !/[\p{Cc}]/u.test(name)).slice(0, maxNames);
    if (cached.join('\n') === before.join('\n')) return;
    makePrivateDirectory(dirname(file));
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, `${cached.join('\n')}\n`, { mode: 0o600 });
    renameSync(draft, file);
  } catch {
    // The next list tries again.
  }
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

/** Where the names of a noun are; nothing when it is not known which server is meant. */
function fileOf(configured: EffectiveSettings, noun: string): string | undefined {
  const url = configured.setting('url')?.value ?? configured.context()?.url;
  if (url === undefined || url === '') return undefined;
  try {
    const { host } = new URL(url.includes('://') ? url : `https://${url}`);
    return join(configured.paths.cacheDirectory, 'names', host.replaceAll(/[^\w.-]/g, '_'), noun);
  } catch {
    return undefined;
  }
}
