/**
 * `docs/coverage.md` tells which test drives each operation, and what is ignored. With the log of
 * the calls of a whole run of the tests (`VMCTL_CALLS`) it is checked that this is so: every operation
 * succeeded in a test, and every parameter was read or is said to be ignored.
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
import { type CallRecords, chooseTests, keyOf, readCallRecords } from '../support/call-records.ts';
import { specifiedGroups, specifiedOperations } from '../support/specified.ts';
import { isThird } from '../support/thirds.ts';
import {
  coveragePage,
  type Executed,
  keyOfOperation,
  type Specified,
} from './support/coverage-page.ts';

const at = (path: string) => new URL(`../../${path}`, import.meta.url);
const read = <T>(path: string) => JSON.parse(readFileSync(at(path), 'utf8')) as T;

const page = at('docs/coverage.md');
const witnesses = 'test/data/executed.json';
const specified = specifiedOperations<Specified>();
const groups = specifiedGroups();
const { VMCTL_CALLS: folder, VMCTL_WRITE_COVERAGE: writes } = process.env;
const records: CallRecords | undefined = folder ? readCallRecords(folder) : undefined;

const operations = new Map(listAllOperations().map((one) => [keyOfOperation(one), one]));

/** Numbers under which the names of tests mention an operation. */
function numbersOf(key: string): string[] {
  const one = specified.find((other) => keyOfOperation(other) === key);
  const inGroups = Object.entries(groups).filter(([, all]) =>
    all.some((text) => text.startsWith(`${key} `)),
  );
  return [...(one?.rows.map(String) ?? []), ...inGroups.map(([number]) => number)];
}

/** The tests that stand for operations: those that did already, wherever they still do. */
function newWitnesses(before: Executed, found: CallRecords): Executed {
  const resolved = chooseTests(found, numbersOf);
  const tests = specified.flatMap((one) => {
    const key = keyOfOperation(one);
    const old = before[key];
    const test = old && found.get(key)?.tests.has(keyOf(old)) ? old : resolved.get(key);
    return test ? [[key, test] as const] : [];
  });
  return Object.fromEntries(tests);
}

function executedTests(): Executed {
  const before = existsSync(at(witnesses)) ? read<Executed>(witnesses) : {};
  if (!writes || !records) return before;
  const now = newWitnesses(before, records);
  writeFileSync(at(witnesses), `${JSON.stringify(now, null, 2)}\n`);
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

  it('names tests that there are', () => {
    const files = new Map<string, string>();
    for (const { file } of Object.values(executed)) {
      if (!files.has(file)) files.set(file, readFileSync(at(file), 'utf8'));
    }
    expect(files.size).toBeGreaterThan(20);
  });
});

describe('what is ignored', () => {
  it('is declared, and said of operations that there are', () => {
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

/** Whether it is said that an operation ignores a parameter. */
function isIgnored(operation: Operation, place: 'query' | 'body', name: string): boolean {
  const key = keyOfOperation(operation);
  return ignoredParameters.some(
    (one) => one.in === place && one.parameter === name && one.operation === key,
  );
}

/** Parameters of an operation that a server can read: not those that it answers. */
function parametersOf({ query, body }: Operation): (readonly ['query' | 'body', string])[] {
  const table: Readonly<Record<string, Parameter>> = actionParameters;
  const sent = body.filter((name) => table[name]?.out !== 'out');
  return [
    ...query.map((name) => ['query', name] as const),
    ...sent.map((name) => ['body', name] as const),
  ];
}

describe.runIf(records)('in the whole run', () => {
  const found: CallRecords = records ?? new Map();
  /** Where a third of some tests was run, what was read for one list or action stands for the others. */
  const standsFor = (other: Operation, operation: Operation) =>
    isThird
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

  it('every operation succeeded in a test', () => {
    const missing = specified
      .map(keyOfOperation)
      .filter((key) => !refusedOperations[key] && !found.get(key)?.tests.size);
    expect(missing).toEqual([]);
  });

  it('the test that stands for an operation drove it', () => {
    const gone = Object.entries(executed)
      .filter(([key, test]) => !found.get(key)?.tests.has(keyOf(test)))
      .map(([key, test]) => `${key}: ${keyOf(test)}`);
    expect(gone, 'npm run coverage:api -- --write names others').toEqual([]);
  });

  it('every parameter was read, unless it is said to be ignored', () => {
    const unread = [...operations.values()].flatMap((operation) =>
      (refusedOperations[keyOfOperation(operation)] ? [] : parametersOf(operation))
        .filter(([place, name]) => !isIgnored(operation, place, name))
        .filter(([place, name]) => !readBy(operation, place, name))
        .map(([place, name]) => `${keyOfOperation(operation)}: ${place} ${name}`),
    );
    expect(unread).toEqual([]);
  });

  it('nothing was read that is said to be ignored', () => {
    const stale = [...operations.values()].flatMap((operation) =>
      parametersOf(operation)
        .filter(([place, name]) => isIgnored(operation, place, name))
        .filter(([place, name]) => found.get(keyOfOperation(operation))?.[place].has(name))
        .map(([place, name]) => `${keyOfOperation(operation)}: ${place} ${name}`),
    );
    expect(stale).toEqual([]);
  });
});
