/** YAML and JSON texts that users write: parsed strictly, with the position of every mistake. */
import type { Document, Node, Pair } from 'yaml';
import { forbiddenCharacter, forbiddenOffset } from '../allowed-characters.ts';
import { SourcePlace, type Step } from '../source-place.ts';

/** A text that cannot be used. The message begins with `FILE:LINE:COLUMN: `. */
export class TextError extends Error {}

/** Deeper nesting is refused: no document of the API has more than 20 levels. */
const maxDepth = 100;
const notUnique = 'Map keys must be unique';
const tooDeep = 'the document is nested too deeply';

export interface YamlOptions {
  /** Read all integers as bigint (default false: only those that a number does not hold exactly). */
  readonly intAsBigInt?: boolean;
  /** Accept members and items without a value (default false: in YAML they are mostly mistakes). */
  readonly allowNull?: boolean;
}

/** The value of a text, and the place of its root, which has the positions of all members. */
export interface ParsedText {
  readonly value: unknown;
  readonly place: SourcePlace;
}

/**
 * The value of a text with one YAML or JSON document; `name` stands for the file in messages. Throws a
 * `TextError` for characters that are not allowed, syntax errors and warnings, several documents, aliases of a
 * node that contains them, nesting beyond 100 levels, keys without a name, the key `__proto__`, and members
 * without a value.
 */
export async function parseYaml(
  text: string,
  name: string,
  { intAsBigInt = false, allowNull = false }: YamlOptions = {},
): Promise<ParsedText> {
  // The bundles contain the CommonJS form of the library, of which the default export is all.
  const module = await import('yaml');
  const yaml = module.default ?? module;
  const lines = new yaml.LineCounter();
  const fail = (offset: number, problem: string): never => {
    const { line, col } = lines.linePos(offset);
    throw new TextError(`${name}:${Math.max(line, 1)}:${Math.max(col, 1)}: ${problem}`);
  };
  checkCharacters(text, name);
  return withinStack(name, () => {
    const [document, second] = yaml.parseAllDocuments(text, {
      intAsBigInt: true,
      // The library compares each key with all others.
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
    // Documents take many times the memory of their text: for a mistake the text is parsed once more.
    return { value, place: new SourcePlace(name, (steps) => positionIn(yaml, text, steps)) };
  });
}

/** `LINE:COLUMN` of the key or item at a path, or of its deepest parent that the text has. */
function positionIn(yaml: Yaml, text: string, steps: readonly Step[]): string {
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

/** An integer as a number while that is exact. */
export function numberIfExact(value: bigint): number | bigint {
  const near = Number(value);
  return Number.isSafeInteger(near) ? near : value;
}

function checkCharacters(text: string, name: string): void {
  const at = forbiddenOffset(text);
  if (at < 0) return;
  const before = text.slice(0, at).split('\n');
  const column = (before.at(-1)?.length ?? 0) + 1;
  const problem = notAllowed(text.slice(at, at + 2));
  throw new TextError(`${name}:${before.length}:${column}: ${problem}`);
}

/** The problem of a text that begins with or contains a forbidden character. */
function notAllowed(text: string): string {
  const code = forbiddenCharacter(text)?.codePointAt(0) ?? 0;
  return `the character U+${code.toString(16).toUpperCase().padStart(4, '0')} is not allowed`;
}

type Yaml = typeof import('yaml');
type Fail = (offset: number, problem: string) => never;

function checkNodes(yaml: Yaml, document: Document.Parsed, allowNull: boolean, fail: Fail): void {
  const offsetOf = (node: unknown) => (yaml.isNode(node) ? (node.range?.[0] ?? 0) : 0);
  const checkDepth = (node: Node, path: readonly unknown[]) => {
    if (path.filter(yaml.isCollection).length >= maxDepth) fail(offsetOf(node), tooDeep);
  };
  yaml.visit(document, {
    Alias(_, alias, path) {
      if (!alias.resolve(document))
        fail(offsetOf(alias), `*${alias.source} has no anchor before it`);
      const isInside = path.some((one) => yaml.isCollection(one) && one.anchor === alias.source);
      if (isInside) fail(offsetOf(alias), `*${alias.source} refers to a node that contains it`);
    },
    Collection(_, node, path) {
      checkDepth(node, path);
      if (yaml.isMap(node)) checkKeys(node.items, yaml, (key) => fail(offsetOf(key), notUnique));
    },
    Pair(_, { key, value }) {
      checkName(key, yaml, () => offsetOf(key), fail);
      if (allowNull || !(value === null || (yaml.isScalar(value) && value.value === null))) return;
      const hint = 'remove the line, or use "" for an empty text';
      fail(offsetOf(key), `"${String(key)}" has no value; ${hint}`);
    },
    Scalar(key, scalar, path) {
      const { value } = scalar;
      // Escapes stand for characters that the text does not have.
      const isForbidden = typeof value === 'string' && forbiddenCharacter(value) !== undefined;
      if (isForbidden) fail(offsetOf(scalar), notAllowed(value));
      if (allowNull) return;
      const isItem = key !== 'key' && key !== 'value' && yaml.isSeq(path.at(-1));
      if (isItem && scalar.value === null) fail(offsetOf(scalar), 'this item has no value');
    },
  });
}

/** Reports a key that a map has twice; merges of several anchors are no members. */
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

/** Parsers of deep documents run out of stack; that is a mistake in the document. */
function withinStack<T>(name: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof TextError) throw error;
    const isDeep = error instanceof RangeError;
    const problem = isDeep ? tooDeep : (error as Error).message;
    throw new TextError(`${name}:1:1: ${problem}`, { cause: error });
  }
}
