/** The shared store of `vmctl serve --store`. */
import type { StoreAddress } from '../../../server/store/shared-store.ts';
import type { ServeHandlers } from './extension.ts';
import { invalidStore, type ServeFlags, sharedAddressOf } from './options.ts';

/** Finds the driver for the address in `--store`; undefined if the state is in a folder. Throws usage errors. */
export async function sharedStore(
  flags: Pick<ServeFlags, 'store' | 'data' | 'memory'>,
  handlers: readonly ServeHandlers[],
): Promise<StoreAddress | undefined> {
  const address = sharedAddressOf(flags);
  if (address === undefined) return undefined;
  const stores = handlers.flatMap(({ store }) => store ?? []);
  const found = stores.find(({ isAddress }) => isAddress(address));
  if (found) return { address, driver: await found.load() };
  throw invalidStore(address, ['sqlite:DIR', ...stores.map(({ example }) => example)]);
}
