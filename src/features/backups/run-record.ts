/** `run.json`: which process makes the backup that is under way, and whether there still is one. */
import { hostname } from 'node:os';
import { processIdentity } from '../../cli/session/process-identity.ts';

/** The run that is under way, or was. */
export interface RunRecord {
  readonly host: string;
  readonly pid: number;
  /** When the process began, as the system tells it; absent where it does not. */
  readonly started?: string;
  /** Id of the backup at the service. */
  readonly backup: string;
}

/** The record of a run of this process. */
export function ownRecord(backup: string): RunRecord {
  const started = processIdentity(process.pid);
  return {
    host: hostname(),
    pid: process.pid,
    ...(started === undefined ? {} : { started }),
    backup,
  };
}

/** Whether the process of a record of this host still is the one that wrote it: ids are given again. */
export function isAlive({ pid, started }: RunRecord): boolean {
  // This one has not begun yet.
  if (pid === process.pid) return false;
  if (started !== undefined && processIdentity(process.pid) !== undefined) {
    return processIdentity(pid) === started;
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
