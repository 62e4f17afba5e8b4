/** Takes an update back: sets attributes to what they were before, where nothing else has changed them. */

import { differences } from '../../cli/verbs/differences.ts';
import type { ApiObject } from '../../client/client.ts';
import { ConflictError } from '../../client/errors.ts';
import { isType, listAttributes, listOperations, parseKind } from '../../model/index.ts';
import type { Attribute, Kind } from '../../model/notation/attributes.ts';
import { decodeObject } from '../../wire/index.ts';
import type { QueryValues, Values } from './history-file.ts';
import { isValues } from './history-values.ts';
import { already, gone, type Of, present, type TakingBack, type Undone } from './object-state.ts';

/** What waits for the next start of a machine, as both get and update call it. */
const ofNextStart = { next_run: true } as const;

/** Sets an object back. Throws where it has changed since, unless that is forced. */
export async function setBack(
  context: TakingBack,
  label: string,
  inverse: Of<'update'>,
): Promise<Undone> {
  const { cli, force } = context;
  const { type, id, values, expected, query, left } = inverse;
  const running = await present(context, inverse, query);
  if (!running) throw gone(label);
  const waits = running['next_run_configuration_exists'] === true && canWait(inverse);
  const now = waits ? await present(context, inverse, { ...query, ...ofNextStart }) : running;
  if (!now) throw gone(label);
  const wanted = settable(type, values);
  for (const { path, why } of left) cli.warn(`${label}: ${path} is unchanged: ${why}`);
  const open = differing(type, wanted, now);
  if (Object.keys(open).length === 0)
    return already(cli, label, id, 'already has the previous value');
  const since = [...differences(type, settable(type, expected), now, 'update').values()].flat();
  if (since.length > 0 && !force) {
    const changes = since.map((one) => `${one.path} is ${one.from}, not ${one.to}`).join('; ');
    throw new ConflictError(`${label} has changed since: ${changes}`, {
      code: 'changed_since',
      hint: 'use --force to revert it anyway',
    });
  }
  if (waits) await setBackBoth(context, label, inverse, wanted, running);
  else await send(context, label, inverse, open, query);
  cli.note(`${label}: reverted ${Object.keys(open).join(', ')}`);
  return { object: label, id, operation: 'update' };
}

/** What the machine has now, where that differs, and then what still waits for its next start. */
async function setBackBoth(
  context: TakingBack,
  label: string,
  inverse: Of<'update'>,
  wanted: Values,
  running: ApiObject,
): Promise<void> {
  const { type, query } = inverse;
  const first = differing(type, wanted, running);
  if (Object.keys(first).length > 0) await send(context, label, inverse, first, query);
  const later = { ...query, ...ofNextStart };
  const second = differing(type, wanted, (await present(context, inverse, later)) ?? {});
  if (Object.keys(second).length > 0) await send(context, label, inverse, second, later);
}

function canWait({ path, query }: Of<'update'>): boolean {
  const update = listOperations(path).find(({ name }) => name === 'update');
  const [name] = Object.keys(ofNextStart);
  return name !== undefined && query[name] === undefined && update?.query.includes(name) === true;
}

async function send(
  { runner }: TakingBack,
  label: string,
  { path, type, ids, id }: Of<'update'>,
  body: Values,
  query: QueryValues,
): Promise<void> {
  // Large numbers are texts in the history, and numbers again where the model says so.
  const read = decodeObject('application/json', JSON.stringify(body), type, { bareLists: true });
  await runner.change({ path, name: 'update', ids, query, body: read }, { id, label });
}

function differing(type: string, wanted: Values, now: Values): Values {
  const open = differences(type, wanted, now, 'update');
  return Object.fromEntries(Object.entries(wanted).filter(([name]) => open.has(name)));
}

/** Values as a body has them: what says that there is nothing, in place of null. */
function settable(type: string, values: Values): Values {
  const attributes: Readonly<Record<string, Attribute>> = isType(type) ? listAttributes(type) : {};
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]): readonly (readonly [string, unknown])[] => {
      const kind = attributes[name]?.kind;
      if (value !== null && !isValues(value)) return [[name, value] as const];
      if (!kind) return [];
      if (value === null) {
        const nothing = nothingOf(kind);
        return nothing === undefined ? [] : [[name, nothing] as const];
      }
      const { form, of, list } = parseKind(kind);
      return [[name, form === 'struct' && !list ? settable(of, value) : value] as const];
    }),
  );
}

function nothingOf(kind: Kind): unknown {
  const { form, of, list } = parseKind(kind);
  if (list) return [];
  if (form === 'struct' || form === 'ref') return {};
  return of === 'string' ? '' : undefined;
}
