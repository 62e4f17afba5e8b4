/** `vmctl disks upload`: finds out what goes where, uploads, and prints the disk. */
import { basename, extname } from 'node:path';
import type { ApiObject } from '../../../client/client.ts';
import { ConflictError, UsageError } from '../../../client/errors.ts';
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
import { print } from '../../output/print.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { commandLine } from '../../session/command-line.ts';
import { readCa } from '../../session/target.ts';
import { collectionAt } from '../../verbs/collections.ts';
import { type Finder, finderFor } from '../../verbs/references.ts';
import { explained } from './transfer-failure.ts';
import {
  retriesOf,
  sizeOf,
  type TransferFlags,
  transferOptions,
  unfinished,
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

/** Uploads a file as the flags say. */
export async function runUpload(
  cli: CommandContext,
  file: string,
  flags: UploadFlags,
): Promise<void> {
  checkFlags(file, flags);
  const size = sizeOf(flags.size, '--size');
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
    const common = await transferOptions(cli, client, flags, progress);
    const finder = finderFor(cli, client);
    const into = flags.resume
      ? { resume: await journalOf(cli, finder, file, source, flags, common) }
      : await destination(finder, source, flags, size);
    const options: UploadOptions = {
      ...common,
      source,
      ...(flags.format === undefined ? {} : { format: flags.format }),
      into: flags.resume ? into : ((await interrupted(cli, finder, source, into, common)) ?? into),
    };
    if (flags.ifNeeded && 'add' in options.into) {
      const present = await diskThere(finder, options.into.add);
      if (present) {
        requireUploaded(cli, source, present, common);
        cli.note(`disks/${options.into.add.name} already exists; nothing to do`);
        await print(cli, { noun: 'disks', type: 'disk', items: [present], single: true });
        return;
      }
    }
    if (!('resume' in options.into)) noteUnfinished(cli, source, options);
    const disk = await upload(options);
    progress.clear();
    await print(cli, { noun: 'disks', type: 'disk', items: [disk], single: true });
  } catch (error) {
    progress.clear();
    throw explained(cli, error, ({ disk }) =>
      commandLine(cli, resumeWords(file, source, String(disk), flags)),
    );
  } finally {
    await source.close();
  }
}

