/**
 * How a transfer is shown while it runs: a bar on a terminal, a line now and then elsewhere, lines
 * of JSON where machines listen, nothing with `--quiet`. All of it on stderr.
 */

import { escapeControlChars } from '../../../escape-control-chars.ts';
import type { TransferEvent } from '../../../transfer/index.ts';
import { humanBytes } from '../../output/cells.ts';
import { formatOf } from '../../output/print.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { truncated } from '../../text/display-width.ts';

type Manner = 'bar' | 'lines' | 'json' | 'none';

/** Milliseconds between two signs of life. */
const every: Readonly<Record<Manner, number>> = { bar: 100, lines: 5_000, json: 1_000, none: 0 };
/** Milliseconds that the rate is the average of, and between two counts. */
const memory = 5_000;
const grain = 100;

export class TransferProgress {
  readonly #cli: CommandContext;
  readonly #label: string;
  readonly #manner: Manner;
  #phase: TransferEvent['phase'] | undefined;
  #shownAt = 0;
  #isShown = false;
  /** Counts of the last seconds, the oldest first. */
  #counts: { readonly at: number; readonly bytes: number }[] = [];
  /** Bytes per millisecond. */
  #rate = 0;

  /** @param label what is transferred, as it is shown */
  constructor(cli: CommandContext, label: string) {
    this.#cli = cli;
    this.#label = label;
    this.#manner = mannerOf(cli);
  }

  /** Takes an event in; shows it unless one was shown a moment ago. */
  show(event: TransferEvent): void {
    if (this.#manner === 'none') return;
    const now = performance.now();
    if (event.phase !== this.#phase) {
      this.#phase = event.phase;
      this.#counts = [];
      this.#shownAt = 0;
    }
    this.#measure(event, now);
    if (now - this.#shownAt < every[this.#manner] && this.#shownAt !== 0) return;
    this.#shownAt = now;
    this.#write(event);
  }

  #measure({ transferred, resumed }: TransferEvent, now: number): void {
    if (now - (this.#counts.at(-1)?.at ?? 0) < grain) return;
    const bytes = transferred - resumed;
    this.#counts.push({ at: now, bytes });
    this.#counts = this.#counts.filter(({ at }) => now - at <= memory);
    const oldest = this.#counts[0];
    if (!oldest || oldest.at === now) return;
    this.#rate = Math.max(0, bytes - oldest.bytes) / (now - oldest.at);
  }

  #write(event: TransferEvent): void {
    const { stderr } = this.#cli.io;
    if (this.#manner === 'json') {
      stderr.write(`${escapeControlChars.json(JSON.stringify(this.#record(event)))}\n`);
      return;
    }
    const bar = this.#manner === 'bar';
    const line = escapeControlChars.line(`${this.#label}: ${this.#text(event, bar)}`);
    if (!bar) stderr.write(`${line}\n`);
    else {
      stderr.write(`\r\u001b[2K${truncated(line, (stderr.columns || 80) - 1)}`);
      this.#isShown = true;
    }
  }

  #record(event: TransferEvent): Record<string, unknown> {
    return {
      event: 'progress',
      ...event,
      rate: Math.round(this.#rate * 1_000),
      eta: this.#secondsLeft(event) ?? null,
    };
  }

  #secondsLeft({ phase, transferred, skipped, total }: TransferEvent): number | undefined {
    if (phase !== 'copying' || this.#rate === 0) return undefined;
    return Math.ceil((total - transferred - skipped) / this.#rate / 1_000);
  }

  #text(event: TransferEvent, withBar: boolean): string {
    const { phase, transferred, skipped, total } = event;
    if (phase !== 'copying' || total === 0) return phase;
    const share = Math.min(1, (transferred + skipped) / total);
    const left = this.#secondsLeft(event);
    return [
      `${String(Math.floor(share * 100)).padStart(3)} %`,
      ...(withBar ? [barOf(share)] : []),
      `${humanBytes(transferred + skipped)} of ${humanBytes(total)}`,
      ...(this.#rate > 0 ? [`${humanBytes(Math.round(this.#rate * 1_000))}/s`] : []),
      ...(left !== undefined && left > 0 ? [`${span(left)} left`] : []),
    ].join('  ');
  }

  /** Makes room for other output. */
  clear(): void {
    if (this.#isShown) this.#cli.io.stderr.write('\r\u001b[2K');
    this.#isShown = false;
  }
}

function mannerOf(cli: CommandContext): Manner {
  const { env, stderr } = cli.io;
  if (cli.on('quiet')) return 'none';
  const format = formatOf(cli);
  if (format === 'jsonl') return 'json';
  const plain = env['ACCESSIBLE'] === '1' || env['TERM'] === 'dumb';
  if (stderr.isTTY && !plain) return 'bar';
  // Whoever asked for JSON reads stderr as well, and expects one error at most.
  return format === 'json' ? 'none' : 'lines';
}

const barWidth = 20;

function barOf(share: number): string {
  const full = Math.round(share * barWidth);
  return `[${'#'.repeat(full)}${'-'.repeat(barWidth - full)}]`;
}

/** Seconds as people say them: `40 s`, `3 m 20 s`, `2 h 5 m`. */
function span(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} m ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} m`;
}
