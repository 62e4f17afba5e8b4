/**
 * Completion tables made from the manifest of commands: `vmctl __completion FOLDER`, part of the build.
 */
import * as fs from 'node:fs';
import * as paths from 'node:path';
import { handMadeVerbs, type Noun, nounOf, nouns } from '../args/catalog.ts';
import type { NounModules } from '../args/command.ts';
import { isLocalPath } from '../args/local-paths.ts';
import {
  type ArgumentEntry,
  type CommandEntry,
  type FlagEntry,
  globalFlags,
  manifestOfNoun,
} from '../help/command-manifest.ts';
import {
  type Collection,
  collectionsOf,
  homeOf,
  modelNouns,
  singular,
} from '../verbs/collections.ts';
import { type Verb, verbOf } from '../verbs/derive-verbs.ts';
import { operationNamed } from '../verbs/references.ts';
import { searchableNouns } from '../verbs/search-query.ts';
import { isReferenceVerb, verbOptions } from '../verbs/verb-names.ts';
import {
  type CommandTable,
  type FlagChoice,
  globalFile,
  nounFile,
  type ValueChoice,
  type ValueKind,
} from './table.ts';

/** Writes all tables into a folder, as JSON. */
export async function writeTables(folder: string, modules: NounModules): Promise<number> {
  const write = (name: string, table: unknown) =>
    fs.writeFileSync(paths.join(folder, `${name}.json`), JSON.stringify(table));
  fs.mkdirSync(folder, { recursive: true });
  write(globalFile, globalFlags().map(flagChoice));
  for (const noun of nouns) write(nounFile(noun.name), await commandsOf(noun, modules));
  return 0;
}

async function commandsOf(noun: Noun, modules: NounModules): Promise<readonly CommandTable[]> {
  const { commands } = await manifestOfNoun(noun, modules);
  const own = new Map(handMadeVerbs(noun.name).map(({ name, summary }) => [name, summary]));
  return commands.map((command) => ({
    names: command.verb === undefined ? [] : [command.verb, ...command.aliases],
    doc: own.get(command.verb ?? '') ?? command.purpose,
    flags: command.flags.map(flagChoice),
    arguments: argumentChoices(noun, command),
  }));
}

/** What the value is of flags that mean the same everywhere. */
const kindsOfFlags: Readonly<Record<string, ValueChoice>> = {
  '--columns': { of: 'columns', many: true },
  '--sort': { of: 'order' },
  '--follow': { of: 'links', many: true },
  '--search': { of: 'search' },
  '--set': { of: 'assignment' },
  '--set-json': { of: 'assignment' },
  '--for': { of: 'condition' },
  '--context': { of: 'contexts' },
  '--confirm': { of: 'contexts' },
};

function flagChoice({ flag, aliases, doc, type, value, values, many }: FlagEntry): FlagChoice {
  const names = [flag, ...aliases];
  if (type === 'switch') return { names, doc };
  const several = many ? { many } : {};
  if (values) return { names, doc, value: { values, ...several } };
  const known = kindsOfFlags[flag];
  if (known) return { names, doc, value: { ...known, ...several } };
  return { names, doc, value: { ...valueChoice(flag, type, value), ...several } };
}

function valueChoice(flag: string, type: string, value = ''): ValueChoice {
  if (type === 'kind/ref') return { of: 'kinds' };
  const [form = '', of = ''] = type.split(' ').slice(-2);
  if (form === 'ref') return objectsOf(nounOfType(flag, of));
  // Structs and links name objects as well, where those are by themselves.
  const home = form === 'links' || form === 'struct' ? homeOf(of) : undefined;
  if (home) return { noun: home.noun };
  if (type === 'bool') return { values: ['true', 'false'] };
  if (isLocalPath({ type }) || /^(FILE|PATH|DIR|<FILE>)(\.\.\.)?$/i.test(value))
    return { of: 'files' };
  const noun = nounOf(flag.slice(2));
  const isReference = /^(REF|DISK|DOMAIN|ID)$/.test(value) && noun?.api;
  return isReference ? objectsOf(noun.name) : {};
}

