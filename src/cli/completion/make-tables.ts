/** Build step for completion tables, from the manifest of commands: `vmctl __completion FOLDER`. */
import * as fs from 'node:fs';
import * as paths from 'node:path';
import { findNoun, listHandMadeVerbs, type Noun, nouns } from '../args/catalog.ts';
import type { NounModules } from '../args/command.ts';
import { isLocalPath } from '../args/local-paths.ts';
import {
  type ArgumentEntry,
  type CommandEntry,
  describeNoun,
  type FlagEntry,
  listGlobalFlags,
} from '../help/command-manifest.ts';
import {
  type Collection,
  findRootCollection,
  getSingular,
  listCollections,
  listModelNouns,
} from '../verbs/collections.ts';
import { findVerb, type Verb } from '../verbs/derive-verbs.ts';
import { findOperation } from '../verbs/references.ts';
import { listSearchableNouns } from '../verbs/search-query.ts';
import { getVerbOptions, isReferenceVerb } from '../verbs/verb-names.ts';
import {
  type CommandTable,
  type FlagChoice,
  formatNounFile,
  globalFile,
  type ValueChoice,
  type ValueKind,
} from './table.ts';

/** Writes all tables to a folder, as JSON. Returns the exit code. */
export async function writeTables(folder: string, modules: NounModules): Promise<number> {
  const write = (name: string, table: unknown) =>
    fs.writeFileSync(paths.join(folder, `${name}.json`), JSON.stringify(table));
  fs.mkdirSync(folder, { recursive: true });
  write(globalFile, listGlobalFlags().map(createFlagChoice));
  for (const noun of nouns) write(formatNounFile(noun.name), await createTables(noun, modules));
  return 0;
}

async function createTables(noun: Noun, modules: NounModules): Promise<readonly CommandTable[]> {
  const { commands } = await describeNoun(noun, modules);
  const own = new Map(listHandMadeVerbs(noun.name).map(({ name, summary }) => [name, summary]));
  return commands.map((command) => ({
    names: command.verb === undefined ? [] : [command.verb, ...command.aliases],
    doc: own.get(command.verb ?? '') ?? command.purpose,
    flags: command.flags.map(createFlagChoice),
    arguments: createArgumentChoices(noun, command),
  }));
}

/** Values of flags with the same meaning in all commands. */
const flagValueKinds: Readonly<Record<string, ValueChoice>> = {
  '--columns': { of: 'columns', many: true },
  '--sort': { of: 'order', many: true },
  '--follow': { of: 'links', many: true },
  '--search': { of: 'search' },
  '--set': { of: 'assignment' },
  '--set-json': { of: 'assignment' },
  '--for': { of: 'condition' },
  '--context': { of: 'severalContexts', many: true },
  '--confirm': { of: 'contexts' },
};

function createFlagChoice({
  flag,
  aliases,
  doc,
  type,
  value,
  values,
  many,
}: FlagEntry): FlagChoice {
  const names = [flag, ...aliases];
  if (type === 'switch') return { names, doc };
  const several = many ? { many } : {};
  if (values) return { names, doc, value: { values, ...several } };
  const known = flagValueKinds[flag];
  if (known) return { names, doc, value: { ...known, ...several } };
  return { names, doc, value: { ...createValueChoice(flag, type, value), ...several } };
}

function createValueChoice(flag: string, type: string, value = ''): ValueChoice {
  if (type === 'kind/ref') return { of: 'kinds' };
  const [form = '', of = ''] = type.split(' ').slice(-2);
  if (form === 'ref') return createObjectChoice(findNounForType(flag, of));
  // Structures and links refer to objects if their type has a collection at the root.
  const home = form === 'links' || form === 'struct' ? findRootCollection(of) : undefined;
  if (home) return { noun: home.noun };
  if (type === 'bool') return { values: ['true', 'false'] };
  if (isLocalPath({ type }) || /^(FILE|PATH|DIR|<FILE>)(\.\.\.)?$/i.test(value))
    return { of: 'files' };
  const noun = findNoun(flag.slice(2));
  const isReference = /^(REF|DISK|DOMAIN|ID)$/.test(value) && noun?.api;
  return isReference ? createObjectChoice(noun.name) : {};
}

