/** Verbs of a noun, derived from the operations of the model. */
import {
  memberVerbs as memberVerbsByPath,
  nounOptions,
  verbsByPath,
} from '../../model/derive/commands.ts';
import { listOperations, type Operation } from '../../model/index.ts';
import type { MemberVerbs } from '../../model/notation/commands.ts';
import {
  type Collection,
  collectionAt,
  collectionsOf,
  modelNouns,
  type Parent,
} from './collections.ts';
import { defaultVerbs, verbAliases, verbOptions } from './verb-names.ts';

export type VerbKind = 'list' | 'get' | 'add' | 'update' | 'remove' | 'action' | 'wait';

/** One way to do what a verb says: the operation at one of the places of the noun. */
export interface Candidate {
  readonly operation: Operation;
  readonly collection: Collection;
  /** What flags name. */
  readonly parents: readonly Parent[];
  /** What the first argument names instead: the group of `add-vm GROUP VM`. */
  readonly owner?: Parent;
  /** An object of the collection is named as an argument. */
  readonly takesObject: boolean;
}

export interface Verb {
  readonly noun: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly kind: VerbKind;
  readonly candidates: readonly Candidate[];
  /** Set for verbs about the members of an object. */
  readonly membership?: MemberVerbs;
  /** `stats`: values of an object; one of them with a flag. */
  readonly isStatistics?: boolean;
}

interface Draft {
  readonly kind: VerbKind;
  readonly candidates: Candidate[];
  readonly membership?: MemberVerbs;
  readonly isStatistics?: boolean;
  /** The verb that the rules would have given it. */
  readonly defaultName: string;
}

const byNoun = new Map<string, readonly Verb[]>();

/** The verbs of a noun, the usual ones first. */
export function verbsOf(noun: string): readonly Verb[] {
  let verbs = byNoun.get(noun);
  if (!verbs) {
    verbs = derive(noun);
    byNoun.set(noun, verbs);
  }
  return verbs;
}

/** The verb of a noun by its name or one of its other names. */
export function verbOf(noun: string, word: string): Verb | undefined {
  const verbs = verbsOf(noun);
  return (
    verbs.find((verb) => verb.name === word) ?? verbs.find((verb) => verb.aliases.includes(word))
  );
}

function derive(noun: string): readonly Verb[] {
  const drafts = new Map<string, Draft>();
  const put = (name: string, draft: Omit<Draft, 'candidates'>, candidate: Candidate) => {
    const known = drafts.get(name);
    if (known) known.candidates.push(candidate);
    else drafts.set(name, { ...draft, candidates: [candidate] });
  };
  for (const collection of collectionsOf(noun)) {
    const membership = memberVerbsByPath[collection.path];
    if (membership && !membership.alsoGeneric) continue;
    for (const candidate of candidatesOf(collection)) {
      const { name } = candidate.operation;
      const defaultName = defaultVerb(name);
      put(
        namedVerb(collection, name) ?? defaultName,
        { kind: kindOf(name), defaultName },
        candidate,
      );
      if (name === 'get') put('wait', { kind: 'wait', defaultName: 'wait' }, candidate);
    }
  }
  for (const { name, draft, candidate } of memberVerbs(noun)) put(name, draft, candidate);
  for (const candidate of statisticsOf(noun)) {
    put('stats', { kind: 'list', defaultName: 'stats', isStatistics: true }, candidate);
  }
  const claimed = new Set(drafts.keys());
  return [...drafts]
    .sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map(([name, draft]) => finished(noun, name, draft, claimed));
}

const order = ['list', 'get', 'create', 'attach', 'update', 'delete', 'detach'];

function rank(verb: string): number {
  const at = order.indexOf(verb);
  return at < 0 ? order.length : at;
}

/** Every operation on a collection and on its objects. */
function candidatesOf(collection: Collection): readonly Candidate[] {
  const { path, object, parents } = collection;
  const own = listOperations(path).map((operation) => ({ operation, takesObject: false }));
  const ofObject = object
    ? listOperations(object).map((operation) => ({ operation, takesObject: true }))
    : [];
  return [...own, ...ofObject].map((found) => ({ ...found, collection, parents }));
}

const memberPrefix: Readonly<Record<string, string>> = {
  list: 'list',
  get: 'get',
  add: 'add',
  remove: 'remove',
};

function memberVerbs(
  owner: string,
): readonly { name: string; draft: Omit<Draft, 'candidates'>; candidate: Candidate }[] {
  return Object.entries(memberVerbsByPath).flatMap(([path, membership]) => {
    const collection = collectionAt(path);
    if (collection.parents.at(-1)?.noun !== owner) return [];
    return candidatesOf(collection).flatMap((candidate) => {
      const { name } = candidate.operation;
      const prefix = memberPrefix[name];
      if (prefix === undefined) return [];
      const verb = `${prefix}-${name === 'list' ? membership.many : membership.one}`;
      const draft = { kind: kindOf(name), defaultName: verb, membership };
      return [{ name: verb, draft, candidate: withOwner(candidate) }];
    });
  });
}

/** The innermost parent becomes the first argument. */
function withOwner(candidate: Candidate): Candidate {
  const owner = candidate.parents.at(-1);
  return owner ? { ...candidate, parents: candidate.parents.slice(0, -1), owner } : candidate;
}

function statisticsOf(noun: string): readonly Candidate[] {
  if (noun === 'statistics' || !modelNouns().includes('statistics')) return [];
  return collectionsOf('statistics')
    .filter(({ parents }) => parents.at(-1)?.noun === noun)
    .flatMap(candidatesOf)
    .filter(({ operation }) => operation.name === 'list')
    .map(withOwner);
}

function kindOf(operation: string): VerbKind {
  return operation in defaultVerbs ? (operation as VerbKind) : 'action';
}

/** `reset_emulated_machine` is `reset-emulated-machine`. */
function defaultVerb(operation: string): string {
  return defaultVerbs[operation] ?? operation.replaceAll('_', '-');
}

function namedVerb({ path, noun }: Collection, operation: string): string | undefined {
  return verbsByPath[path]?.[operation] ?? nounOptions[noun]?.operationVerbs?.[operation];
}

/** Other words for the verb; one that two verbs could have belongs to the first of them. */
function finished(noun: string, name: string, draft: Draft, claimed: Set<string>): Verb {
  const { defaultName, ...rest } = draft;
  const words = [
    defaultName,
    ...(verbAliases[name] ?? []),
    ...(verbAliases[defaultName] ?? []),
    ...(verbOptions({ noun, name }).aliases ?? []),
  ];
  const aliases = [...new Set(words)].filter((word) => !claimed.has(word));
  for (const alias of aliases) claimed.add(alias);
  return { noun, name, aliases, ...rest };
}
