/** What some actions answer: tickets, targets that were found, statistics. */
import type { Thing } from '../../client/client.ts';
import { isType, type Operation, parseKind } from '../../model/index.ts';
import { formatOf, isTable, print } from '../output/print.ts';
import { write } from '../session/io.ts';
import { harmless } from '../text/escape-control-chars.ts';
import { parameterOf } from './fields.ts';
import type { Run } from './run.ts';

/** Parameters that an action answers although the model does not list them for it. */
const alsoAnswered: Readonly<Record<string, string>> = { allocate_vm: 'vm' };

/** Prints what the action answered; `false` when it answered nothing of its own. */
export async function showOutput(run: Run, operation: Operation, answer: Thing): Promise<boolean> {
  const extra = alsoAnswered[operation.name];
  const names = [
    ...operation.body.filter((name) => parameterOf(name)?.out !== undefined),
    ...(extra === undefined ? [] : [extra]),
  ].filter((name) => answer[name] !== undefined);
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
    typeof item === 'object' && item !== null ? (item as Thing) : { value: item },
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
  await write(cli.io.stdout, `${harmless.text(text.replace(/\n$/, ''))}\n`);
}
