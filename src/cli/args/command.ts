/** Command descriptors: names, parameters and functions as plain values. */
import type { CommandContext } from '../session/command-context.ts';
import type { OutputKind } from '../session/output-kind.ts';
import type { ArgumentSpec, ArgumentValues, FlagSpec, FlagValues } from './parameters.ts';

/** Request that a command can send. */
export interface RequestSummary {
  /** Name of the operation in the model: `add`, `start`. */
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  /** Flags for the values of all placeholders except the last. */
  readonly parents: readonly string[];
}

/** Values of flags by camel-case name. */
export type Options = Readonly<Record<string, unknown>>;

/**
 * Reason to refuse `--dry-run` and `--curl`. A `local` command works on this computer. A `many`
 * command sends many requests, or polls (it refuses only `--curl`).
 */
export type DryRunRefusal = 'local' | 'many';

/** Descriptor of a command, derived from the model or hand-made. */
export interface Command {
  readonly noun: string;
  /** Absent if the noun is the command. */
  readonly verb?: string;
  readonly aliases: readonly string[];
  readonly purpose: string;
  /** Short purpose for the list of verbs. */
  readonly summary: string;
  readonly arguments: readonly ArgumentSpec[];
  readonly flags: readonly FlagSpec[];
  /** Long names of flags that `--help` lists without an explanation; `vmctl help` explains them. */
  readonly rareFlags?: readonly string[];
  /**
   * Sections of flags by title, with long names. `--help` lists other flags without an explanation.
   */
  readonly flagGroups?: readonly (readonly [title: string, flags: readonly string[]])[];
  readonly examples: readonly string[];
  /** Paragraph below the flags. */
  readonly notes?: string;
  readonly calls: () => readonly RequestSummary[];
  /** The command extends the verb of the model: it has its flags, and its arguments by default. */
  readonly extendsVerb?: true;
  /** Exit codes with a specific meaning in this command. */
  readonly exits: readonly number[];
  /** The command never connects. */
  readonly offline: boolean;
  readonly unshowable?: DryRunRefusal;
  /** The command changes nothing, on the service or on this computer, and ends without a signal. */
  readonly onlyReads?: true;
  /** Kind of output (default `objects`); a function if it depends on arguments or flags. */
  readonly prints?:
    | OutputKind
    | ((positionals: readonly unknown[], options: Options) => OutputKind);
  /** Returns the hint for arguments of a command that takes none. */
  readonly hintForArguments?: (words: readonly string[], options: Options) => string;
  /** Runs the command. `modules` are all hand-made commands, for commands that describe others. */
  run(
    context: CommandContext,
    positionals: readonly unknown[],
    options: Options,
    modules: NounModules,
  ): void | Promise<void>;
}

/** Export of a file in `commands/`, and member of a feature: a noun, or verbs of another noun. */
export interface NounModule {
  readonly name: string;
  /** Description of the noun; absent if the model describes it. */
  readonly doc?: string;
  readonly aliases: readonly string[];
  /** Position in lists of nouns (default: last). */
  readonly position: number;
  /** The first help page only names the noun; `vmctl help nouns` describes it. */
  readonly more?: true;
  readonly section?: HelpSection;
  readonly commands: readonly Command[];
}

/** Sections of the first help page, in order. */
export const helpSections = [
  'Sign in',
  'Monitor',
  'Configure',
  'Learn, test',
  'Integrate',
] as const;

export type HelpSection = (typeof helpSections)[number];

/** Loaders of modules by the name of the noun. */
export type NounModules = Readonly<Record<string, () => Promise<NounModule>>>;

type Defaulted = 'aliases' | 'summary' | 'arguments' | 'flags' | 'calls' | 'exits' | 'offline';

/** Declaration of a hand-made command. `run` receives typed arguments and flags. */
export interface CommandSpec<A extends readonly ArgumentSpec[], F extends readonly FlagSpec[]>
  extends Omit<Command, 'noun' | 'purpose' | 'run' | Defaulted>,
    Partial<Pick<Command, Exclude<Defaulted, 'arguments' | 'flags'>>> {
  /** Default: the description of the noun. */
  readonly purpose?: string;
  readonly arguments?: A;
  readonly flags?: F;
  readonly run: (
    context: CommandContext,
    positionals: ArgumentValues<A>,
    options: FlagValues<F>,
    modules: NounModules,
  ) => void | Promise<void>;
}

type NamelessCommand = Omit<Command, 'noun' | 'purpose' | 'summary'> &
  Partial<Pick<Command, 'purpose' | 'summary'>>;

/** Declares a hand-made command. */
export function defineCommand<
  const A extends readonly ArgumentSpec[] = [],
  const F extends readonly FlagSpec[] = [],
>(spec: CommandSpec<A, F>): NamelessCommand {
  return {
    aliases: [],
    arguments: [],
    flags: [],
    calls: () => [],
    exits: [],
    offline: false,
    ...spec,
    // Right because the parser builds values by the same notations as the types.
    run: spec.run as Command['run'],
  };
}

/** Declares a noun with hand-made commands. `doc` describes a noun that the model lacks. */
export function defineNoun({
  commands,
  ...names
}: Pick<NounModule, 'name' | 'doc'> &
  Partial<Pick<NounModule, 'aliases' | 'position' | 'more' | 'section'>> & {
    readonly commands: readonly NamelessCommand[];
  }): NounModule {
  return {
    aliases: [],
    position: Number.MAX_SAFE_INTEGER,
    ...names,
    commands: commands.map((one) => {
      const purpose = one.purpose ?? names.doc ?? '';
      return { ...one, noun: names.name, purpose, summary: one.summary ?? purpose };
    }),
  };
}

/** Formats noun and verb, or the noun alone. */
export function formatCommandName({ noun, verb }: Pick<Command, 'noun' | 'verb'>): string {
  return verb === undefined ? noun : `${noun} ${verb}`;
}

/** Kind of output of a command for these arguments and flags. */
export function getOutputKind(
  { prints = 'objects' }: Command,
  positionals: readonly unknown[],
  options: Options,
): OutputKind {
  return typeof prints === 'function' ? prints(positionals, options) : prints;
}
