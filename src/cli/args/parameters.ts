/** Arguments and flags of commands, in the notation of usage lines; their types follow from it. */
import { UsageError } from '../../client/errors.ts';

export interface ArgumentOptions {
  /** It is one of these words. */
  readonly choices?: readonly string[];
  readonly default?: string;
  /** `file`, `folder` and the like for a path on this computer: `local-paths.ts` lists the types. */
  readonly type?: string;
}

/** An argument of a command: `<file>`, `[name]`, `<vm...>`. */
export type ArgumentSpec<
  N extends string = string,
  O extends ArgumentOptions = ArgumentOptions,
> = O & { readonly notation: N; readonly doc: string };

export interface FlagOptions {
  /** The value is one of these words; others are refused. */
  readonly choices?: readonly string[];
  /** Words that the value may be, where others are refused later, or several are allowed. */
  readonly values?: readonly string[];
  readonly default?: unknown;
  readonly required?: true;
  /** From the text to the value. Throws `InvalidArgumentError` for what cannot be meant. */
  readonly parse?: (text: string) => unknown;
  /** May be given again: the value is a list. */
  readonly repeatable?: true;
  /** For `--no-x` behind `--x`: the switch is undefined where neither is given. */
  readonly undoes?: true;
  /** Other long names, with their dashes; understood, and shown only to programs. */
  readonly aliases?: readonly string[];
  /** Understands `--no-x` as well. */
  readonly negatable?: boolean;
  /** Understood, but neither shown nor listed. */
  readonly hidden?: boolean;
  /**
   * Kind of the value as the model writes it: `int`, `enum vm_type`, `ref host`; or that of a path on this
   * computer (`local-paths.ts`). `<file>`, `<dir>` and `<name=@file>` imply it.
   */
  readonly type?: string;
  /** Takes several values at once, separated by commas. */
  readonly many?: boolean;
  /** Where help shows it; by default among the flags of the command itself. */
  readonly section?: 'parents' | 'body' | 'query';
}

/** A flag of a command: `-O, --output-file <file>`, `--force`, `--no-verify`. */
export type FlagSpec<N extends string = string, O extends FlagOptions = FlagOptions> = O & {
  readonly notation: N;
  readonly doc: string;
};

/** Declares an argument; its value is a text, or a list of texts for `<name...>`. */
export function argument<
  const N extends string,
  const O extends ArgumentOptions = Record<never, never>,
>(notation: N, doc: string, options?: O): ArgumentSpec<N, O> {
  return { notation, doc: helpLine(doc), ...options } as ArgumentSpec<N, O>;
}

/** Declares a flag; the notation and the options say what its value is. */
export function flag<const N extends string, const O extends FlagOptions = Record<never, never>>(
  notation: N,
  doc: string,
  options?: O,
): FlagSpec<N, O> {
  const many = notation.endsWith('...>');
  const type = pathTypes[/<(.*?)(\.\.\.)?>$/.exec(notation)?.[1]?.toLowerCase() ?? ''];
  return {
    notation,
    doc: flagHelp(doc, { many, ...options }),
    ...(type === undefined ? {} : { type }),
    ...options,
  } as FlagSpec<N, O>;
}

/** Types of the values of flags that are paths, by what stands for the value. */
const pathTypes: Readonly<Record<string, string>> = {
  file: 'file',
  dir: 'folder',
  'name=@file': 'name=@file',
};

/** The help of a flag, with a note if it may be repeated. */
export function flagHelp(doc: string, { repeatable, many, hidden }: FlagOptions = {}): string {
  const line = helpLine(doc);
  if (!(repeatable ?? many) || hidden || line.includes('repeated')) return line;
  return line === '' ? 'May be repeated' : `${line} (may be repeated)`;
}

/** Help of one line: begins with a capital, unless its first word is a value, and has no full stop. */
export function helpLine(doc: string): string {
  const line = doc.replace(/(?<!\.)\.$/, '');
  return /^[a-z]+(?:[ ,;:]|$)/.test(line)
    ? `${line.charAt(0).toUpperCase()}${line.slice(1)}`
    : line;
}

/** The refusal of a flag that has one value and was given several. Says none of them: they may be secret. */
export function givenTwice(flag: string): UsageError {
  return new UsageError(`${flag} appears more than once`, {
    code: 'repeated_flag',
    hint: 'use it once',
  });
}

/** Values that are texts of any kind, and may be empty: `<value>` of a setting, `<text>` of a description. */
const freeTexts: ReadonlySet<string> = new Set(['text', 'value']);

