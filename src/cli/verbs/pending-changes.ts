/** Time at which changes of a running VM take effect: now, or at its next start. */

import type { ApiObject, Client } from '../../client/client.ts';
import { ConflictError, UsageError, VmctlError } from '../../client/errors.ts';
import { isType, listAttributes, parseKind, requireOperation } from '../../model/index.ts';
import { hotPluggedVmAttributes, liveVmAttributes } from '../../model/live-vm-attributes.ts';
import type { Attribute } from '../../model/notation/attributes.ts';
import { isRecord } from '../../records.ts';
import { formatBytes, formatForPeople, getMeaning } from '../output/cells.ts';
import { formatCommandLine } from '../session/command-line.ts';
import { formatJson } from '../text/json.ts';
import { getObject } from '../text/objects.ts';
import { findDifferences } from './differences.ts';
import { isWritable } from './fields.ts';
import type { FoundObject } from './references.ts';
import type { Run } from './run.ts';
import { resolveNames } from './update.ts';

/** Attribute with its running and its next value; undefined if unset. */
export interface PendingChange {
  readonly attribute: string;
  readonly running: string | undefined;
  readonly next: string | undefined;
}

/** Compares the running configuration of a VM with that of its next start. */
export async function readPendingChanges(
  client: Client,
  id: string,
): Promise<readonly PendingChange[]> {
  const operation = requireOperation('/vms/{vm}', 'get');
  const read = (query: { next_run?: boolean }) =>
    client.object({ operation, ids: { vm: id }, query });
  const [running, next] = await Promise.all([read({}), read({ next_run: true })]);
  const before = new Map(listLeaves({ ...running }, 'vm'));
  const after = new Map(listLeaves({ ...next }, 'vm'));
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => ({ attribute: path, running: before.get(path), next: after.get(path) }));
}

/** Lists paths and values of the attributes that an update can change. */
function listLeaves(
  values: ApiObject,
  type: string,
  prefix = '',
): readonly (readonly [string, string])[] {
  const attributes: Readonly<Record<string, Attribute>> = isType(type) ? listAttributes(type) : {};
  return Object.entries(values).flatMap(([name, value]) => {
    const attribute = attributes[name];
    if (!attribute || !isWritable(attribute, 'update')) return [];
    const path = `${prefix}${name}`;
    if (!isRecord(value)) return [[path, formatLeaf(value)] as const];
    if (value['id'] !== undefined) return [[path, String(value['id'])] as const];
    return listLeaves(value, parseKind(attribute.kind).of, `${path}.`);
  });
}

function formatLeaf(value: unknown): string {
  return Array.isArray(value) ? formatJson(value) : String(value);
}

/** Formats a value for people: `8 GiB`. */
export function formatPendingValue(path: string, value: unknown): string {
  if (value === undefined) return '(nothing)';
  const isNumber = /^\d+$/.test(String(value));
  return formatForPeople(isNumber ? Number(value) : value, getMeaning('vm', path), undefined);
}

/** Adds the pending changes to a VM for the detail view: `next_start.cpu.topology.cores`. */
export async function addPendingChanges(client: Client, item: ApiObject): Promise<ApiObject> {
  const changes = await readPendingChanges(client, String(item['id']));
  const pending = changes.map(({ attribute, running, next }) => [
    `next_start.${attribute}`,
    `${formatPendingValue(attribute, next)} (now ${formatPendingValue(attribute, running)})`,
  ]);
  return { ...item, ...Object.fromEntries(pending) };
}

/**
 * Prints when the sent attributes of a running VM take effect: now, or at its next start. Changes
 * that always take effect at once, such as the name, have no note.
 */
