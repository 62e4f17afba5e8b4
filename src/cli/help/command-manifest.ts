/** Manifest of all commands as plain data: arguments, flags with types, and requests. */
import { type Noun, nouns } from '../args/catalog.ts';
import {
  type Command,
  formatCommandName,
  type NounModules,
  type RequestSummary,
} from '../args/command.ts';
import {
  type ArgumentSpec,
  type FlagSpec,
  formatHelpLine,
  parseArgumentNotation,
  parseFlagNotation,
} from '../args/parameters.ts';
import { settingNames, settings } from '../session/settings.ts';
import { listVerbs } from '../verbs/derive-verbs.ts';
import { createVerbCommand, mergeWithVerb } from '../verbs/verb-command.ts';

export interface FlagEntry {
  /** With dashes: `--vm`. */
  readonly flag: string;
  /** Other names, including `-f`. */
  readonly aliases: readonly string[];
  /**
   * Kind of the value in the notation of the model (`int`, `enum vm_type`, `ref host`), `switch`,
   * or `kind/ref` for an object with its kind: `vms/web01`.
   */
  readonly type: string;
  /** Placeholder of the value in help: `duration`; absent for switches. */
  readonly value?: string;
  /** Allowed values, if limited. */
  readonly values?: readonly string[];
  readonly doc: string;
  /** The flag takes several values, separated by commas or repeated. */
  readonly many: boolean;
  readonly section: 'parents' | 'body' | 'query' | 'command';
}

export interface ArgumentEntry {
  readonly name: string;
  readonly doc: string;
  readonly required: boolean;
  readonly many: boolean;
  /** Type of a local path: `file`, `folder`, `file or url`. */
  readonly type?: string;
  readonly values?: readonly string[];
}

export interface CommandEntry {
  readonly name: string;
  readonly noun: string;
  readonly verb?: string;
  readonly aliases: readonly string[];
  readonly purpose: string;
  readonly arguments: readonly ArgumentEntry[];
  readonly flags: readonly FlagEntry[];
  readonly calls: readonly RequestSummary[];
  readonly examples: readonly string[];
  /** Exit codes with a specific meaning in this command. */
  readonly exits?: readonly number[];
  /** The command never connects. */
  readonly offline?: boolean;
}

export interface NounEntry extends Pick<Noun, 'name' | 'aliases' | 'group' | 'doc'> {
  readonly commands: readonly CommandEntry[];
}

/** Lists the global flags. */
export function listGlobalFlags(): readonly FlagEntry[] {
  return settingNames.flatMap((name) => {
    const { flags, doc, isSwitch, values } = settings[name];
    if (flags === undefined) return [];
    const type = isSwitch ? 'switch' : 'string';
    return [
      createFlagEntry({
        notation: flags,
        doc: formatHelpLine(doc),
        type,
        ...(values ? { values } : {}),
      }),
    ];
  });
}

/** Describes a noun with all commands: those of the model first, then hand-made ones. */
export async function describeNoun(noun: Noun, modules: NounModules): Promise<NounEntry> {
  const { name, aliases, group, doc } = noun;
  const { commands = [] } = (await modules[name]?.()) ?? {};
  const derived = noun.api ? listVerbs(name) : [];
  const own = new Map(commands.map((one) => [one.verb, mergeWithVerb(one)]));
  const known = new Set<string | undefined>(derived.map((verb) => verb.name));
  const all = [
    ...derived.map((verb) => own.get(verb.name) ?? createVerbCommand(verb)),
    ...[...own].flatMap(([verb, one]) => (known.has(verb) ? [] : [one])),
  ];
  // `help` runs before commands exist.
  const entries = all.length > 0 ? all.map(createCommandEntry) : [createEmptyEntry(noun)];
  return { name, aliases, group, doc, commands: entries };
}

/** Describes all nouns, in the order of the help. */
export async function describeAllNouns(modules: NounModules): Promise<readonly NounEntry[]> {
  return await Promise.all(nouns.map((noun) => describeNoun(noun, modules)));
}

function createCommandEntry(command: Command): CommandEntry {
  const { noun, verb, aliases, purpose, exits, offline } = command;
  return {
    name: formatCommandName(command),
    noun,
    ...(verb === undefined ? {} : { verb }),
    aliases,
    purpose,
    arguments: command.arguments.map(createArgumentEntry),
    flags: command.flags.filter(({ hidden }) => !hidden).map(createFlagEntry),
    calls: command.calls(),
    examples: command.examples,
    ...(exits.length > 0 ? { exits } : {}),
    ...(offline ? { offline } : {}),
  };
}

function createEmptyEntry({ name, doc }: Noun): CommandEntry {
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

function createArgumentEntry({ notation, doc, choices, type }: ArgumentSpec): ArgumentEntry {
  const { name, required, many } = parseArgumentNotation(notation);
  return {
    ...{ name, doc, required, many },
    ...(type === undefined ? {} : { type }),
    ...(choices ? { values: choices } : {}),
  };
}

function createFlagEntry(spec: FlagSpec): FlagEntry {
  const { notation, doc, aliases, type, section = 'command' } = spec;
  const { short, long, value } = parseFlagNotation(notation);
  const values = spec.choices ?? spec.values;
  return {
    flag: long,
    aliases: aliases ?? (short === undefined ? [] : [short]),
    type: type ?? inferType(value),
    ...(value === undefined ? {} : { value: value.slice(1, -1) }),
    ...(values ? { values } : {}),
    doc,
    many: spec.many ?? (spec.repeatable === true || value?.endsWith('...>') === true),
    section,
  };
}

function inferType(value: string | undefined): string {
  if (value === undefined) return 'switch';
  return value === '<kind/ref>' ? 'kind/ref' : 'string';
}

/** Formats the usage line without flags: `vmctl vms start [vm...]`. */
export function formatUsage({ name, arguments: all }: CommandEntry): string {
  const words = all.map(({ name: argument, required, many }) => {
    const text = `${argument}${many ? '...' : ''}`;
    return required ? `<${text}>` : `[${text}]`;
  });
  return ['vmctl', name, ...words].join(' ');
}

/** Formats the names and the value of a flag: `-f, --from-file <file>`. */
export function formatFlag({ flag, aliases, value }: FlagEntry): string {
  const short = aliases.filter((one) => /^-\w$/.test(one));
  const names = [...short, flag].join(', ');
  return value === undefined ? names : `${names} <${value}>`;
}

/**
 * Formats the description of a flag, including its allowed values unless the text contains them.
 */
export function formatFlagDoc({ doc, values }: FlagEntry): string {
  const words = values?.join(', ') ?? '';
  if (words === '' || doc.includes(values?.[0] ?? '')) return doc === words ? `${doc}.` : doc;
  return `${doc}${doc === '' || doc.endsWith('.') ? '' : '.'} ${words}.`.trim();
}

/** Lists the requests of a command without duplicates: `POST /vms/{vm}/start`. */
export function listRequests({ calls }: CommandEntry): readonly string[] {
  return [...new Set(calls.map(({ method, path }) => `${method} ${path}`))];
}
