/** Loaders of hand-written commands by noun, from the core and from features. */
import { features } from '../features/index.ts';
import type { NounModule, NounModules } from './args/command.ts';
import { type HandMadeNoun, handMadeNouns } from './args/hand-made.generated.ts';
import { coreModules } from './modules.generated.ts';

export const nounModules: NounModules = Object.fromEntries(
  handMadeNouns.map((noun) => [noun.name, () => loadNoun(noun)]),
);

/** Loads the commands of a noun, including those of features. */
async function loadNoun({ name, features: names = [] }: HandMadeNoun): Promise<NounModule> {
  const loaded = await Promise.all(names.map((feature) => features[feature]?.()));
  const others = loaded.flatMap((one) => one?.default ?? []);
  const parts = others.flatMap(({ commands = [] }) =>
    commands.filter((module) => module.name === name),
  );
  const core =
    name === 'serve'
      ? (await import('./commands/serve.ts')).createServeNoun(
          others.flatMap(({ serve }) => serve ?? []),
        )
      : await coreModules[name]?.();
  const [first, ...rest] = core ? [core, ...parts] : parts;
  if (!first) throw new Error(`no commands of ${name}; run npm run build`);
  return { ...first, commands: [first, ...rest].flatMap(({ commands }) => commands) };
}
