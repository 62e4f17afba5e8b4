/** The operations of the specification as it numbers them: rows 1 to 210, groups G1 to G35, and beyond. */
import groups from '../../../specification/groups.json' with { type: 'json' };
import operations from '../../../specification/operations.json' with { type: 'json' };

export interface SpecifiedOperation {
  readonly http: string;
  /** Path template below the API root. */
  readonly path: string;
  /** As the model names it: `list`, `add`, `start`. */
  readonly operation: string;
  /** Statuses of success. */
  readonly success: readonly number[];
}

/** A row, and the operations that it is about. */
export interface SpecifiedRow {
  /** `42`, `G3`, or `beyond`. */
  readonly number: string;
  readonly operations: readonly SpecifiedOperation[];
}

/** `POST /vms/{vm}/start start`: how rows name operations. */
export function keyOf({ http, path, operation }: SpecifiedOperation): string {
  return `${http} ${path} ${operation}`;
}

/** All rows in their order; operations that no row has are one row each, behind them. */
export function specifiedRows(): readonly SpecifiedRow[] {
  const known: readonly (SpecifiedOperation & { readonly rows: readonly number[] })[] = operations;
  const byKey = new Map(known.map((one) => [keyOf(one), one]));
  const numbered = new Map<number, SpecifiedOperation[]>();
  for (const one of known) {
    for (const number of one.rows) numbered.set(number, [...(numbered.get(number) ?? []), one]);
  }
  const rows = [...numbered].map(([number, all]) => ({ number: String(number), operations: all }));
  const grouped = Object.entries(groups as Readonly<Record<string, readonly string[]>>).map(
    ([number, keys]) => ({ number, operations: keys.map((key) => byKey.get(key) ?? parsed(key)) }),
  );
  const inRows = new Set([...rows, ...grouped].flatMap((row) => row.operations.map(keyOf)));
  const beyond = known
    .filter((one) => !inRows.has(keyOf(one)))
    .map((one) => ({ number: 'beyond', operations: [one] }));
  const order = ({ number }: SpecifiedRow) =>
    number.startsWith('G') ? 1_000 + Number(number.slice(1)) : Number(number);
  return [...[...rows, ...grouped].toSorted((a, b) => order(a) - order(b)), ...beyond];
}

/** What the API does not have: the requests of the image daemon. */
function parsed(key: string): SpecifiedOperation {
  const [http = '', path = '', operation = ''] = key.split(' ');
  return { http, path, operation, success: [] };
}
