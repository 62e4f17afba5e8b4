/**
 * Operations that the servers of a test run have received, with the tests that sent them and the
 * parameters read.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoggedCall } from '../../src/server/api/call-log.ts';
import { parseTest, type TestName } from './current-test.ts';

export interface CallRecord {
  /** Tests with a successful request to the operation. */
  readonly tests: Map<string, TestName>;
  /** Names of parameters that the server read in any request. */
  readonly query: Set<string>;
  readonly body: Set<string>;
}

/** Records by operation: `POST /vms/{vm}/start`. */
export type CallRecords = ReadonlyMap<string, CallRecord>;

/** Reads the logs of all servers that wrote to the folder. */
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
  const test = parseTest(call.agent);
  if (test && call.status < 300) record.tests.set(testKey(test), test);
}

/** Unique key of a test. */
function testKey({ file, name }: TestName): string {
  return `${file} > ${name}`;
}

/** Whether a test of the file called the operation with success. */
export function isCalledIn(records: CallRecords, operation: string, file: string): boolean {
  const tests = records.get(operation)?.tests ?? new Map<string, TestName>();
  return [...tests.values()].some((test) => test.file === file);
}

/**
 * Chooses a test file for each operation: the one of the test that has the number of the operation
 * in its title, otherwise of the most specific test, which sends the fewest other operations.
 */
export function chooseTestFiles(
  records: CallRecords,
  listNumbers: (operation: string) => readonly string[],
): Map<string, string> {
  const width = new Map<string, number>();
  for (const { tests } of records.values()) {
    for (const key of tests.keys()) width.set(key, (width.get(key) ?? 0) + 1);
  }
  const files = new Map<string, string>();
  for (const [operation, { tests }] of records) {
    const numbers = listNumbers(operation);
    const rank = ([key, { name }]: readonly [string, TestName]) =>
      numbers.some((number) => name.includes(`#${number} `)) ? 0 : (width.get(key) ?? 0);
    const [best] = [...tests].sort(
      (a, b) => rank(a) - rank(b) || (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0),
    );
    if (best) files.set(operation, best[1].file);
  }
  return files;
}
