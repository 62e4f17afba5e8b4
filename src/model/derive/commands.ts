/** Command-line options of collections, nouns and types that do not follow from operations. */
import type { Commands, MemberVerbs, NounDeclaration, VerbOptions } from '../notation/commands.ts';
import { allNouns, allResources } from '../resources/index.ts';
import { allCollections } from './collections.ts';

type NounOptions = Pick<NounDeclaration, 'one' | 'parentFlags' | 'operationVerbs'> & {
  readonly verbs?: Readonly<Record<string, Omit<VerbOptions, 'sample'>>>;
};

type TypeOptions = Omit<Commands, keyof NounDeclaration | 'otherNouns'>;

/** Picks the present members of an object. */
function pick<T extends object, const K extends keyof T>(object: T, keys: readonly K[]) {
  const picked: Partial<Pick<T, K>> = {};
  for (const key of keys) if (object[key] !== undefined) picked[key] = object[key];
  return picked;
}

function withoutSamples(
  verbs: NonNullable<NounDeclaration['verbs']>,
): NonNullable<NounOptions['verbs']> {
  return Object.fromEntries(
    Object.entries(verbs).flatMap(([verb, { sample: _sample, ...options }]) =>
      Object.keys(options).length > 0 ? [[verb, options]] : [],
    ),
  );
}

/** `network label` for the noun `networklabels` of `network_label`; undefined if it is a single word. */
function findCompoundName(noun: string, type: string): string | undefined {
  const words = type.split('_');
  const suffixes = words.map((_, index) => words.slice(index)).filter(({ length }) => length > 1);
  const found = suffixes.find((suffix) => noun.replace(/ies$/, 'ys') === `${suffix.join('')}s`);
  return found?.join(' ');
}

/** By noun. */
export const nounOptions: Readonly<Record<string, NounOptions>> = Object.fromEntries(
  allResources.flatMap(({ name, commands }) =>
    (commands ? [commands, ...(commands.otherNouns ?? [])] : []).map((noun) => {
      const one = noun.one ?? findCompoundName(noun.noun, name);
      return [
        noun.noun,
        {
          ...pick(noun, ['parentFlags', 'operationVerbs']),
          ...(one === undefined ? {} : { one }),
          ...(noun.verbs ? { verbs: withoutSamples(noun.verbs) } : {}),
        },
      ];
    }),
  ),
);

/** Nouns of collections whose path ends with a different segment. */
export const nounsByPath: Readonly<Record<string, string>> = Object.fromEntries(
  allNouns.flatMap(({ noun, collections = [] }) => collections.map((path) => [path, noun])),
);

/** Verbs that differ from the defaults, by path of the collection. */
export const verbsByPath: Readonly<Record<string, Readonly<Record<string, string>>>> =
  Object.fromEntries(
    allCollections.flatMap(({ path, declared: { verbs } }) => (verbs ? [[path, verbs]] : [])),
  );

/** Collections with verbs of their owner, by path. */
export const memberVerbs: Readonly<Record<string, MemberVerbs>> = Object.fromEntries(
  allCollections.flatMap(({ path, declared: { memberVerbs: one } }) => (one ? [[path, one]] : [])),
);

const ofTypes = [
  'columns',
  'wideColumns',
  'follow',
  'shortcuts',
  'knownBy',
  'knownThrough',
  'isSingle',
  'searchedByName',
  'referredBy',
  'alwaysSent',
  'createdAlong',
] as const satisfies readonly (keyof TypeOptions)[];

/** By type. */
export const typeOptions: Readonly<Record<string, TypeOptions>> = Object.fromEntries(
  allResources.flatMap(({ name, commands }) => (commands ? [[name, pick(commands, ofTypes)]] : [])),
);
