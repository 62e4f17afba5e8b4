/** Declarations of arguments and flags. The types of their values follow from the notation. */
import { UsageError } from '../../client/errors.ts';

export interface ArgumentOptions {
  /** Allowed values. */
  readonly choices?: readonly string[];
  readonly default?: string;
  /** Type of a local path, such as `file` or `folder`; `local-paths.ts` lists the types. */
  readonly type?: string;
}

/** Declaration of an argument: `<file>`, `[name]`, `<vm...>`. */
export type ArgumentSpec<
  N extends string = string,
  O extends ArgumentOptions = ArgumentOptions,
> = O & { readonly notation: N; readonly doc: string };

export interface FlagOptions {
  /** Allowed values; commander refuses others. */
  readonly choices?: readonly string[];
  /** Allowed values that `vmctl` checks later, or of which a flag takes several. */
  readonly values?: readonly string[];
  readonly default?: unknown;
  readonly required?: true;
  /** Parses the value. Throws `InvalidArgumentError` for invalid text. */
  readonly parse?: (text: string) => unknown;
  /** The flag may be repeated; its value is a list. */
  readonly repeatable?: true;
  /** For `--no-x` with a separate `--x`: the value is undefined if neither is given. */
  readonly undoes?: true;
  /** Other long names, including dashes; only machine-readable help shows them. */
  readonly aliases?: readonly string[];
  /** Whether `--no-x` exists as well. */
  readonly negatable?: boolean;
  /** Whether help and completion omit the flag. */
  readonly hidden?: boolean;
  /**
   * Kind of the value in the notation of the model: `int`, `enum vm_type`, `ref host`; or type of a
   * local path (`local-paths.ts`). `<file>`, `<dir>` and `<name=@file>` imply the latter.
   */
  readonly type?: string;
  /** Whether one value is a list, separated by commas. */
  readonly many?: boolean;
  /** Section of the help (default: flags of the command). */
  readonly section?: 'parents' | 'body' | 'query';
}

/** Declaration of a flag: `-O, --output-file <file>`, `--force`, `--no-verify`. */
export type FlagSpec<N extends string = string, O extends FlagOptions = FlagOptions> = O & {
  readonly notation: N;
  readonly doc: string;
};

/** Declares an argument. Its value is a text, or a list of texts for `<name...>`. */
export function defineArgument<
  const N extends string,
  const O extends ArgumentOptions = Record<never, never>,
>(notation: N, doc: string, options?: O): ArgumentSpec<N, O> {
  // Right because `options` has type `O`, which the spread widens.
  return { notation, doc: formatHelpLine(doc), ...options } as ArgumentSpec<N, O>;
}

/** Declares a flag. Notation and options determine the type of its value. */
export function defineFlag<
  const N extends string,
  const O extends FlagOptions = Record<never, never>,
>(notation: N, doc: string, options?: O): FlagSpec<N, O> {
  const many = notation.endsWith('...>');
  const type = pathTypes[/<(.*?)(\.\.\.)?>$/.exec(notation)?.[1]?.toLowerCase() ?? ''];
  // Right because `options` has type `O`, which the spread widens.
  return {
    notation,
    doc: formatFlagHelp(doc, { many, ...options }),
    ...(type === undefined ? {} : { type }),
    ...options,
  } as FlagSpec<N, O>;
}

/** Types of local paths by value placeholder. */
const pathTypes: Readonly<Record<string, string>> = {
  file: 'file',
  dir: 'folder',
  'name=@file': 'name=@file',
};

/** Formats the help of a flag, with a note if it may be repeated. */
export function formatFlagHelp(
  doc: string,
  { repeatable, many, hidden }: FlagOptions = {},
): string {
  const line = formatHelpLine(doc);
  if (!(repeatable ?? many) || hidden || line.includes('repeated')) return line;
  return line === '' ? 'May be repeated' : `${line} (may be repeated)`;
}

/**
 * Formats a line of help: a capital first letter, unless the first word is a value, and no full
 * stop.
 */
export function formatHelpLine(doc: string): string {
  const line = doc.replace(/(?<!\.)\.$/, '');
  return /^[a-z]+(?:[ ,;:]|$)/.test(line)
    ? `${line.charAt(0).toUpperCase()}${line.slice(1)}`
    : line;
}

/**
 * Creates the error for a repeated flag with one value. The message omits the values, which may be
 * secret.
 */
export function createRepeatedFlagError(flag: string): UsageError {
  return new UsageError(`${flag} appears more than once`, {
    code: 'repeated_flag',
    hint: 'use it once',
  });
}

/** Value placeholders of arbitrary, possibly empty texts: a setting, a description. */
const freeTexts: ReadonlySet<string> = new Set(['text', 'value']);

/** Whether an argument may be empty. An empty name is mostly an unset shell variable. */
export function mayArgumentBeBlank({ notation }: ArgumentSpec): boolean {
  const name = parseArgumentNotation(notation).name.toLowerCase();
  // `search-help` explains the empty query, too.
  return freeTexts.has(name) || name === 'query';
}

/**
 * Whether the value of a flag may be empty. An empty text clears an attribute, except a reference.
 * `--search` has a specific error.
 */
export function mayFlagBeBlank({ notation, section, type = '' }: FlagSpec): boolean {
  const { long, value = '' } = parseFlagNotation(notation);
  // An omitted optional value, such as that of --watch, is empty.
  if (long === '--search' || value.startsWith('[')) return true;
  if (section === 'body') return !/\b(?:ref|links)\b/.test(type);
  return freeTexts.has(value.replace(/^[<[]|[>\]]$/g, '').toLowerCase());
}

/** Creates the error for an empty value. */
export function createBlankValueError(name: string): UsageError {
  return new UsageError(`${name}: the value is empty`, {
    hint: 'quote the value, and check that the variable in it is set',
  });
}

/** Parses the notation of an argument. */
export function parseArgumentNotation(notation: string): {
  readonly name: string;
  readonly required: boolean;
  readonly many: boolean;
} {
  const inner = notation.slice(1, -1);
  const many = inner.endsWith('...');
  return { name: many ? inner.slice(0, -3) : inner, required: notation.startsWith('<'), many };
}

/** Parses the notation of a flag: names with dashes, and the value placeholder (`<file>`). */
export function parseFlagNotation(notation: string): {
  /** `-O`, or another long name. */
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

/** Property name of a flag: `--from-file` is `fromFile`. */
export function toCamelCase(flag: string): string {
  return flag
    .replace(/^--(no-)?/, '')
    .replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Values of arguments in order. */
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

/** Values of flags by camel-case name. */
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
