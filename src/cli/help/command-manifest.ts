/** The manifest of all commands: arguments, flags with their types, and requests, as plain data. */
import { type Noun, nouns } from '../args/catalog.ts';
import { type Call, type Command, type NounModules, nameOf } from '../args/command.ts';
import {
  type ArgumentSpec,
  argumentParts,
  type FlagSpec,
  flagParts,
  helpLine,
} from '../args/parameters.ts';
import { settingNames, settings } from '../session/settings.ts';
import { verbsOf } from '../verbs/derive-verbs.ts';
import { commandOf, inPlaceOf } from '../verbs/verb-command.ts';

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
  /** What stands for the value in help: `duration`; absent for switches. */
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
  /** Of a path on this computer: `file`, `folder`, `file or url`. */
  readonly type?: string;
  readonly values?: readonly string[];
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
  readonly calls: readonly Call[];
  readonly examples: readonly string[];
  /** Exit codes that mean something of their own here. */
  readonly exits?: readonly number[];
  /** It never connects. */
  readonly offline?: boolean;
}

export interface NounEntry extends Pick<Noun, 'name' | 'aliases' | 'group' | 'doc'> {
  readonly commands: readonly CommandEntry[];
}

/** The flags that every command understands. */
export function globalFlags(): readonly FlagEntry[] {
  return settingNames.flatMap((name) => {
    const { flags, doc, isSwitch, values } = settings[name];
    if (flags === undefined) return [];
    const type = isSwitch ? 'switch' : 'string';
    return [
      flagEntry({ notation: flags, doc: helpLine(doc), type, ...(values ? { values } : {}) }),
    ];
  });
}

/** A noun with all its commands: those of the model, then hand-made ones. */
export async function manifestOfNoun(noun: Noun, modules: NounModules): Promise<NounEntry> {
  const { name, aliases, group, doc } = noun;
  const { commands = [] } = (await modules[name]?.()) ?? {};
  const derived = noun.api ? verbsOf(name) : [];
  const own = new Map(commands.map((one) => [one.verb, inPlaceOf(one)]));
  const known = new Set<string | undefined>(derived.map((verb) => verb.name));
  const all = [
    ...derived.map((verb) => own.get(verb.name) ?? commandOf(verb)),
    ...[...own].flatMap(([verb, one]) => (known.has(verb) ? [] : [one])),
  ];
  // `help` is answered before there are commands.
  const entries = all.length > 0 ? all.map(commandEntry) : [withoutCommand(noun)];
  return { name, aliases, group, doc, commands: entries };
}

/** All nouns, in the order of help. */
export async function manifestOfAll(modules: NounModules): Promise<readonly NounEntry[]> {
  return await Promise.all(nouns.map((noun) => manifestOfNoun(noun, modules)));
}

function commandEntry(command: Command): CommandEntry {
  const { noun, verb, aliases, purpose, exits, offline } = command;
  return {
    name: nameOf(command),
    noun,
    ...(verb === undefined ? {} : { verb }),
    aliases,
    purpose,
    arguments: command.arguments.map(argumentEntry),
    flags: command.flags.filter(({ hidden }) => !hidden).map(flagEntry),
    calls: command.calls(),
    examples: command.examples,
    ...(exits.length > 0 ? { exits } : {}),
    ...(offline ? { offline } : {}),
  };
}

function withoutCommand({ name, doc }: Noun): CommandEntry {
  return {
    name,
    noun: name,
    aliases: [],
    purpose: doc,
    arguments: [],
    flags: [],
    calls: [],
    examples: [],
  };
}

function argumentEntry({ notation, doc, choices, type }: ArgumentSpec): ArgumentEntry {
  const { name, required, many } = argumentParts(notation);
  return {
    ...{ name, doc, required, many },
    ...(type === undefined ? {} : { type }),
    ...(choices ? { values: choices } : {}),
  };
}

function flagEntry(spec: FlagSpec): FlagEntry {
  const { notation, doc, aliases, type, section = 'command' } = spec;
  const { short, long, value } = flagParts(notation);
  const values = spec.choices ?? spec.values;
  return {
    flag: long,
    aliases: aliases ?? (short === undefined ? [] : [short]),
    type: type ?? typeOf(value),
    ...(value === undefined ? {} : { value: value.slice(1, -1) }),
    ...(values ? { values } : {}),
    doc,
    many: spec.many ?? (spec.repeatable === true || value?.endsWith('...>') === true),
    section,
  };
}

function typeOf(value: string | undefined): string {
  if (value === undefined) return 'switch';
  return value === '<kind/ref>' ? 'kind/ref' : 'string';
}

/** `vmctl vms start [vm...]`, without flags. */
export function usageOf({ name, arguments: all }: CommandEntry): string {
  const words = all.map(({ name: argument, required, many }) => {
    const text = `${argument}${many ? '...' : ''}`;
    return required ? `<${text}>` : `[${text}]`;
  });
  return ['vmctl', name, ...words].join(' ');
}

/** `-f, --from-file <file>`. */
export function flagText({ flag, aliases, value }: FlagEntry): string {
  const short = aliases.filter((one) => /^-\w$/.test(one));
  const names = [...short, flag].join(', ');
  return value === undefined ? names : `${names} <${value}>`;
}

/** What a flag does, with the words that its value may be where the sentence lacks them. */
export function flagDoc({ doc, values }: FlagEntry): string {
  const words = values?.join(', ') ?? '';
  if (words === '' || doc.includes(values?.[0] ?? '')) return doc === words ? `${doc}.` : doc;
  return `${doc}${doc === '' || doc.endsWith('.') ? '' : '.'} ${words}.`.trim();
}

/** `POST /vms/{vm}/start`, each once. */
export function callsOf({ calls }: CommandEntry): readonly string[] {
  return [...new Set(calls.map(({ method, path }) => `${method} ${path}`))];
}
