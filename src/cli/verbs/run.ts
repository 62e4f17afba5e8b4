/** State of one run of a verb, and the body of its requests. */
import type { Client, QueryValue } from '../../client/client.ts';
import { UsageError } from '../../client/errors.ts';
import { isType, parseKind } from '../../model/index.ts';
import type { queryParameters } from '../../model/notation/parameters.ts';
import { decodeObject, WireError } from '../../wire/index.ts';
import { parseJson } from '../../wire/json-parser.ts';
import type { Options } from '../args/command.ts';
import { parseValue, type Valued } from '../args/values.ts';
import type { CommandContext } from '../session/command-context.ts';
import { closeMatches } from '../text/did-you-mean.ts';
import { jsonText } from '../text/json.ts';
import type { Verb } from './derive-verbs.ts';
import { parseDocument, readInput } from './documents.ts';
import { type Field, isReference, kindAt, type Shape, valuedAt, wordsAt } from './fields.ts';
import { brickNames, type Finder, type Ids, newBricks } from './references.ts';
import type { ResolvedCollection } from './resolve-collection.ts';

export interface Run {
  readonly cli: CommandContext;
  readonly client: Client;
  readonly finder: Finder;
  readonly verb: Verb;
  readonly resolved: ResolvedCollection;
  readonly options: Options;
  /** Ids of everything above the objects of the verb. */
  readonly ids: Ids;
  readonly query: Readonly<Record<string, QueryValue | undefined>>;
  /** Word for the parent, if it is the first argument instead of a flag. */
  readonly ownerWord?: string | undefined;
  /** Words for the objects that the verb is about. */
  readonly words: readonly string[];
  /** Flags, `--set` and `-f`, not yet looked up. */
  readonly input: BodyInput;
}

/** The body of the run, with its references looked up. */
export function bodyOf(run: Run): Promise<Record<string, unknown>> {
  return buildBody(run.cli, run.finder, run.input);
}

/** Whether the operation of the run has a query parameter. */
export function hasQuery(run: Run, name: keyof typeof queryParameters): boolean {
  return run.resolved.candidate.operation.query.includes(name);
}

export interface BodyInput {
  readonly shape: Shape;
  /** Name of the operation, which decides what may be written. */
  readonly operation: string;
  /** `-f`. */
  readonly file?: string;
  /** `--set path=value`, in order. */
  readonly sets: readonly string[];
  /** `--set-json path=JSON`, in order. */
  readonly jsonSets: readonly string[];
  /** Flags of single attributes, with the texts that were given. */
  readonly fields: readonly {
    readonly field: Field;
    readonly flag: string;
    readonly texts: readonly string[];
  }[];
}

type Body = Record<string, unknown>;

/** Puts the body together; references are looked up. */
async function buildBody(cli: CommandContext, finder: Finder, input: BodyInput): Promise<Body> {
  const { shape, operation } = input;
  let body: Body = {};
  if (input.file !== undefined) {
    const text = await readInput(cli, input.file, '-f');
    body = await parseDocument(cli, text, shape, operation, input.file);
  }
  for (const text of input.jsonSets) setJson(body, shape, text);
  for (const text of input.sets) {
    const [path, value] = divided(text, '--set');
    const valued = knownValue(shape, path, '--set');
    if (/(^|[._])(password|secret)$/.test(path)) {
      throw new UsageError(`--set ${path}=...: other users can see secrets on the command line`, {
        hint: 'put it into a private file and use -f',
      });
    }
    put(body, path, await valueFor(finder, valued, [value], `--set ${path}`));
  }
  for (const { field, flag, texts } of input.fields) {
    const value = field.secret
      ? await secretFrom(cli, flag, texts.at(-1) ?? '')
      : await valueFor(finder, field, texts, flag);
    put(body, field.path, value);
  }
  return body;
}

async function secretFrom(cli: CommandContext, flag: string, path: string): Promise<string> {
  return (await readInput(cli, path, flag)).split(/\r?\n/, 1)[0] ?? '';
}

async function valueFor(
  finder: Finder,
  valued: Valued,
  texts: readonly string[],
  flag: string,
): Promise<unknown> {
  const { kind } = valued;
  const { form, of, list } = parseKind(kind);
  if (of === 'gluster_brick') {
    const words = texts.flatMap((text) => text.split(','));
    // A volume is made of new bricks, an action is about those that it has.
    return form === 'links' ? await newBricks(finder, words) : brickNames(words)['bricks'];
  }
  // The domain of a virtual machine is only a text, although it looks like a domain of users.
  if (!isReference(kind) || (form === 'struct' && of === 'domain')) {
    return parseValue(list ? texts.join(',') : (texts.at(-1) ?? ''), valued, flag);
  }
  if (!list) return await finder.reference(texts.at(-1) ?? '', of);
  const words = texts.flatMap((text) => text.split(',')).map((word) => word.trim());
  const found: unknown[] = [];
  for (const word of words) found.push(await finder.reference(word, of));
  return found;
}

function divided(text: string, flag: string): [path: string, value: string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1)];
  throw new UsageError(`${flag} ${text}: value missing`, {
    hint: `write ${flag} attribute.part=value`,
  });
}

function knownValue(shape: Shape, path: string, flag: string): Valued {
  const valued = valuedAt(shape, path);
  if (valued) return valued;
  const words = path.split('.');
  const index = words.findIndex(
    (_, at) => kindAt(shape, words.slice(0, at + 1).join('.')) === undefined,
  );
  const prefix = words.slice(0, index).join('.');
  const known = wordsAt(shape, prefix);
  const near = closeMatches(words[index] ?? '', known);
  const candidate = prefix === '' ? 'it' : prefix;
  throw new UsageError(`${flag} ${path}: ${candidate} has no ${words[index]}`, {
    code: 'unknown_attribute',
    hint:
      near.length > 0
        ? `did you mean ${near.join(' or ')}?`
        : `use one of ${known.slice(0, 20).join(', ')}`,
  });
}

/** Any value as JSON, checked against the model like everything else. */
function setJson(body: Body, shape: Shape, text: string): void {
  const [path, value] = divided(text, '--set-json');
  const { kind } = knownValue(shape, path, '--set-json');
  let parsed: unknown;
  try {
    JSON.parse(value);
    // Integers of 64 bits stay exact.
    parsed = parseJson(value);
  } catch (error) {
    throw new UsageError(`--set-json ${path}: not valid JSON: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const { of, list } = parseKind(kind);
  if (!isType(of)) {
    put(body, path, parsed);
    return;
  }
  const items = list ? (Array.isArray(parsed) ? parsed : [parsed]) : [parsed];
  const decoded = items.map((item) => {
    try {
      return decodeObject('application/json', jsonText(item), of, { bareLists: true });
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      throw new UsageError(`--set-json ${path}: ${error.message}`, { cause: error });
    }
  });
  put(body, path, list ? decoded : decoded[0]);
}

/** Sets a value at a path; what is already there beside it stays. */
export function put(body: Body, path: string, value: unknown): void {
  const words = path.split('.');
  const last = words.pop() ?? path;
  let at = body;
  for (const word of words) {
    const next = at[word];
    const object: Body =
      typeof next === 'object' && next !== null && !Array.isArray(next) ? (next as Body) : {};
    at[word] = object;
    at = object;
  }
  at[last] = value;
}