/** Whether an argument may be empty; an empty name is mostly a shell variable that is not set. */
export function argumentMayBeBlank({ notation }: ArgumentSpec): boolean {
  const name = argumentParts(notation).name.toLowerCase();
  // `search-help` explains the empty search as well.
  return freeTexts.has(name) || name === 'query';
}

/**
 * Whether the value of a flag may be empty: attributes may, unless they refer to objects, because an empty
 * text clears them. `--search` has an error of its own.
 */
export function flagMayBeBlank({ notation, section, type = '' }: FlagSpec): boolean {
  const { long, value = '' } = flagParts(notation);
  // A value that may be left out, such as that of --watch, is empty then.
  if (long === '--search' || value.startsWith('[')) return true;
  if (section === 'body') return !/\b(?:ref|links)\b/.test(type);
  return freeTexts.has(value.replace(/^[<[]|[>\]]$/g, '').toLowerCase());
}

/** The refusal of an empty value. */
export function blankValue(name: string): UsageError {
  return new UsageError(`${name}: the value is empty`, {
    hint: 'quote the value, and check that the variable in it is set',
  });
}

/** What an argument is called, whether it must be given, and whether there may be several. */
export function argumentParts(notation: string): {
  readonly name: string;
  readonly required: boolean;
  readonly many: boolean;
} {
  const inner = notation.slice(1, -1);
  const many = inner.endsWith('...');
  return { name: many ? inner.slice(0, -3) : inner, required: notation.startsWith('<'), many };
}

/** The names of a flag with their dashes, and what stands for its value: `<file>`. */
export function flagParts(notation: string): {
  /** `-O`, or a second long name. */
  readonly short?: string;
  readonly long: string;
  readonly value?: string;
} {
  const [, names = '', value] = /^([^<[]*[^<[\s])(?:\s+(\S.*))?$/.exec(notation) ?? [];
  const words = names.split(/[ ,]+/);
  const long = words.at(-1) ?? '';
  const [short = long] = words;
  return {
    ...(short === long ? {} : { short }),
    long,
    ...(value === undefined ? {} : { value }),
  };
}

/** The name under which the value of a flag is handed over: `--from-file` is `fromFile`. */
export function camelCase(flag: string): string {
  return flag
    .replace(/^--(no-)?/, '')
    .replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The values of arguments, in their order. */
export type ArgumentValues<A extends readonly ArgumentSpec[]> = {
  readonly [K in keyof A]: ArgumentValue<A[K]>;
};

type ArgumentValue<A extends ArgumentSpec> = A['notation'] extends
  | `<${string}...>`
  | `[${string}...]`
  ? readonly string[]
  : A extends { readonly choices: readonly (infer V)[] }
    ? V | Missing<A>
    : string | Missing<A>;

type Missing<A extends ArgumentSpec> = A extends { readonly default: string }
  ? never
  : A['notation'] extends `[${string}`
    ? undefined
    : never;

/** The values of flags, by their names in camel case. */
export type FlagValues<F extends readonly FlagSpec[]> = Intersection<
  { readonly [K in keyof F]: Entry<F[K]> }[number]
>;

type Entry<F extends FlagSpec> =
  IsPresent<F> extends true
    ? { readonly [K in KeyOf<F['notation']>]: FlagValue<F> }
    : { readonly [K in KeyOf<F['notation']>]?: FlagValue<F> };

type IsPresent<F extends FlagSpec> = F extends { readonly undoes: true }
  ? false
  : F extends { readonly required: true } | { readonly default: unknown }
    ? true
    : F['notation'] extends `--no-${string}`
      ? true
      : false;

type FlagValue<F extends FlagSpec> = F extends { readonly parse: (text: string) => infer V }
  ? V
  : F extends { readonly choices: readonly (infer V)[] }
    ? V
    : F extends { readonly repeatable: true }
      ? readonly string[]
      : F['notation'] extends `${string}<${string}...>`
        ? readonly string[]
        : F['notation'] extends `${string}<${string}`
          ? string
          : boolean;

type KeyOf<N extends string> = CamelCase<Positive<LastLongName<N>>>;

type LastLongName<N extends string> = N extends `${string}--${infer Rest}`
  ? Rest extends `${string}--${string}`
    ? LastLongName<Rest>
    : FirstWord<Rest>
  : never;

type FirstWord<N extends string> = N extends `${infer Word} ${string}` ? Word : N;

type Positive<N extends string> = N extends `no-${infer Rest}` ? Rest : N;

type CamelCase<N extends string> = N extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : N;

type Intersection<U> = (U extends unknown ? (value: U) => void : never) extends (
  value: infer I,
) => void
  ? I
  : never;