/** Opens an image for an upload: a file, an address or stdin. Throws before anything is changed. */
export async function openImage(
  cli: CommandContext,
  file: string,
  options: Pick<SourceOptions, 'size' | 'format' | 'keepCompressed' | 'ca'>,
): Promise<Source> {
  return await openSource(file, {
    ...options,
    stdin: cli.io.stdin,
    env: cli.io.env,
    retries: retriesOf(cli),
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

async function destination(
  finder: Finder,
  source: Source,
  flags: UploadFlags,
  size: number | undefined,
): Promise<{ readonly add: NewDisk } | { readonly disk: ApiObject }> {
  if (flags.disk !== undefined) return { disk: await diskNamed(finder, flags.disk) };
  const found = await finder.find(flags.storageDomain ?? '', collectionAt('/storagedomains'));
  return {
    add: {
      name: flags.name ?? nameFrom(source.path),
      ...(size === undefined ? {} : { size }),
      preallocated: flags.preallocated === true,
      ...(flags.description === undefined ? {} : { description: flags.description }),
      ...placeOn(found.item ?? { id: found.id }),
    },
  };
}

/** Where a new disk is made, as the service describes the storage domain. */
export function placeOn(
  domain: ApiObject,
): Pick<NewDisk, 'storageDomain' | 'onBlockStorage' | 'availableSpace'> {
  const storage = domain['storage'] as ApiObject | undefined;
  const available = domain['available'];
  return {
    ...(available === undefined ? {} : { availableSpace: Number(available) }),
    storageDomain: String(domain['id']),
    onBlockStorage: storage?.['type'] === 'iscsi' || storage?.['type'] === 'fcp',
  };
}

/** `root` for `root.raw.xz`, wherever it comes from. */
function nameFrom(path: string): string {
  const plain = basename(isUrl(path) ? decoded(path) : path).replace(/\.(gz|xz|zst)$/i, '');
  return basename(plain, extname(plain)).replace(/ /g, '-');
}

/** An address without percent-encoding; as it is where the encoding is malformed. */
function decoded(address: string): string {
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
}

/** The words that go on with an upload; without what may be secret in an address. */
function resumeWords(file: string, source: Source, disk: string, flags: UploadFlags): string[] {
  return [
    ...['disks', 'upload', isUrl(file) ? source.path : file, '--disk', disk, '--resume'],
    ...(flags.unpack ? [] : ['--no-unpack']),
    ...(flags.format === 'raw' ? ['--format', 'raw'] : []),
    ...(flags.sourceCaFile === undefined ? [] : ['--source-ca-file', flags.sourceCaFile]),
  ];
}

async function diskNamed(finder: Finder, word: string): Promise<ApiObject> {
  const found = await finder.find(word, collectionAt('/disks'));
  return found.item ?? { id: found.id };
}

/**
 * The journal of an upload of this file that an earlier run did not finish, where that run made the disk that
 * this one would make, or filled the same disk. Undefined where there is none, or another process uses it.
 */
async function interrupted(
  cli: CommandContext,
  finder: Finder,
  source: Source,
  into: UploadOptions['into'],
  common: TransferOptions,
): Promise<{ readonly resume: Journal } | undefined> {
  const { server, journals } = common;
  const isOfFile = isUploadOf(source, server);
  for (const journal of Journal.find(journals, isOfFile)) {
    const { header } = journal;
    const isSame =
      isSameIdentity(header.identity, source.identity) &&
      !journal.isInUse &&
      ('add' in into
        ? header.created &&
          header.name === into.add.name &&
          (await isMade(finder, header, into.add))
        : 'disk' in into && header.disk === into.disk['id']);
    if (isSame) {
      cli.note(`resuming the interrupted upload of this file to disks/${header.disk}`);
      return { resume: journal };
    }
    if (journal.isInUse || cli.isDryRun) {
      journal.close();
      continue;
    }
    // The file is another one by now: nothing of the earlier upload can be used.
    const isStale = 'disk' in into && header.disk === into.disk['id'];
    if (isStale) await endInterrupted(common, journal);
    // The earlier run ended before its disk was there, or the disk was deleted.
    else if (!(await finder.look(header.disk, collectionAt('/disks')))) journal.remove();
    else journal.close();
  }
  return undefined;
}

/** Whether the disk of an interrupted upload is still there, and as the new one would be. */
async function isMade(finder: Finder, header: JournalHeader, wanted: NewDisk): Promise<boolean> {
  const found = await finder.look(header.disk, collectionAt('/disks'));
  const disk = found?.item;
  if (!disk) return false;
  const domains = (disk['storage_domains'] ?? []) as readonly ApiObject[];
  const isThere = domains.some(({ id }) => id === wanted.storageDomain);
  return isThere && (wanted.size === undefined || Number(disk['provisioned_size']) === wanted.size);
}

/** A complete disk of that name in that storage domain. Throws where there is one that is not complete. */
async function diskThere(finder: Finder, wanted: NewDisk): Promise<ApiObject | undefined> {
  const found = await finder.look(wanted.name, collectionAt('/disks'));
  const disk = found?.item;
  if (!disk || disk['status'] === 'ok') return disk;
  throw new ConflictError(`disks/${wanted.name} exists with status ${String(disk['status'])}`, {
    hint: `vmctl wait disks/${String(disk['id'])} --for status=ok`,
  });
}

/** Throws if an upload to a disk is known that has not ended: the disk is incomplete although it is `ok`. */
function requireUploaded(
  cli: CommandContext,
  source: Source,
  disk: ApiObject,
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
      commandLine(cli, ['disks', 'upload', file, '--disk', String(id), '--resume']),
      commandLine(cli, ['disks', 'upload', source.path, '--disk', String(id)]),
    ];
    throw new ConflictError(`disks/${name} is incomplete: the upload of ${file} was interrupted`, {
      code: 'transfer_incomplete',
      hint: `resume that upload: ${again}; or replace the contents: ${anew}`,
      next: [again, anew],
    });
  }
}

/** The journal to go on with. Throws when the file is no longer what it was. */
async function journalOf(
  cli: CommandContext,
  finder: Finder,
  file: string,
  source: Source,
  flags: UploadFlags,
  { server, journals: folder }: TransferOptions,
): Promise<Journal> {
  const mine = isUploadOf(source, server);
  const disk =
    flags.disk === undefined ? undefined : String((await diskNamed(finder, flags.disk))['id']);
  const journal = unfinished(
    folder,
    source.path,
    (header) =>
      mine(header) &&
      (disk === undefined || header.disk === disk) &&
      (flags.name === undefined || header.name === flags.name),
  );
  if (isSameIdentity(journal.header.identity, source.identity)) return journal;
  const words = ['disks', 'upload', isUrl(file) ? source.path : file];
  const again = commandLine(cli, [...words, '--disk', journal.header.disk]);
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

function isUploadOf(source: Source, server: string): (header: JournalHeader) => boolean {
  return (header) =>
    header.direction === 'upload' && header.server === server && header.file === source.path;
}

/** An earlier run may have left a disk that nobody thinks of any more. */
function noteUnfinished(
  cli: CommandContext,
  source: Source,
  { journals, server }: UploadOptions,
): void {
  for (const journal of Journal.find(journals, isUploadOf(source, server))) {
    cli.note(
      `an interrupted upload of this file to disks/${journal.header.disk} exists; --resume continues it`,
    );
    journal.close();
  }
}
