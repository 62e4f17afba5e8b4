/** Lookup of ISO images: files of ISO domains, and disks with the content type `iso`. */

import type { Client } from '../../client/client.ts';
import { AmbiguousError, NotFoundError, VmctlError } from '../../client/errors.ts';
import { requireOperation } from '../../model/index.ts';
import { findCloseMatches } from '../text/did-you-mean.ts';
import { isUuid } from './identifiers.ts';

/** Maximum number of disks that are read for suggestions. */
const maxDisks = 1_000;

interface IsoImage {
  /** File name on an ISO domain, or id of a disk. */
  readonly id: string;
  readonly name: string;
}

/**
 * Finds an ISO image by name or id, and returns the id for the drive. Throws `NotFoundError` with
 * similar names. If the user may not list ISO images, returns the word: the service decides.
 */
export async function resolveIsoImage(client: Client, word: string): Promise<string> {
  if (isUuid(word)) return word;
  const images = await listIsoImages(client);
  if (!images) return word;
  const ids = new Set(images.filter(({ id, name }) => id === word || name === word).map(getId));
  const [only, ...others] = ids;
  if (others.length > 0) {
    throw new AmbiguousError(`several ISO images have the name "${word}"`, {
      hint: `use an id: ${[...ids].join(', ')}`,
    });
  }
  if (only !== undefined) return only;
  const names = [...new Set(images.map(({ name }) => name))];
  const near = findCloseMatches(word, names);
  throw new NotFoundError(`ISO image "${word}" not found`, {
    hint:
      near.length > 0
        ? `did you mean ${near.join(' or ')}?`
        : names.length > 0
          ? `available: ${names.slice(0, 10).join(', ')}${names.length > 10 ? ', ...' : ''}`
          : 'upload one: vmctl disks upload FILE.iso --storage-domain NAME',
  });
}

function getId({ id }: IsoImage): string {
  return id;
}

/** Lists all ISO images; undefined if the service refuses a request. */
async function listIsoImages(client: Client): Promise<readonly IsoImage[] | undefined> {
  try {
    const [domains, disks] = await Promise.all([
      client.list({ operation: requireOperation('/storagedomains', 'list') }),
      client.list({ operation: requireOperation('/disks', 'list'), query: { max: maxDisks } }),
    ]);
    const libraries = domains.filter(({ type }) => type === 'iso');
    const files = await Promise.all(libraries.map(({ id }) => listFiles(client, String(id))));
    return [
      ...files.flat(),
      ...disks
        .filter(({ content_type: content }) => content === 'iso')
        .map(({ id, alias, name }) => ({ id: String(id), name: String(alias ?? name ?? id) })),
    ];
  } catch (error) {
    if (error instanceof VmctlError && error.status !== undefined) return undefined;
    throw error;
  }
}

/** Lists the ISO files of a domain; none if the domain is not active. */
async function listFiles(client: Client, storagedomain: string): Promise<readonly IsoImage[]> {
  const operation = requireOperation('/storagedomains/{storagedomain}/files', 'list');
  try {
    const files = await client.list({ operation, ids: { storagedomain } });
    return files
      .filter(({ id, name }) => /\.iso$/i.test(String(name ?? id)))
      .map(({ id, name }) => ({ id: String(id), name: String(name ?? id) }));
  } catch (error) {
    if (error instanceof VmctlError && error.status !== undefined) return [];
    throw error;
  }
}
