/** Run of `vmctl serve --copy-store FROM TO`. */

import {
  getDataFolder,
  parseSharedAddress,
  type ServeFlags,
  toAbsolutePath,
} from '../../cli/commands/serve/options.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { write } from '../../cli/session/io.ts';
import { UsageError } from '../../client/errors.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { FolderError } from '../../server/files/access.ts';
import { imagesFolderPath } from '../../server/folder/data-folder.ts';
import { copySite, type SiteLocation } from './copy-site.ts';

/**
 * Copies a stopped site. A PostgreSQL store has its images in the folder of `--images`, by default
 * below the data folder.
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
    const copied = await copySite(
      getLocation(cli, from, images),
      getLocation(cli, to, images),
      log,
    );
    await write(
      cli.io.stdout,
      `site ${copied.site}: copied and verified ${copied.rows} rows and ${copied.images} images\n`,
    );
  } catch (error) {
    if (!(error instanceof FolderError)) throw error;
    throw new UsageError(error.message, error.hint === undefined ? {} : { hint: error.hint });
  }
}

/** Location of a site for a store. `--images` applies to PostgreSQL stores only. */
function getLocation(cli: CommandContext, store: string, images: string | undefined): SiteLocation {
  const address = parseSharedAddress({ store });
  if (address !== undefined) {
    return { address, images: toAbsolutePath(images) ?? imagesFolderPath(getDataFolder(cli, {})) };
  }
  const folder = getDataFolder(cli, { store });
  return { folder, images: imagesFolderPath(folder) };
}
