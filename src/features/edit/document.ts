/** YAML document of an object: its attributes that an update can change. */
import { formatPlain } from '../../cli/output/cells.ts';
import { formatYaml } from '../../cli/output/yaml.ts';
import { isReference, isWritable } from '../../cli/verbs/fields.ts';
import { UsageError } from '../../client/errors.ts';
import { formatSize } from '../../definitions/sizes.ts';
import { isType, listAttributes, parseKind } from '../../model/index.ts';
import type { Attribute, Kind } from '../../model/notation/attributes.ts';
import { isRecord } from '../../records.ts';
import type { SourcePlace } from '../../source-place.ts';

export type Values = Readonly<Record<string, unknown>>;

/** Change of one attribute: `cpu.topology.cores`. */
export interface Change {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

function getAttributes(type: string): Readonly<Record<string, Attribute>> {
  return isType(type) ? listAttributes(type) : {};
}

/** Attributes at the start of a document. */
const firstNames = ['name', 'alias', 'description', 'comment'];

/** Formats the document of an object. */
export async function formatDocument(label: string, type: string, item: Values): Promise<string> {
  const selected = selectEditable(type, item);
  const names = [...new Set([...firstNames, ...Object.keys(selected)])];
  const values = Object.fromEntries(
    names.flatMap((name) => (selected[name] === undefined ? [] : [[name, selected[name]]])),
  );
  const head = [
    `# ${label}: change values, save the file and close the editor.`,
    `# vmctl explain ${type} describes the attributes. An unchanged file changes nothing.`,
  ].map((line) => line.replaceAll(/[\r\n]/g, ' '));
  const body = Object.keys(values).length === 0 ? '{}\n' : await formatYaml(values);
  return `${head.join('\n')}\n${body}`;
}

/** Selects the attributes that an update can change, in the form of a document. */
function selectEditable(type: string, item: Values): Values {
  const attributes = getAttributes(type);
  const selected: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(item)) {
    const attribute = attributes[name];
    if (!attribute || !isEditable(attribute)) continue;
    const { list } = parseKind(attribute.kind);
    if (Array.isArray(value)) {
      if (list) selected[name] = value.map((one) => toDocumentValue(attribute, one));
      continue;
    }
    const shown = toDocumentValue(attribute, value);
    if (shown !== undefined) selected[name] = shown;
  }
  return selected;
}

function isEditable(attribute: Attribute): boolean {
  return isWritable(attribute, 'update') && !attribute.writeOnly && !attribute.secret;
}

/** Converts a value: a name for a reference, a size with a unit. Undefined for a structure without editable members. */
function toDocumentValue({ kind, unit }: Attribute, value: unknown): unknown {
  if (!isRecord(value)) {
    const isSize = unit === 'bytes' && (typeof value === 'number' || typeof value === 'bigint');
    return isSize ? formatSize(value) : value;
  }
  const { of } = parseKind(kind);
  if (isReference(kind)) return value['name'] ?? value['id'];
  const inner = selectEditable(of, value);
  return Object.keys(inner).length === 0 ? undefined : inner;
}

/** Refuses attributes that an update cannot change. Throws `UsageError` with the position. */
export function refuseReadOnly(type: string, values: Values, place: SourcePlace): void {
  const attributes = getAttributes(type);
  for (const [name, value] of Object.entries(values)) {
    const attribute = attributes[name];
    const at = place.at(name);
    if (attribute ? !isWritable(attribute, 'update') : name === 'id' || name === 'href') {
      throw new UsageError(`${at.position()}: update cannot change "${name}"`, {
        code: 'bad_document',
        hint: 'remove the line',
      });
    }
    if (attribute && isStructure(attribute.kind) && isRecord(value)) {
      refuseReadOnly(parseKind(attribute.kind).of, value, at);
    }
  }
}

/** Whether members of the attribute are changed one by one. */
function isStructure(kind: Kind): boolean {
  const { form, list } = parseKind(kind);
  return form === 'struct' && !list && !isReference(kind);
}

/** Lists the changed attributes of two documents. */
export function listChanges(
  type: string,
  before: Values,
  after: Values,
  prefix = '',
): readonly Change[] {
  const attributes = getAttributes(type);
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const [from, to] = [before[name], after[name]];
    const path = `${prefix}${name}`;
    if (isEqual(from, to)) return [];
    const kind = attributes[name]?.kind;
    if (kind && isStructure(kind) && isRecord(from) && isRecord(to)) {
      return listChanges(parseKind(kind).of, from, to, `${path}.`);
    }
    return [{ path, from, to }];
  });
}

/**
 * Selects the changed attributes of a decoded document; a removed attribute gets an empty value.
 * Throws `UsageError` for a removed attribute that always has a value.
 */
export function selectChanged(
  type: string,
  before: Values,
  after: Values,
  decoded: Values,
  prefix = '',
): Record<string, unknown> {
  const attributes = getAttributes(type);
  const selected: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [from, to, value] = [before[name], after[name], decoded[name]];
    const attribute = attributes[name];
    if (!attribute || isEqual(from, to)) continue;
    if (to === undefined) {
      selected[name] = getEmptyValue(attribute.kind, `${prefix}${name}`);
    } else if (isStructure(attribute.kind) && isRecord(from) && isRecord(to) && isRecord(value)) {
      const { of } = parseKind(attribute.kind);
      selected[name] = selectChanged(of, from, to, value, `${prefix}${name}.`);
    } else {
      selected[name] = value;
    }
  }
  return selected;
}

function getEmptyValue(kind: Kind, path: string): unknown {
  const { form, of, list } = parseKind(kind);
  if (list) return [];
  if (form === 'struct' || form === 'ref') return {};
  if (of === 'string') return '';
  throw new UsageError(`cannot remove "${path}": it always has a value`, {
    code: 'bad_document',
    hint: 'restore the line, or set another value',
  });
}

function isEqual(one: unknown, other: unknown): boolean {
  return toText(one) === toText(other);
}

function toText(value: unknown): string | undefined {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? part.toString() : part,
  );
}

/** Formats a change: `memory: 1 GiB -> 2 GiB`. */
export function formatChange({ path, from, to }: Change): string {
  return `${path}: ${formatSide(from)} -> ${formatSide(to)}`;
}

function formatSide(value: unknown): string {
  if (value === undefined) return '(nothing)';
  if (Array.isArray(value)) return `[${value.map(formatPlain).join(', ')}]`;
  return formatPlain(value) || "''";
}
