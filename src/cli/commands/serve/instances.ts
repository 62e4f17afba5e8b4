/** Servers in the background: a private record of each, by which it is found and stopped. */
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../../client/errors.ts';
import { makePrivateDirectory, readPrivate, writePrivate } from '../../session/private-file.ts';
import { processIdentity } from '../../session/process-identity.ts';

export interface InstanceRecord {
  readonly pid: number;
  /** When the process began, as the system tells it: a process id alone may mean another one later. */
  readonly identity: string;
  /** `https://HOST:PORT/virt-app` */
  readonly url: string;
  /** Folder of the data; absent where nothing is kept. */
  readonly data?: string;
  /** File that receives what the server says. */
  readonly log: string;
}

export interface Instance extends InstanceRecord {
  /** Where the record is. */
  readonly file: string;
}

/** The folder of the records, below the state folder. */
function folderOf(stateDirectory: string): string {
  return join(stateDirectory, 'servers');
}

/** Files for a new server. Makes the folder; throws a usage error where that is impossible. */
export function newInstanceFiles(stateDirectory: string): {
  readonly record: string;
  readonly log: string;
} {
  const folder = folderOf(stateDirectory);
  makePrivateDirectory(folder);
  const name = join(folder, randomBytes(6).toString('hex'));
  return { record: `${name}.json`, log: `${name}.log` };
}

/** Notes the server of this process. */
export function writeInstance(
  file: string,
  server: { readonly url: string; readonly data: string | undefined },
): void {
  const identity = processIdentity(process.pid);
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

/** The servers that run, oldest first. Records of those that have ended without a word are forgotten. */
export function runningInstances(stateDirectory: string): {
  readonly running: readonly Instance[];
  /** Their logs may say why they ended. */
  readonly ended: readonly Instance[];
} {
  const running: Instance[] = [];
  const ended: Instance[] = [];
  for (const instance of instancesIn(folderOf(stateDirectory))) {
    if (isRunning(instance)) running.push(instance);
    else {
      rmSync(instance.file, { force: true });
      ended.push(instance);
    }
  }
  return { running, ended };
}

function instancesIn(folder: string): readonly Instance[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    // Nobody has begun one.
    return [];
  }
  return names
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const file = join(folder, name);
      const record = parsed(readPrivate(file, 'trusted'));
      return record ? [{ ...record, file }] : [];
    });
}

function parsed(text: string | undefined): InstanceRecord | undefined {
  try {
    const record = JSON.parse(text ?? '') as Partial<InstanceRecord>;
    const { pid, identity, url, log } = record;
    const isWhole =
      Number.isSafeInteger(pid) && [identity, url, log].every((one) => typeof one === 'string');
    return isWhole ? (record as InstanceRecord) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the process of a record is still the one that wrote it. */
export function isRunning({ pid, identity }: InstanceRecord): boolean {
  return processIdentity(pid) === identity;
}
