/** Registry of background servers: one private record for each. */

import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../../client/errors.ts';
import { isRecord } from '../../../records.ts';
import { makePrivateDirectory, readPrivate, writePrivate } from '../../session/private-file.ts';
import { readProcessIdentity } from '../../session/process-identity.ts';

export interface InstanceRecord {
  readonly pid: number;
  /** Start time of the process, because process ids are reused. */
  readonly identity: string;
  /** `https://HOST:PORT/virt-app` */
  readonly url: string;
  /** Data folder; absent without one. */
  readonly data?: string;
  /** Log file. */
  readonly log: string;
}

export interface Instance extends InstanceRecord {
  /** Path of the record. */
  readonly file: string;
}

/** Folder of the records. */
function getRecordFolder(stateDirectory: string): string {
  return join(stateDirectory, 'servers');
}

/**
 * Returns paths for the record and log of a new server, and creates their folder. Throws
 * `UsageError`.
 */
export function createInstancePaths(stateDirectory: string): {
  readonly record: string;
  readonly log: string;
} {
  const folder = getRecordFolder(stateDirectory);
  makePrivateDirectory(folder);
  const name = join(folder, randomBytes(6).toString('hex'));
  return { record: `${name}.json`, log: `${name}.log` };
}

/** Writes the record of the server in this process. */
export function writeInstance(
  file: string,
  server: { readonly url: string; readonly data: string | undefined },
): void {
  const identity = readProcessIdentity(process.pid);
  if (identity === undefined)
    throw new UsageError('this system does not report start times of processes');
  const record: InstanceRecord = {
    pid: process.pid,
    identity,
    url: server.url,
    ...(server.data === undefined ? {} : { data: server.data }),
    log: file.replace(/\.json$/, '.log'),
  };
  writePrivate(file, `${JSON.stringify(record, null, 2)}\n`);
}

/** Lists the running servers. Removes records of servers that exited without removing them. */
export function findInstances(stateDirectory: string): {
  readonly running: readonly Instance[];
  /** Exited servers; their logs may contain the reason. */
  readonly ended: readonly Instance[];
} {
  const running: Instance[] = [];
  const ended: Instance[] = [];
  for (const instance of readRecords(getRecordFolder(stateDirectory))) {
    if (isRunning(instance)) running.push(instance);
    else {
      rmSync(instance.file, { force: true });
      ended.push(instance);
    }
  }
  return { running, ended };
}

function readRecords(folder: string): readonly Instance[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    // No server was started yet.
    return [];
  }
  return names
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const file = join(folder, name);
      const record = parseRecord(readPrivate(file, 'trusted'));
      return record ? [{ ...record, file }] : [];
    });
}

function parseRecord(text: string | undefined): InstanceRecord | undefined {
  try {
    const record: unknown = JSON.parse(text ?? '');
    if (!isRecord(record)) return undefined;
    const { pid, identity, url, log, data } = record;
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid)) return undefined;
    if (typeof identity !== 'string' || typeof url !== 'string') return undefined;
    if (typeof log !== 'string') return undefined;
    return { pid, identity, url, log, ...(typeof data === 'string' ? { data } : {}) };
  } catch {
    return undefined;
  }
}

/** Whether the process that wrote a record is still running. */
export function isRunning({ pid, identity }: InstanceRecord): boolean {
  return readProcessIdentity(pid) === identity;
}
