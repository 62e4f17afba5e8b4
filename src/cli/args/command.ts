/** Commands as plain values: what they are called, what they take, what runs them. */
import type { CommandContext } from '../session/command-context.ts';
import type { Printed } from '../session/printed.ts';
import type { ArgumentSpec, ArgumentValues, FlagSpec, FlagValues } from './parameters.ts';

/** One request that a command may send. */
export interface Call {
  /** The operation as the model names it: `add`, `start`. */
  readonly operation: string;
  readonly method: string;
  /** Path template below the API root. */
  readonly path: string;
  /** Flags that name what the placeholders before the last one stand for. */
  readonly parents: readonly string[];
}

/** Values of flags by their names in camel case. */
export type Options = Readonly<Record<string, unknown>>;

/**
 * Why `--dry-run` and `--curl` cannot show what a command would send: `local`, it does its work on
 * this machine; `many`, it sends many requests, or one again and again (only `--curl` is refused).
 */
export type Unshowable = 'local' | 'many';

/** What commands of the model and hand-made ones have in common; all that help and manuals read. */
export interface Command {
  readonly noun: string;
  /** Absent where the noun is the command. */
  readonly verb?: string;
  readonly aliases: readonly string[];
  /** A sentence without a full stop. */
  readonly purpose: string;
  /** The same in the list of verbs, where it has to be shorter. */
  readonly summary: string;
  readonly arguments: readonly ArgumentSpec[];
  readonly flags: readonly FlagSpec[];
  /** Long names of flags that --help lists without an explanation; `vmctl help` explains them. */
  readonly rareFlags?: readonly string[];
  /** Sections of flags by title, with long names; --help lists other flags without an explanation. */
  readonly flagGroups?: readonly (readonly [title: string, flags: readonly string[]])[];
  readonly examples: readonly string[];
  /** A paragraph below the flags. */
  readonly notes?: string;
  readonly calls: () => readonly Call[];
  /** It has the arguments and flags of the verb of the model as well, and does what that does. */
  readonly extendsVerb?: true;
  /** Exit codes that mean something of their own here. */
  readonly exits: readonly number[];
  /** It never connects. */
  readonly offline: boolean;
  readonly unshowable?: Unshowable;
  /** It changes nothing, neither at the service nor on this machine, and ends by itself. */
  readonly onlyReads?: true;
  /** `objects` where it says nothing else; a function where arguments or flags decide. */
  readonly prints?: Printed | ((positionals: readonly unknown[], options: Options) => Printed);
  /** `modules` are all hand-made commands, for those that tell about commands. */
  run(
    context: CommandContext,
    positionals: readonly unknown[],
    options: Options,
    modules: NounModules,
  ): void | Promise<void>;
}

/** The export of a file in `commands/`, and a member of a feature: a noun, or verbs of another noun. */
export interface NounModule {
  readonly name: string;
  /** What the noun is; absent where the model describes it. */
  readonly doc?: string;
  readonly aliases: readonly string[];
  /** Nouns are listed in this order; those without come last. */
  readonly position: number;
  /** The first page of help only names it; `vmctl help nouns` explains it. */
  readonly more?: true;
  /** Section of the first page of help. */
  readonly section?: HelpSection;
  readonly commands: readonly Command[];
}

/** Sections of the first page of help, in order. */
export const helpSections = [
  'Sign in',
  'Monitor',
  'Configure',
  'Learn, test',
  'Integrate',
] as const;

export type HelpSection = (typeof helpSections)[number];

/** Loads the module of a noun, by the name of the noun. */
export type NounModules = Readonly<Record<string, () => Promise<NounModule>>>;

type Defaulted = 'aliases' | 'summary' | 'arguments' | 'flags' | 'calls' | 'exits' | 'offline';

/** A hand-made command as it is written; `run` gets its arguments and flags with their types. */
export interface CommandSpec<A extends readonly ArgumentSpec[], F extends readonly FlagSpec[]>
  extends Omit<Command, 'noun' | 'purpose' | 'run' | Defaulted>,
    Partial<Pick<Command, Exclude<Defaulted, 'arguments' | 'flags'>>> {
  /** By default what the noun is. */
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
export function command<
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
    // What the parser hands over is what the notations of arguments and flags say.
    run: spec.run as Command['run'],
  };
}

/** Declares a noun with its hand-made commands; with `doc` one that the model does not have. */
export function noun({
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

/** Noun and verb, or the noun alone. */
export function nameOf({ noun, verb }: Pick<Command, 'noun' | 'verb'>): string {
  return verb === undefined ? noun : `${noun} ${verb}`;
}

/** What a command prints when it is run with these arguments and flags. */
export function printedBy(
  { prints = 'objects' }: Command,
  positionals: readonly unknown[],
  options: Options,
): Printed {
  return typeof prints === 'function' ? prints(positionals, options) : prints;
}
