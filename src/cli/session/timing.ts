/** Waterfall of `--timing`: durations of stages and requests. */
import { type RequestTimes, type Span, Times } from '../../client/timing.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { truncate } from '../text/display-width.ts';
import type { Output } from './io.ts';

const barWidth = 40;
const labelWidth = 36;

export class Timing extends Times {
  readonly #stages: Span[] = [];
  #last = 0;

  /** Ends a stage of the command. The stage began at the end of the previous one. */
  stage(name: string): void {
    const now = this.now();
    this.#stages.push({ name, from: this.#last, to: now });
    this.#last = now;
  }

  /** Writes the waterfall, or one JSON object with the same figures. */
  print(stderr: Output, isJson: boolean): void {
    const total = this.now();
    const ended = Math.max(this.#last, ...this.requests.map(({ to, from }) => to ?? from));
    const spans = [
      ...this.#stages,
      ...this.requests.flatMap((request) => this.#buildSpans(request)),
      { name: 'render', from: ended, to: total },
    ];
    const text = isJson ? this.#json(spans, total) : this.#waterfall(spans, total);
    stderr.write(text);
  }

  /** Spans of a request, including its new connections. */
  #buildSpans(request: RequestTimes): readonly Span[] {
    const { label, from, firstByte, to } = request;
    const end = to ?? firstByte ?? from;
    const parts = this.connections.filter(
      (one) =>
        one.from >= from && one.to <= (firstByte ?? end) && this.#isConnectionFor(one, request),
    );
    const sent = Math.max(from, ...parts.map((part) => part.to));
    return [
      { name: label, from, to: end },
      ...parts.map((part) => ({ ...part, name: `  ${part.name}` })),
      ...(firstByte === undefined ? [] : [{ name: '  first byte', from: sent, to: firstByte }]),
      ...(firstByte === undefined ? [] : [{ name: '  body', from: firstByte, to: end }]),
    ];
  }

  /** Assigns a connection to the first of several concurrent requests. */
  #isConnectionFor(connection: Span, request: RequestTimes): boolean {
    const first = this.requests.find(
      ({ from, firstByte, to }) =>
        connection.from >= from && connection.to <= (firstByte ?? to ?? from),
    );
    return first === request;
  }

  #waterfall(spans: readonly Span[], total: number): string {
    const lines = [`${'timing, milliseconds'.padEnd(labelWidth)}     from      took`];
    for (const { name, from, to } of spans) {
      const label = truncate(escapeControlChars.line(name), labelWidth).padEnd(labelWidth);
      const start = Math.round((from / total) * barWidth);
      const length = Math.max(to > from ? 1 : 0, Math.round(((to - from) / total) * barWidth));
      const bar = `${' '.repeat(Math.min(start, barWidth - 1))}${'='.repeat(length)}`;
      lines.push(
        `${label} ${formatMilliseconds(from)} ${formatMilliseconds(to - from)}  |${bar.padEnd(barWidth)}|`,
      );
    }
    lines.push(
      `${'total'.padEnd(labelWidth)} ${formatMilliseconds(0)} ${formatMilliseconds(total)}`,
    );
    const { count, bytes, took } = this.#sums();
    lines.push(`requests: ${count}, ${took.toFixed(1)} ms, ${bytes} bytes received`);
    return `${lines.join('\n')}\n`;
  }

  #json(spans: readonly Span[], total: number): string {
    const rounded = (value: number) => Math.round(value * 10) / 10;
    const { count, bytes, took } = this.#sums();
    const timing = {
      spans: spans.map(({ name, from, to }) => ({
        name: name.trim(),
        from_ms: rounded(from),
        took_ms: rounded(to - from),
      })),
      requests: count,
      requests_ms: rounded(took),
      bytes,
      total_ms: rounded(total),
    };
    return `${escapeControlChars.json(JSON.stringify({ timing }))}\n`;
  }

  #sums(): { readonly count: number; readonly bytes: number; readonly took: number } {
    const { requests } = this;
    return {
      count: requests.length,
      bytes: requests.reduce((sum, one) => sum + (one.bytes ?? 0), 0),
      took: requests.reduce((sum, { from, to }) => sum + ((to ?? from) - from), 0),
    };
  }
}

function formatMilliseconds(milliseconds: number): string {
  return milliseconds.toFixed(1).padStart(9);
}
