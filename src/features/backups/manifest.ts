/** `backup.json`: manifest of a backup, with its disks and their attachments. */

import { join } from 'node:path';
import { getErrorMessage } from '../../caught-errors.ts';
import { UsageError, VmctlError } from '../../client/errors.ts';
import { fileNameFrom, isFileName } from '../../formats/file-name.ts';
import type { Resource } from '../../model/resource.ts';
import { isRecord } from '../../records.ts';
import { Mistake } from '../../source-place.ts';
import { parseObject, readOptional } from './files.ts';

export const manifestName = 'backup.json';

/** A disk in a backup. Sizes are in bytes. */
export interface BackedUpDisk {
  readonly id: string;
  readonly name: string;
  /** Name of the raw disk image in the folder of the backup. */
  readonly file: string;
  readonly size: number;
  readonly mode: 'full' | 'incremental';
  /** Bytes read from the service. */
  readonly transferred: number;
  readonly verified: boolean;
  /** SHA-256 over the SHA-256 of each 4 MiB, in hexadecimal. */
  readonly checksum?: string;
  /** Id of the original storage domain. */
  readonly storageDomain?: string;
  /** Attributes for the creation of the restored disk. */
  readonly disk: Readonly<Record<string, unknown>>;
  /** Attributes for the attachment of the restored disk. */
  readonly attachment: Readonly<Record<string, unknown>>;
}

export interface Manifest {
  readonly format: 'vmctl-backup';
  readonly version: 1;
  /** Increases with each backup in a folder. */
  readonly number: number;
  readonly server: string;
  readonly vm: { readonly id: string; readonly name: string };
  /** Id of the original cluster. */
  readonly cluster?: string;
  /** Id of the backup on the service. */
  readonly backup: string;
  /** Id of the checkpoint that the backup created. */
  readonly checkpoint?: string;
  /** Start time, by the clock of the service (ISO 8601). */
  readonly taken: string;
  /** Name of the folder of the previous backup, if only changed blocks were read. */
  readonly base?: string;
  readonly disks: readonly BackedUpDisk[];
}

/**
 * Manifest of a folder; undefined if the folder has none. Throws `damaged_file` for a damaged
 * manifest or another version, and `unreadable_file` if the file cannot be read.
 */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const path = join(folder, manifestName);
  const text = await readOptional(path);
  if (text === undefined) return undefined;
  const { value, place } = parseObject(text, path);
  requireManifest(value, ({ steps, message }) => {
    const position = place.at(...steps).position();
    throw new UsageError(`${position}: ${message}`, { code: 'damaged_file' });
  });
  return value;
}

/** Calls `fail` with the reason if an object is not a valid manifest. */
function requireManifest(
  value: Readonly<Record<string, unknown>>,
  fail: (mistake: Mistake) => never,
): asserts value is Readonly<Record<string, unknown>> & Manifest {
  const mistake = findMistake(value);
  if (mistake) fail(mistake);
}

/** Reason why an object is not a valid manifest; undefined if it is valid. */
function findMistake(manifest: Partial<Manifest>): Mistake | undefined {
  const { format, version, number, taken, server, vm, disks } = manifest;
  if (format !== 'vmctl-backup') {
    return new Mistake(['format'], 'not a backup manifest');
  }
  if (version !== 1) {
    return new Mistake(['version'], `unsupported version ${JSON.stringify(version)}`);
  }
  if (!Number.isSafeInteger(number)) return new Mistake(['number'], 'number is not an integer');
  if (typeof taken !== 'string' || Number.isNaN(Date.parse(taken))) {
    return new Mistake(['taken'], 'taken is not a time');
  }
  if (typeof server !== 'string') return new Mistake(['server'], 'server is not a string');
  if (!isRecord(vm) || typeof vm['id'] !== 'string' || typeof vm['name'] !== 'string') {
    return new Mistake(['vm'], 'vm has no id or name');
  }
  if (!Array.isArray(disks)) return new Mistake(['disks'], 'disks are missing');
  for (const [index, disk] of disks.entries()) {
    const mistake = findDiskMistake(disk);
    if (mistake) return new Mistake(['disks', index, ...mistake.steps], mistake.message);
  }
  return undefined;
}

function findDiskMistake(disk: unknown): Mistake | undefined {
  if (!isRecord(disk)) return new Mistake([], 'a disk is not an object');
  const { id, file, size, disk: own, attachment } = disk;
  if (typeof file !== 'string' || !isFileName(file)) {
    const problem = `${JSON.stringify(file)} is not a valid file name`;
    return new Mistake(['file'], problem);
  }
  if (typeof id !== 'string') return new Mistake(['id'], `the disk in ${file} has no id`);
  if (!Number.isSafeInteger(size) || Number(size) < 0) {
    return new Mistake(['size'], `the size of ${file} is not valid`);
  }
  if (isRecord(own) && isRecord(attachment)) return undefined;
  const missing = isRecord(own) ? 'attachment' : 'disk';
  return new Mistake([missing], `the attributes of ${file} are missing`);
}

const diskAttributes = ['format', 'sparse', 'backup', 'wipe_after_delete', 'description'] as const;
const attachmentAttributes = [
  ...['interface', 'bootable', 'active', 'read_only', 'pass_discard', 'uses_scsi_reservation'],
] as const;

/**
 * Attributes that a restore sets on the disk and on its attachment, and the original storage
 * domain.
 */
export function pickAttributes(
  disk: Resource<'disk'>,
  attachment: Resource<'disk_attachment'>,
): Pick<BackedUpDisk, 'disk' | 'attachment' | 'storageDomain'> {
  const [domain] = disk.storage_domains ?? [];
  return {
    ...(domain === undefined ? {} : { storageDomain: String(domain.id) }),
    disk: pickMembers(disk, diskAttributes),
    attachment: pickMembers(attachment, attachmentAttributes),
  };
}

function pickMembers<O extends object>(
  object: O,
  names: readonly (keyof O)[],
): Record<string, unknown> {
  return Object.fromEntries(
    names.filter((name) => object[name] !== undefined).map((name) => [name, object[name]]),
  );
}

/**
 * File names for the disks of a backup, by disk id: the disk name if it is unique and plain,
 * otherwise the id. Throws if the id, which comes from the server, is not usable as a file name.
 */
export function chooseFileNames(
  disks: readonly { id: string; name: string }[],
): Map<string, string> {
  const names = new Map<string, string>();
  for (const { id, name } of disks) {
    // Some file systems do not distinguish upper and lower case.
    const same = disks.filter((other) => other.name.toLowerCase() === name.toLowerCase());
    const isPlain = /^[\w][\w.-]{0,100}$/.test(name) && same.length === 1;
    try {
      names.set(id, fileNameFrom(isPlain ? [name, id] : [id], 'raw', 'disk id'));
    } catch (cause) {
      throw new VmctlError(`cannot back up a disk: ${getErrorMessage(cause)}`, {
        code: 'bad_answer',
        hint: 'vmctl doctor checks whether the server is the expected one',
        cause,
      });
    }
  }
  return names;
}
