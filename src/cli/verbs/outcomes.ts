/** What came of a verb, and what its action answered: printed. */
import type { ApiObject } from '../../client/client.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { isType, type Operation, parseKind } from '../../model/index.ts';
import { formatOf, isTable, print } from '../output/print.ts';
import { write } from '../session/io.ts';
import { withLinkedColumns } from './answer-columns.ts';
import type { Collection } from './collections.ts';
import { parameterOf } from './fields.ts';
import { show } from './list.ts';
import type { Found } from './references.ts';
import type { Run } from './run.ts';

/** What came of one piece of work. */
export interface Outcome {
  readonly item: ApiObject;
  /** The item is the whole object, not just what is known about it. */
  readonly isWhole: boolean;
  /** Where it is, if that is not where the verb found its object. */
  readonly collection?: Collection;
}

/** What is known of an object without looking at it again. */
export function identity({ id, item }: Found): ApiObject {
  const name = item?.['name'];
  return name === undefined ? { id } : { id, name };
}

/** In a table only what is known in full; programs get at least the ids. */
export async function printOutcomes(
  run: Run,
  outcomes: readonly Outcome[],
  single: boolean,
): Promise<void> {
  const made = outcomes.find(({ collection }) => collection !== undefined)?.collection;
  const collection = made ?? run.resolved.candidate.collection;
  const { noun, type } = collection;
  const forPeople = isTable(formatOf(run.cli));
  const items = outcomes
    .filter(({ isWhole, item }) => (forPeople ? isWhole : Object.keys(item).length > 0))
    .map(({ item }) => item);
  if (items.length === 0) return;
  const shown = await withLinkedColumns(run, collection, items);
  await show(run, { noun, type, items: shown, single: single && !forPeople });
}

/** Where nothing was to be done, programs get an empty list. */
export async function printNothing(run: Run): Promise<void> {
  if (isTable(formatOf(run.cli)) || run.cli.dryRunMode) return;
  const { noun, type } = run.resolved.candidate.collection;
  await print(run.cli, { noun, type, items: [] });
}

/** Parameters that an action answers although the model does not list them for it. */
const alsoAnswered: Readonly<Record<string, string>> = { allocate_vm: 'vm' };

/** Parameters of the answer that `showOutput` prints, as far as the answer has them. */
export function answeredParameters({ name, body }: Operation): readonly string[] {
  const extra = alsoAnswered[name];
  return [
    ...body.filter((one) => parameterOf(one)?.out !== undefined),
    ...(extra === undefined ? [] : [extra]),
  ];
}

/** Prints what the action answered; `false` when it answered nothing of its own. */
export async function showOutput(
  run: Run,
  operation: Operation,
  answer: ApiObject,
): Promise<boolean> {
  const names = answeredParameters(operation).filter((name) => answer[name] !== undefined);
  const [only] = names;
  if (only === undefined) return false;
  if (names.length > 1) {
    const item = Object.fromEntries(names.map((name) => [name, answer[name]]));
    await print(run.cli, { noun: only, items: [item], single: true });
    return true;
  }
  const value = answer[only];
  const kind = parameterOf(only)?.kind;
  const { of, list } = kind ? parseKind(kind) : { of: '', list: false };
  if (typeof value !== 'object' || value === null) {
    await printPlain(run, only, value);
    return true;
  }
  const items = (Array.isArray(value) ? value : [value]).map((item: unknown) =>
    typeof item === 'object' && item !== null ? (item as ApiObject) : { value: item },
  );
  await print(run.cli, {
    noun: only,
    items,
    single: !list,
    ...(isType(of) ? { type: of } : { columns: Object.keys(items[0] ?? { value: '' }) }),
  });
  return true;
}

/** A file for the console viewer is printed as it is; other plain values with their name. */
async function printPlain(run: Run, name: string, value: unknown): Promise<void> {
  const { cli } = run;
  if (!isTable(formatOf(cli))) {
    await print(cli, { noun: name, items: [{ [name]: value }], single: true });
    return;
  }
  const text = String(value);
  await write(cli.io.stdout, `${escapeControlChars.text(text.replace(/\n$/, ''))}\n`);
}
