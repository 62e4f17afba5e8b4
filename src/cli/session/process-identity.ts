/** Identity of a process: its start time, because process ids are reused. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Runs a program and returns its output; throws if it fails. */
type RunProgram = (file: string, words: readonly string[]) => string;

/** Start time of a process; undefined if it does not exist or is a zombie. */
export function readProcessIdentity(
  pid: number,
  platform: string = process.platform,
  run: RunProgram = runProgram,
): string | undefined {
  if (platform === 'linux') return readLinuxIdentity(pid);
  try {
    if (platform === 'win32') {
      const script = `(Get-Process -Id ${pid} -ErrorAction Stop).StartTime.ToFileTimeUtc()`;
      const time = run('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', script]);
      return time.trim() || undefined;
    }
    const text = run('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]);
    const [, state = '', began = ''] = /^\s*(\S+)\s+(.+?)\s*$/.exec(text) ?? [];
    return began === '' || state.startsWith('Z') ? undefined : began;
  } catch {
    return undefined;
  }
}

function runProgram(file: string, words: readonly string[]): string {
  return execFileSync(file, words, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    windowsHide: true,
    // `ps` prints local times in the language of the user.
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  });
}

function readLinuxIdentity(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program name is in parentheses and may contain parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = ''] = fields;
    const began = fields[19];
    if (began === undefined || state === 'Z' || state === 'X') return undefined;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${began}`;
  } catch {
    return undefined;
  }
}
