/**
 * Progress of a transfer on stderr: a bar on a terminal, otherwise periodic lines or JSON lines,
 * nothing with `--quiet`.
 */

import { escapeControlChars } from '../../../escape-control-chars.ts';
import type { TransferEvent } from '../../../transfer/index.ts';
import { formatBytes } from '../../output/cells.ts';
import { getFormat } from '../../output/print.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { truncate } from '../../text/display-width.ts';

type ProgressStyle = 'bar' | 'lines' | 'json' | 'none';

/** Milliseconds between two reports. */
const reportIntervalMs: Readonly<Record<ProgressStyle, number>> = {
  bar: 100,
  lines: 5_000,
  json: 1_000,
  none: 0,
};
/** Milliseconds of the average rate, and between two samples. */
const averageMs = 5_000;
const sampleIntervalMs = 100;

export class TransferProgress {
  readonly #cli: CommandContext;
  readonly #label: string;
  readonly #style: ProgressStyle;
  #phase: TransferEvent['phase'] | undefined;
  #shownAt = 0;
  #isShown = false;
  /** Recent samples, oldest first. */
  #counts: { readonly at: number; readonly bytes: number }[] = [];
  /** Bytes per millisecond. */
  #rate = 0;

  /** @param label printed name of the transfer */
  constructor(cli: CommandContext, label: string) {
    this.#cli = cli;
    this.#label = label;
    this.#style = selectStyle(cli);
  }

  /** Records an event, and reports it if the last report is old enough. */
  show(event: TransferEvent): void {
    if (this.#style === 'none') return;
    const now = performance.now();
    if (event.phase !== this.#phase) {
      this.#phase = event.phase;
      this.#counts = [];
      this.#shownAt = 0;
    }
    this.#measure(event, now);
    if (now - this.#shownAt < reportIntervalMs[this.#style] && this.#shownAt !== 0) return;
    this.#shownAt = now;
    this.#write(event);
  }

  #measure({ transferred, resumed }: TransferEvent, now: number): void {
    if (now - (this.#counts.at(-1)?.at ?? 0) < sampleIntervalMs) return;
    const bytes = transferred - resumed;
    this.#counts.push({ at: now, bytes });
    this.#counts = this.#counts.filter(({ at }) => now - at <= averageMs);
    const oldest = this.#counts[0];
    if (!oldest || oldest.at === now) return;
    this.#rate = Math.max(0, bytes - oldest.bytes) / (now - oldest.at);
  }

  #write(event: TransferEvent): void {
    const { stderr } = this.#cli.io;
    if (this.#style === 'json') {
      stderr.write(`${escapeControlChars.json(JSON.stringify(this.#record(event)))}\n`);
      return;
    }
    const bar = this.#style === 'bar';
    const line = escapeControlChars.line(`${this.#label}: ${this.#text(event, bar)}`);
    if (!bar) stderr.write(`${line}\n`);
    else {
      stderr.write(`\r\u001b[2K${truncate(line, (stderr.columns || 80) - 1)}`);
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
      ...(withBar ? [formatBar(share)] : []),
      `${formatBytes(transferred + skipped)} of ${formatBytes(total)}`,
      ...(this.#rate > 0 ? [`${formatBytes(Math.round(this.#rate * 1_000))}/s`] : []),
      ...(left !== undefined && left > 0 ? [`${formatSeconds(left)} left`] : []),
    ].join('  ');
  }

  /** Clears the line before other output. */
  clear(): void {
    if (this.#isShown) this.#cli.io.stderr.write('\r\u001b[2K');
    this.#isShown = false;
  }
}

function selectStyle(cli: CommandContext): ProgressStyle {
  const { env, stderr } = cli.io;
  if (cli.isOn('quiet')) return 'none';
  const format = getFormat(cli);
  if (format === 'jsonl') return 'json';
  const plain = env['ACCESSIBLE'] === '1' || env['TERM'] === 'dumb';
  if (stderr.isTTY && !plain) return 'bar';
  // With -o json, stderr contains at most one error.
  return format === 'json' ? 'none' : 'lines';
}

const barWidth = 20;

function formatBar(share: number): string {
  const full = Math.round(share * barWidth);
  return `[${'#'.repeat(full)}${'-'.repeat(barWidth - full)}]`;
}

/** Formats seconds: `40 s`, `3 m 20 s`, `2 h 5 m`. */
function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} m ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} m`;
}
