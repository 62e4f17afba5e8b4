/** Catalogue of the nouns: names, aliases and groups of the help. */
import { declaredNouns } from '../../model/derive/nouns.ts';
import { groups as modelGroups } from '../../model/notation/commands.ts';
import { type HandMadeVerb, handMadeNouns } from './hand-made.generated.ts';

export interface Noun {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly group: Group;
  readonly doc: string;
  /** Listed with its description in `vmctl help nouns` only. */
  readonly more: boolean;
  /** Section of the first page of help. */
  readonly section?: string;
  /** Whether the noun is a collection of the API. */
  readonly api: boolean;
}

export const groups = [...modelGroups, 'tool'] as const;

export type Group = (typeof groups)[number];

function listToolNouns(): readonly Noun[] {
  const tool = { aliases: [], group: 'tool', more: false, api: false } as const;
  const own = handMadeNouns.flatMap(({ name, aliases, doc, more = false, section = '' }) =>
    doc === undefined ? [] : [{ ...tool, name, aliases, doc, more, section }],
  );
  return [...own, { ...tool, name: 'help', doc: 'Explain a noun, a verb or a topic' }];
}

/** All nouns in the order of the help. */
export const nouns: readonly Noun[] = [
  ...declaredNouns.map((noun) => ({ ...noun, api: true })),
  ...listToolNouns(),
];

/** Hand-made verbs of a noun, from the generated table. */
export function listHandMadeVerbs(noun: string): readonly HandMadeVerb[] {
  return handMadeNouns.find(({ name }) => name === noun)?.verbs ?? [];
}

let byName: ReadonlyMap<string, Noun> | undefined;

/** Finds a noun by its name, alias or singular. Ignores case and hyphens. */
export function findNoun(word: string): Noun | undefined {
  byName ??= new Map(
    nouns.flatMap((noun) =>
      [noun.name, ...noun.aliases].map((name) => [name.replaceAll('-', ''), noun] as const),
    ),
  );
  const plain = word.toLowerCase().replaceAll(/[-_]/g, '');
  return (
    byName.get(plain) ??
    byName.get(`${plain}s`) ??
    (plain.endsWith('y') ? byName.get(`${plain.slice(0, -1)}ies`) : undefined)
  );
}
