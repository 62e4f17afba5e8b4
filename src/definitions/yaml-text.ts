/** Strict parser for YAML and JSON texts, with source positions of errors. */

import type { Document, Node, Pair } from 'yaml';
import { forbiddenCharacter, forbiddenOffset } from '../allowed-characters.ts';
import { getErrorMessage } from '../caught-errors.ts';
import { SourcePlace, type Step } from '../source-place.ts';

/** Error in a text. The message starts with `FILE:LINE:COLUMN: `. */
export class TextError extends Error {}

/** Maximum nesting depth. Documents of the API have at most 20 levels. */
const maxDepth = 100;
const notUnique = 'Map keys must be unique';
const tooDeep = 'the document is nested too deeply';

export interface YamlOptions {
  /** Whether to read all integers as bigint (default false: only those beyond 2^53). */
  readonly intAsBigInt?: boolean;
  /**
   * Whether to accept members and items without a value (default false: they are mostly mistakes).
   */
  readonly allowNull?: boolean;
}

/** Value of a text, with its source position. */
export interface ParsedText {
  readonly value: unknown;
  readonly place: SourcePlace;
}

/**
 * Parses a text with one YAML or JSON document; `name` is its name in messages. Throws a
 * `TextError` for forbidden characters, syntax errors and warnings, several documents, recursive
 * aliases, nesting beyond 100 levels, keys without a name, the key `__proto__`, and members without
 * a value.
 */
export async function parseYaml(
  text: string,
  name: string,
  { intAsBigInt = false, allowNull = false }: YamlOptions = {},
): Promise<ParsedText> {
  // The bundles contain the CommonJS form of the library, whose default export has all functions.
  const module = await import('yaml');
  const yaml = module.default ?? module;
  const lines = new yaml.LineCounter();
  const fail = (offset: number, problem: string): never => {
    const { line, col } = lines.linePos(offset);
    throw new TextError(`${name}:${Math.max(line, 1)}:${Math.max(col, 1)}: ${problem}`);
  };
  checkCharacters(text, name);
  return catchStackOverflow(name, () => {
    const [document, second] = yaml.parseAllDocuments(text, {
      intAsBigInt: true,
      // The library compares each key with all others, in quadratic time.
      uniqueKeys: false,
      lineCounter: lines,
      prettyErrors: false,
      logLevel: 'silent',
    });
    if (!document) throw new TextError(`${name}:1:1: the text is empty`);
    const [error] = [...document.errors, ...document.warnings];
    if (error) fail(error.pos[0], isStackOverflow(error) ? tooDeep : error.message);
    if (second) fail(second.range[0], 'a second document begins here; only one is allowed');
    checkNodes(yaml, document, allowNull, fail);
    const reviver = (_: unknown, value: unknown) =>
      typeof value === 'bigint' ? numberIfExact(value) : value;
    const value: unknown = document.toJS({
      maxAliasCount: 100,
      ...(intAsBigInt ? {} : { reviver }),
    });
    // The syntax tree needs many times the memory of the text, so errors parse the text again.
    return { value, place: new SourcePlace(name, (steps) => findPosition(yaml, text, steps)) };
  });
}

/** `LINE:COLUMN` of the key or item at a path, or of its deepest existing parent. */
function findPosition(yaml: Yaml, text: string, steps: readonly Step[]): string {
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  let node: unknown = document.contents;
  let found: unknown = node;
  for (const step of steps) {
    if (yaml.isAlias(node)) node = node.resolve(document);
    if (yaml.isMap(node)) {
      const pair = node.items.find(({ key }) => yaml.isScalar(key) && String(key.value) === step);
      if (!pair) break;
      found = pair.key;
      node = pair.value;
    } else if (yaml.isSeq(node) && typeof step === 'number' && step < node.items.length) {
      node = node.items[step];
      found = node;
    } else break;
  }
  const { line, col } = lines.linePos(yaml.isNode(found) ? (found.range?.[0] ?? 0) : 0);
  return `${Math.max(line, 1)}:${Math.max(col, 1)}`;
}

