/** Every command with its flags, types and calls, read off the commands themselves. */
import { Command, type Option } from 'commander';
import { type EnumName, enums } from '../../model/enums.ts';
import { allOperations, type Operation, parseKind } from '../../model/index.ts';
import { type Noun, nouns } from '../args/catalog.ts';
import type { SpecialNoun, SpecialNouns } from '../commands/notation.ts';
import type { CommandContext } from '../session/command-context.ts';
import { settingNames, settings } from '../session/settings.ts';
import { collectionsOf } from '../verbs/collections.ts';
import { type Verb, verbsOf } from '../verbs/derive-verbs.ts';
import { examplesOf } from '../verbs/examples.ts';
import { type Flag, flagsOf, type VerbFlags } from '../verbs/flags.ts';
import { purposeOf } from '../verbs/purpose.ts';
import { addVerbs } from '../verbs/verb-command.ts';

export interface FlagEntry {
  /** With its dashes: `--vm`. */
  readonly flag: string;
  /** Other spellings, `-f` among them. */
  readonly aliases: readonly string[];
  /**
   * Kind of the value as the model writes it (`int`, `enum vm_type`, `ref host`); or `switch`, or
   * `kind/ref` for an object with its kind: `vms/web01`.
   */
  readonly type: string;
  /** What stands for the value in help: `DURATION`; absent for switches. */
  readonly value?: string;
  /** What the value may be, where that is one of a few words. */
  readonly values?: readonly string[];
  readonly doc: string;
  /** It takes several values, separated by commas or given again. */
  readonly many: boolean;
  readonly section: 'parents' | 'body' | 'query' | 'command';
}

export interface ArgumentEntry {
  readonly name: string;
  readonly doc: string;
  readonly required: boolean;
  readonly many: boolean;
  readonly values?: readonly string[];
}

/** One request that a command may send. */
export interface CallEntry {
  readonly operation: string;
  readonly method: string;
  /** Path template below the API root. */
  readonly path: string;
  /** Flags that name what the placeholders before the last one stand for. */
  readonly parents: readonly string[];
}

export interface CommandEntry {
  /** Noun and verb, or the noun alone. */
  readonly name: string;
  readonly noun: string;
  readonly verb?: string;
  readonly aliases: readonly string[];
  readonly purpose: string;
  readonly arguments: readonly ArgumentEntry[];
  readonly flags: readonly FlagEntry[];
  readonly calls: readonly CallEntry[];
  readonly examples: readonly string[];
}

export interface NounEntry extends Pick<Noun, 'name' | 'aliases' | 'group' | 'doc'> {
  readonly commands: readonly CommandEntry[];
}

/** The flags that every command understands. */
export function globalFlags(): readonly FlagEntry[] {
  return settingNames.flatMap((name) => {
    const { flags, doc, isSwitch, values } = settings[name];
    const [flag, ...aliases] = (flags?.match(/--?[\w-]+(?=[ ,]|$)/g) ?? []).reverse();
    if (flag === undefined) return [];
    const type = isSwitch ? 'switch' : 'string';
    const shown = values ? { values } : {};
    return [
      {
        flag,
        aliases,
        type,
        ...valueIn(flags ?? ''),
        ...shown,
        doc,
        many: false,
        section: 'command' as const,
      },
    ];
  });
}

/** A noun with all its commands. */
export async function manifestOfNoun(
  noun: Noun,
  specialNouns: SpecialNouns,
  cli: CommandContext,
): Promise<NounEntry> {
  const special = specialNouns[noun.name];
  const generic = noun.api ? verbsOf(noun.name).map((verb) => describeVerb(verb, cli)) : [];
  const own = await describeSpecial(noun, special, specialNouns, cli);
  const { name, aliases, group, doc } = noun;
  return { name, aliases, group, doc, commands: [...generic, ...own] };
}

/** All nouns, in the order of help. */
export async function manifestOfAll(
  specialNouns: SpecialNouns,
  cli: CommandContext,
): Promise<readonly NounEntry[]> {
  return await Promise.all(nouns.map((noun) => manifestOfNoun(noun, specialNouns, cli)));
}

