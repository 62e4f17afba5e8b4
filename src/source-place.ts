/** Positions in documents of users: the path of a value, and its position in the text. */

/** Name of a member, or index of an item. */
export type Step = string | number;

/** `LINE:COLUMN`, both from 1, of the value at a path, or of its deepest existing parent. */
export type Locate = (steps: readonly Step[]) => string;

/** `vms[0].name` */
export function pathText(steps: readonly Step[]): string {
  return steps
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

/**
 * Position of a value in a document. Its text is `FILE:LINE:COLUMN: vms[0].name`, or
 * `FILE:LINE:COLUMN` for the document. The position is computed on demand.
 */
export class SourcePlace {
  readonly #file: string;
  readonly #locate: Locate;
  readonly #steps: readonly Step[];

  /** @param file name of the document in messages */
  constructor(file: string, locate: Locate, steps: readonly Step[] = []) {
    this.#file = file;
    this.#locate = locate;
    this.#steps = steps;
  }

  /** Position of a nested value. */
  at(...steps: readonly Step[]): SourcePlace {
    return new SourcePlace(this.#file, this.#locate, [...this.#steps, ...steps]);
  }

  /** `FILE:LINE:COLUMN`. */
  position(): string {
    return `${this.#file}:${this.#locate(this.#steps)}`;
  }

  /** Path in the document: `vms[0].nics[1]`. */
  path(): string {
    return pathText(this.#steps);
  }

  toString(): string {
    return this.#steps.length === 0 ? this.position() : `${this.position()}: ${this.path()}`;
  }
}

/** Position of a parsed JSON text, whose first line has the number `line`. */
export function jsonPlace(file: string, text: string, line = 1): SourcePlace {
  return new SourcePlace(file, (steps) => jsonPosition(text, steps, line));
}

/** `LINE:COLUMN` of the value at a path in a parsed JSON text. */
export function jsonPosition(text: string, steps: readonly Step[], line = 1): string {
  const before = text.slice(0, offsetInJson(text, steps)).split('\n');
  return `${line + before.length - 1}:${(before.at(-1) ?? '').length + 1}`;
}

/** Tokens of a well-formed JSON text. */
const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Offset of the member or item at a path, or of its deepest existing parent. */
function offsetInJson(text: string, steps: readonly Step[]): number {
  let found = text.search(/\S|$/);
  /** Matched steps, and the count of open containers. */
  let matched = 0;
  let depth = 0;
  let isList = false;
  let index = 0;
  /** Whether a key or an item of the last matched container begins at the next token. */
  let isStart = false;
  for (const { 0: word, index: offset } of text.matchAll(token)) {
    if (matched === steps.length) break;
    if (isStart) {
      isStart = false;
      if (stepAt(word, isList, index) === steps[matched]) {
        found = offset;
        matched += 1;
      }
    }
    if (word === '{' || word === '[') {
      depth += 1;
      if (depth !== matched + 1) continue;
      isList = word === '[';
      index = 0;
      isStart = true;
    } else if (word === '}' || word === ']') {
      depth -= 1;
      if (depth <= matched) break;
    } else if (word === ',') {
      if (depth <= matched) break;
      if (depth !== matched + 1) continue;
      index += 1;
      isStart = true;
    }
  }
  return found;
}

/** Step of a token in its container: the key, or the index of the item. */
function stepAt(word: string, isList: boolean, index: number): Step | undefined {
  if (isList) return index;
  return word.startsWith('"') ? String(JSON.parse(word)) : undefined;
}

/** Error in a document. `steps` is the path of the invalid value. */
export class Mistake extends Error {
  readonly steps: readonly Step[];

  constructor(steps: readonly Step[], problem: string) {
    super(problem);
    this.steps = steps;
  }
}
