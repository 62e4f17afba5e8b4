/**
 * Completion tables made from the manifest of commands: `vmctl __completion FOLDER`, part of the build.
 */
import * as fs from 'node:fs';
import * as paths from 'node:path';
import { handMadeVerbs, type Noun, nounOf, nouns } from '../args/catalog.ts';
import type { NounModules } from '../args/command.ts';
import {
  type ArgumentEntry,
  type CommandEntry,
  type FlagEntry,
  globalFlags,
  manifestOfNoun,
} from '../help/command-manifest.ts';
import { homeOf } from '../verbs/collections.ts';
import {
  type CommandTable,
  type FlagChoice,
  globalFile,
  nounFile,
  type ValueChoice,
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

function flagChoice({ flag, aliases, doc, type, values, many }: FlagEntry): FlagChoice {
  const names = [flag, ...aliases];
  if (type === 'switch') return { names, doc };
  const several = many ? { many } : {};
  if (type === 'kind/ref') return { names, doc, value: { of: 'kinds', ...several } };
  const [form = '', of = ''] = type.split(' ').slice(-2);
  const home = form === 'ref' ? homeOf(of) : undefined;
  const context = flag === '--context' || flag === '--confirm';
  const words = values ?? (!home && type === 'bool' ? ['true', 'false'] : undefined);
  const value = {
    ...(words ? { values: words } : home ? { noun: home.noun } : {}),
    ...(context ? { of: 'contexts' as const } : {}),
    ...several,
  };
  return { names, doc, value };
}

/** Words that stand for themselves are offered wherever one of the arguments is. */
function argumentChoices(noun: Noun, command: CommandEntry): readonly ValueChoice[] {
  // It is answered before there are commands, and so declares no arguments.
  if (noun.name === 'help') return [{ of: 'nouns' }];
  const words = command.arguments.flatMap(({ values }) => values ?? []);
  return command.arguments.map((argument) => ({
    ...(words.length > 0 ? { values: words } : argumentChoice(noun, argument)),
    ...(argument.many ? { many: true } : {}),
  }));
}

function argumentChoice(noun: Noun, { name }: ArgumentEntry): ValueChoice {
  if (/^kind\/ref/.test(name)) return { of: 'kinds' };
  // On this machine: the shell knows them better.
  if (name === 'file' && noun.name !== 'files') return {};
  if (noun.api) return { noun: nounOf(name)?.api ? (nounOf(name)?.name ?? '') : noun.name };
  if (noun.name === 'context') return { of: 'contexts' };
  return ['commands', 'explain'].includes(noun.name) ? { of: 'nouns' } : {};
}
