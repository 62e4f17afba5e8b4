/** Output of the outcomes of verbs and of action responses. */

import type { ApiObject } from '../../client/client.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { isType, type Operation, parseKind } from '../../model/index.ts';
import { isRecord } from '../../records.ts';
import { getFormat, isTable, printView } from '../output/print.ts';
import { write } from '../session/io.ts';
import { addLinkedColumns } from './answer-columns.ts';
import type { Collection } from './collections.ts';
import { findActionParameter } from './fields.ts';
import { showView } from './list.ts';
import type { FoundObject } from './references.ts';
import type { Run } from './run.ts';

/** Outcome of an operation on one object. */
export interface Outcome {
  readonly item: ApiObject;
  /** Whether `item` is the complete object. */
  readonly isWhole: boolean;
  /** Collection of the object, if it is not that of the verb. */
  readonly collection?: Collection;
}

/** Returns the known identity of an object. */
export function getIdentity({ id, item }: FoundObject): ApiObject {
  const name = item?.['name'];
  return name === undefined ? { id } : { id, name };
}

/** Prints outcomes. Tables contain complete objects only, machine formats at least the ids. */
export async function printOutcomes(
  run: Run,
  outcomes: readonly Outcome[],
  single: boolean,
): Promise<void> {
  const made = outcomes.find(({ collection }) => collection !== undefined)?.collection;
  const collection = made ?? run.resolved.candidate.collection;
  const { noun, type } = collection;
  const forPeople = isTable(getFormat(run.cli));
  const items = outcomes
    .filter(({ isWhole, item }) => (forPeople ? isWhole : Object.keys(item).length > 0))
    .map(({ item }) => item);
  if (items.length === 0) return;
  const shown = await addLinkedColumns(run, collection, items);
  await showView(run, { noun, type, items: shown, single: single && !forPeople });
}

/** Prints an empty list in machine formats if the command had no objects. */
export async function printEmptyList(run: Run): Promise<void> {
  if (isTable(getFormat(run.cli)) || run.cli.dryRunMode) return;
  const { noun, type } = run.resolved.candidate.collection;
  await printView(run.cli, { noun, type, items: [] });
}

/** Response parameters that the model does not declare, by action. */
const alsoAnswered: Readonly<Record<string, string>> = { allocate_vm: 'vm' };

/** Lists the response parameters that `showOutput` prints. */
export function listOutputParameters({ name, body }: Operation): readonly string[] {
  const extra = alsoAnswered[name];
  return [
    ...body.filter((one) => findActionParameter(one)?.out !== undefined),
    ...(extra === undefined ? [] : [extra]),
  ];
}

/** Prints the output parameters of an action. Returns false if the response has none. */
export async function printActionOutput(
  run: Run,
  operation: Operation,
  answer: ApiObject,
): Promise<boolean> {
  const names = listOutputParameters(operation).filter((name) => answer[name] !== undefined);
  const [only] = names;
  if (only === undefined) return false;
  if (names.length > 1) {
    const item = Object.fromEntries(names.map((name) => [name, answer[name]]));
    await printView(run.cli, { noun: only, items: [item], single: true });
    return true;
  }
  const value = answer[only];
  const kind = findActionParameter(only)?.kind;
  const { of, list } = kind ? parseKind(kind) : { of: '', list: false };
  if (typeof value !== 'object' || value === null) {
    await printPlainValue(run, only, value);
    return true;
  }
  const items = (Array.isArray(value) ? value : [value]).map((item: unknown) =>
    isRecord(item) ? item : { value: item },
  );
  await printView(run.cli, {
    noun: only,
    items,
    single: !list,
    ...(isType(of) ? { type: of } : { columns: Object.keys(items[0] ?? { value: '' }) }),
  });
  return true;
}

/**
 * Prints a plain value: unchanged for people (a file for the console viewer), with its name for
 * programs.
 */
async function printPlainValue(run: Run, name: string, value: unknown): Promise<void> {
  const { cli } = run;
  if (!isTable(getFormat(cli))) {
    await printView(cli, { noun: name, items: [{ [name]: value }], single: true });
    return;
  }
  const text = String(value);
  await write(cli.io.stdout, `${escapeControlChars.text(text.replace(/\n$/, ''))}\n`);
}
