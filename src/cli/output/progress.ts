/** Progress on stderr: one line that is redrawn on a terminal, one line per change elsewhere. */
import type { CommandContext } from '../session/command-context.ts';
import { truncated } from '../text/display-width.ts';
import { escapeControlChars } from '../text/escape-control-chars.ts';

export class Progress {
  readonly #cli: CommandContext;
  readonly #isLive: boolean;
  #shown = false;

  constructor(cli: CommandContext) {
    this.#cli = cli;
    const plain = cli.io.env['ACCESSIBLE'] === '1' || cli.io.env['TERM'] === 'dumb';
    this.#isLive = cli.io.stderr.isTTY === true && !plain;
  }

  /** Whether a person sees the line change. */
  get isLive(): boolean {
    return this.#isLive && !this.#cli.on('quiet');
  }

  /** Shows a state of an object, and why; on a terminal over the one before. */
  show(label: string, state: string, reason?: string): void {
    if (this.#cli.on('quiet')) return;
    const line = escapeControlChars.line(
      `${label}: ${state}${reason === undefined ? '' : ` (${reason})`}`,
    );
    const { stderr } = this.#cli.io;
    if (!this.#isLive) {
      stderr.write(`${line}\n`);
      return;
    }
    stderr.write(`\r\u001b[2K${truncated(line, (stderr.columns ?? 80) - 1)}`);
    this.#shown = true;
  }

  /** Makes room for other output. */
  clear(): void {
    if (this.#shown) this.#cli.io.stderr.write('\r\u001b[2K');
    this.#shown = false;
  }
}

/** Cursor to the top left, and the rest of the screen cleared. */
export const redrawn = '\u001b[H\u001b[J';
