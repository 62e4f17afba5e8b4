/** Differences between operating systems: default programs, quoting, unavailable flags. */
import { UsageError } from '../../client/errors.ts';
import { shellQuote } from '../../client/shell-quote.ts';
import type { Environment } from './io.ts';

/** Programs that Windows and other systems have without an installation. */
const defaultPrograms = {
  editor: { windows: 'notepad', other: 'vi' },
  pager: { windows: 'more', other: 'less' },
} as const;

/** Returns the program for a task if the user has selected none. */
export function getDefaultProgram(
  task: keyof typeof defaultPrograms,
  platform: string = process.platform,
): string {
  return defaultPrograms[task][platform === 'win32' ? 'windows' : 'other'];
}

/** Quotes a path for the shell in which Node.js runs command lines: cmd.exe or sh. */
export function quotePath(path: string, platform: string = process.platform): string {
  // Paths of Windows cannot contain quotes.
  return platform === 'win32' ? `"${path}"` : shellQuote(path);
}

/** Lower-case suffixes of executable files; one empty suffix on systems with file modes. */
export function listProgramSuffixes(
  env: Environment,
  platform: string = process.platform,
): readonly string[] {
  if (platform !== 'win32') return [''];
  const suffixes = (env['PATHEXT'] ?? '.COM;.EXE;.BAT;.CMD').toLowerCase().split(';');
  return suffixes.filter((one) => one !== '');
}

/** Formats the command that ends a process without its cooperation. */
export function formatKillCommand(pid: number, platform: string = process.platform): string {
  return platform === 'win32' ? `taskkill /F /PID ${pid}` : `kill -9 ${pid}`;
}

/** Throws `UsageError` for a Unix socket on Windows, where its file cannot be private. */
export function requireUnixSockets(
  option: string,
  hint: string,
  platform: string = process.platform,
): void {
  if (platform === 'win32') {
    throw new UsageError(`${option}: Unix sockets are not available on Windows`, { hint });
  }
}