/** The noun of the objects of a type that a flag names: the one that the flag is called after, if it is. */
function nounOfType(flag: string, type: string): string | undefined {
  const home = homeOf(type);
  if (home) return home.noun;
  const named = nounOf(flag.slice(2))?.name ?? '';
  const isIt = collectionsOf(named).some((one) => one.type === type);
  return isIt ? named : modelNouns().find((noun) => collectionsOf(noun)[0]?.type === type);
}

/** Objects of a noun: by themselves where they are, else below what is above them. */
function objectsOf(noun: string | undefined): ValueChoice {
  if (noun === undefined) return {};
  return objectsIn(noun, collectionsOf(noun));
}

function objectsIn(noun: string, collections: readonly Collection[]): ValueChoice {
  const chains = collections
    .filter(({ path }) => operationNamed(path, 'list'))
    .map(({ parents }) => parents.map((one) => one.noun));
  const below = [...new Map(chains.map((chain) => [chain.join(' '), chain])).values()];
  return below.every((chain) => chain.length === 0) ? { noun } : { noun, below };
}

/** Words that stand for themselves are offered wherever one of the arguments is. */
function argumentChoices(noun: Noun, command: CommandEntry): readonly ValueChoice[] {
  // It is answered before there are commands, and so declares no arguments.
  if (noun.name === 'help') return [{ of: 'topics' }, { of: 'topics' }];
  const words = command.arguments.flatMap(({ values }) => values ?? []);
  const isOwn = handMadeVerbs(noun.name).some(({ name }) => name === command.verb);
  const verb = noun.api && !isOwn ? verbOf(noun.name, command.verb ?? '') : undefined;
  return command.arguments.map((argument, index) => ({
    ...(words.length > 0
      ? { values: words }
      : verb
        ? objectChoice(verb, index)
        : argumentChoice(noun, argument)),
    ...(argument.many ? { many: true } : {}),
  }));
}

/** What the arguments of a verb of the model name: first what the objects belong to, then these. */
function objectChoice(verb: Verb, index: number): ValueChoice {
  const { candidates } = verb;
  const owner = candidates.find((one) => one.owner)?.owner;
  if (owner && index === 0) return objectsOf(owner.noun);
  const { argument: extra, takesBricks } = verbOptions(verb);
  if (extra && index > 0) return {};
  const [first] = candidates;
  // A new name is nothing that there is already.
  if (verb.name === 'create') return {};
  if (isReferenceVerb(verb) && first && !takesBricks) {
    const home = homeOf(first.operation.type);
    return home ? { noun: home.noun } : {};
  }
  const collections = candidates.filter((one) => one.takesObject).map((one) => one.collection);
  return objectsIn(collections[0]?.noun ?? verb.noun, collections);
}

/** What the arguments of tools are, by the noun of the tool. */
const kindsOfTools: Readonly<Record<string, ValueKind>> = {
  context: 'contexts',
  commands: 'nouns',
  export: 'nouns',
  explain: 'types',
  watch: 'kinds',
};

function argumentChoice(noun: Noun, { name }: ArgumentEntry): ValueChoice {
  if (/^kind\/ref/.test(name)) return { of: 'kinds' };
  if (name === 'file' && noun.name !== 'files') return { of: 'files' };
  if (noun.api) {
    const named = nounOf(name);
    const isNamed = named?.api === true && singular(named.name) === name;
    return isNamed || named?.aliases.includes(name) ? objectsOf(named?.name) : {};
  }
  if (noun.name === 'config') return { of: name === 'value' ? 'setting' : 'settings' };
  if (noun.name === 'search-help') {
    return name === 'query' ? { of: 'search' } : { values: searchableNouns() };
  }
  if (noun.name === 'api' && name === 'method') {
    return { values: ['GET', 'POST', 'PUT', 'DELETE', 'info', 'ping'] };
  }
  const of = kindsOfTools[noun.name];
  return of ? { of } : {};
}
