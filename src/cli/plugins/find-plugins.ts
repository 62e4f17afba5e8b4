/** Plug-ins: executables named `vmctl-NAME` in the folders of PATH. */
import { readdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { findNoun } from '../args/catalog.ts';
import type { Environment } from '../session/io.ts';
import { listProgramSuffixes } from '../session/platform.ts';
import { isProgram, listPathFolders } from '../session/programs.ts';

export interface Plugin {
  readonly name: string;
  /** Absolute path of the executable. */
  readonly path: string;
}

const prefix = 'vmctl-';
const completerPrefix = 'vmctl_complete-';
const validName = /^[a-z0-9][a-z0-9_-]*$/i;

/** Lists all plug-ins by name. Of several with the same name, the first one on the PATH counts. */
export function findPlugins(env: Environment, platform = process.platform): readonly Plugin[] {
  const found = new Map<string, Plugin>();
  for (const folder of listFolders(env)) {
    for (const file of listFiles(folder)) {
      const name = getPluginName(file, env, platform);
      if (name === undefined || found.has(name)) continue;
      const path = join(folder, file);
      if (isProgram(path)) found.set(name, { name, path });
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Finds a plug-in by name; undefined if it does not exist or if a command has the name. */
export function findPlugin(
  env: Environment,
  name: string,
  platform = process.platform,
): Plugin | undefined {
  if (!validName.test(name)) return undefined;
  return findPlugins(env, platform).find((plugin) => plugin.name === name);
}

/** Finds the executable that completes the arguments of a plug-in; undefined without one. */
export function findPluginCompleter(
  env: Environment,
  name: string,
  platform = process.platform,
): string | undefined {
  for (const folder of listFolders(env)) {
    const file = listFiles(folder).find(
      (one) =>
        one.startsWith(completerPrefix) &&
        removeSuffix(one.slice(completerPrefix.length), env, platform) === name &&
        isProgram(join(folder, one)),
    );
    if (file !== undefined) return join(folder, file);
  }
  return undefined;
}

/**
 * Lists the absolute folders of the PATH. A relative one would let a foreign working directory add
 * commands.
 */
function listFolders(env: Environment): readonly string[] {
  return [...new Set(listPathFolders(env))].filter((folder) => isAbsolute(folder));
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Returns the name of the plug-in in a file; undefined for other files. Commands have priority. */
function getPluginName(file: string, env: Environment, platform: string): string | undefined {
  if (!file.startsWith(prefix)) return undefined;
  const name = removeSuffix(file.slice(prefix.length), env, platform);
  return name !== undefined && validName.test(name) && !findNoun(name) ? name : undefined;
}

/**
 * Removes the suffix of the file name on Windows, where only files with a suffix in PATHEXT are
 * executable.
 */
function removeSuffix(name: string, env: Environment, platform: string): string | undefined {
  const suffixes = listProgramSuffixes(env, platform);
  const suffix = suffixes.find((one) => name.toLowerCase().endsWith(one));
  return suffix === undefined ? undefined : name.slice(0, name.length - suffix.length);
}
