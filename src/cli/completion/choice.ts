/** What completion offers for a word. */
import { nouns } from '../args/catalog.ts';

export type Choice = readonly [word: string, doc: string];

export interface Offer {
  readonly choices: readonly Choice[];
  /** The shell knows better: files of this machine. */
  readonly files?: boolean;
}

/** All nouns with what they are. */
export function nounChoices(): readonly Choice[] {
  return nouns.map(({ name, doc }): Choice => [name, doc]);
}
