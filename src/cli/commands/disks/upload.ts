/** `vmctl disks upload`: upload of an image to a new or existing disk. */

import { basename, extname } from 'node:path';
import { ConflictError, UsageError } from '../../../client/errors.ts';
import type { Resource } from '../../../model/resource.ts';
import {
  type DiskFormat,
  endInterrupted,
  isSameIdentity,
  isUrl,
  Journal,
  type JournalHeader,
  type NewDisk,
  openSource,
  type Source,
  type SourceOptions,
  type TransferOptions,
  type UploadOptions,
  upload,
} from '../../../transfer/index.ts';
import { printView } from '../../output/print.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { formatCommandLine } from '../../session/command-line.ts';
import { readCa } from '../../session/server-target.ts';
import { getCollection } from '../../verbs/collections.ts';
import { createFinder, type Finder } from '../../verbs/references.ts';
import { explainFailure } from './transfer-failure.ts';
import {
  createTransferOptions,
  findJournal,
  parseByteSize,
  parseTransferRetries,
  type TransferFlags,
} from './transfer-options.ts';
import { TransferProgress } from './transfer-progress.ts';

export interface UploadFlags extends TransferFlags {
  readonly name?: string;
  readonly storageDomain?: string;
  readonly description?: string;
  readonly disk?: string;
  readonly format?: DiskFormat;
  readonly size?: string;
  readonly preallocated?: boolean;
  readonly unpack: boolean;
  readonly sourceCaFile?: string;
  readonly ifNeeded?: boolean;
}

/** Uploads a file, URL or stdin. */
export async function runUpload(
  cli: CommandContext,
  file: string,
  flags: UploadFlags,
): Promise<void> {
  checkFlags(file, flags);
  const size = parseByteSize(flags.size, '--size');
  const source = await openImage(cli, file, {
    ...(size === undefined ? {} : { size }),
    ...(flags.format === undefined ? {} : { format: flags.format }),
    keepCompressed: !flags.unpack,
    ...(flags.sourceCaFile === undefined
      ? {}
      : { ca: readCa(flags.sourceCaFile, '--source-ca-file') }),
  });
  const progress = new TransferProgress(cli, basename(source.path));
  try {
    const client = await cli.client();
    const common = await createTransferOptions(cli, client, flags, progress);
    const finder = createFinder(cli, client);
    const into = flags.resume
      ? { resume: await findResumableJournal(cli, finder, file, source, flags, common) }
      : await resolveDestination(finder, source, flags, size);
    const options: UploadOptions = {
      ...common,
      source,
      ...(flags.format === undefined ? {} : { format: flags.format }),
      into: flags.resume
        ? into
        : ((await findInterrupted(cli, finder, source, into, common)) ?? into),
    };
    if (flags.ifNeeded && 'add' in options.into) {
      const present = await findCompleteDisk(finder, options.into.add);
      if (present) {
        requireUploaded(cli, source, present, common);
        cli.note(`disks/${options.into.add.name} already exists; nothing to do`);
        await printView(cli, { noun: 'disks', type: 'disk', items: [present], single: true });
        return;
      }
    }
    if (!('resume' in options.into)) noteUnfinished(cli, source, options);
    const disk = await upload(options);
    progress.clear();
    await printView(cli, { noun: 'disks', type: 'disk', items: [disk], single: true });
  } catch (error) {
    progress.clear();
    throw explainFailure(cli, error, ({ disk }) =>
      formatCommandLine(cli, formatResumeArguments(file, source, String(disk), flags)),
    );
  } finally {
    await source.close();
  }
}

/** Opens an image for an upload: a file, URL or stdin. Throws before the first change. */
export async function openImage(
  cli: CommandContext,
  file: string,
  options: Pick<SourceOptions, 'size' | 'format' | 'keepCompressed' | 'ca'>,
): Promise<Source> {
  return await openSource(file, {
    ...options,
    stdin: cli.io.stdin,
    env: cli.io.env,
    retries: parseTransferRetries(cli),
    signal: cli.signal,
    onNote: (note) => cli.note(note),
    onWarning: (warning) => cli.warn(warning),
  });
}