/** Returns the noun of the objects of a type. A noun with the name of the flag has precedence. */
function findNounForType(flag: string, type: string): string | undefined {
  const home = findRootCollection(type);
  if (home) return home.noun;
  const named = findNoun(flag.slice(2))?.name ?? '';
  const isIt = listCollections(named).some((one) => one.type === type);
  return isIt ? named : listModelNouns().find((noun) => listCollections(noun)[0]?.type === type);
}

/** Choice of the objects of a noun, at the root or below parents. */
function createObjectChoice(noun: string | undefined): ValueChoice {
  if (noun === undefined) return {};
  return createCollectionChoice(noun, listCollections(noun));
}

function createCollectionChoice(noun: string, collections: readonly Collection[]): ValueChoice {
  const chains = collections
    .filter(({ path }) => findOperation(path, 'list'))
    .map(({ parents }) => parents.map((one) => one.noun));
  const below = [...new Map(chains.map((chain) => [chain.join(' '), chain])).values()];
  return below.every((chain) => chain.length === 0) ? { noun } : { noun, below };
}

/** Choices of arguments. Fixed words are offered for all arguments of a command that has some. */
function createArgumentChoices(noun: Noun, command: CommandEntry): readonly ValueChoice[] {
  // `help` runs before commands exist, so it declares no arguments.
  if (noun.name === 'help') return [{ of: 'topics' }, { of: 'topics' }];
  const words = command.arguments.flatMap(({ values }) => values ?? []);
  const isOwn = listHandMadeVerbs(noun.name).some(({ name }) => name === command.verb);
  const verb = noun.api && !isOwn ? findVerb(noun.name, command.verb ?? '') : undefined;
  return command.arguments.map((argument, index) => ({
    ...(words.length > 0
      ? { values: words }
      : verb
        ? createVerbArgumentChoice(verb, index)
        : createToolArgumentChoice(noun, argument)),
    ...(argument.many ? { many: true } : {}),
  }));
}

/** Choice for an argument of a verb of the model: first the owner, then the objects. */
function createVerbArgumentChoice(verb: Verb, index: number): ValueChoice {
  const { candidates } = verb;
  const owner = candidates.find((one) => one.owner)?.owner;
  if (owner && index === 0) return createObjectChoice(owner.noun);
  const { argument: extra, takesBricks } = getVerbOptions(verb);
  if (extra && index > 0) return {};
  const [first] = candidates;
  // A new name has no choices.
  if (verb.name === 'create') return {};
  if (isReferenceVerb(verb) && first && !takesBricks) {
    const home = findRootCollection(first.operation.type);
    return home ? { noun: home.noun } : {};
  }
  const collections = candidates.filter((one) => one.takesObject).map((one) => one.collection);
  return createCollectionChoice(collections[0]?.noun ?? verb.noun, collections);
}

/** Arguments of tools by noun. */
const toolValueKinds: Readonly<Record<string, ValueKind>> = {
  context: 'contexts',
  commands: 'nouns',
  export: 'nouns',
  explain: 'types',
  watch: 'kinds',
};

function createToolArgumentChoice(noun: Noun, { name }: ArgumentEntry): ValueChoice {
  if (/^kind\/ref/.test(name)) return { of: 'kinds' };
  if (name === 'file' && noun.name !== 'files') return { of: 'files' };
  if (noun.api) {
    const named = findNoun(name);
    const isNamed = named?.api === true && getSingular(named.name) === name;
    return isNamed || named?.aliases.includes(name) ? createObjectChoice(named?.name) : {};
  }
  if (noun.name === 'config') return { of: name === 'value' ? 'setting' : 'settings' };
  if (noun.name === 'search-help') {
    return name === 'query' ? { of: 'search' } : { values: listSearchableNouns() };
  }
  if (noun.name === 'api' && name === 'method') {
    return { values: ['GET', 'POST', 'PUT', 'DELETE', 'info', 'ping'] };
  }
  const of = toolValueKinds[noun.name];
  return of ? { of } : {};
}
