/** `backup.json`: what a backup in a folder holds, and how its disks were attached. */
import { join } from 'node:path';
import type { ApiObject } from '../../client/client.ts';
import { UsageError, VmctlError } from '../../client/errors.ts';
import { fileNameFrom, isFileName } from '../../formats/file-name.ts';
import { Mistake } from '../../source-place.ts';
import { objectIn, readIfThere } from './files.ts';

export const manifestName = 'backup.json';

/** A disk in a backup. Sizes in bytes. */
export interface BackedUpDisk {
  readonly id: string;
  readonly name: string;
  /** In the folder of the backup: the disk as it was, raw. */
  readonly file: string;
  readonly size: number;
  readonly mode: 'full' | 'incremental';
  /** What was read from the service. */
  readonly transferred: number;
  readonly verified: boolean;
  /** SHA-256 over the SHA-256 of each 4 MiB, in hexadecimal. */
  readonly checksum?: string;
  /** Id of the storage domain that it was on. */
  readonly storageDomain?: string;
  /** Attributes with which the disk is made again. */
  readonly disk: Readonly<Record<string, unknown>>;
  /** How it was attached. */
  readonly attachment: Readonly<Record<string, unknown>>;
}

export interface Manifest {
  readonly format: 'vmctl-backup';
  readonly version: 1;
  /** Rises with each backup of a folder. */
  readonly number: number;
  readonly server: string;
  readonly vm: { readonly id: string; readonly name: string };
  /** Id of the cluster that it was in. */
  readonly cluster?: string;
  /** Id of the backup at the service. */
  readonly backup: string;
  /** The checkpoint that it left there. */
  readonly checkpoint?: string;
  /** The time of the service at which it began. */
  readonly taken: string;
  /** Name of the folder of the backup that its disks are made from, where only changes were read. */
  readonly base?: string;
  readonly disks: readonly BackedUpDisk[];
}

/**
 * The manifest of a folder; nothing where it is no backup. Throws where it is damaged or of another version
 * (`damaged_file`), and where it cannot be read (`unreadable_file`).
 */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const path = join(folder, manifestName);
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  const { value, place } = objectIn(text, path);
  const mistake = mistakeIn(value);
  if (!mistake) return value as unknown as Manifest;
  const position = place.at(...mistake.steps).position();
  throw new UsageError(`${position}: ${mistake.message}`, { code: 'damaged_file' });
}

/** What keeps an object from being a manifest; undefined if readers can rely on it. */
function mistakeIn(manifest: Partial<Manifest>): Mistake | undefined {
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
  for (const [index, disk] of (disks as readonly unknown[]).entries()) {
    const mistake = mistakeInDisk(disk);
    if (mistake) return new Mistake(['disks', index, ...mistake.steps], mistake.message);
  }
  return undefined;
}

function mistakeInDisk(disk: unknown): Mistake | undefined {
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

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const diskAttributes = ['format', 'sparse', 'backup', 'wipe_after_delete', 'description'] as const;
const attachmentAttributes = [
  ...['interface', 'bootable', 'active', 'read_only', 'pass_discard', 'uses_scsi_reservation'],
] as const;

/** What a restored disk has as well: attributes of it and of its attachment, and where it was. */
export function attributesOf(
  disk: ApiObject,
  attachment: ApiObject,
): Pick<BackedUpDisk, 'disk' | 'attachment' | 'storageDomain'> {
  const [domain] = (disk['storage_domains'] ?? []) as readonly ApiObject[];
  return {
    ...(domain === undefined ? {} : { storageDomain: String(domain['id']) }),
    disk: picked(disk, diskAttributes),
    attachment: picked(attachment, attachmentAttributes),
  };
}

function picked(object: ApiObject, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.filter((name) => object[name] !== undefined).map((name) => [name, object[name]]),
  );
}

/**
 * File names for the disks of a backup, by disk id: the name of the disk where it is unique and plain, else
 * its id. Throws if the id, which comes from the server, is not usable as a file name.
 */
export function fileNames(disks: readonly { id: string; name: string }[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const { id, name } of disks) {
    // Some file systems do not distinguish upper and lower case.
    const same = disks.filter((other) => other.name.toLowerCase() === name.toLowerCase());
    const isPlain = /^[\w][\w.-]{0,100}$/.test(name) && same.length === 1;
    try {
      names.set(id, fileNameFrom(isPlain ? [name, id] : [id], 'raw', 'disk id'));
    } catch (cause) {
      throw new VmctlError(`cannot back up a disk: ${(cause as Error).message}`, {
        code: 'bad_answer',
        hint: 'vmctl doctor checks whether the server is the expected one',
        cause,
      });
    }
  }
  return names;
}
