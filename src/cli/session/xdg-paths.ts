/** Paths of configuration, state and cache: XDG base directories, or folders of Windows. */
import { posix, win32 } from 'node:path';
import type { Environment } from './io.ts';

export interface XdgPaths {
  /** Contexts and defaults, without secrets. */
  readonly configFile: string;
  /** Tokens and history. */
  readonly stateDirectory: string;
  /** Reproducible data: names for completion. */
  readonly cacheDirectory: string;
}

/**
 * Resolves the paths of an environment. Ignores relative XDG paths, as the standard requires. macOS
 * has the paths of Linux, as for most command-line tools.
 */
export function resolveXdgPaths(env: Environment, platform: string = process.platform): XdgPaths {
  const isWindows = platform === 'win32';
  const { isAbsolute, join, sep } = isWindows ? win32 : posix;
  const getBase = (variable: string, fallback: string, windows: string | undefined): string => {
    const given = env[variable];
    if (given && isAbsolute(given)) return given;
    if (isWindows && windows) return windows;
    return join(env['HOME'] || process.getBuiltinModule('node:os').homedir(), fallback);
  };
  const { VMCTL_CONFIG_DIR: own, APPDATA: roaming, LOCALAPPDATA: local } = env;
  const config = own || join(getBase('XDG_CONFIG_HOME', '.config', roaming), 'vmctl');
  return {
    configFile: `${config}${sep}config.json`,
    stateDirectory: join(getBase('XDG_STATE_HOME', '.local/state', local), 'vmctl'),
    cacheDirectory: join(getBase('XDG_CACHE_HOME', '.cache', local), 'vmctl'),
  };
}

/** File name for one user of one server. */
export function formatAccountFile(url: string, username: string): string {
  const key = `${url}_${username}`.replace(/^https:\/\//, '').replaceAll(/[^\w.@-]/g, '_');
  return `${key.slice(-150)}.json`;
}
