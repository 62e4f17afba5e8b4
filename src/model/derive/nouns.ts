/** The nouns of the command line, in the order in which help shows them. */
import { type Group, groups } from '../notation/commands.ts';
import { allNouns } from '../resources/index.ts';

export interface ModelNoun {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly group: Group;
  readonly doc: string;
  /** Shown in `vmctl help nouns` only. */
  readonly more: boolean;
}

const last = Number.MAX_SAFE_INTEGER;

/** Group by group, what is not on the root page behind the rest. */
export const declaredNouns: readonly ModelNoun[] = allNouns
  .toSorted(
    (a, b) =>
      groups.indexOf(a.group) - groups.indexOf(b.group) ||
      Number(a.more ?? false) - Number(b.more ?? false) ||
      (a.position ?? last) - (b.position ?? last),
  )
  .map(({ noun, aliases = [], group, doc, more = false }) => ({
    name: noun,
    aliases,
    group,
    doc,
    more,
  }));
