/** Extensions of `vmctl serve` by features. */
import type { CreateServerExtension, ExtendedOptions } from '../../../server/admin/extension.ts';
import type { StoreDriver } from '../../../server/core/opened-site.ts';
import type { FlagSpec, FlagValues } from '../../args/parameters.ts';
import type { CommandContext } from '../../session/command-context.ts';
import type { AnnouncedServer } from './announce.ts';
import type { ServeFlags } from './options.ts';

/** A run of `vmctl serve`. */
export interface ServeRun {
  readonly cli: CommandContext;
  /** All flags; those of features are typed only in their feature. */
  readonly flags: ServeFlags;
  /** Whether the server runs for one command only. */
  readonly hasCommand: boolean;
  /** Server parts of all features. */
  readonly extensions: readonly CreateServerExtension[];
}

/** A task with the arguments of the command. */
export interface ServeTask extends Pick<ServeRun, 'cli' | 'flags'> {
  readonly words: readonly string[];
}

/** A hypervisor that a feature adds to the server. */
export interface ServeHypervisor {
  readonly create: NonNullable<ExtendedOptions['hypervisor']>;
  /** What is real, for the announcement of the server. */
  readonly nature: string;
}

/** Handlers of an extension. `F` are the values of the feature's flags. */
export interface ServeHandlers<F = unknown> {
  /**
   * Returns the function that starts another kind of server; undefined for the default. Throws
   * `UsageError`.
   */
  start?(run: ServeRun, flags: F): Promise<(() => Promise<AnnouncedServer>) | undefined>;
  /** Runs a task instead of starting a server. Returns false if no flag requests it. */
  perform?(task: ServeTask, flags: F): Promise<boolean>;
  /** Driver of shared stores for some addresses. */
  readonly store?: {
    readonly example: string;
    isAddress(address: string): boolean;
    load(): Promise<StoreDriver>;
  };
  /**
   * Returns the hypervisor of the server; undefined for the default. Throws `UsageError`. `folder`
   * is the data folder.
   */
  createHypervisor?(folder: string, flags: F): Promise<ServeHypervisor | undefined>;
  /** Returns parts of the server. Throws `UsageError`. */
  extend?(flags: F): CreateServerExtension;
  /** Formats lines about a running server. */
  announce?(server: AnnouncedServer): readonly string[];
  /** Called in the process of the user when the server responds. */
  afterStart?(cli: CommandContext, flags: F, baseUrl: string): void;
}

export interface ServeExtension {
  readonly flags: readonly FlagSpec[];
  /** Flags that `--detach` does not pass to the server, by camel-case name. */
  readonly foregroundFlags?: readonly string[];
  readonly rareFlags?: readonly string[];
  readonly examples?: readonly string[];
  readonly load: () => Promise<ServeHandlers>;
}

/** Declares an extension. Its handlers receive typed flags. */
export function defineServeExtension<const F extends readonly FlagSpec[]>(
  spec: Omit<ServeExtension, 'flags' | 'load'> & {
    readonly flags: F;
    readonly load: () => Promise<ServeHandlers<FlagValues<F>>>;
  },
): ServeExtension {
  // Right because the parser builds the values that the notations declare.
  return spec as ServeExtension;
}
