/** Features: capabilities that the core works without, each in a folder of `features`. */

import type { NounModule } from './cli/args/command.ts';
import type { AliasTable } from './cli/args/user-commands.ts';
import type { ServeExtension } from './cli/commands/serve/extension.ts';
import type {
  ChangeObserverFactory,
  CommandContext,
  ObservedHttp,
} from './cli/session/command-context.ts';
import type { Environment } from './cli/session/io.ts';
import type { Setting } from './cli/session/settings.ts';
import type { RequestObserver } from './client/http.ts';

/** A member is absent if the feature does not need it. The build reads all members but calls none. */
export interface Feature {
  /** New nouns, and verbs of nouns of the core. */
  readonly commands?: readonly NounModule[];
  /** Settings with their flags for all commands, by name. */
  readonly settings?: Readonly<Record<string, Setting>>;
  /** Pages of `vmctl help TOPIC`, by topic. */
  readonly topics?: Readonly<Record<string, () => Promise<string>>>;
  /** Observes the requests of a command that has this setting. */
  readonly observeRequests?: {
    readonly setting: string;
    readonly load: () => Promise<
      (cli: CommandContext, value: string, other: RequestObserver | undefined) => ObservedHttp
    >;
  };
  /** Flags of `vmctl serve`, and parts of the server. */
  readonly serve?: ServeExtension;
  /** Codes of errors for `vmctl help errors`, by exit code. */
  readonly errorCodes?: Readonly<Record<string, readonly string[]>>;
  /** Loads an observer of changes, before the first change of a command. */
  readonly observeChanges?: () => Promise<ChangeObserverFactory>;
  /** Loads the reader of the user's aliases, for words that are neither nouns nor plug-ins. */
  readonly aliases?: () => Promise<(env: Environment) => AliasTable>;
}

/** Loads features by name, which is the name of the folder. */
export type FeatureLoaders = Readonly<Record<string, () => Promise<{ readonly default: Feature }>>>;
