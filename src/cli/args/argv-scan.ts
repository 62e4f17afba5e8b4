/** Scan of the arguments for noun, verb and unknown flags, before the command is known. */
import { UsageError } from '../../client/errors.ts';
import { settingNames, settings } from '../session/settings.ts';
import { findCloseMatches } from '../text/did-you-mean.ts';
import { foreignFlags } from './foreign-flags.ts';

/** Global flags. */
const globalFlags: readonly string[] = settingNames.flatMap(
  (name) => settings[name].flags?.match(/--?[\w-]+/g) ?? [],
);

const takesValue: ReadonlySet<string> = new Set(
  settingNames
    .map((name) => settings[name].flags ?? '')
    .filter((flags) => flags.includes('<'))
    .flatMap((flags) => flags.match(/--?[\w-]+(?=[ ,])/g) ?? []),
);

/** Values of flags without `=value`. Their values are optional, and never a separate argument. */
const bareValues: ReadonlyMap<string, string> = new Map([
  ['--debug', 'http'],
  ['--watch', ''],
]);

/**
 * Adds the default value to flags with optional values. Throws `UsageError` if a boolean follows
 * such a flag.
 */
export function expandBareFlags(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return argv.map((word, index) => {
    const value = end < 0 || index < end ? bareValues.get(word) : undefined;
    if (value === undefined) return word;
    refuseSwitchValue(word, argv[index + 1]);
    return `${word}=${value}`;
  });
}

/** Booleans as scripts write them. */
export const booleans: Readonly<Record<string, boolean>> = {
  ...{ true: true, yes: true, on: true, '1': true },
  ...{ false: false, no: false, off: false, '0': false },
};

/**
 * Throws `UsageError` if a boolean follows a switch: the scan would take it for an argument, often
 * for the name of an object. Accepts 0 and 1, which are ids of events. `opposite` is the flag with
 * the opposite meaning, if one exists.
 */
export function refuseSwitchValue(name: string, next: string | undefined, opposite?: string): void {
  const isOn = booleans[next?.toLowerCase() ?? ''];
  if (isOn === undefined || next === '0' || next === '1') return;
  const advice = opposite === undefined ? 'leave it out' : `use ${opposite}`;
  const isNegated = name.startsWith('--no-') && opposite !== undefined;
  const value = bareValues.has(name) ? 'separate value' : 'value';
  const replacement = isOn ? name : opposite;
  throw new UsageError(
    `${name} takes no ${value}; ${advice} to turn it ${isNegated ? 'on' : 'off'}`,
    { hint: replacement ? `${replacement}, without "${next}"` : `leave out ${name} and "${next}"` },
  );
}

/** Refuses a boolean as noun or verb after a global flag. */
export function refuseBooleanAt(argv: readonly string[], index: number): void {
  const before = argv[index - 1] ?? '';
  if (globalFlags.includes(before)) refuseSwitchValue(before, argv[index]);
}

/**
 * Index of the next argument that is neither a flag nor the value of a global flag; -1 if none
 * follows.
 */
export function findNextArgument(argv: readonly string[], from = 0): number {
  for (let index = from; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (word === '--') return index + 1 < argv.length ? index + 1 : -1;
    if (!word.startsWith('-') || word === '-') return index;
    if (takesValue.has(word)) index += 1;
  }
  return -1;
}

/**
 * Creates the error for an unknown flag, with the most similar one of `known` as a suggestion. The
 * message omits the value, which may be a secret. For a setting that exists only as an environment
 * variable, the hint names the variable.
 */
export function createUnknownFlagError(
  word: string,
  help: string,
  known: readonly string[] = globalFlags,
): UsageError {
  for (const name of settingNames) {
    const { secret, env } = settings[name];
    if (!secret || !new RegExp(`^--?${name}(?!-)`).test(word)) continue;
    const file = name === 'password' ? ', or --password-file' : '';
    return new UsageError(
      `unknown flag --${name}; other users can see secrets on the command line`,
      { hint: `set ${env} instead${file}` },
    );
  }
  const [flag = ''] = word.split('=', 1);
  const names = known.map((name) => name.replace(/^--/, ''));
  // A known flag belongs to another form of the command.
  const isKnown = known.includes(flag);
  const near = flag.startsWith('--') && !isKnown ? findFlag(flag.slice(2), names) : undefined;
  const hint = near === undefined ? help : `did you mean --${near}? ${help}`;
  return new UsageError(
    isKnown ? `${flag}: not valid with these arguments` : `unknown flag ${flag}`,
    {
      hint,
    },
  );
}

/** Finds the flag that a user probably means: the same in another tool, or a similar one. */
function findFlag(word: string, names: readonly string[]): string | undefined {
  const meant = Object.hasOwn(foreignFlags, word) ? foreignFlags[word] : undefined;
  return meant?.find((name) => names.includes(name)) ?? findCloseMatches(word, names)[0];
}

/** Finds a flag that is unknown to all commands, for command lines without a noun. */
export function findUnknownFlag(argv: readonly string[]): string | undefined {
  const known = new Set(globalFlags);
  return argv.find(
    (word, index) =>
      word.startsWith('-') &&
      !['-h', '--help', '--'].includes(word) &&
      !known.has(word.split('=', 1)[0] ?? word) &&
      !/^-[co]./.test(word) &&
      !takesValue.has(argv[index - 1] ?? ''),
  );
}
