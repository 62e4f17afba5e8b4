/**
 * The numbered operations of the specification, and its groups G1 to G35: what a test names when it
 * says which of them it drives.
 */
import { specifiedGroups, specifiedOperations } from '../../support/specified.ts';

export interface Row {
  /** `42`, or `G3`. */
  readonly number: string;
  /** `POST /vms/{vm}/start start`, one or more. */
  readonly operations: readonly string[];
}

interface Listed {
  readonly http: string;
  readonly path: string;
  readonly operation: string;
  readonly rows: readonly number[];
}

/** All rows, in order. */
export const rows: ReadonlyMap<string, Row> = readRows();

function readRows(): Map<string, Row> {
  const found = new Map<string, string[]>();
  for (const { http, path, operation, rows: numbers } of specifiedOperations<Listed>()) {
    for (const number of numbers) {
      const operations = found.get(String(number)) ?? [];
      operations.push(`${http} ${path} ${operation}`);
      found.set(String(number), operations);
    }
  }
  const numbered = [...found].sort(([a], [b]) => Number(a) - Number(b));
  const grouped = Object.entries(specifiedGroups());
  return new Map(
    [...numbered, ...grouped].map(([number, operations]) => [number, { number, operations }]),
  );
}

/** Name of the tests of a row: `#92 POST /vms/{vm}/start start`. */
export function row(number: number | `G${number}`): string {
  const found = rows.get(String(number));
  if (!found) throw new Error(`The specification has no row ${number}.`);
  const [first, ...others] = found.operations;
  return `#${number} ${first}${others.length > 0 ? ` and ${others.length} more` : ''}`;
}

/** Paths of a row: a row such as `/{entity}/{id}/permissions` stands for many. */
export function pathsOf(number: number | `G${number}`): readonly string[] {
  const operations = rows.get(String(number))?.operations ?? [];
  return operations.map((operation) => operation.split(' ')[1] ?? '');
}
