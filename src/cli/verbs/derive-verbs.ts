/** Verbs of a noun, derived from the operations of the model. */
import {
  memberVerbs as memberVerbsByPath,
  nounOptions,
  verbsByPath,
} from '../../model/derive/commands.ts';
import { listOperations, type Operation } from '../../model/index.ts';
import type { MemberVerbs } from '../../model/notation/commands.ts';
import { listHandMadeVerbs, type Noun } from '../args/catalog.ts';
import {
  type Collection,
  getCollection,
  listCollections,
  listModelNouns,
  type Parent,
} from './collections.ts';
import { defaultVerbs, getVerbOptions, verbAliases } from './verb-names.ts';

const methodKinds = ['list', 'get', 'add', 'update', 'remove'] as const;

export type VerbKind = (typeof methodKinds)[number] | 'action' | 'wait';

/** Operation of a verb on one of the collections of its noun. */
export interface Candidate {
  readonly operation: Operation;
  readonly collection: Collection;
  /** Parents that flags name. */
  readonly parents: readonly Parent[];
  /** Parent that the first argument names: the group of `add-vm GROUP VM`. */
  readonly owner?: Parent;
  /** Whether an argument names an object of the collection. */
  readonly takesObject: boolean;
}

export interface Verb {
  readonly noun: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly kind: VerbKind;
  readonly candidates: readonly Candidate[];
  /** Set for verbs on members of an object. */
  readonly membership?: MemberVerbs;
  /** Set for `stats`: the statistics of an object, or one with a flag. */
  readonly isStatistics?: boolean;
}

interface Draft {
  readonly kind: VerbKind;
  readonly candidates: Candidate[];
  readonly membership?: MemberVerbs;
  readonly isStatistics?: boolean;
  /** Verb according to the rules, without declarations. */
  readonly defaultName: string;
}

const byNoun = new Map<string, readonly Verb[]>();

/** Lists the verbs of a noun, common ones first. */
export function listVerbs(noun: string): readonly Verb[] {
  let verbs = byNoun.get(noun);
  if (!verbs) {
    verbs = deriveVerbs(noun);
    byNoun.set(noun, verbs);
  }
  return verbs;
}

/** Lists all verbs of a noun: those of the model and hand-made ones. */
export function listAllVerbs({
  name,
  api,
}: Pick<Noun, 'name' | 'api'>): readonly Pick<Verb, 'name' | 'aliases'>[] {
  return [...(api ? listVerbs(name) : []), ...listHandMadeVerbs(name)];
}

/** Finds a verb of the model by its name or an alias. */
export function findVerb(noun: string, word: string): Verb | undefined {
  const verbs = listVerbs(noun);
  return (
    verbs.find((verb) => verb.name === word) ?? verbs.find((verb) => verb.aliases.includes(word))
  );
}

function deriveVerbs(noun: string): readonly Verb[] {
  const drafts = new Map<string, Draft>();
  const addCandidate = (name: string, draft: Omit<Draft, 'candidates'>, candidate: Candidate) => {
    const known = drafts.get(name);
    if (known) known.candidates.push(candidate);
    else drafts.set(name, { ...draft, candidates: [candidate] });
  };
  for (const collection of listCollections(noun)) {
    const membership = memberVerbsByPath[collection.path];
    if (membership && !membership.alsoGeneric) continue;
    for (const candidate of listCandidates(collection)) {
      const { name } = candidate.operation;
      const defaultName = getDefaultVerb(name);
      addCandidate(
        getDeclaredVerb(collection, name) ?? defaultName,
        { kind: getVerbKind(name), defaultName },
        candidate,
      );
      if (name === 'get') addCandidate('wait', { kind: 'wait', defaultName: 'wait' }, candidate);
    }
  }
  for (const { name, draft, candidate } of deriveMemberVerbs(noun))
    addCandidate(name, draft, candidate);
  for (const candidate of listStatistics(noun)) {
    addCandidate('stats', { kind: 'list', defaultName: 'stats', isStatistics: true }, candidate);
  }
  const claimed = new Set([
    ...drafts.keys(),
    ...listHandMadeVerbs(noun).flatMap(({ name, aliases }) => [name, ...aliases]),
  ]);
  return [...drafts]
    .sort(([a], [b]) => getRank(a) - getRank(b) || (a < b ? -1 : 1))
    .map(([name, draft]) => createVerb(noun, name, draft, claimed));
}

const order = ['list', 'get', 'create', 'attach', 'update', 'delete', 'detach'];

function getRank(verb: string): number {
  const at = order.indexOf(verb);
  return at < 0 ? order.length : at;
}

/** Lists all operations on a collection and on its objects. */
function listCandidates(collection: Collection): readonly Candidate[] {
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

function deriveMemberVerbs(
  owner: string,
): readonly { name: string; draft: Omit<Draft, 'candidates'>; candidate: Candidate }[] {
  return Object.entries(memberVerbsByPath).flatMap(([path, membership]) => {
    const collection = getCollection(path);
    if (collection.parents.at(-1)?.noun !== owner) return [];
    return listCandidates(collection).flatMap((candidate) => {
      const { name } = candidate.operation;
      const prefix = memberPrefix[name];
      if (prefix === undefined) return [];
      const verb = `${prefix}-${name === 'list' ? membership.many : membership.one}`;
      const draft = { kind: getVerbKind(name), defaultName: verb, membership };
      return [{ name: verb, draft, candidate: moveOwner(candidate) }];
    });
  });
}

/** Turns the innermost parent into the first argument. */
function moveOwner(candidate: Candidate): Candidate {
  const owner = candidate.parents.at(-1);
  return owner ? { ...candidate, parents: candidate.parents.slice(0, -1), owner } : candidate;
}

function listStatistics(noun: string): readonly Candidate[] {
  if (noun === 'statistics' || !listModelNouns().includes('statistics')) return [];
  return listCollections('statistics')
    .filter(({ parents }) => parents.at(-1)?.noun === noun)
    .flatMap(listCandidates)
    .filter(({ operation }) => operation.name === 'list')
    .map(moveOwner);
}

function getVerbKind(operation: string): VerbKind {
  return methodKinds.find((kind) => kind === operation) ?? 'action';
}

/**
 * Returns the default verb of an operation: `reset-emulated-machine` for `reset_emulated_machine`.
 */
function getDefaultVerb(operation: string): string {
  return defaultVerbs[operation] ?? operation.replaceAll('_', '-');
}

function getDeclaredVerb({ path, noun }: Collection, operation: string): string | undefined {
  return verbsByPath[path]?.[operation] ?? nounOptions[noun]?.operationVerbs?.[operation];
}

/** Builds the verb with its aliases. An alias of two verbs belongs to the first. */
function createVerb(noun: string, name: string, draft: Draft, claimed: Set<string>): Verb {
  const { defaultName, ...rest } = draft;
  const words = [
    defaultName,
    ...(verbAliases[name] ?? []),
    ...(verbAliases[defaultName] ?? []),
    ...(getVerbOptions({ noun, name }).aliases ?? []),
  ];
  const aliases = [...new Set(words)].filter((word) => !claimed.has(word));
  for (const alias of aliases) claimed.add(alias);
  return { noun, name, aliases, ...rest };
}
