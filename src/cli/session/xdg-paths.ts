/** Paths of configuration, state and cache (XDG base directories). */
import { isAbsolute, join, sep } from 'node:path';
import type { Environment } from './io.ts';

export interface XdgPaths {
  /** Contexts and defaults; holds no secrets. */
  readonly configFile: string;
  /** Tokens and history. */
  readonly stateDirectory: string;
  /** What can be made again: names for completion. */
  readonly cacheDirectory: string;
}

/** The places for an environment. Relative XDG paths are ignored, as the standard demands. */
export function xdgPaths(env: Environment): XdgPaths {
  const config =
    env['VMCTL_CONFIG_DIR'] ||
    join(base(env, 'XDG_CONFIG_HOME', ['.config'], env['APPDATA']), 'vmctl');
  const state = join(
    base(env, 'XDG_STATE_HOME', ['.local', 'state'], env['LOCALAPPDATA']),
    'vmctl',
  );
  const cache = join(base(env, 'XDG_CACHE_HOME', ['.cache'], env['LOCALAPPDATA']), 'vmctl');
  return {
    configFile: `${config}${sep}config.json`,
    stateDirectory: state,
    cacheDirectory: cache,
  };
}

/** The name of a file that belongs to one user of one server. */
export function accountFile(url: string, username: string): string {
  const key = `${url}_${username}`.replace(/^https:\/\//, '').replaceAll(/[^\w.@-]/g, '_');
  return `${key.slice(-150)}.json`;
}

function base(
  env: Environment,
  variable: string,
  fallback: readonly string[],
  windows: string | undefined,
): string {
  const given = env[variable];
  if (given && isAbsolute(given)) return given;
  if (process.platform === 'win32' && windows) return windows;
  return join(env['HOME'] || process.getBuiltinModule('node:os').homedir(), ...fallback);
}
