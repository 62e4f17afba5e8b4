/** Plug-ins: executables named `vmctl-NAME` in the folders of PATH. */
import { readdirSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { nounOf } from '../args/catalog.ts';
import type { Environment } from '../session/io.ts';
import { isProgram } from '../session/programs.ts';

export interface Plugin {
  readonly name: string;
  /** Absolute path of the executable. */
  readonly path: string;
}

const prefix = 'vmctl-';
const validName = /^[a-z0-9][a-z0-9_-]*$/i;

/** All plug-ins by name. Of several with the same name, the first one on the PATH is used. */
export function findPlugins(env: Environment, platform = process.platform): readonly Plugin[] {
  const found = new Map<string, Plugin>();
  for (const folder of foldersOf(env)) {
    for (const file of filesIn(folder)) {
      const name = nameOf(file, env, platform);
      if (name === undefined || found.has(name)) continue;
      const path = join(folder, file);
      if (isProgram(path)) found.set(name, { name, path });
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The plug-in of this name; undefined if there is none, or if a command has the name. */
export function findPlugin(
  env: Environment,
  name: string,
  platform = process.platform,
): Plugin | undefined {
  if (!validName.test(name)) return undefined;
  return findPlugins(env, platform).find((plugin) => plugin.name === name);
}

/** Relative folders are ignored: a foreign working directory must not add commands. */
function foldersOf(env: Environment): readonly string[] {
  const path = env['PATH'] ?? env['Path'] ?? '';
  return [...new Set(path.split(delimiter))].filter((folder) => isAbsolute(folder));
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The name of the plug-in in a file; undefined for other files. Commands have priority. */
function nameOf(file: string, env: Environment, platform: string): string | undefined {
  if (!file.startsWith(prefix)) return undefined;
  const name = withoutSuffix(file.slice(prefix.length), env, platform);
  return name !== undefined && validName.test(name) && !nounOf(name) ? name : undefined;
}

/** On Windows, only files with a suffix in PATHEXT are executable. */
function withoutSuffix(name: string, env: Environment, platform: string): string | undefined {
  if (platform !== 'win32') return name;
  const suffixes = (env['PATHEXT'] ?? '.COM;.EXE;.BAT;.CMD').toLowerCase().split(';');
  const suffix = suffixes.find((one) => one !== '' && name.toLowerCase().endsWith(one));
  return suffix === undefined ? undefined : name.slice(0, -suffix.length);
}
