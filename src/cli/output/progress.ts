/**
 * Progress on stderr: on a terminal a line for each object, which changes in place; elsewhere a line
 * for each change.
 */

import { escapeControlChars } from '../../escape-control-chars.ts';
import type { CommandContext } from '../session/command-context.ts';
import { ellipsis, truncated } from '../text/display-width.ts';
import { formatOf } from './print.ts';

/** Whether lines can be redrawn, and nobody wants it otherwise. */
function isRedrawn({ io: { env, stderr } }: CommandContext): boolean {
  return stderr.isTTY === true && env['ACCESSIBLE'] !== '1' && env['TERM'] !== 'dumb';
}

/** The progress of one piece of work. */
export class Progress {
  readonly #cli: CommandContext;
  readonly #board: ProgressBoard;
  /** Its line stays when the work is done: there are others, and what came of each is told. */
  readonly #isKept: boolean;
  /** What the line says now. */
  text = '';

  constructor(cli: CommandContext, board?: ProgressBoard) {
    this.#cli = cli;
    this.#board = board ?? new ProgressBoard(cli);
    this.#isKept = board !== undefined;
  }

  get #isLive(): boolean {
    return this.#board.isLive;
  }

  /** Whether it is worth to ask why: of several objects nobody knows which the answer is about. */
  get givesReasons(): boolean {
    return this.#isLive && !this.#isKept;
  }

  /**
   * Shows a state of an object, and why; on a terminal over the one before. Programs get a line of JSON with
   * `-o jsonl`, and nothing with `-o json`.
   */
  show(label: string, state: string, reason?: string): void {
    if (this.#cli.on('quiet')) return;
    const why = reason === undefined ? '' : ` (${reason})`;
    const line = escapeControlChars.line(`${label}: ${state}${why}`);
    if (this.#isLive) this.#board.set(this, line);
    else if (!this.#cli.speaksJson) this.#cli.io.stderr.write(`${line}\n`);
    else if (formatOf(this.#cli) === 'jsonl') {
      const event = { event: 'progress', object: label, state, reason };
      this.#cli.io.stderr.write(`${escapeControlChars.json(JSON.stringify(event))}\n`);
    }
  }

  /** Tells what was done to an object: said once, and not taken back. */
  tell(label: string, state: string): void {
    if (this.#isKept && this.#isLive) this.show(label, state);
    else this.#cli.note(`${label}: ${state}`);
  }

  /** Makes room for what comes of the work. */
  clear(): void {
    if (!this.#isKept) this.#board.end(this, false);
  }

  /** The work is over: its line stays as it is now, or goes where an error says why it failed. */
  end(isDone: boolean): void {
    this.#board.end(this, isDone && this.#isKept);
  }
}

/** The lines of all work that is under way, at the bottom of a terminal. */
export class ProgressBoard {
  readonly #cli: CommandContext;
  readonly #lines: Progress[] = [];
  /** So many are on the screen; the cursor is behind the last. */
  #shown = 0;
  #hidden = 0;
  /** Whether a person sees the lines change. */
  readonly isLive: boolean;

  constructor(cli: CommandContext) {
    this.#cli = cli;
    this.isLive = isRedrawn(cli) && !cli.on('quiet');
    if (this.isLive) cli.live = this;
  }

  /** Changes what a line says. */
  set(line: Progress, text: string): void {
    line.text = text;
    if (!this.#lines.includes(line)) this.#lines.push(line);
    this.hide();
    this.show();
  }

  /** Takes a line out; one that is kept stays above the others. */
  end(line: Progress, isKept: boolean): void {
    const at = this.#lines.indexOf(line);
    if (at < 0) return;
    this.hide();
    this.#lines.splice(at, 1);
    if (isKept) this.#cli.io.stderr.write(`${this.#fitted(line.text)}\n`);
    this.show();
  }

  /** Takes the lines off the screen, so that something else can be written. */
  hide(): void {
    this.#hidden += 1;
    if (this.#shown === 0) return;
    const up = this.#shown > 1 ? `\u001b[${this.#shown - 1}A` : '';
    this.#cli.io.stderr.write(`\r${up}\u001b[J`);
    this.#shown = 0;
  }

  /** Puts them back. */
  show(): void {
    this.#hidden -= 1;
    if (this.#hidden > 0) return;
    const room = Math.max(1, (this.#cli.io.stderr.rows || 24) - 1);
    const lines = this.#lines.slice(-room).map(({ text }) => this.#fitted(text));
    this.#cli.io.stderr.write(lines.join('\n'));
    this.#shown = lines.length;
  }

  #fitted(text: string): string {
    const { env, stderr } = this.#cli.io;
    return truncated(text, (stderr.columns || 80) - 1, 'end', ellipsis(env));
  }
}

/** Cursor to the top left, and the rest of the screen cleared. */
export const redrawn = '\u001b[H\u001b[J';
