/** Hooks of features in the command line. Features without such a hook are not loaded. */
import type { Feature } from '../feature.ts';
import { features } from '../features/index.ts';
import { featureHooks, featureTopics, requestObservers } from './args/feature-facts.generated.ts';
import type { SessionHooks } from './session/command-context.ts';

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

/** The help topic of a feature; undefined if no feature has it. */
export async function featureTopic(topic: string): Promise<string | undefined> {
  const name = Object.hasOwn(featureTopics, topic) ? featureTopics[topic] : undefined;
  return name === undefined ? undefined : await (await loadFeature(name))?.topics?.[topic]?.();
}

/** All help topics of features, by name. */
export async function allFeatureTopics(): Promise<Readonly<Record<string, string>>> {
  const pages = await Promise.all(
    Object.keys(featureTopics).map(async (topic) => [topic, (await featureTopic(topic)) ?? '']),
  );
  return Object.fromEntries(pages) as Record<string, string>;
}
