/** A site in a shared store: the database, and the folder with the bytes of its disks. */
import { FolderError, ownFolder } from '../files/access.ts';
import type { StoreAddress } from '../store/shared-store.ts';
import type { Store } from '../store/store.ts';
import { agree, writeSite } from './agreement.ts';
import { clearPartial, moveImagesAside } from './aside.ts';
import { newSite, readMark, siteMarkIn } from './marks.ts';
import type { DataFolder, FolderSettings } from './opened-site.ts';

/**
 * Opens the site in a shared store, with its images in a folder. Throws a
 * `FolderError` where that could lose something.
 */
export async function openSharedSite(
  { address, driver }: StoreAddress,
  { images, frozen }: Pick<DataFolder, 'images' | 'frozen'>,
  settings: FolderSettings & { readonly alone?: boolean },
): Promise<DataFolder> {
  ownFolder(images);
  // The database is looked at first: where other servers have it, its images stay.
  const store = driver.openStore(address, settings);
  const { isFirst } = store;
  try {
    if (settings.newSite) moveImagesAside(images, settings.log);
    if (!isFirst) requireSame(store, driver.maskAddress(address), images);
    else {
      clearPartial(frozen);
      if (settings.inMemory) await writeSite(store, { ...newSite(), starts: 1 });
      else await agree(store, driver.maskAddress(address), images, settings);
    }
  } catch (error) {
    await store.close();
    throw error;
  }
  const started = () => store.started();
  return { store, images, frozen, isFirst, started, close: () => store.close() };
}

/** Others run already: what they have in their folder has to be what this server has in its own. */
function requireSame(store: Store, database: string, images: string): void {
  const own = siteMarkIn(store.meta('site') ?? '{}');
  const mark = readMark(images);
  if (mark !== undefined && mark.site === own.site) return;
  throw new FolderError(
    `${images} is not the image folder of the servers of ${database}.`,
    'mount that folder, and name it with --images',
  );
}
