/** Server parts of features, for servers that no command starts. */
import { featureHooks } from '../cli/args/feature-facts.generated.ts';
import { features } from '../features/index.ts';
import type { CreateServerExtension } from '../server/admin/extension.ts';

/** Server parts of all features, with the values of their flags of `vmctl serve`. */
export async function serverExtensions(
  flags: Readonly<Record<string, unknown>>,
): Promise<readonly CreateServerExtension[]> {
  const loaded = await Promise.all(featureHooks.serve.map((name) => features[name]?.()));
  const handlers = await Promise.all(loaded.flatMap((one) => one?.default.serve?.load() ?? []));
  return handlers.flatMap((one) => one.extend?.(flags) ?? []);
}
