/** `run.json`: process of the active run and a check whether it is alive. */

import { hostname } from 'node:os';
import { getErrorCode } from '../../caught-errors.ts';
import { readProcessIdentity } from '../../cli/session/process-identity.ts';

/** The active run, or a run that was killed. */
export interface RunRecord {
  readonly host: string;
  readonly pid: number;
  /** Start time of the process; absent if the operating system does not report it. */
  readonly started?: string;
  /** Id of the backup on the service. */
  readonly backup: string;
}

/** Run record of this process. */
export function createRunRecord(backup: string): RunRecord {
  const started = readProcessIdentity(process.pid);
  return {
    host: hostname(),
    pid: process.pid,
    ...(started === undefined ? {} : { started }),
    backup,
  };
}

/** Run record of a JSON object. */
export function readRunRecord(value: Readonly<Record<string, unknown>>): RunRecord {
  const { host, pid, started, backup } = value;
  return {
    host: String(host),
    pid: Number(pid),
    ...(started === undefined ? {} : { started: String(started) }),
    backup: String(backup),
  };
}

/**
 * Whether the process of a record of this host is still running. Compares start times, because
 * systems reuse process ids.
 */
export function isAlive({ pid, started }: RunRecord): boolean {
  // This process has not started its run yet, so a record with its id is from an earlier process.
  if (pid === process.pid) return false;
  if (started !== undefined && readProcessIdentity(process.pid) !== undefined) {
    return readProcessIdentity(pid) === started;
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return getErrorCode(error) === 'EPERM';
  }
}
