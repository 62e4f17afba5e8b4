/** State of one run of a verb, and the body of its requests. */

import { getErrorMessage } from '../../caught-errors.ts';
import type { ApiObject, Client, QueryValue } from '../../client/client.ts';
import { UsageError } from '../../client/errors.ts';
import { isType, listAttributes, parseKind } from '../../model/index.ts';
import type { queryParameters } from '../../model/notation/parameters.ts';
import { isRecord } from '../../records.ts';
import { decodeObject, WireError } from '../../wire/index.ts';
import { parseJson } from '../../wire/json-parser.ts';
import type { Options } from '../args/command.ts';
import { parseValue, requirePlausibleSize, type ValueKind } from '../args/values.ts';
import type { CommandContext } from '../session/command-context.ts';
import { findCloseMatches } from '../text/did-you-mean.ts';
import { formatJson } from '../text/json.ts';
import type { Verb } from './derive-verbs.ts';
import { parseDocument, readInput } from './documents.ts';
import {
  type BodySchema,
  type Field,
  findKindAt,
  findValueKind,
  isReference,
  listMembers,
} from './fields.ts';
import { createBrickReferences, createBricks, type Finder, type Ids } from './references.ts';
import type { ResolvedCollection } from './resolve-collection.ts';

export interface Run {
  readonly cli: CommandContext;
  readonly client: Client;
  readonly finder: Finder;
  readonly verb: Verb;
  readonly resolved: ResolvedCollection;
  readonly options: Options;
  /** Ids of the parents. */
  readonly ids: Ids;
  readonly query: Readonly<Record<string, QueryValue | undefined>>;
  /** Word for the parent, if it is the first argument instead of a flag. */
  readonly ownerWord?: string | undefined;
  /** Words for the objects that the verb is about. */
  readonly words: readonly string[];
  /** Values of flags, `--set` and `-f`, with unresolved references. */
  readonly input: BodyInput;
  /** Filter of listed objects that the service cannot apply. */
  readonly isWanted?: (item: ApiObject) => boolean;
}

/** Builds the body of the request and resolves its references. */
export function buildRunBody(run: Run): Promise<Record<string, unknown>> {
  return buildBody(run.cli, run.finder, run.input);
}

/** Whether the operation of the run has a query parameter. */
export function hasQuery(run: Run, name: keyof typeof queryParameters): boolean {
  return run.resolved.candidate.operation.query.includes(name);
}

export interface BodyInput {
  readonly shape: BodySchema;
  /** Name of the operation, which determines the writable attributes. */
  readonly operation: string;
  /** `-f`. */
  readonly file?: string;
  /** `--set path=value`, in order. */
  readonly sets: readonly string[];
  /** `--set-json path=JSON`, in order. */
  readonly jsonSets: readonly string[];
  /** Given flags of single attributes. */
  readonly fields: readonly {
    readonly field: Field;
    readonly flag: string;
    readonly texts: readonly string[];
  }[];
}

type Body = Record<string, unknown>;

async function buildBody(cli: CommandContext, finder: Finder, input: BodyInput): Promise<Body> {
  const { shape, operation } = input;
  let body: Body = {};
  if (input.file !== undefined) {
    const text = await readInput(cli, input.file, '-f');
    body = await parseDocument(cli, text, shape, operation, input.file);
  }
  for (const text of input.jsonSets) setJsonValue(body, shape, text);
  for (const text of input.sets) {
    const [path, value] = splitAssignment(text, '--set');
    const valued = requireAttribute(shape, path, '--set');
    if (/(^|[._])(password|secret)$/.test(path)) {
      throw new UsageError(`--set ${path}=...: other users can see secrets on the command line`, {
        hint: 'put it into a private file and use -f',
      });
    }
    setAtPath(body, path, await parseFieldValue(finder, valued, [value], `--set ${path}`));
  }
  for (const { field, flag, texts } of input.fields) {
    const value = field.secret
      ? await readSecret(cli, flag, texts.at(-1) ?? '')
      : await parseFieldValue(finder, field, texts, flag);
    setAtPath(body, field.path, value);
  }
  refuseExclusive(shape, Object.keys(body));
  return body;
}

/** Checks the attributes of flags before the first request. Throws `UsageError`. */
export function validateAttributes({ shape, fields, sets, jsonSets }: BodyInput): void {
  const paths = [...fields.map(({ field }) => field.path), ...sets, ...jsonSets];
  refuseExclusive(
    shape,
    paths.map((path) => path.split(/[.=]/, 1)[0] ?? ''),
  );
}

