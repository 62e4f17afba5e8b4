/** What a new machine boots from: an image that is uploaded, or a disk that is there. */
import type { ApiObject } from '../../../../client/client.ts';
import {
  AmbiguousError,
  ConflictError,
  NotFoundError,
  UsageError,
} from '../../../../client/errors.ts';
import type { CommandContext } from '../../../session/command-context.ts';
import type { OperationRunner } from '../../../verbs/operation-runner.ts';
import type { Found } from '../../../verbs/references.ts';
import { openImage } from '../../disks/upload.ts';
import { diskPrefix, isFileWord } from './image-word.ts';

export type BootImage =
  | { readonly file: string; readonly domain: ApiObject }
  | { readonly disk: Found };

/** Finds the image, and the storage domain for one that is uploaded. Nothing is changed. */
export async function findImage(
  cli: CommandContext,
  runner: OperationRunner,
  word: string,
  datacenter: string,
  storageDomain: string | undefined,
): Promise<BootImage> {
  if (!isFileWord(word)) return { disk: await diskNamed(runner, word) };
  // What is no image shows before anything is made.
  const source = await openImage(cli, word, { keepCompressed: false });
  await source.close();
  return { file: word, domain: await domainFor(runner, datacenter, storageDomain) };
}

async function diskNamed(runner: OperationRunner, word: string): Promise<Found> {
  try {
    return await runner.find(word, '/disks');
  } catch (error) {
    if (!(error instanceof NotFoundError) || word.startsWith(diskPrefix)) throw error;
    throw new NotFoundError(`--image ${word}: not a file and not a disk`, {
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      cause: error,
    });
  }
}

/** The domains of a data center that disks can be made on. */
export async function usableDomains(
  runner: OperationRunner,
  datacenter: string,
): Promise<readonly ApiObject[]> {
  const domains = await runner.list({
    path: '/datacenters/{datacenter}/storagedomains',
    ids: { datacenter },
  });
  return domains.filter(({ type, status }) => type === 'data' && status === 'active');
}

/** The storage domain that was named by its id, or the only one that could be meant. */
export async function domainFor(
  runner: OperationRunner,
  datacenter: string,
  wanted: string | undefined,
): Promise<ApiObject> {
  const usable = await usableDomains(runner, datacenter);
  const names = usable.map(({ name }) => String(name));
  if (wanted !== undefined) {
    const found = usable.find(({ id }) => id === wanted);
    if (found) return found;
    throw new ConflictError(
      "the storage domain is not an active data domain of the VM's data center",
      { code: 'unusable_storage_domain', hint: `available: ${names.join(', ') || 'none'}` },
    );
  }
  const [only] = usable;
  if (only && usable.length === 1) return only;
  if (!only) {
    throw new ConflictError('the data center has no active data domain for the image', {
      code: 'no_storage_domain',
      hint: 'vmctl storagedomains list',
    });
  }
  throw new AmbiguousError(
    `no storage domain given for the image; available: ${names.join(', ')}`,
    {
      hint: `use --storage-domain ${names[0]}`,
      next: names.map((name) => `storagedomains/${name}`),
    },
  );
}

/** Refuses a template that brings a disk to boot from itself. */
export async function requireNoBootDisk(runner: OperationRunner, template: string): Promise<void> {
  const attachments = await runner.list({
    path: '/templates/{template}/diskattachments',
    ids: { template },
  });
  if (!attachments.some(({ bootable }) => bootable === true)) return;
  throw new UsageError('--image and --template exclude each other', {
    hint: 'remove one of them; vmctl diskattachments create adds disks',
  });
}
