/** Undo of updates: restores previous attribute values, unless the object has changed since. */

import { findDifferences } from '../../cli/verbs/differences.ts';
import type { ApiObject } from '../../client/client.ts';
import { ConflictError } from '../../client/errors.ts';
import { isType, listAttributes, listOperations, parseKind } from '../../model/index.ts';
import type { Attribute, Kind } from '../../model/notation/attributes.ts';
import { isRecord } from '../../records.ts';
import { decodeObject } from '../../wire/index.ts';
import { findLaterChange } from './entries.ts';
import { formatRecord, type QueryValues, type Values } from './history-file.ts';
import {
  type InverseOfKind,
  missingObject,
  readCurrentObject,
  reportUnchanged,
  type UndoContext,
  type UndoResult,
} from './object-state.ts';

/** Query parameter of get and update for the configuration of the next start of a VM. */
const nextStartQuery = { next_run: true } as const;

/**
 * Restores the previous values of an object. Throws `changed_since` if the object has changed
 * since, unless forced.
 */
export async function restoreValues(
  context: UndoContext,
  label: string,
  inverse: InverseOfKind<'update'>,
): Promise<UndoResult> {
  const { cli, force } = context;
  const { type, id, values, expected, query, irreversible: left } = inverse;
  const running = await readCurrentObject(context, inverse, query);
  if (!running) throw missingObject(context, label, id);
  const waits = running['next_run_configuration_exists'] === true && canChangeNextStart(inverse);
  const now = waits
    ? await readCurrentObject(context, inverse, { ...query, ...nextStartQuery })
    : running;
  if (!now) throw missingObject(context, label, id);
  const wanted = toBody(type, values);
  for (const { path, why } of left) cli.warn(`${label}: ${path} is unchanged: ${why}`);
  const open = selectDifferent(type, wanted, now);
  if (Object.keys(open).length === 0)
    return reportUnchanged(cli, label, id, 'already has the previous value');
  const since = [...findDifferences(type, toBody(type, expected), now, 'update').values()].flat();
  if (since.length > 0 && !force) {
    const changes = since.map((one) => `${one.path} is ${one.from}, not ${one.to}`).join('; ');
    const later = findLaterChange(cli, context.number, id, 'update');
    const first = later ? `undo the later change first: vmctl undo ${later.number}; or ` : '';
    throw new ConflictError(`${label} has changed since: ${changes}`, {
      code: 'changed_since',
      hint: `${first}use --force to revert it anyway`,
    });
  }
  if (waits) await restoreBoth(context, label, inverse, wanted, running);
  else await sendUpdate(context, label, inverse, open, query);
  cli.note(`${label}: reverted ${Object.keys(open).join(', ')}`);
  return { object: label, id, operation: 'update' };
}

/**
 * Restores the running configuration, then the remaining differences of the next-start
 * configuration.
 */
async function restoreBoth(
  context: UndoContext,
  label: string,
  inverse: InverseOfKind<'update'>,
  wanted: Values,
  running: ApiObject,
): Promise<void> {
  const { type, query } = inverse;
  const first = selectDifferent(type, wanted, running);
  if (Object.keys(first).length > 0) await sendUpdate(context, label, inverse, first, query);
  const later = { ...query, ...nextStartQuery };
  const second = selectDifferent(
    type,
    wanted,
    (await readCurrentObject(context, inverse, later)) ?? {},
  );
  if (Object.keys(second).length > 0) await sendUpdate(context, label, inverse, second, later);
}

function canChangeNextStart({ path, query }: InverseOfKind<'update'>): boolean {
  const update = listOperations(path).find(({ name }) => name === 'update');
  const [name] = Object.keys(nextStartQuery);
  return name !== undefined && query[name] === undefined && update?.query.includes(name) === true;
}

async function sendUpdate(
  { runner }: UndoContext,
  label: string,
  { path, type, ids, id }: InverseOfKind<'update'>,
  body: Values,
  query: QueryValues,
): Promise<void> {
  // The history stores large numbers as strings; decoding converts them according to the model.
  const read = decodeObject('application/json', formatRecord(body), type, { bareLists: true });
  await runner.change({ path, name: 'update', ids, query, body: read }, { id, label });
}

function selectDifferent(type: string, wanted: Values, now: Values): Values {
  const open = findDifferences(type, wanted, now, 'update');
  return Object.fromEntries(Object.entries(wanted).filter(([name]) => open.has(name)));
}

/** Values for a request body: replaces null by the empty value of the attribute's kind. */
function toBody(type: string, values: Values): Values {
  const attributes: Readonly<Record<string, Attribute>> = isType(type) ? listAttributes(type) : {};
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]): readonly (readonly [string, unknown])[] => {
      const kind = attributes[name]?.kind;
      if (value !== null && !isRecord(value)) return [[name, value] as const];
      if (!kind) return [];
      if (value === null) {
        const nothing = emptyValue(kind);
        return nothing === undefined ? [] : [[name, nothing] as const];
      }
      const { form, of, list } = parseKind(kind);
      return [[name, form === 'struct' && !list ? toBody(of, value) : value] as const];
    }),
  );
}

function emptyValue(kind: Kind): unknown {
  const { form, of, list } = parseKind(kind);
  if (list) return [];
  if (form === 'struct' || form === 'ref') return {};
  return of === 'string' ? '' : undefined;
}
