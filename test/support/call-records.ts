/** What the servers of a test run were asked: which test drove which operation, and what was read. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoggedCall } from '../../src/server/api/call-log.ts';
import { type TestName, testOf } from './current-test.ts';

export interface CallRecord {
  /** Tests that the operation answered with success. */
  readonly tests: Map<string, TestName>;
  /** Names of parameters that the server read, in whichever call. */
  readonly query: Set<string>;
  readonly body: Set<string>;
}

/** Records by operation: `POST /vms/{vm}/start`. */
export type CallRecords = ReadonlyMap<string, CallRecord>;

/** Reads the logs of all servers that wrote into the folder. */
export function readCallRecords(folder: string): CallRecords {
  const records = new Map<string, CallRecord>();
  for (const file of readdirSync(folder).sort()) {
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
      if (line !== '') note(records, JSON.parse(line) as LoggedCall);
    }
  }
  return records;
}

function note(records: Map<string, CallRecord>, call: LoggedCall): void {
  const record = records.get(call.operation) ?? {
    tests: new Map(),
    query: new Set(),
    body: new Set(),
  };
  records.set(call.operation, record);
  for (const name of call.query) record.query.add(name);
  for (const name of call.body) record.body.add(name);
  const test = testOf(call.agent);
  if (test && call.status < 300) record.tests.set(keyOf(test), test);
}

/** What tells a test from all others. */
export function keyOf({ file, name }: TestName): string {
  return `${file} > ${name}`;
}

/**
 * The test that stands for each operation: the one that has it in its name by its number, else the
 * one that drives the fewest others, because it is the most about it.
 */
export function chooseTests(
  records: CallRecords,
  numbersOf: (operation: string) => readonly string[],
): Map<string, TestName> {
  const width = new Map<string, number>();
  for (const { tests } of records.values()) {
    for (const key of tests.keys()) width.set(key, (width.get(key) ?? 0) + 1);
  }
  const resolved = new Map<string, TestName>();
  for (const [operation, { tests }] of records) {
    const numbers = numbersOf(operation);
    const rank = ([key, { name }]: readonly [string, TestName]) =>
      numbers.some((number) => name.includes(`#${number} `)) ? 0 : (width.get(key) ?? 0);
    const [best] = [...tests].sort(
      (a, b) => rank(a) - rank(b) || (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0),
    );
    if (best) resolved.set(operation, best[1]);
  }
  return resolved;
}
