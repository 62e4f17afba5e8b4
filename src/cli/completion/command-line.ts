/** Parsed command line before the word at the cursor. */
import { findNoun } from '../args/catalog.ts';
import type { NameCollection } from '../session/name-cache.ts';
import type { CommandTable, FlagChoice, ValueChoice } from './table.ts';

export interface FlagGiven {
  readonly flag: FlagChoice;
  readonly value: string;
}

export class CommandLine {
  readonly noun: string | undefined;
  readonly command: CommandTable | undefined;
  /** Arguments after noun and verb. */
  readonly words: readonly string[];
  readonly given: readonly FlagGiven[];
  /** Flag whose value is at the cursor. */
  readonly open: FlagChoice | undefined;
  /** Whether `--` ended the flags. */
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

  /** Values of the flags that select the server, by setting. */
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

  /** Whether the command runs against a temporary server. */
  get isSandboxed(): boolean {
    return this.given.some(({ flag }) => flag.names.includes('--sandbox'));
  }

  /**
   * Returns the collection of the objects that a value refers to; undefined while a parent is
   * missing.
   */
  findCollection({ noun = '', below }: ValueChoice): NameCollection | undefined {
    if (!below) return { noun };
    const named = this.#listNamed();
    const chains = below.toSorted((a, b) => b.length - a.length);
    const chain = chains.find((nouns) => nouns.every((one) => named.has(one)));
    return chain && { noun, parents: chain.map((one) => [one, named.get(one) ?? '']) };
  }

  /** Parent of `--on KIND/REF`. */
  get owner(): readonly [noun: string, word: string] | undefined {
    const on = this.given.find(({ flag }) => flag.names.includes('--on'))?.value ?? '';
    const noun = findNoun(on.slice(0, Math.max(0, on.indexOf('/'))));
    return noun && [noun.name, on.slice(on.indexOf('/') + 1)];
  }

  /** Named objects by their noun. */
  #listNamed(): ReadonlyMap<string, string> {
    const places = [
      ...this.given.map(({ flag, value }) => [flag.value, value] as const),
      ...this.words.map((word, index) => [this.command?.arguments[index], word] as const),
    ];
    const named = new Map(
      places.flatMap(([choice, word]) =>
        choice?.noun !== undefined && !choice.many
          ? [[choice.noun, removeKind(word, choice.noun)] as const]
          : [],
      ),
    );
    const { owner } = this;
    return owner ? named.set(...owner) : named;
  }
}

/** Removes the kind of a reference: `vms/web01` becomes `web01`. */
function removeKind(word: string, noun: string): string {
  const at = word.indexOf('/');
  return at > 0 && findNoun(word.slice(0, at))?.name === noun ? word.slice(at + 1) : word;
}
