/** Geometry and text alternative of the load charts. Runs without a DOM. */
import type { Load, Sample } from './host-load.ts';

/** Time axis of a chart; `now` is its right end. */
export interface TimeAxis {
  readonly now: number;
  readonly periodMs: number;
  /** Maximum time between two samples that a line connects. */
  readonly maxGapMs: number;
}

/** Size of a chart in its own units; the height is in percent. */
export const chartSize = { width: 600, height: 100 };

/**
 * Lines of a chart, as `points` of polylines. Lines end where samples or values are missing. A
 * single sample is a line without length, which round line caps make a dot.
 */
export function layOutLines(
  samples: readonly Sample[],
  measure: keyof Load,
  { now, periodMs, maxGapMs }: TimeAxis,
): readonly string[] {
  const lines: string[][] = [];
  let lastAt = -Infinity;
  for (const { at, [measure]: value } of samples) {
    if (value === undefined || at < now - periodMs || at > now) continue;
    const x = chartSize.width * (1 - (now - at) / periodMs);
    const y = chartSize.height * (1 - Math.max(0, Math.min(100, value)) / 100);
    const point = `${round(x)},${round(y)}`;
    const line = lines.at(-1);
    if (line && at - lastAt <= maxGapMs) line.push(point);
    else lines.push([point]);
    lastAt = at;
  }
  return lines.map((line) => (line.length === 1 ? [...line, ...line] : line).join(' '));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Describes a chart in text: the covered time, and the range of each measure. */
export function describeChart(name: string, samples: readonly Sample[], now: number): string {
  const [first] = samples;
  if (!first) return `Load of ${name}: no data`;
  const covered = formatPeriod(now - first.at);
  const ranges = [describeRange('CPU', samples, 'cpu'), describeRange('memory', samples, 'memory')];
  return `Load of ${name}, last ${covered}: ${ranges.join(', ')}`;
}

function describeRange(title: string, samples: readonly Sample[], measure: keyof Load): string {
  const values = samples.flatMap(({ [measure]: value }) => value ?? []);
  if (values.length === 0) return `${title} no data`;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return `${title} ${low.toFixed(0)} to ${high.toFixed(0)} %`;
}

/** Formats a period in seconds, from two minutes on in minutes. */
export function formatPeriod(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds < 120) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  return `${Math.floor(seconds / 60)} minutes`;
}
