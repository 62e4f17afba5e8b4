/** The words before the one that is being completed: what they name, and what they give. */
import { nounOf } from '../args/catalog.ts';
import type { NamePlace } from '../session/name-cache.ts';
import type { CommandTable, FlagChoice, ValueChoice } from './table.ts';

export interface FlagGiven {
  readonly flag: FlagChoice;
  /** Empty for a switch. */
  readonly value: string;
}

export class CommandLine {
  readonly noun: string | undefined;
  readonly command: CommandTable | undefined;
  /** What is neither a flag nor the value of one, behind noun and verb. */
  readonly words: readonly string[];
  readonly given: readonly FlagGiven[];
  /** The flag whose value comes next. */
  readonly open: FlagChoice | undefined;
  /** A `--` has ended the flags. */
  readonly isPlain: boolean;

  /** @param before all words but the last */
  constructor(
    before: readonly string[],
    flags: readonly FlagChoice[],
    noun: string | undefined,
    command: CommandTable | undefined,
  ) {
    this.noun = noun;
    this.command = command;
    const words: string[] = [];
    const given: FlagGiven[] = [];
    let open: FlagChoice | undefined;
    let isPlain = false;
    for (const word of before) {
      if (open) {
        given.push({ flag: open, value: word });
        open = undefined;
      } else if (isPlain || !word.startsWith('-') || word === '-') words.push(word);
      else if (word === '--') isPlain = true;
      else {
        const [, name = word, value] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
        const flag = flags.find(({ names }) => names.includes(name));
        if (flag?.value && value === undefined) open = flag;
        else if (flag) given.push({ flag, value: value ?? '' });
      }
    }
    const named = command === undefined || command.names.length === 0 ? 1 : 2;
    this.words = words.slice(named);
    this.given = given;
    this.open = open;
    this.isPlain = isPlain;
  }

  /** The values of the flags that say which server is meant, by the names of their settings. */
  get connection(): Readonly<Record<string, unknown>> {
    const settings = { '--context': 'context', '--url': 'url', '--username': 'username' } as const;
    const more = { '--ca-file': 'caFile', '--insecure': 'insecure' } as const;
    return Object.fromEntries(
      Object.entries({ ...settings, ...more }).flatMap(([name, key]) => {
        const found = this.given.find(({ flag }) => flag.names.includes(name));
        return found ? [[key, found.flag.value ? found.value : true]] : [];
      }),
    );
  }

  /** Whether the command has a server of its own. */
  get isSandboxed(): boolean {
    return this.given.some(({ flag }) => flag.names.includes('--sandbox'));
  }

  /** Where the objects are that a value names; nothing where it is not said yet below which others. */
  placeOf({ noun = '', below }: ValueChoice): NamePlace | undefined {
    if (!below) return { noun };
    const named = this.#named();
    const chains = below.toSorted((a, b) => b.length - a.length);
    const chain = chains.find((nouns) => nouns.every((one) => named.has(one)));
    return chain && { noun, parents: chain.map((one) => [one, named.get(one) ?? '']) };
  }

  /** The objects that `--on KIND/REF` says: those of a kind below it. */
  get owner(): readonly [noun: string, word: string] | undefined {
    const on = this.given.find(({ flag }) => flag.names.includes('--on'))?.value ?? '';
    const noun = nounOf(on.slice(0, Math.max(0, on.indexOf('/'))));
    return noun && [noun.name, on.slice(on.indexOf('/') + 1)];
  }

  /** Objects that are named so far, by their noun. */
  #named(): ReadonlyMap<string, string> {
    const places = [
      ...this.given.map(({ flag, value }) => [flag.value, value] as const),
      ...this.words.map((word, index) => [this.command?.arguments[index], word] as const),
    ];
    const named = new Map(
      places.flatMap(([choice, word]) =>
        choice?.noun !== undefined && !choice.many
          ? [[choice.noun, withoutKind(word, choice.noun)] as const]
          : [],
      ),
    );
    const { owner } = this;
    return owner ? named.set(...owner) : named;
  }
}

/** `vms/web01` is `web01`. */
function withoutKind(word: string, noun: string): string {
  const at = word.indexOf('/');
  return at > 0 && nounOf(word.slice(0, at))?.name === noun ? word.slice(at + 1) : word;
}