/** Refuses attributes of which a service would use only one. */
function refuseExclusive(shape: BodySchema, names: readonly string[]): void {
  if (!('type' in shape)) return;
  for (const [name, { excludes = '' }] of Object.entries(listAttributes(shape.type))) {
    if (!names.includes(name) || !names.includes(excludes)) continue;
    throw new UsageError(`${name} and ${excludes} exclude each other`, {
      hint: `use either ${name} or ${excludes}`,
    });
  }
}

async function readSecret(cli: CommandContext, flag: string, path: string): Promise<string> {
  return (await readInput(cli, path, flag)).split(/\r?\n/, 1)[0] ?? '';
}

async function parseFieldValue(
  finder: Finder,
  valued: ValueKind,
  texts: readonly string[],
  flag: string,
): Promise<unknown> {
  const { kind } = valued;
  const { form, of, list } = parseKind(kind);
  if (of === 'gluster_brick') {
    const words = texts.flatMap((text) => text.split(','));
    // A new volume consists of new bricks; an action refers to existing ones.
    return form === 'links'
      ? await createBricks(finder, words)
      : createBrickReferences(words)['bricks'];
  }
  // `vm.domain` is a text, although its type is that of user domains.
  if (!isReference(kind) || (form === 'struct' && of === 'domain')) {
    const text = list ? texts.join(',') : (texts.at(-1) ?? '');
    requirePlausibleSize(text, valued, flag);
    return parseValue(text, valued, flag);
  }
  if (!list) return await finder.createReference(texts.at(-1) ?? '', of);
  const words = texts.flatMap((text) => text.split(',')).map((word) => word.trim());
  const found: unknown[] = [];
  for (const word of words) found.push(await finder.createReference(word, of));
  return found;
}

function splitAssignment(text: string, flag: string): [path: string, value: string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1)];
  throw new UsageError(`${flag} ${text}: value missing`, {
    hint: `write ${flag} attribute.part=value`,
  });
}

function requireAttribute(shape: BodySchema, path: string, flag: string): ValueKind {
  const valued = findValueKind(shape, path);
  if (valued) return valued;
  const words = path.split('.');
  const index = words.findIndex(
    (_, at) => findKindAt(shape, words.slice(0, at + 1).join('.')) === undefined,
  );
  const prefix = words.slice(0, index).join('.');
  const known = listMembers(shape, prefix);
  const near = findCloseMatches(words[index] ?? '', known);
  const candidate = prefix === '' ? 'it' : prefix;
  throw new UsageError(`${flag} ${path}: ${candidate} has no ${words[index]}`, {
    code: 'unknown_attribute',
    hint:
      near.length > 0
        ? `did you mean ${near.join(' or ')}?`
        : `use one of ${known.slice(0, 20).join(', ')}`,
  });
}

/** Sets an attribute to a JSON value, checked against the model. */
function setJsonValue(body: Body, shape: BodySchema, text: string): void {
  const [path, value] = splitAssignment(text, '--set-json');
  const { kind } = requireAttribute(shape, path, '--set-json');
  let parsed: unknown;
  try {
    JSON.parse(value);
    // This parser keeps 64-bit integers exact.
    parsed = parseJson(value);
  } catch (error) {
    throw new UsageError(`--set-json ${path}: not valid JSON: ${getErrorMessage(error)}`, {
      cause: error,
    });
  }
  const { of, list } = parseKind(kind);
  if (!isType(of)) {
    setAtPath(body, path, parsed);
    return;
  }
  const items = list ? (Array.isArray(parsed) ? parsed : [parsed]) : [parsed];
  const decoded = items.map((item) => {
    try {
      return decodeObject('application/json', formatJson(item), of, { bareLists: true });
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      throw new UsageError(`--set-json ${path}: ${error.message}`, { cause: error });
    }
  });
  setAtPath(body, path, list ? decoded : decoded[0]);
}

/** Sets a value at a path. Other members remain. */
export function setAtPath(body: Body, path: string, value: unknown): void {
  const words = path.split('.');
  const last = words.pop() ?? path;
  let at = body;
  for (const word of words) {
    const next = at[word];
    const object: Body = isRecord(next) ? next : {};
    at[word] = object;
    at = object;
  }
  at[last] = value;
}
