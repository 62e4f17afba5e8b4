/** Input documents from files and stdin: JSON or YAML with size units, or XML. */

import * as fs from 'node:fs';
import { getErrorMessage } from '../../caught-errors.ts';
import { UsageError } from '../../client/errors.ts';
import { hasUnit } from '../../definitions/sizes.ts';
import { parseNumberWithUnit } from '../../definitions/values.ts';
import { type ParsedText, parseYaml } from '../../definitions/yaml-text.ts';
import { typeOptions } from '../../model/derive/commands.ts';
import { isType, listAttributes, parseKind } from '../../model/index.ts';
import type { SourcePlace } from '../../source-place.ts';
import { systemReason } from '../../system-errors.ts';
import { decodeAction, decodeObject, type MediaType, WireError } from '../../wire/index.ts';
import type { ValueKind } from '../args/values.ts';
import type { CommandContext } from '../session/command-context.ts';
import { type BodySchema, findValueKind, isReference, isWritable } from './fields.ts';
import { getNameAttributes, isUuid } from './identifiers.ts';

/** Reads a file completely; `-` is stdin. Throws `UsageError`. */
export async function readInput(cli: CommandContext, path: string, flag: string): Promise<string> {
  if (path === '-') {
    if (cli.io.stdin.isTTY) cli.note('reading from the terminal; end the text with Ctrl-D');
    let text = '';
    for await (const chunk of cli.io.stdin) text += String(chunk);
    return text;
  }
  try {
    return fs.readFileSync(path, 'utf8');
  } catch (error) {
    const problem = `cannot read "${path}": ${systemReason(error)}`;
    throw new UsageError(flag === path ? problem : `${flag}: ${problem}`, { cause: error });
  }
}

/** Start of an OVF document after declaration and comments; a VM can be created from one. */
const ovfRoot = /^\uFEFF?(?:\s|<\?[\s\S]*?\?>|<!--[\s\S]*?-->)*<(?:\w+:)?Envelope[\s>]/;

/**
 * Parses a document. Drops read-only attributes with a note, so that the output of one command can
 * be the input of another. Throws `UsageError` for members that the type does not have.
 */
export async function parseDocument(
  cli: CommandContext,
  text: string,
  shape: BodySchema,
  operation: string,
  path: string,
): Promise<Record<string, unknown>> {
  if ('type' in shape && shape.type === 'vm' && ovfRoot.test(text)) {
    return { initialization: { configuration: { type: 'ovf', data: text } } };
  }
  const name = path === '-' ? 'stdin' : path;
  const { media, text: document, place } = await normalizeDocument(text, name, shape);
  // Plain arrays, as in the output of `-o json` and `-o yaml`.
  const options = { bareLists: true };
  let decoded: Record<string, unknown>;
  try {
    decoded =
      'type' in shape
        ? decodeObject(media, document, shape.type, options)
        : decodeAction(media, document, shape.action, options);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new UsageError(addPosition(name, error, place), {
      code: 'bad_document',
      hint: 'use names of the API (vmctl explain)',
      cause: error,
    });
  }
  return 'type' in shape ? keepWritable(cli, decoded, shape.type, operation) : decoded;
}

/** Adds the position in the file to a message of the decoder; syntax errors start with it. */
function addPosition(
  name: string,
  { message, steps, position }: WireError,
  place: SourcePlace | undefined,
): string {
  if (steps && place) return `${place.at(...steps).position()}: ${message}`;
  if (position === undefined) return `${name}:${message}`;
  return `${name}:${position}: ${message.replace(/ \(at \d+:\d+\)$/, '')}`;
}

/** Document for the decoder; `place` locates members of JSON and YAML in the text of the user. */
interface NormalizedDocument {
  readonly media: MediaType;
  readonly text: string;
  readonly place?: SourcePlace;
}

