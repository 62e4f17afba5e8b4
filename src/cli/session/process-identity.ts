/** Which process has a number: numbers are given again, the time of its start is not. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** When a process began; undefined where there is none, or none that does anything any more. */
export function processIdentity(pid: number): string | undefined {
  if (process.platform === 'linux') return linuxIdentity(pid);
  try {
    const text = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [, state = '', began = ''] = /^\s*(\S+)\s+(.+?)\s*$/.exec(text) ?? [];
    return began === '' || state.startsWith('Z') ? undefined : began;
  } catch {
    return undefined;
  }
}

function linuxIdentity(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program stands in parentheses, and may hold some itself.
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
