/** Sparklines of CPU and memory in `vmctl top`, from the polls of this run. */
import { supportsUtf8 } from '../../text/display-width.ts';

type Row = Readonly<Record<string, unknown>>;

/** Marks of a percentage, from low to high. */
const marks = { unicode: '▁▂▃▄▅▆▇█', ascii: '_.:-=+*#' };

const measured = ['cpu', 'memory'] as const;

/** Maximum number of polls in a sparkline. */
const maxPolls = 20;

/** Columns of the terminal that the other columns need. */
const otherColumns = 64;

/** Minimum width of the terminal. */
const minimumWidth = 80;

/** Renders percentages with one character each. A missing value is a space. */
export function renderSparkline(
  percentages: readonly (number | undefined)[],
  hasUnicode: boolean,
): string {
  const levels = [...(hasUnicode ? marks.unicode : marks.ascii)];
  return percentages
    .map((value) => {
      if (value === undefined) return ' ';
      const level = Math.floor((value / 100) * levels.length);
      return levels[Math.max(0, Math.min(levels.length - 1, level))];
    })
    .join('');
}

export class Trends {
  readonly #hasUnicode: boolean;
  #polls: (readonly Row[])[] = [];

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#hasUnicode = supportsUtf8(env);
  }

  /** Adds the rows of a poll. */
  add(rows: readonly Row[]): void {
    this.#polls = [...this.#polls, rows].slice(-maxPolls);
  }

  /** Inserts the columns of sparklines, if the terminal is wide enough. */
  addColumns(columns: readonly string[], width: number): readonly string[] {
    if (width < minimumWidth) return columns;
    return columns.flatMap((name) =>
      measured.some((one) => one === name) ? [name, `${name}_trend`] : [name],
    );
  }

  /** Adds sparklines of the last polls to the rows, for a terminal of `width` columns. */
  fill(rows: readonly Row[], width: number): readonly Row[] {
    const count = Math.max(0, (width - otherColumns) >> 1);
    const polls = count === 0 ? [] : this.#polls.slice(-count);
    return rows.map((row) => {
      const past = polls.map((poll) => poll.find(({ id }) => id === row['id']));
      const trends = measured.map((name) => {
        const values = past.map((one) => {
          const value = one?.[name];
          return typeof value === 'number' ? value : undefined;
        });
        return [`${name}_trend`, renderSparkline(values, this.#hasUnicode)] as const;
      });
      return { ...row, ...Object.fromEntries(trends) };
    });
  }
}
