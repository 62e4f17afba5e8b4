/** Nouns of the command line, in the order of help. */
import { type Group, groups } from '../notation/commands.ts';
import { allNouns } from '../resources/index.ts';

export interface ModelNoun {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly group: Group;
  readonly doc: string;
  /** Only in `vmctl help nouns`. */
  readonly more: boolean;
}

const last = Number.MAX_SAFE_INTEGER;

/** Nouns by group; those that are not on the root page come last. */
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
