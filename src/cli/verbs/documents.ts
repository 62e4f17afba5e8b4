/** Objects read from files and stdin: JSON or YAML, in which sizes may have units, or XML. */

import * as fs from 'node:fs';
import { UsageError } from '../../client/errors.ts';
import { hasUnit } from '../../definitions/sizes.ts';
import { numberOf } from '../../definitions/values.ts';
import { type ParsedText, parseYaml } from '../../definitions/yaml-text.ts';
import { typeOptions } from '../../model/derive/commands.ts';
import { isType, listAttributes, parseKind } from '../../model/index.ts';
import type { SourcePlace } from '../../source-place.ts';
import { systemReason } from '../../system-errors.ts';
import { decodeAction, decodeObject, type MediaType, WireError } from '../../wire/index.ts';
import type { Valued } from '../args/values.ts';
import type { CommandContext } from '../session/command-context.ts';
import { isReference, isWritable, type Shape, valuedAt } from './fields.ts';
import { isUuid, nameAttributesOf } from './identifiers.ts';

/** All of a file; `-` is stdin. */
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
    const name = flag === path ? path : `${flag} ${path}`;
    throw new UsageError(`cannot read "${name}": ${systemReason(error)}`, {
      cause: error,
    });
  }
}

/** How an OVF document begins, behind declaration and comments: machines can be made of one. */
const ovfRoot = /^\uFEFF?(?:\s|<\?[\s\S]*?\?>|<!--[\s\S]*?-->)*<(?:\w+:)?Envelope[\s>]/;

/**
 * The object in a text. What only the service sets is left out, so that the output of one command
 * can be the input of another; members that the type does not have are refused.
 */
export async function parseDocument(
  cli: CommandContext,
  text: string,
  shape: Shape,
  operation: string,
  path: string,
): Promise<Record<string, unknown>> {
  if ('type' in shape && shape.type === 'vm' && ovfRoot.test(text)) {
    return { initialization: { configuration: { type: 'ovf', data: text } } };
  }
  const name = path === '-' ? 'stdin' : path;
  const { media, text: document, place } = await normalized(text, name, shape);
  // As `-o json` and `-o yaml` print them, and as everybody would write them.
  const options = { bareLists: true };
  let decoded: Record<string, unknown>;
  try {
    decoded =
      'type' in shape
        ? decodeObject(media, document, shape.type, options)
        : decodeAction(media, document, shape.action, options);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new UsageError(positioned(name, error, place), {
      code: 'bad_document',
      hint: 'use names of the API (vmctl explain)',
      cause: error,
    });
  }
  return 'type' in shape ? writable(cli, decoded, shape.type, operation) : decoded;
}

/** A message of the decoder with the position in the file; syntax errors begin with it. */
function positioned(
  name: string,
  { message, steps, position }: WireError,
  place: SourcePlace | undefined,
): string {
  if (steps && place) return `${place.at(...steps).position()}: ${message}`;
  if (position === undefined) return `${name}:${message}`;
  return `${name}:${position}: ${message.replace(/ \(at \d+:\d+\)$/, '')}`;
}

/** A document as the decoder takes it; `place` finds the members of what is no XML in the text of the user. */
interface Normalized {
  readonly media: MediaType;
  readonly text: string;
  readonly place?: SourcePlace;
}

/** JSON and XML as they are, YAML and JSON with sizes as JSON without. */
async function normalized(text: string, name: string, shape: Shape): Promise<Normalized> {
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
    throw new UsageError((error as Error).message, {
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
  const counted = withNumbers(value, (member) => valuedAt(shape, member), place);
  const json = JSON.stringify(counted, (_, member: unknown) =>
    typeof member === 'bigint' ? member.toString() : member,
  );
  return { media: 'application/json', text: json, place };
}

/** What is not is refused later, with the place of the mistake. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The object with sizes as numbers in the unit of their attribute, and names of references as objects. */
function withNumbers(
  item: object,
  valuedOf: (member: string) => Valued | undefined,
  place: SourcePlace,
): object {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]: [string, unknown]) => {
      const valued = valuedOf(name);
      return [name, valued ? withNumber(value, valued, place.at(name)) : value];
    }),
  );
}

function withNumber(value: unknown, valued: Valued, place: SourcePlace): unknown {
  if (Array.isArray(value)) {
    return value.map((one, index) => withNumber(one, valued, place.at(index)));
  }
  const { form, of, list } = parseKind(valued.kind);
  if (typeof value === 'string') {
    if (isReference(valued.kind)) return referenceOf(value, of);
    const isSize = form === 'scalar' && of === 'long' && hasUnit(value);
    return isSize ? sizeIn(value, valued, place) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  // A list may be written as the API does: {"nic": [...]}.
  const isWrapped = list && Object.values(value).every((member) => Array.isArray(member));
  const member = (name: string): Valued | undefined => {
    if (isWrapped) return valued;
    return isType(of) ? listAttributes(of)[name] : undefined;
  };
  return withNumbers(value, member, place);
}

/** A size in words as a number. Throws a `UsageError` with its position. */
function sizeIn(text: string, { unit }: Valued, place: SourcePlace): number | bigint {
  try {
    return numberOf(text.trim(), unit, place);
  } catch (cause) {
    throw new UsageError((cause as Error).message, { code: 'bad_document', cause });
  }
}

/** `cluster: Default` names the object that `cluster: {name: Default}` does. */
function referenceOf(text: string, type: string): object {
  return isUuid(text) ? { id: text } : { [nameAttributesOf(type)[0] ?? 'name']: text };
}

const ofTheService = new Set(['id', 'href', 'link', 'actions']);

function writable(
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
    // Some objects are named by their id alone: a label of networks.
    if (name === typeOptions[type]?.referredBy && operation === 'add') writable[name] = value;
    else if (attribute ? attribute.mut === 'R' : ofTheService.has(name)) dropped.push(name);
    else if (attribute && !isWritable(attribute, operation)) dropped.push(name);
    else writable[name] = value;
  }
  const reportedNames = dropped.filter((name) => name !== 'link' && name !== 'actions');
  if (reportedNames.length > 0)
    cli.note(`ignored read-only attributes: ${reportedNames.join(', ')}`);
  return writable;
}
