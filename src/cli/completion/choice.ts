/** What completion offers for a word. */
import { nouns } from '../args/catalog.ts';
import type { Plugin } from '../plugins/find-plugins.ts';

export type Choice = readonly [word: string, doc: string];

export interface Offer {
  readonly choices: readonly Choice[];
  /** The shell knows better: files of this machine. */
  readonly files?: boolean;
}

/** All nouns with their descriptions, and plug-ins with their paths. */
export function nounChoices(plugins: readonly Plugin[] = []): readonly Choice[] {
  return [
    ...nouns.map(({ name, doc }): Choice => [name, doc]),
    ...plugins.map(({ name, path }): Choice => [name, path]),
  ];
}
