/**
 * Progress on stderr: one redrawn line for each object on a terminal, otherwise one line for each
 * change.
 */

import { escapeControlChars } from '../../escape-control-chars.ts';
import type { CommandContext } from '../session/command-context.ts';
import { getEllipsis, truncate } from '../text/display-width.ts';
import { getFormat } from './print.ts';

/** Whether stderr supports redrawing, and ACCESSIBLE is not set. */
function canRedraw({ io: { env, stderr } }: CommandContext): boolean {
  return stderr.isTTY === true && env['ACCESSIBLE'] !== '1' && env['TERM'] !== 'dumb';
}

/** Progress of one operation. */
export class Progress {
  readonly #cli: CommandContext;
  readonly #board: ProgressBoard;
  /** Whether the line stays after the operation: it belongs to a board with several lines. */
  readonly #isKept: boolean;
  /** Current text of the line. */
  text = '';

  constructor(cli: CommandContext, board?: ProgressBoard) {
    this.#cli = cli;
    this.#board = board ?? new ProgressBoard(cli);
    this.#isKept = board !== undefined;
  }

  get #isLive(): boolean {
    return this.#board.isLive;
  }

  /** Whether the line should show reasons. With several objects, a reason is ambiguous. */
  get showsReasons(): boolean {
    return this.#isLive && !this.#isKept;
  }

  /**
   * Shows a state of an object with its reason; on a terminal in place of the previous state.
   * Programs get a JSON line with `-o jsonl`, and nothing with `-o json`.
   */
  show(label: string, state: string, reason?: string): void {
    if (this.#cli.isOn('quiet')) return;
    const why = reason === undefined ? '' : ` (${reason})`;
    const line = escapeControlChars.line(`${label}: ${state}${why}`);
    if (this.#isLive) this.#board.set(this, line);
    else if (!this.#cli.isJsonOutput) this.#cli.io.stderr.write(`${line}\n`);
    else if (getFormat(this.#cli) === 'jsonl') {
      const event = { event: 'progress', object: label, state, reason };
      this.#cli.io.stderr.write(`${escapeControlChars.json(JSON.stringify(event))}\n`);
    }
  }

  /** Reports a final result of an object. */
  reportResult(label: string, state: string): void {
    if (this.#isKept && this.#isLive) this.show(label, state);
    else this.#cli.note(`${label}: ${state}`);
  }

  /** Removes the line before the result is printed. */
  clear(): void {
    if (!this.#isKept) this.#board.end(this, false);
  }

  /**
   * Ends the operation. The line stays if it succeeded on a board; after a failure the error
   * replaces it.
   */
  end(isDone: boolean): void {
    this.#board.end(this, isDone && this.#isKept);
  }
}

/** Lines of all running operations, at the bottom of a terminal. */
export class ProgressBoard {
  readonly #cli: CommandContext;
  readonly #lines: Progress[] = [];
  /** Number of lines on the screen. The cursor is after the last one. */
  #shown = 0;
  #hidden = 0;
  /** Whether lines are redrawn. */
  readonly isLive: boolean;

  constructor(cli: CommandContext) {
    this.#cli = cli;
    this.isLive = canRedraw(cli) && !cli.isOn('quiet');
    if (this.isLive) cli.live = this;
  }

  /** Changes the text of a line. */
  set(line: Progress, text: string): void {
    line.text = text;
    if (!this.#lines.includes(line)) this.#lines.push(line);
    this.hide();
    this.show();
  }

  /** Removes a line; with `isKept` it stays above the others. */
  end(line: Progress, isKept: boolean): void {
    const at = this.#lines.indexOf(line);
    if (at < 0) return;
    this.hide();
    this.#lines.splice(at, 1);
    if (isKept) this.#cli.io.stderr.write(`${this.#truncate(line.text)}\n`);
    this.show();
  }

  /** Clears the lines from the screen, before other output. */
  hide(): void {
    this.#hidden += 1;
    if (this.#shown === 0) return;
    const up = this.#shown > 1 ? `\u001b[${this.#shown - 1}A` : '';
    this.#cli.io.stderr.write(`\r${up}\u001b[J`);
    this.#shown = 0;
  }

  /** Redraws the lines after `hide`. */
  show(): void {
    this.#hidden -= 1;
    if (this.#hidden > 0) return;
    const available = Math.max(1, (this.#cli.io.stderr.rows || 24) - 1);
    const lines = this.#lines.slice(-available).map(({ text }) => this.#truncate(text));
    this.#cli.io.stderr.write(lines.join('\n'));
    this.#shown = lines.length;
  }

  #truncate(text: string): string {
    const { env, stderr } = this.#cli.io;
    return truncate(text, (stderr.columns || 80) - 1, 'end', getEllipsis(env));
  }
}

/** Escape sequence: cursor to the top left, clear the screen. */
export const clearScreen = '\u001b[H\u001b[J';
