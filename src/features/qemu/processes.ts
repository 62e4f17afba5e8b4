/** QEMU processes of a server, found by their working folder: it outlives the server. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** End of the name of the working folder of a process to which a VM migrates. */
export const incomingSuffix = '.in';

/**
 * Processes by the id of their VM. `root` contains one working folder per VM. The key of a process
 * to which a VM migrates ends with `incomingSuffix`.
 */
export function findProcesses(root: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const pid = Number(name);
    const folder = readFolder(pid);
    const id = folder?.startsWith(`${root}/`) ? folder.slice(root.length + 1) : undefined;
    if (id !== undefined && isProcessOf(pid, join(root, id), id)) found.set(id, pid);
  }
  return found;
}

/**
 * Whether a process is the QEMU of a VM, and has not exited. Ids of processes are reused. A process
 * that is about to exit has no command line, but still locks its disk images.
 */
export function isProcessOf(pid: number, folder: string, id: string): boolean {
  if (readFolder(pid) !== folder) return false;
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    const uuid = id.replace(incomingSuffix, '');
    return words === '' || words.includes(`\0-uuid\0${uuid}\0`);
  } catch {
    return false;
  }
}

/** The working folder of a process; undefined if it exited or belongs to another user. */
function readFolder(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

/** Used processor time in seconds, and resident memory in bytes. */
export interface ProcessUse {
  readonly seconds: number;
  readonly memory: number;
}

/** Linux counts processor time in units of 1/100 s. */
const ticksPerSecond = 100;
const pageSize = 4096;

/** The use of a process; undefined after its exit. */
export function readProcessUse(pid: number): ProcessUse | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain spaces. User and system time are the fields 14 and 15.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
    const ticks = Number(fields[11]) + Number(fields[12]);
    return { seconds: ticks / ticksPerSecond, memory: pages * pageSize };
  } catch {
    return undefined;
  }
}
