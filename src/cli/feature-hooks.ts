/** Hooks of features in the command line. Features without such a hook are not loaded. */
import type { Feature } from '../feature.ts';
import { features } from '../features/index.ts';
import { featureHooks, featureTopics } from './args/feature-facts.generated.ts';
import type { SessionHooks } from './session/command-context.ts';

async function load(name: string): Promise<Feature | undefined> {
  return (await features[name]?.())?.default;
}

export const sessionHooks: SessionHooks = {
  ...(featureHooks.observeChanges.length === 0
    ? {}
    : {
        changeObservers: async () => {
          const loaded = await Promise.all(featureHooks.observeChanges.map(load));
          return await Promise.all(loaded.flatMap((feature) => feature?.observeChanges?.() ?? []));
        },
      }),
};

/** The help topic of a feature; undefined if no feature has it. */
export async function featureTopic(topic: string): Promise<string | undefined> {
  const name = Object.hasOwn(featureTopics, topic) ? featureTopics[topic] : undefined;
  return name === undefined ? undefined : await (await load(name))?.topics?.[topic]?.();
}

/** All help topics of features, by name. */
export async function allFeatureTopics(): Promise<Readonly<Record<string, string>>> {
  const pages = await Promise.all(
    Object.keys(featureTopics).map(async (topic) => [topic, (await featureTopic(topic)) ?? '']),
  );
  return Object.fromEntries(pages) as Record<string, string>;
}