export async function noteEffect(
  { cli, client, options }: Run,
  target: FoundObject,
  sent: Readonly<Record<string, unknown>>,
  item: ApiObject,
): Promise<void> {
  const paths = listPaths(sent, '');
  const isPending = item['next_run_configuration_exists'] === true;
  const differing = isPending ? await readPendingChanges(client, target.id) : [];
  const overlaps = (path: string, one: string) => isInside(path, one) || isInside(one, path);
  const pending = differing
    .map(({ attribute }) => attribute)
    .filter((path) => paths.some((one) => overlaps(path, one)));
  const present = paths.filter((path) => !pending.some((one) => overlaps(path, one)));
  const isNotable =
    pending.length > 0 || present.some((one) => hotPluggedVmAttributes.includes(one));
  if (item['status'] !== 'down' && options['nextRun'] !== true && isNotable && present.length > 0) {
    cli.note(`${target.label}: in effect now: ${present.join(', ')}`);
  }
  if (pending.length === 0) return;
  const name = item['name'] ?? target.id;
  const reboot = formatCommandLine(cli, ['vms', 'reboot', String(name)]);
  const text = `takes effect at the next start: ${pending.join(', ')}`;
  if (options['now'] === true) {
    throw new ConflictError(`${target.label}: ${text}`, { hint: reboot });
  }
  const isUp = item['status'] === 'up';
  cli.note(`${target.label}: ${text}${isUp ? `; run: ${reboot}` : ''}`);
}

/**
 * Adds a hint to the refusal of more memory than a running VM can get: its maximum changes at its
 * next start.
 */
export async function addMemoryHint(
  { cli, client }: Run,
  target: FoundObject,
  sent: Readonly<Record<string, unknown>>,
  error: unknown,
): Promise<unknown> {
  const isRefusal = error instanceof VmctlError && [400, 409].includes(error.status ?? 0);
  if (!isRefusal || sent['memory'] === undefined) return error;
  const operation = requireOperation('/vms/{vm}', 'get');
  const running = await client.object({ operation, ids: { vm: target.id } }).catch(() => undefined);
  if (!running) return error;
  const max = getObject(running, 'memory_policy')?.['max'];
  if (running['status'] === 'down' || max === undefined) return error;
  if (Number(sent['memory']) <= Number(max)) return error;
  const reboot = formatCommandLine(cli, ['vms', 'reboot', String(running['name'] ?? target.id)]);
  const hint =
    `the running VM can have at most ${formatBytes(Number(max))}; a new maximum takes effect at the next start: ` +
    `add --next-run, then run: ${reboot}`;
  return Object.assign(error, { hint });
}

/** Refuses changes of a running VM that need a restart, for `--now`. Sends no change. */
export async function requireLiveChanges(
  { client, finder, options }: Run,
  target: FoundObject,
  body: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (options['nextRun'] !== undefined) {
    throw new UsageError('--now and --next-run exclude each other', { hint: 'use one of them' });
  }
  const operation = requireOperation('/vms/{vm}', 'get');
  const what = `get ${target.label}`;
  const running = await client.object({ operation, ids: { vm: target.id }, what });
  if (running['status'] === 'down') return;
  const wanted = await resolveNames(finder, 'vm', body);
  const differences = [...findDifferences('vm', wanted, running, 'update').values()].flat();
  const cold = differences
    .map(({ path }) => path)
    .filter((path) => !liveVmAttributes.some((live) => isInside(path, live)));
  const restart = 'without --now, the change takes effect at the next start';
  if (cold.length > 0) {
    throw new ConflictError(
      `${target.label}: cannot change while the VM runs: ${cold.join(', ')}`,
      {
        hint: restart,
      },
    );
  }
  const [memory, more] = [running['memory'], wanted['memory']].map(Number);
  // The API does not show which memory devices can be unplugged.
  if (memory !== undefined && more !== undefined && more < memory) {
    const sizes = [memory, more].map(formatBytes).join(' to ');
    throw new ConflictError(`${target.label}: cannot reduce the memory of a running VM: ${sizes}`, {
      hint: restart,
    });
  }
}

/** Lists the paths of plain values, lists and references. */
function listPaths(values: Readonly<Record<string, unknown>>, prefix: string): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    isRecord(value) && Object.keys(value).length > 0
      ? listPaths(value, `${prefix}${name}.`)
      : [`${prefix}${name}`],
  );
}

function isInside(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}.`);
}