/** Converts an integer to a number if that is exact. */
export function numberIfExact(value: bigint): number | bigint {
  const near = Number(value);
  return Number.isSafeInteger(near) ? near : value;
}

function checkCharacters(text: string, name: string): void {
  const at = forbiddenOffset(text);
  if (at < 0) return;
  const before = text.slice(0, at).split('\n');
  const column = (before.at(-1)?.length ?? 0) + 1;
  const problem = describeForbidden(text.slice(at, at + 2));
  throw new TextError(`${name}:${before.length}:${column}: ${problem}`);
}

/** Message for a text that starts with or contains a forbidden character. */
function describeForbidden(text: string): string {
  const code = forbiddenCharacter(text)?.codePointAt(0) ?? 0;
  return `the character U+${code.toString(16).toUpperCase().padStart(4, '0')} is not allowed`;
}

type Yaml = typeof import('yaml');
type Fail = (offset: number, problem: string) => never;

function checkNodes(yaml: Yaml, document: Document.Parsed, allowNull: boolean, fail: Fail): void {
  const getOffset = (node: unknown) => (yaml.isNode(node) ? (node.range?.[0] ?? 0) : 0);
  const checkDepth = (node: Node, path: readonly unknown[]) => {
    if (path.filter(yaml.isCollection).length >= maxDepth) fail(getOffset(node), tooDeep);
  };
  yaml.visit(document, {
    Alias(_, alias, path) {
      if (!alias.resolve(document))
        fail(getOffset(alias), `*${alias.source} has no anchor before it`);
      const isInside = path.some((one) => yaml.isCollection(one) && one.anchor === alias.source);
      if (isInside) fail(getOffset(alias), `*${alias.source} refers to a node that contains it`);
    },
    Collection(_, node, path) {
      checkDepth(node, path);
      if (yaml.isMap(node)) checkKeys(node.items, yaml, (key) => fail(getOffset(key), notUnique));
    },
    Pair(_, { key, value }) {
      checkName(key, yaml, () => getOffset(key), fail);
      if (allowNull || !(value === null || (yaml.isScalar(value) && value.value === null))) return;
      const hint = 'remove the line, or use "" for an empty text';
      fail(getOffset(key), `"${String(key)}" has no value; ${hint}`);
    },
    Scalar(key, scalar, path) {
      const { value } = scalar;
      // Escape sequences can produce characters that the text does not contain.
      const isForbidden = typeof value === 'string' && forbiddenCharacter(value) !== undefined;
      if (isForbidden) fail(getOffset(scalar), describeForbidden(value));
      if (allowNull) return;
      const isItem = key !== 'key' && key !== 'value' && yaml.isSeq(path.at(-1));
      if (isItem && scalar.value === null) fail(getOffset(scalar), 'this item has no value');
    },
  });
}

/** Reports duplicate keys of a map; several `<<` merge keys are allowed. */
function checkKeys(items: readonly Pair[], yaml: Yaml, report: (key: unknown) => void): void {
  const names = new Set<unknown>();
  for (const { key } of items) {
    const name = yaml.isScalar(key) ? key.value : key;
    if (names.has(name) && name !== '<<') report(key);
    names.add(name);
  }
}

function checkName(key: unknown, yaml: Yaml, offset: () => number, fail: Fail): void {
  const name = yaml.isScalar(key) ? key.value : undefined;
  if (name === undefined || name === null || name === '') fail(offset(), 'a member needs a name');
  if (name === '__proto__') fail(offset(), '"__proto__" is not the name of a member');
}

function isStackOverflow({ message }: Error): boolean {
  return message.includes('call stack size');
}

/** Converts a stack overflow of the parser into an error of the document. */
function catchStackOverflow<T>(name: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof TextError) throw error;
    const isDeep = error instanceof RangeError;
    const problem = isDeep ? tooDeep : getErrorMessage(error);
    throw new TextError(`${name}:1:1: ${problem}`, { cause: error });
  }
}
