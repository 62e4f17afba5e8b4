/** `vmctl serve --check`, `--backup` and `--restore`: maintenance of a data folder. */

import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { getErrorMessage } from '../../../caught-errors.ts';
import { ServerError, UsageError } from '../../../client/errors.ts';
import { escapeControlChars } from '../../../escape-control-chars.ts';
import { isRecord } from '../../../records.ts';
import { FrozenSite } from '../../../server/backup/frozen-site.ts';
import { restoreBackup, verifyBackup } from '../../../server/backup/restore.ts';
import { describeCause, FolderError, FolderInUse } from '../../../server/files/access.ts';
import { checkFolder } from '../../../server/folder/check.ts';
import { openDataFolder } from '../../../server/folder/data-folder.ts';
import { DiskFiles } from '../../../server/images/disk-files.ts';
import { isSystemError } from '../../../system-errors.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { write } from '../../session/io.ts';

interface Tasks {
  readonly check?: boolean | undefined;
  readonly backup?: string | undefined;
  readonly restore?: string | undefined;
  /** Folder of the images, if outside the data folder. */
  readonly images?: string | undefined;
}

/** Runs one task. `folder` is the data folder; undefined means the server of the context. */
export async function runMaintenance(
  cli: CommandContext,
  folder: string | undefined,
  tasks: Tasks,
): Promise<void> {
  const requested = [tasks.check, tasks.backup, tasks.restore].filter((task) => task !== undefined);
  if (requested.length > 1) {
    throw new UsageError('--check, --backup and --restore exclude each other');
  }
  try {
    if (tasks.backup !== undefined) await backUp(cli, folder, tasks.images, resolve(tasks.backup));
    else if (folder === undefined) throw new Error('no data folder');
    else if (tasks.restore !== undefined) await restoreData(cli, folder, resolve(tasks.restore));
    else await checkData(cli, folder, tasks.images);
  } catch (error) {
    if (!(error instanceof FolderError)) throw error;
    throw new UsageError(error.message, error.hint === undefined ? {} : { hint: error.hint });
  }
}

async function checkData(
  cli: CommandContext,
  folder: string,
  imageFolder: string | undefined,
): Promise<void> {
  const { problems, objects, images } = await checkFolder(folder, imageFolder);
  if (problems.length === 0) {
    await write(
      cli.io.stdout,
      `${folder}: ${objects} objects and ${images} images, no problems found\n`,
    );
    return;
  }
  await write(
    cli.io.stdout,
    problems.map((problem) => `${escapeControlChars.line(problem)}\n`).join(''),
  );
  cli.exitCode = 1;
}

async function restoreData(cli: CommandContext, folder: string, file: string): Promise<void> {
  const { site, images } = await restoreBackup(file, folder);
  const lines = [
    `restored site ${site} with ${images} images to ${folder}`,
    'a backup has no certificates and no password file; missing ones are created',
  ];
  await write(
    cli.io.stderr,
    `${lines.map((line) => `vmctl serve: ${escapeControlChars.line(line)}`).join('\n')}\n`,
  );
}

/** Downloads the backup of a running server, or copies an unused folder. */
async function backUp(
  cli: CommandContext,
  folder: string | undefined,
  images: string | undefined,
  file: string,
): Promise<void> {
  if (folder !== undefined) {
    try {
      await backUpFolder(cli, folder, images, file);
      return;
    } catch (error) {
      if (!(error instanceof FolderInUse)) throw error;
    }
  }
  const client = await cli.client();
  const request = { method: 'GET', path: '/_vmctl/backup', isStreamed: true } as const;
  const { status, stream, body } = await client.raw(request);
  if (status !== 200 || !stream) {
    throw new UsageError(`the server sends no backup: ${findReason(body) ?? `status ${status}`}`, {
      hint: 'only the administrator of a vmctl serve can download a backup',
    });
  }
  await writeBackup(file, stream);
}

/** Returns the reason in a response, if it has one. */
function findReason(body: Uint8Array): string | undefined {
  try {
    const answer: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    const detail = isRecord(answer) ? answer['detail'] : undefined;
    return typeof detail === 'string' ? detail : undefined;
  } catch {
    return undefined;
  }
}

async function backUpFolder(
  cli: CommandContext,
  folder: string,
  images: string | undefined,
  file: string,
): Promise<void> {
  const log = (line: string) =>
    void cli.io.stderr.write(`vmctl serve: ${escapeControlChars.message(line)}\n`);
  const settings = { inMemory: false, newSite: false, adoptImages: false, images, log };
  const data = await openDataFolder(folder, settings);
  try {
    const files = new DiskFiles(data.images, data.store);
    await writeBackup(file, (await FrozenSite.freeze(data.frozen, data.store, files)).read());
  } finally {
    await data.close();
  }
}

/** Writes a backup and renames it after its verification. */
async function writeBackup(
  file: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  const partial = `${file}.partial`;
  try {
    const handle = openSync(partial, 'w', 0o600);
    try {
      for await (const piece of pieces) {
        for (let done = 0; done < piece.length; ) done += writeSync(handle, piece, done);
      }
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    verifyBackup(partial);
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw toUserError(file, error);
  }
}

function toUserError(file: string, error: unknown): Error {
  if (error instanceof FolderError) return error;
  if (isSystemError(error)) {
    return new UsageError(`--backup: cannot write "${file}": ${describeCause(error)}`, {
      code: 'unwritable_file',
      cause: error,
    });
  }
  return new ServerError(`incomplete backup: ${getErrorMessage(error)}`, {
    cause: error,
  });
}
