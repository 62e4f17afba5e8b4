/**
 * `docs/coverage.md` lists a test for each operation, and ignored parameters. With the call log of
 * a complete test run (`VMCTL_CALLS`), this test verifies the page: every operation succeeded in a
 * test, and every parameter was read or is listed as ignored.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  actionsWithoutEffect,
  ignoredParameters,
  refusedOperations,
} from '../../src/model/derive/coverage.ts';
import { listAllOperations, type Operation, primaryPath } from '../../src/model/index.ts';
import { actionParameters, type Parameter } from '../../src/model/notation/parameters.ts';
import { specifiedOperations } from '../../src/specification/operations.ts';
import {
  type CallRecords,
  chooseTestFiles,
  isCalledIn,
  readCallRecords,
} from '../support/call-records.ts';
import { isPart } from '../support/slow-tests.ts';
import { coveragePage, type Executed, keyOfOperation } from './support/coverage-page.ts';

const at = (path: string) => new URL(`../../${path}`, import.meta.url);
const read = <T>(path: string) => JSON.parse(readFileSync(at(path), 'utf8')) as T;

const page = at('docs/coverage.md');
const listFile = 'test/data/executed.json';
const specified = specifiedOperations.filter(({ tier }) => tier !== 'daemon');
const { VMCTL_CALLS: folder, VMCTL_WRITE_COVERAGE: writes } = process.env;
const records: CallRecords | undefined = folder ? readCallRecords(folder) : undefined;

const operations = new Map(listAllOperations().map((one) => [keyOfOperation(one), one]));

/** Numbers with which test names refer to an operation. */
function listNumbers(key: string): string[] {
  return [...(specified.find((other) => keyOfOperation(other) === key)?.rows ?? [])];
}

/** Test files of operations. Retains the previous ones that are still valid. */
function updateTestFiles(before: Executed, found: CallRecords): Executed {
  const chosen = chooseTestFiles(found, listNumbers);
  const files = specified.flatMap((one) => {
    const key = keyOfOperation(one);
    const old = before[key];
    const file = old && isCalledIn(found, key, old) ? old : chosen.get(key);
    return file ? [[key, file] as const] : [];
  });
  return Object.fromEntries(files);
}

function executedTests(): Executed {
  const before = existsSync(at(listFile)) ? read<Executed>(listFile) : {};
  if (!writes || !records) return before;
  const now = updateTestFiles(before, records);
  writeFileSync(at(listFile), `${JSON.stringify(now, null, 2)}\n`);
  return now;
}

const executed = executedTests();

describe('the page', () => {
  it('is up to date', () => {
    const text = coveragePage(specified, executed);
    if (writes) writeFileSync(page, text);
    expect(readFileSync(page, 'utf8')).toBe(text);
  });

  it('names a test for every operation that is not always refused', () => {
    const keys = specified.map(keyOfOperation);
    expect(keys.filter((key) => !executed[key] && !refusedOperations[key])).toEqual([]);
    expect(keys.filter((key) => executed[key] && refusedOperations[key])).toEqual([]);
  });

  it('names existing test files', () => {
    const files = [...new Set(Object.values(executed))];
    expect(files.filter((file) => !existsSync(at(file)))).toEqual([]);
    expect(files.length).toBeGreaterThan(20);
  });
});

describe('ignored parameters', () => {
  it('are declared for existing operations', () => {
    const unknown = ignoredParameters
      .filter(({ parameter, operation, in: place }) => {
        const found = operations.get(operation);
        return !(place === 'query' ? found?.query : found?.body)?.includes(parameter);
      })
      .map(({ operation }) => operation);
    const others = [...Object.keys(actionsWithoutEffect), ...Object.keys(refusedOperations)];
    expect([...unknown, ...others.filter((key) => !operations.has(key))]).toEqual([]);
  });
});

/** Whether a parameter of an operation is declared as ignored. */
function isIgnored(operation: Operation, place: 'query' | 'body', name: string): boolean {
  const key = keyOfOperation(operation);
  return ignoredParameters.some(
    (one) => one.in === place && one.parameter === name && one.operation === key,
  );
}

/** Parameters of an operation that a server can read, without response members. */
function listParameters({ query, body }: Operation): (readonly ['query' | 'body', string])[] {
  const table: Readonly<Record<string, Parameter>> = actionParameters;
  const sent = body.filter((name) => table[name]?.out !== 'out');
  return [
    ...query.map((name) => ['query', name] as const),
    ...sent.map((name) => ['body', name] as const),
  ];
}

describe.runIf(records)('a complete run', () => {
  const found: CallRecords = records ?? new Map();
  // If only a part of some tests ran, reads of one list or action count for the others.
  const standsFor = (other: Operation, operation: Operation) =>
    isPart
      ? other.name === operation.name
      : // Operations below a data center are served by the same rules as those below the cluster.
        primaryPath(other.path) === primaryPath(operation.path);
  const readBy = (operation: Operation, place: 'query' | 'body', name: string) =>
    [...operations.values()].some(
      (other) =>
        other.http === operation.http &&
        standsFor(other, operation) &&
        (found.get(keyOfOperation(other))?.[place].has(name) ?? false),
    );

  it('calls every operation successfully in a test', () => {
    const missing = specified
      .map(keyOfOperation)
      .filter((key) => !refusedOperations[key] && !found.get(key)?.tests.size);
    expect(missing).toEqual([]);
  });

  it('calls each operation in the listed test file', () => {
    const gone = Object.entries(executed)
      .filter(([key, file]) => !isCalledIn(found, key, file))
      .map(([key, file]) => `${key}: ${file}`);
    expect(gone, 'npm run coverage:api -- --write names others').toEqual([]);
  });

  it('reads every parameter that is not declared as ignored', () => {
    const unread = [...operations.values()].flatMap((operation) =>
      (refusedOperations[keyOfOperation(operation)] ? [] : listParameters(operation))
        .filter(([place, name]) => !isIgnored(operation, place, name))
        .filter(([place, name]) => !readBy(operation, place, name))
        .map(([place, name]) => `${keyOfOperation(operation)}: ${place} ${name}`),
    );
    expect(unread).toEqual([]);
  });

  it('reads no parameter that is declared as ignored', () => {
    const stale = [...operations.values()].flatMap((operation) =>
      listParameters(operation)
        .filter(([place, name]) => isIgnored(operation, place, name))
        .filter(([place, name]) => found.get(keyOfOperation(operation))?.[place].has(name))
        .map(([place, name]) => `${keyOfOperation(operation)}: ${place} ${name}`),
    );
    expect(stale).toEqual([]);
  });
});