function describeVerb(verb: Verb, cli: CommandContext): CommandEntry {
  const holder = new Command(verb.noun);
  addVerbs(holder, verb.noun, verb.name, cli, {});
  const command = holder.commands[0] ?? holder;
  const verbFlags = flagsOf(verb);
  const modelled = new Set(verbFlags.flags.flatMap(({ names }) => names.map((one) => `--${one}`)));
  const own = command.options.filter(({ long, hidden }) => !hidden && !modelled.has(long ?? ''));
  return {
    name: `${verb.noun} ${verb.name}`,
    noun: verb.noun,
    verb: verb.name,
    aliases: verb.aliases,
    purpose: purposeOf(verb),
    arguments: argumentsOf(command),
    flags: [...verbFlags.flags.map((flag) => modelFlag(flag, verbFlags)), ...own.map(plainFlag)],
    calls: verb.candidates.map((candidate) => {
      const keys = [...(verbFlags.meanings.get(candidate)?.parents.keys() ?? [])];
      const parents = keys.map((key) => {
        const flag = verbFlags.flags.find((one) => one.key === key);
        return `--${flag?.names[0] ?? key}`;
      });
      return callOf(candidate.operation, parents);
    }),
    examples: examplesOf(verb, verbFlags),
  };
}

function callOf({ name, http, path }: Operation, parents: readonly string[]): CallEntry {
  return { operation: name, method: http, path, parents };
}

function modelFlag(flag: Flag, { meanings }: VerbFlags): FlagEntry {
  const [name = '', ...others] = flag.names.map((one) => `--${one}`);
  const all = [...meanings.values()];
  const [parent] = all.flatMap(({ parents }) => parents.get(flag.key) ?? []);
  const [field] = all.flatMap(({ fields }) => fields.get(flag.key) ?? []);
  const [query] = all.flatMap(({ queries }) => queries.get(flag.key) ?? []);
  const kind = field?.kind ?? query?.kind ?? 'string';
  const type = parent
    ? `ref ${collectionsOf(parent.noun)[0]?.type ?? parent.noun}`
    : field?.secret
      ? 'file'
      : kind;
  const { form, of } = parseKind(kind);
  return {
    flag: name,
    aliases: others,
    type,
    ...(flag.value === undefined ? {} : { value: flag.value }),
    ...(!parent && form === 'enum' ? { values: enums[of as EnumName] } : {}),
    doc: flag.doc,
    many: flag.isMany,
    section: flag.section,
  };
}

function plainFlag(option: Option): FlagEntry {
  return {
    flag: option.long ?? option.short ?? '',
    aliases: option.long && option.short ? [option.short] : [],
    type: plainType(option),
    ...valueIn(option.flags),
    ...(option.argChoices ? { values: option.argChoices } : {}),
    doc: option.description,
    many: option.variadic || option.parseArg !== undefined,
    section: 'command',
  };
}

function valueIn(flags: string): { readonly value?: string } {
  const [, value] = /<(.+)>/.exec(flags) ?? [];
  return value === undefined ? {} : { value: value.toUpperCase() };
}

function plainType({ flags, required, optional }: Option): string {
  if (/<kind\/ref>/i.test(flags)) return 'kind/ref';
  return required || optional ? 'string' : 'switch';
}

function argumentsOf(command: Command): readonly ArgumentEntry[] {
  return command.registeredArguments.map((argument) => ({
    name: argument.name(),
    doc: argument.description,
    required: argument.required,
    many: argument.variadic,
    ...(argument.argChoices ? { values: argument.argChoices } : {}),
  }));
}

async function describeSpecial(
  noun: Noun,
  special: SpecialNoun | undefined,
  specialNouns: SpecialNouns,
  cli: CommandContext,
): Promise<readonly CommandEntry[]> {
  if (noun.api && !special) return [];
  const holder = new Command(noun.name).description(noun.doc);
  await (await special?.load())?.register(holder, cli, specialNouns);
  if (holder.commands.length === 0) return [ownCommand(noun.name, holder)];
  return holder.commands.map((command) => ownCommand(noun.name, command, command.name()));
}

function ownCommand(noun: string, command: Command, verb?: string): CommandEntry {
  return {
    name: verb === undefined ? noun : `${noun} ${verb}`,
    noun,
    ...(verb === undefined ? {} : { verb }),
    aliases: command.aliases(),
    purpose: command.description(),
    arguments: argumentsOf(command),
    flags: command.options.filter(({ hidden }) => !hidden).map(plainFlag),
    // The entry point belongs to no collection.
    calls:
      noun === 'api'
        ? allOperations()
            .filter(({ service }) => service === '/')
            .map((operation) => callOf(operation, []))
        : [],
    examples: examplesIn(command),
  };
}

/** The examples of a help page: the lines below that title, whatever they begin with. */
function examplesIn(command: Command): readonly string[] {
  const texts: string[] = [];
  command.configureOutput({ writeOut: (text) => texts.push(text) }).outputHelp();
  const [, lines = ''] = /^Examples:\n((?: {2}.*\n?)*)/m.exec(texts.join('\n')) ?? [];
  return lines.split('\n').flatMap((line) => line.trim() || []);
}
