/** What processes use. */
import { readFileSync } from 'node:fs';

/** Memory of a process that is not swapped out, in MiB. */
export function residentMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}
