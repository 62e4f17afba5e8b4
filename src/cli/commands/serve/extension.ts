/** Extensions of `vmctl serve` by features. */
import type { CreateServerExtension } from '../../../server/admin/extension.ts';
import type { StoreDriver } from '../../../server/store/shared-store.ts';
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

/** `F` are the values of the flags of the feature. */
export interface ServeHandlers<F = unknown> {
  /** Returns the function that starts another kind of server; undefined for the default. Throws usage errors. */
  start?(run: ServeRun, flags: F): Promise<(() => Promise<AnnouncedServer>) | undefined>;
  /** Performs a task instead of starting a server. Returns false if no flag requests it. */
  perform?(task: ServeTask, flags: F): Promise<boolean>;
  /** A driver of shared stores, by address. */
  readonly store?: {
    readonly example: string;
    isAddress(address: string): boolean;
    load(): Promise<StoreDriver>;
  };
  /** Returns parts of the server. Throws usage errors. */
  extend?(flags: F): CreateServerExtension;
  /** Lines about a server that is ready. */
  announce?(server: AnnouncedServer): readonly string[];
  /** Called when the server is ready, in the process of the user. */
  afterStart?(cli: CommandContext, flags: F, baseUrl: string): void;
}

export interface ServeExtension {
  readonly flags: readonly FlagSpec[];
  /** Flags that `--detach` does not pass on, by name in camel case. */
  readonly foregroundFlags?: readonly string[];
  readonly rareFlags?: readonly string[];
  readonly examples?: readonly string[];
  readonly load: () => Promise<ServeHandlers>;
}

/** Declares an extension; its handlers get the values of its flags. */
export function serveExtension<const F extends readonly FlagSpec[]>(
  spec: Omit<ServeExtension, 'flags' | 'load'> & {
    readonly flags: F;
    readonly load: () => Promise<ServeHandlers<FlagValues<F>>>;
  },
): ServeExtension {
  // The parser creates the values that the notations of the flags declare.
  return spec as ServeExtension;
}
