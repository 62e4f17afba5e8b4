/** Features: capabilities that the core works without, each in a folder of `features`. */
import type { NounModule } from './cli/args/command.ts';

export interface Feature {
  /** New nouns, and verbs of nouns of the core. */
  readonly commands?: readonly NounModule[];
}

/** Loads features by name, which is the name of the folder. */
export type FeatureLoaders = Readonly<Record<string, () => Promise<{ readonly default: Feature }>>>;
