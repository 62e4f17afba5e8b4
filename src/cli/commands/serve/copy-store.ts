/** `vmctl serve --copy-store FROM TO`: a site moves into another store, and is compared with its copy. */
import { UsageError } from '../../../client/errors.ts';
import { copySite } from '../../../server/backup/copy-site.ts';
import { FolderError } from '../../../server/files/access.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { write } from '../../session/io.ts';
import { placeOf, type ServeFlags } from './options.ts';

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
    throw new UsageError('--copy-store needs two stores: that of the site, and an empty one', {
      hint: 'vmctl serve --copy-store sqlite:DIR postgres://USER@HOST/NAME',
    });
  }
  if (data !== undefined) {
    throw new UsageError('--copy-store FROM TO says both stores: leave --data out', {
      hint: `vmctl serve --copy-store sqlite:${data} ${to}`,
    });
  }
  const imagesOf = (store: string) => (store.startsWith('sqlite:') ? undefined : images);
  const log = (line: string) => void cli.io.stderr.write(`vmctl serve: ${line}\n`);
  try {
    const copied = await copySite(
      placeOf(cli, from, imagesOf(from)),
      placeOf(cli, to, imagesOf(to)),
      log,
    );
    await write(
      cli.io.stdout,
      `the site ${copied.site}: ${copied.rows} rows and ${copied.images} images copied, and found equal\n`,
    );
  } catch (error) {
    if (!(error instanceof FolderError)) throw error;
    throw new UsageError(error.message, error.hint === undefined ? {} : { hint: error.hint });
  }
}
