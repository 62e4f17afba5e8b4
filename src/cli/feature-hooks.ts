/** Hooks of features in the command line. The program loads only features that register the hook. */
import type { Feature } from '../feature.ts';
import { features } from '../features/index.ts';
import { featureHooks, featureTopics, requestObservers } from './args/feature-facts.generated.ts';
import type { AliasTable } from './args/user-commands.ts';
import type { SessionHooks } from './session/command-context.ts';
import type { Environment } from './session/io.ts';

async function loadFeature(name: string): Promise<Feature | undefined> {
  return (await features[name]?.())?.default;
}

export const sessionHooks: SessionHooks = {
  observeRequests: async (cli, other) => {
    for (const { setting, feature } of requestObservers) {
      const value = cli.setting(setting)?.value;
      const load = value ? (await loadFeature(feature))?.observeRequests?.load : undefined;
      if (value && load) return (await load())(cli, value, other);
    }
    return undefined;
  },
  ...(featureHooks.observeChanges.length === 0
    ? {}
    : {
        changeObservers: async () => {
          const loaded = await Promise.all(featureHooks.observeChanges.map(loadFeature));
          return await Promise.all(loaded.flatMap((feature) => feature?.observeChanges?.() ?? []));
        },
      }),
};

/** Reads the aliases of the user; undefined without a feature for them. */
export async function readAliases(env: Environment): Promise<AliasTable | undefined> {
  const [name] = featureHooks.aliases;
  if (name === undefined) return undefined;
  return (await (await loadFeature(name))?.aliases?.())?.(env);
}

/** Renders the help topic of a feature; undefined if no feature has it. */
export async function renderFeatureTopic(topic: string): Promise<string | undefined> {
  const name = Object.hasOwn(featureTopics, topic) ? featureTopics[topic] : undefined;
  return name === undefined ? undefined : await (await loadFeature(name))?.topics?.[topic]?.();
}

/** Renders all help topics of features, by name. */
export async function renderFeatureTopics(): Promise<Readonly<Record<string, string>>> {
  const pages = await Promise.all(
    Object.keys(featureTopics).map(async (topic) => [
      topic,
      (await renderFeatureTopic(topic)) ?? '',
    ]),
  );
  return Object.fromEntries(pages);
}
