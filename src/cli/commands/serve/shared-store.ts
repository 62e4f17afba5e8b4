/** The shared store of `vmctl serve --store`. */
import type { StoreAddress } from '../../../server/core/opened-site.ts';
import type { ServeHandlers } from './extension.ts';
import { createInvalidStoreError, parseSharedAddress, type ServeFlags } from './options.ts';

/**
 * Finds the driver for the address in `--store`; undefined if the state is in a folder. Throws
 * `UsageError`.
 */
export async function findSharedStore(
  flags: Pick<ServeFlags, 'store' | 'data' | 'memory'>,
  handlers: readonly ServeHandlers[],
): Promise<StoreAddress | undefined> {
  const address = parseSharedAddress(flags);
  if (address === undefined) return undefined;
  const stores = handlers.flatMap(({ store }) => store ?? []);
  const found = stores.find(({ isAddress }) => isAddress(address));
  if (found) return { address, driver: await found.load() };
  throw createInvalidStoreError(address, ['sqlite:DIR', ...stores.map(({ example }) => example)]);
}
