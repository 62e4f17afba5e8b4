/** How nouns, and verbs of nouns, that the model does not describe are declared. */
import type { Command } from 'commander';
import type { CommandContext } from '../session/command-context.ts';

/** All of them, by noun. */
export type SpecialNouns = Readonly<Record<string, SpecialNoun>>;

export interface NounModule {
  /**
   * Adds options, an action or verbs to the command of the noun, which is mounted already. What
   * tells about all commands gets the special nouns as well.
   */
  readonly register: (
    command: Command,
    cli: CommandContext,
    specialNouns: SpecialNouns,
  ) => void | Promise<void>;
}

export interface SpecialNoun {
  readonly load: () => NounModule | Promise<NounModule>;
  /**
   * Set where the noun is also a collection of the API: what is added to its generic verbs, with
   * the line that help shows. The module is loaded for these verbs only.
   */
  readonly verbs?: Readonly<Record<string, string>>;
}
