/** Commands of the user: plug-ins, and aliases for commands with placeholders. */
import type { Environment } from '../session/io.ts';

/** Commands with a title for the help. */
export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly (readonly [name: string, doc: string])[];
}

/** Commands of the user in completion. */
export interface UserCommands {
  listUserCommands(env: Environment): Promise<readonly CommandGroup[]>;
  /** Replaces an alias, or words of other tools, before the cursor. */
  replaceWords(before: readonly string[], env: Environment): Promise<readonly string[] | undefined>;
}

export interface Alias {
  readonly name: string;
  /** Command without `vmctl`: `vms start $1`. */
  readonly command: string;
}

/** Aliases of the configuration. */
export interface AliasTable {
  readonly all: readonly Alias[];
  /** Arguments of the command with the values of the placeholders. Throws `UsageError` without them. */
  expand(alias: Alias, args: readonly string[]): readonly string[];
  /** Like `expand`, with empty texts for missing arguments, for completion. */
  expandPartly(alias: Alias, args: readonly string[]): readonly string[];
  /** Leading words of the command: noun and verb. */
  listCommandWords(alias: Alias): readonly string[];
}
