/** Server parts of features, for servers that no command starts. */
import { featureHooks } from '../cli/args/feature-facts.generated.ts';
import { features } from '../features/index.ts';
import type { CreateServerExtension } from '../server/admin/extension.ts';
import type { StoreAddress } from '../server/core/opened-site.ts';

/** Server parts of all features, with the values of their flags of `vmctl serve`. */
export async function serverExtensions(
  flags: Readonly<Record<string, unknown>>,
): Promise<readonly CreateServerExtension[]> {
  return (await loadHandlers()).flatMap((one) => one.extend?.(flags) ?? []);
}

/** The shared store at an address. Throws if no feature has a driver for it. */
export async function storeAddress(address: string): Promise<StoreAddress> {
  const stores = (await loadHandlers()).flatMap(({ store }) => store ?? []);
  const found = stores.find(({ isAddress }) => isAddress(address));
  if (!found) throw new Error(`no driver for the store ${address}`);
  return { address, driver: await found.load() };
}

async function loadHandlers() {
  const loaded = await Promise.all(featureHooks.serve.map((name) => features[name]?.()));
  return await Promise.all(loaded.flatMap((one) => one?.default.serve?.load() ?? []));
}