/** Converts YAML, and JSON with size units, to plain JSON. XML remains unchanged. */
async function normalizeDocument(
  text: string,
  name: string,
  shape: BodySchema,
): Promise<NormalizedDocument> {
  const start = text.trimStart().charAt(0);
  if (start === '')
    throw new UsageError(`${name}:1:1: the text is empty`, { code: 'bad_document' });
  if (start === '<') return { media: 'application/xml', text };
  // The wire decoder reports syntax errors in JSON with more detail.
  const isJsonObject = start === '{';
  if (isJsonObject && !isJson(text)) return { media: 'application/json', text };
  let parsed: ParsedText;
  try {
    parsed = await parseYaml(text, name, { intAsBigInt: true, allowNull: isJsonObject });
  } catch (error) {
    throw new UsageError(getErrorMessage(error), {
      code: 'bad_document',
      hint: 'use one object with attributes of the API, as JSON, YAML or XML',
      cause: error,
    });
  }
  const { value, place } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`${name}:1:1: expected one object`, {
      code: 'bad_document',
      hint: 'use one object with attributes of the API',
    });
  }
  const counted = convertMembers(value, (member) => findValueKind(shape, member), place);
  const json = JSON.stringify(counted, (_, member: unknown) =>
    typeof member === 'bigint' ? member.toString() : member,
  );
  return { media: 'application/json', text: json, place };
}

/** The decoder reports the position of a syntax error later. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Converts sizes to numbers in the unit of their attribute, and names of references to objects. */
function convertMembers(
  item: object,
  findKind: (member: string) => ValueKind | undefined,
  place: SourcePlace,
): object {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]: [string, unknown]) => {
      const valued = findKind(name);
      return [name, valued ? convertMember(value, valued, place.at(name)) : value];
    }),
  );
}

function convertMember(value: unknown, valued: ValueKind, place: SourcePlace): unknown {
  if (Array.isArray(value)) {
    return value.map((one, index) => convertMember(one, valued, place.at(index)));
  }
  const { form, of, list } = parseKind(valued.kind);
  if (typeof value === 'string') {
    if (isReference(valued.kind)) return toReference(value, of);
    const isSize = form === 'scalar' && of === 'long' && hasUnit(value);
    return isSize ? parseSizeAt(value, valued, place) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  // The API wraps lists: {"nic": [...]}.
  const isWrapped = list && Object.values(value).every((member) => Array.isArray(member));
  const member = (name: string): ValueKind | undefined => {
    if (isWrapped) return valued;
    return isType(of) ? listAttributes(of)[name] : undefined;
  };
  return convertMembers(value, member, place);
}

/** Parses a size with a unit. Throws `UsageError` with its position. */
function parseSizeAt(text: string, { unit }: ValueKind, place: SourcePlace): number | bigint {
  try {
    return parseNumberWithUnit(text.trim(), unit, place);
  } catch (cause) {
    throw new UsageError(getErrorMessage(cause), { code: 'bad_document', cause });
  }
}

/** Converts `cluster: Default` to `cluster: {name: Default}`. */
function toReference(text: string, type: string): object {
  return isUuid(text) ? { id: text } : { [getNameAttributes(type)[0] ?? 'name']: text };
}

const serviceAttributes = new Set(['id', 'href', 'link', 'actions']);

function keepWritable(
  cli: CommandContext,
  decoded: Record<string, unknown>,
  type: string,
  operation: string,
): Record<string, unknown> {
  const attributes = listAttributes(type);
  const writable: Record<string, unknown> = {};
  const dropped: string[] = [];
  for (const [name, value] of Object.entries(decoded)) {
    const attribute = attributes[name];
    // Some objects have only an id, such as labels of networks.
    if (name === typeOptions[type]?.referredBy && operation === 'add') writable[name] = value;
    else if (attribute ? attribute.mut === 'R' : serviceAttributes.has(name)) dropped.push(name);
    else if (attribute && !isWritable(attribute, operation)) dropped.push(name);
    else writable[name] = value;
  }
  const reportedNames = dropped.filter((name) => name !== 'link' && name !== 'actions');
  if (reportedNames.length > 0)
    cli.note(`ignored read-only attributes: ${reportedNames.join(', ')}`);
  return writable;
}