function checkFlags(file: string, flags: UploadFlags): void {
  const { disk, name, storageDomain, description, resume, size, preallocated } = flags;
  if (resume) {
    if (file !== '-') return;
    throw new UsageError('cannot resume an upload from standard input', {
      hint: 'upload a file, or remove --resume',
    });
  }
  if (disk !== undefined) {
    if (size !== undefined && file !== '-' && !isUrl(file)) {
      throw new UsageError('--size is not valid with --disk: the disk has a size', {
        hint: 'remove --size',
      });
    }
    if (
      preallocated ||
      name !== undefined ||
      storageDomain !== undefined ||
      description !== undefined
    ) {
      throw new UsageError('--name and --storage-domain are not valid with --disk', {
        hint: 'use either --disk, or --name and --storage-domain',
      });
    }
    return;
  }
  if (name === undefined && file === '-') {
    throw new UsageError('no name for the new disk', {
      hint: 'use --name; standard input has no file name',
    });
  }
  if (storageDomain === undefined) {
    throw new UsageError('no storage domain for the new disk', {
      hint: `vmctl disks upload ${file} --storage-domain NAME (vmctl storagedomains list shows the names)`,
    });
  }
}

async function resolveDestination(
  finder: Finder,
  source: Source,
  flags: UploadFlags,
  size: number | undefined,
): Promise<{ readonly add: NewDisk } | { readonly disk: Resource<'disk'> }> {
  if (flags.disk !== undefined) return { disk: await findDisk(finder, flags.disk) };
  const found = await finder.find(flags.storageDomain ?? '', getCollection('/storagedomains'));
  return {
    add: {
      name: flags.name ?? deriveName(source.path),
      ...(size === undefined ? {} : { size }),
      preallocated: flags.preallocated === true,
      ...(flags.description === undefined ? {} : { description: flags.description }),
      ...createPlacement(found.item ?? { id: found.id }),
    },
  };
}

/** Returns the placement of a new disk on a storage domain. */
export function createPlacement(
  domain: Resource<'storage_domain'>,
): Pick<NewDisk, 'storageDomain' | 'onBlockStorage' | 'availableSpace'> {
  const { storage, available } = domain;
  return {
    ...(available === undefined ? {} : { availableSpace: Number(available) }),
    storageDomain: String(domain.id),
    onBlockStorage: storage?.type === 'iscsi' || storage?.type === 'fcp',
  };
}

/** Derives a name from a path or URL: `root` for `root.raw.xz`. */
function deriveName(path: string): string {
  const plain = basename(isUrl(path) ? decodeUrl(path) : path).replace(/\.(gz|xz|zst)$/i, '');
  return basename(plain, extname(plain)).replace(/ /g, '-');
}

/** Decodes a URL, or returns it unchanged if the encoding is malformed. */
function decodeUrl(address: string): string {
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
}

/** Formats the arguments that resume an upload, without secrets in a URL. */
function formatResumeArguments(
  file: string,
  source: Source,
  disk: string,
  flags: UploadFlags,
): string[] {
  return [
    ...['disks', 'upload', isUrl(file) ? source.path : file, '--disk', disk, '--resume'],
    ...(flags.unpack ? [] : ['--no-unpack']),
    ...(flags.format === 'raw' ? ['--format', 'raw'] : []),
    ...(flags.sourceCaFile === undefined ? [] : ['--source-ca-file', flags.sourceCaFile]),
  ];
}

async function findDisk(finder: Finder, word: string): Promise<Resource<'disk'>> {
  const found = await finder.find(word, getCollection('/disks'));
  return found.item ?? { id: found.id };
}

/**
 * Finds the journal of an interrupted upload of this file to the same disk, or to a disk like the
 * new one. Undefined if none exists or another process uses it.
 */
async function findInterrupted(
  cli: CommandContext,
  finder: Finder,
  source: Source,
  into: UploadOptions['into'],
  common: TransferOptions,
): Promise<{ readonly resume: Journal } | undefined> {
  const { server, journals } = common;
  const isOfFile = createUploadFilter(source, server);
  for (const journal of Journal.find(journals, isOfFile)) {
    const { header } = journal;
    const isSame =
      isSameIdentity(header.identity, source.identity) &&
      !journal.isInUse &&
      ('add' in into
        ? header.created &&
          header.name === into.add.name &&
          (await matchesDisk(finder, header, into.add))
        : 'disk' in into && header.disk === into.disk.id);
    if (isSame) {
      cli.note(`resuming the interrupted upload of this file to disks/${header.disk}`);
      return { resume: journal };
    }
    if (journal.isInUse || cli.isDryRun) {
      journal.close();
      continue;
    }
    // The file has changed, so the earlier upload is useless.
    const isStale = 'disk' in into && header.disk === into.disk.id;
    if (isStale) await endInterrupted(common, journal);
    // The earlier run ended before its disk existed, or the disk was deleted.
    else if (!(await finder.findIfExists(header.disk, getCollection('/disks')))) journal.remove();
    else journal.close();
  }
  return undefined;
}

