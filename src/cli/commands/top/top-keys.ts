/** Keys of `vmctl top` on a terminal: order, help, quit. */
import type { CommandContext } from '../../session/command-context.ts';

/** Columns that sort the rows, by key. */
const orders: Readonly<Record<string, string>> = { c: 'cpu', m: 'memory', n: 'name' };

const help = [
  'c  sort by CPU',
  'm  sort by memory',
  'n  sort by name',
  '?  show or hide this help',
  'q  quit; Ctrl-C as well',
];

export class TopKeys {
  /** Column that sorts the rows. */
  by: string;
  isHelp = false;
  readonly #quit = new AbortController();
  readonly #stdin: NodeJS.ReadStream | undefined;
  #onChange: () => void = () => {};

  /** Reads keys if standard input is a terminal. The caller has to call `close`. */
  constructor({ io }: CommandContext, by: string) {
    this.by = by;
    const { stdin } = io;
    if (!isTerminal(stdin)) return;
    this.#stdin = stdin;
    stdin.setRawMode(true);
    stdin.on('data', this.#read);
    stdin.resume();
  }

  /** Calls `onChange` after each key that changes the screen. */
  onChange(onChange: () => void): void {
    this.#onChange = onChange;
  }

  /** Aborted by the key `q`. */
  get signal(): AbortSignal {
    return this.#quit.signal;
  }

  /** Lines below the table: the help, if open, and the keys. */
  get lines(): readonly string[] {
    if (!this.#stdin) return [];
    const keys = Object.entries(orders).map(([key, column]) =>
      column === this.by ? `${key} [${column}]` : `${key} ${column}`,
    );
    return [...(this.isHelp ? help : []), ['q quit', '? help', ...keys].join('  ')];
  }

  /** Restores the terminal. */
  close(): void {
    this.#stdin?.off('data', this.#read);
    this.#stdin?.setRawMode(false);
    this.#stdin?.pause();
  }

  readonly #read = (chunk: Buffer | string): void => {
    for (const key of chunk.toString()) this.#press(key);
    this.#onChange();
  };

  #press(key: string): void {
    // In raw mode the terminal sends a character instead of the signal.
    if (key === '\u0003') process.kill(process.pid, 'SIGINT');
    else if (key === 'q') this.#quit.abort();
    else if (key === '?') this.isHelp = !this.isHelp;
    else this.by = orders[key] ?? this.by;
  }
}

function isTerminal(stream: CommandContext['io']['stdin']): stream is NodeJS.ReadStream {
  return stream.isTTY === true;
}
