/** Numbered operations of the specification, and groups G1 to G35, as test titles name them. */
import { formatOperation, listSpecifiedRows } from '../../../src/specification/operations.ts';

export interface Row {
  /** `42`, or `G3`. */
  readonly number: string;
  /** `POST /vms/{vm}/start start`, one or more. */
  readonly operations: readonly string[];
}

/** All rows and groups, by number. */
export const rows: ReadonlyMap<string, Row> = new Map(
  listSpecifiedRows()
    .filter(({ number }) => number !== 'beyond')
    .map(({ number, operations }) => [
      number,
      { number, operations: operations.map(formatOperation) },
    ]),
);

/** Name of the tests of a row: `#92 POST /vms/{vm}/start start`. */
export function row(number: number | `G${number}`): string {
  const found = rows.get(String(number));
  if (!found) throw new Error(`The specification has no row ${number}.`);
  const [first, ...others] = found.operations;
  return `#${number} ${first}${others.length > 0 ? ` and ${others.length} more` : ''}`;
}

/** Paths of a row: a row such as `/{entity}/{id}/permissions` covers several. */
export function listPaths(number: number | `G${number}`): readonly string[] {
  const operations = rows.get(String(number))?.operations ?? [];
  return operations.map((operation) => operation.split(' ')[1] ?? '');
}