/** Whether the disk of an interrupted upload exists, with the properties of the new one. */
async function matchesDisk(
  finder: Finder,
  header: JournalHeader,
  wanted: NewDisk,
): Promise<boolean> {
  const found = await finder.findIfExists(header.disk, getCollection('/disks'));
  const disk = found?.item;
  if (!disk) return false;
  const isThere = (disk.storage_domains ?? []).some(({ id }) => id === wanted.storageDomain);
  return isThere && (wanted.size === undefined || Number(disk.provisioned_size) === wanted.size);
}

/** Returns the complete disk with that name. Throws `ConflictError` if it is not complete. */
async function findCompleteDisk(
  finder: Finder,
  wanted: NewDisk,
): Promise<Resource<'disk'> | undefined> {
  const found = await finder.findIfExists(wanted.name, getCollection('/disks'));
  const disk = found?.item;
  if (!disk || disk.status === 'ok') return disk;
  throw new ConflictError(`disks/${wanted.name} exists with status ${String(disk.status)}`, {
    hint: `vmctl wait disks/${String(disk.id)} --for status=ok`,
  });
}

/**
 * Throws `ConflictError` if an upload to a disk was interrupted: its status is `ok`, but its
 * contents are incomplete.
 */
function requireUploaded(
  cli: CommandContext,
  source: Source,
  disk: Resource<'disk'>,
  { server, journals }: TransferOptions,
): void {
  const { id } = disk;
  const isTo = (header: JournalHeader) =>
    header.direction === 'upload' && header.server === server && header.disk === id;
  for (const journal of Journal.find(journals, isTo)) {
    journal.close();
    const { name, file } = journal.header;
    journal.refuseIfInUse();
    const [again, anew] = [
      formatCommandLine(cli, ['disks', 'upload', file, '--disk', String(id), '--resume']),
      formatCommandLine(cli, ['disks', 'upload', source.path, '--disk', String(id)]),
    ];
    throw new ConflictError(`disks/${name} is incomplete: the upload of ${file} was interrupted`, {
      code: 'transfer_incomplete',
      hint: `resume that upload: ${again}; or replace the contents: ${anew}`,
      next: [again, anew],
    });
  }
}

/** Finds the journal to resume. Throws `ConflictError` if the file has changed. */
async function findResumableJournal(
  cli: CommandContext,
  finder: Finder,
  file: string,
  source: Source,
  flags: UploadFlags,
  { server, journals: folder }: TransferOptions,
): Promise<Journal> {
  const mine = createUploadFilter(source, server);
  const disk =
    flags.disk === undefined ? undefined : String((await findDisk(finder, flags.disk)).id);
  const journal = findJournal(
    folder,
    source.path,
    (header) =>
      mine(header) &&
      (disk === undefined || header.disk === disk) &&
      (flags.name === undefined || header.name === flags.name),
  );
  if (isSameIdentity(journal.header.identity, source.identity)) return journal;
  const words = ['disks', 'upload', isUrl(file) ? source.path : file];
  const again = formatCommandLine(cli, [...words, '--disk', journal.header.disk]);
  journal.close();
  throw new ConflictError(
    `${source.path} has changed since its upload to disks/${journal.header.disk} began`,
    {
      code: 'source_changed',
      hint: `upload the new file from the beginning: ${again}`,
      next: [again],
    },
  );
}

function createUploadFilter(source: Source, server: string): (header: JournalHeader) => boolean {
  return (header) =>
    header.direction === 'upload' && header.server === server && header.file === source.path;
}

/** Prints a note about disks of earlier interrupted uploads. */
function noteUnfinished(
  cli: CommandContext,
  source: Source,
  { journals, server }: UploadOptions,
): void {
  for (const journal of Journal.find(journals, createUploadFilter(source, server))) {
    cli.note(
      `an interrupted upload of this file to disks/${journal.header.disk} exists; --resume continues it`,
    );
    journal.close();
  }
}
