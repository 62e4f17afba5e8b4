/**
 * Scan of the words of the command line for noun, verb and unknown flags, before a command is known.
 */
import { UsageError } from '../../client/errors.ts';
import { settingNames, settings } from '../session/settings.ts';
import { closeMatches } from '../text/did-you-mean.ts';

/** The flags of every command. */
const globalFlags: readonly string[] = settingNames.flatMap(
  (name) => settings[name].flags?.match(/--?[\w-]+/g) ?? [],
);

const takesValue: ReadonlySet<string> = new Set(
  settingNames
    .map((name) => settings[name].flags ?? '')
    .filter((flags) => flags.includes('<'))
    .flatMap((flags) => flags.match(/--?[\w-]+(?=[ ,])/g) ?? []),
);

/** What flags are given whose value stands behind an equals sign, or is left out: then nothing. */
const bareValues: ReadonlyMap<string, string> = new Map([
  ['--debug', 'http'],
  ['--watch', ''],
]);

/**
 * The words with flags whose value may be left out written in full: it is never the next word. Throws
 * `UsageError` if the next word is a boolean.
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
 * Throws `UsageError` if the word after a switch is a boolean: the scan would take it for an argument,
 * often for the name of an object. 0 and 1 are accepted, as ids of events. `opposite` is the flag with the
 * opposite meaning, if there is one.
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

/** Refuses a boolean in place of the noun or verb at `index`, after a flag of every command. */
export function refuseSwitchValueAt(argv: readonly string[], index: number): void {
  const before = argv[index - 1] ?? '';
  if (globalFlags.includes(before)) refuseSwitchValue(before, argv[index]);
}

/** Where the next word is that is neither a flag nor the value of a global one; -1 if nowhere. */
export function nextWordIndex(argv: readonly string[], from = 0): number {
  for (let index = from; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (word === '--') return index + 1 < argv.length ? index + 1 : -1;
    if (!word.startsWith('-') || word === '-') return index;
    if (takesValue.has(word)) index += 1;
  }
  return -1;
}

/**
 * The error for a flag that nobody knows. Says nothing of its value, which may be a secret; what is
 * never a flag because others could read it has a variable, which is named. Of the flags that are known
 * there, the nearest is suggested.
 */
export function unknownFlagError(
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
  // One that is known is wrong only here: another form of the command has it.
  const isKnown = known.includes(flag);
  const [near] = flag.startsWith('--') && !isKnown ? closeMatches(flag.slice(2), names) : [];
  const hint = near === undefined ? help : `did you mean --${near}? ${help}`;
  return new UsageError(
    isKnown ? `${flag}: not valid with these arguments` : `unknown flag ${flag}`,
    {
      hint,
    },
  );
}

/** A flag that no command knows, where no noun is named; `undefined` when all are known. */
export function unknownFlag(argv: readonly string[]): string | undefined {
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
