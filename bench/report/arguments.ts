/** Arguments of `npm run bench`. */
import { parseArgs } from 'node:util';

export interface Arguments {
  /** Tables to measure (default: all). */
  readonly tables: readonly string[];
  readonly json: boolean;
  readonly record: boolean;
  readonly compare: boolean;
  readonly quick: boolean;
  readonly help: boolean;
  /** Arguments of every program. */
  readonly passed: readonly string[];
}

/** Options of the command line. The last four are for programs. */
const options = {
  json: { type: 'boolean' },
  record: { type: 'boolean' },
  compare: { type: 'boolean' },
  quick: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  rounds: { type: 'string' },
  only: { type: 'string' },
  size: { type: 'string' },
  data: { type: 'string' },
} as const;

/** Text of `--help`, with the available tables. */
export function helpText(known: readonly string[]): string {
  return `Measure, each figure beside something that runs in turn with it.

Usage: npm run bench -- [table...] [flags]

Tables: ${known.join(', ')}

Flags:
  --json          print the run as JSON
  --record        append the run to bench/history.jsonl
  --compare       print the run beside the last one in bench/history.jsonl
  --quick         each once and small, to see that nothing is broken
  --rounds <n>    rounds of each work after the one that warms up (5)
  --only <words>  transfer, visibility: works with one of these words, by comma
  --size <size>   transfer: an image of this size instead of 4GiB
  --data <dir>    scale, visibility: keep the sites there for the next time
`;
}

/** Parses the arguments. Throws with a hint for unknown or inconsistent ones. */
export function parseArguments(words: readonly string[], known: readonly string[]): Arguments {
  const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true });
  const unknown = positionals.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new Error(`no such table: ${unknown.join(', ')}. Tables: ${known.join(', ')}`);
  }
  if (values.rounds !== undefined && !/^[1-9]\d{0,3}$/.test(values.rounds)) {
    throw new Error(`--rounds ${values.rounds}: a number from 1 to 9999`);
  }
  if (values.size !== undefined && !/^[1-9]\d*[MG]iB$/.test(values.size)) {
    throw new Error(`--size ${values.size}: a size such as 512MiB or 4GiB`);
  }
  const { json = false, record = false, compare = false, quick = false, help = false } = values;
  const passed = (['rounds', 'only', 'size', 'data'] as const).flatMap((name) => {
    const value = values[name];
    return value === undefined ? [] : [`--${name}=${value}`];
  });
  return {
    ...{ json, record, compare, quick, help },
    tables: known.filter((name) => positionals.length === 0 || positionals.includes(name)),
    passed: [...(quick ? ['--quick'] : []), ...passed],
  };
}
