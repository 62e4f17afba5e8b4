/** Catalogue of the operations of the specification: one line of `operations.json` each. */
import catalogue from './operations.json' with { type: 'json' };

/**
 * Part of the specification that names an operation: a numbered row (`spec`), a general sentence
 * (`generic`), a rule (`implied`), or only the product (`beyond`). `daemon` marks requests to the
 * image daemon.
 */
export type Tier = 'spec' | 'generic' | 'implied' | 'beyond' | 'daemon';

interface Entry {
  /** Name in the model: `list`, `add`, `start`. */
  readonly operation: string;
  readonly tier: Tier;
  /** Numbers of the rows `1` to `210` and of the groups `G1` to `G35`. */
  readonly rows: readonly string[];
  /** Statuses of success, empty if the specification names none. */
  readonly success: readonly number[];
}

/** An operation with its method and its path template below the API root. */
export interface SpecifiedOperation extends Entry {
  readonly http: string;
  readonly path: string;
}

/** A row or group, and its operations. */
export interface SpecifiedRow {
  /** `42`, `G3`, or `beyond`. */
  readonly number: string;
  readonly operations: readonly SpecifiedOperation[];
}

/** All operations, keyed by method and path in the catalogue. */
// The JSON import types each tier as a string; test/model/operations.test.ts checks the values.
const entries = Object.entries(catalogue as Readonly<Record<string, Entry>>);

/** All operations in the order of the catalogue, with those of the image daemon. */
export const specifiedOperations: readonly SpecifiedOperation[] = entries.map(([key, entry]) => {
  const [http = '', path = ''] = key.split(' ');
  return { http, path, ...entry };
});

/** Formats an operation as rows and tests name it: `POST /vms/{vm}/start start`. */
export function formatOperation({ http, path, operation }: SpecifiedOperation): string {
  return `${http} ${path} ${operation}`;
}

/**
 * Lists rows 1 to 210, then groups G1 to G35, then each operation without a number as a row
 * `beyond`.
 */
export function listSpecifiedRows(): readonly SpecifiedRow[] {
  const numbered = new Map<string, SpecifiedOperation[]>();
  for (const one of specifiedOperations) {
    for (const number of one.rows) numbered.set(number, [...(numbered.get(number) ?? []), one]);
  }
  const order = ({ number }: SpecifiedRow) =>
    number.startsWith('G') ? 1_000 + Number(number.slice(1)) : Number(number);
  return [
    ...[...numbered]
      .map(([number, operations]) => ({ number, operations }))
      .toSorted((a, b) => order(a) - order(b)),
    ...specifiedOperations
      .filter(({ rows }) => rows.length === 0)
      .map((one) => ({ number: 'beyond', operations: [one] })),
  ];
}
