/** `vmctl serve --copy-store FROM TO`: a site moves into another store, and is compared with its copy. */

import {
  absolute,
  dataFolder,
  type ServeFlags,
  sharedAddressOf,
} from '../../cli/commands/serve/options.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { write } from '../../cli/session/io.ts';
import { UsageError } from '../../client/errors.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { FolderError } from '../../server/files/access.ts';
import { imagesIn } from '../../server/folder/data-folder.ts';
import { copySite, type SitePlace } from './copy-site.ts';

/**
 * Copies a site that no server runs on. The bytes of disks of a store in PostgreSQL are in the folder that
 * `--images` names, or below that of the data.
 */
export async function copyStore(
  cli: CommandContext,
  from: string,
  words: readonly string[],
  { images, data }: ServeFlags,
): Promise<void> {
  const [to, ...more] = words;
  if (to === undefined || more.length > 0) {
    throw new UsageError('--copy-store needs two stores: the source and an empty target', {
      hint: 'vmctl serve --copy-store sqlite:DIR postgres://USER@HOST/NAME',
    });
  }
  if (data !== undefined) {
    throw new UsageError('--data is not valid with --copy-store FROM TO', {
      hint: `vmctl serve --copy-store sqlite:${data} ${to}`,
    });
  }
  const log = (line: string) =>
    void cli.io.stderr.write(`vmctl serve: ${escapeControlChars.message(line)}\n`);
  try {
    const copied = await copySite(placeOf(cli, from, images), placeOf(cli, to, images), log);
    await write(
      cli.io.stdout,
      `site ${copied.site}: copied and verified ${copied.rows} rows and ${copied.images} images\n`,
    );
  } catch (error) {
    if (!(error instanceof FolderError)) throw error;
    throw new UsageError(error.message, error.hint === undefined ? {} : { hint: error.hint });
  }
}

/** Where a site is by its store. The folder of images that is named is that of PostgreSQL. */
function placeOf(cli: CommandContext, store: string, images: string | undefined): SitePlace {
  const address = sharedAddressOf({ store });
  if (address !== undefined) {
    return { address, images: absolute(images) ?? imagesIn(dataFolder(cli, {})) };
  }
  const folder = dataFolder(cli, { store });
  return { folder, images: imagesIn(folder) };
}
