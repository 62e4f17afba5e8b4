/**
 * Runs the programs in `bench/` sequentially and prints their rows as one table. The first argument
 * is the folder of the built programs. The others are those of `npm run bench`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Arguments, helpText, parseArguments } from './arguments.ts';
import { withoutFlattery } from './environment.ts';
import { compareRuns, lastLike, type Run, recordedRuns, recordRun, type Table } from './history.ts';
import { loadNow, readOrigin, shareOfOthers } from './machine.ts';
import { isFailed, parseRows } from './row.ts';
import { changesText, originText, tableText } from './table.ts';

const history = join('bench', 'history.jsonl');
const { env, removed } = withoutFlattery(process.env);
const [folder = '', ...words] = process.argv.slice(2);
const known = readdirSync(folder)
  .filter((name) => name.endsWith('.mjs'))
  .map((name) => basename(name, '.mjs'))
  .sort();

/** Parses the arguments. Exits with 2 for invalid ones before any measurement. */
function asked(): { readonly wanted: Arguments; readonly before?: Run } {
  const wanted = parseArguments(words, known);
  if (!wanted.compare) return { wanted };
  const before = lastLike(recordedRuns(history), wanted.quick, wanted.tables);
  if (!before) {
    const size = wanted.quick ? ' with --quick' : '';
    throw new Error(`no run of these tables${size} is recorded yet: npm run bench -- --record`);
  }
  return { wanted, before };
}

/** Runs one program. Parses its output, and forwards its messages. */
async function measure(table: string, passed: readonly string[]): Promise<Table | undefined> {
  console.error(`measuring ${table} ...`);
  const before = loadNow();
  const child = spawn(process.execPath, [join(folder, `${table}.mjs`), ...passed], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  const others = shareOfOthers(before, loadNow());
  if (code !== 0) {
    console.error(`${table} ended with ${code ?? signal}`);
    return undefined;
  }
  try {
    return { table, rows: parseRows(text), others };
  } catch (error) {
    console.error(`${table} did not answer with rows: ${String(error)}`);
    return undefined;
  }
}

async function bench({ wanted, before }: ReturnType<typeof asked>): Promise<void> {
  const origin = readOrigin('.');
  const tables: Table[] = [];
  for (const table of wanted.tables) {
    const measured = await measure(table, wanted.passed);
    if (measured) tables.push(measured);
  }
  const run: Run = { ...origin, quick: wanted.quick, tables };
  const changes = before ? compareRuns(before, run) : [];
  if (wanted.json) {
    const compared = before ? { before: { ...before, tables: undefined }, changes } : {};
    console.log(JSON.stringify({ ...run, removed, ...compared }, undefined, 2));
  } else {
    process.stdout.write(`${tableText(run)}\n${originText(run, removed)}`);
    if (before) process.stdout.write(`\n${changesText(before, changes)}`);
  }
  const isWhole = tables.length === wanted.tables.length;
  if (wanted.record && isWhole) recordRun(history, run);
  else if (wanted.record) console.error('nothing is recorded: not every program ended well');
  const isMissed = !wanted.quick && tables.some(({ rows }) => rows.some(isFailed));
  if (!isWhole || isMissed) process.exitCode = 1;
}

try {
  const what = asked();
  if (what.wanted.help) process.stdout.write(helpText(known));
  else await bench(what);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
