/** Choices of completion. */
import { nouns } from '../args/catalog.ts';
import type { CommandGroup } from '../args/user-commands.ts';

export type Choice = readonly [word: string, doc: string];

export interface Offer {
  readonly choices: readonly Choice[];
  /** Whether the shell should complete local files. */
  readonly files?: boolean;
}

/** Lists all nouns with their descriptions, and commands of the user. */
export function listNounChoices(own: readonly CommandGroup[] = []): readonly Choice[] {
  return [
    ...nouns.map(({ name, doc }): Choice => [name, doc]),
    ...own.flatMap(({ commands }) => commands),
  ];
}
