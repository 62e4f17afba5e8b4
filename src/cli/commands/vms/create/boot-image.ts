/** Boot image of a new VM: an uploaded file, or an existing disk. */
import {
  AmbiguousError,
  ConflictError,
  NotFoundError,
  UsageError,
} from '../../../../client/errors.ts';
import type { Resource } from '../../../../model/resource.ts';
import type { CommandContext } from '../../../session/command-context.ts';
import type { OperationRunner } from '../../../verbs/operation-runner.ts';
import type { FoundObject } from '../../../verbs/references.ts';
import { openImage } from '../../disks/upload.ts';
import { diskPrefix, isFileOrUrl } from './image-reference.ts';

export type BootImage =
  | { readonly file: string; readonly domain: Resource<'storage_domain'> }
  | { readonly disk: FoundObject<Resource<'disk'>> };

/** Resolves the image, and the storage domain of an uploaded one. Changes nothing. */
export async function resolveImage(
  cli: CommandContext,
  runner: OperationRunner,
  word: string,
  datacenter: string,
  storageDomain: string | undefined,
): Promise<BootImage> {
  if (!isFileOrUrl(word)) return { disk: await findDisk(runner, word) };
  // Detects invalid images before the first change.
  const source = await openImage(cli, word, { keepCompressed: false });
  await source.close();
  return { file: word, domain: await selectDomain(runner, datacenter, storageDomain) };
}

async function findDisk(
  runner: OperationRunner,
  word: string,
): Promise<FoundObject<Resource<'disk'>>> {
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

/** Lists the active data domains of a data center. */
export async function listUsableDomains(
  runner: OperationRunner,
  datacenter: string,
): Promise<readonly Resource<'storage_domain'>[]> {
  const domains = await runner.list({
    path: '/datacenters/{datacenter}/storagedomains',
    ids: { datacenter },
  });
  return domains.filter(({ type, status }) => type === 'data' && status === 'active');
}

/**
 * Returns the storage domain with the given id, or the only candidate. Throws if it is unusable or
 * ambiguous.
 */
export async function selectDomain(
  runner: OperationRunner,
  datacenter: string,
  wanted: string | undefined,
): Promise<Resource<'storage_domain'>> {
  const usable = await listUsableDomains(runner, datacenter);
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

/** Throws `UsageError` for a template with a boot disk. */
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
