/** Members of documents of the store, found without reading their values. */
import type { TextSlot } from './kept-texts.ts';

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;

/** A name of members, as it stands in documents. */
export interface Step<T> {
  readonly start: string;
  /** What the name means to whoever reads the documents. */
  readonly meaning: T;
  /** Where texts are kept by the JSON of its values: the value that was there last is looked for first. */
  readonly slot: TextSlot | undefined;
  /** What came behind it in another document. */
  next: Step<T> | undefined;
}

/**
 * Documents of one kind. Most of them have the same members in the same order, and the same values in
 * many: where that is so, texts are compared and nothing is looked for.
 */
export class DocumentMembers<T> {
  readonly #steps = new Map<string, Step<T>>();
  readonly #make: (name: string) => { meaning: T; slot?: TextSlot | undefined };
  #first: Step<T> | undefined;

  /** @param make what a name means, and where its values are kept */
  constructor(make: (name: string) => { meaning: T; slot?: TextSlot | undefined }) {
    this.#make = make;
  }

  /**
   * Puts the members into one list and the JSON of their values into another one, in the order of the
   * document. False where it is not written as the store writes it: an object in JSON without spaces,
   * whose names need no escapes.
   */
  split(document: string, steps: Step<T>[], values: string[]): boolean {
    steps.length = 0;
    values.length = 0;
    if (document.charCodeAt(0) !== 0x7b) return false;
    if (document === '{}') return true;
    let before: Step<T> | undefined;
    for (let at = 1; ; ) {
      let step = before ? before.next : this.#first;
      if (!step || !stands(step.start, document, at)) {
        step = this.#stepAt(document, at);
        if (!step) return false;
        if (before) before.next = step;
        else this.#first = step;
      }
      const start = at + step.start.length;
      const last = step.slot?.last?.source;
      let end = last === undefined ? -1 : start + last.length;
      if (last !== undefined && stands(last, document, start) && isEnd(document.charCodeAt(end))) {
        values.push(last);
      } else {
        end = endOfValue(document, start);
        if (end < 0) return false;
        values.push(document.slice(start, end));
      }
      steps.push(step);
      if (document.charCodeAt(end) !== comma) return end === document.length - 1;
      before = step;
      at = end + 1;
    }
  }

  #stepAt(document: string, at: number): Step<T> | undefined {
    if (document.charCodeAt(at) !== quote) return undefined;
    const end = document.indexOf('"', at + 1);
    const name = document.slice(at + 1, Math.max(end, at + 1));
    if (end < 0 || document[end + 1] !== ':' || name.includes('\\')) return undefined;
    let step = this.#steps.get(name);
    if (!step) {
      const { meaning, slot } = this.#make(name);
      step = { start: `"${name}":`, meaning, slot, next: undefined };
      this.#steps.set(name, step);
    }
    return step;
  }
}

/** Whether a text stands at a place. To compare a slice takes a third of the time of `startsWith`. */
function stands(text: string, document: string, at: number): boolean {
  return document.slice(at, at + text.length) === text;
}

/** The place behind the value that begins at a place; -1 where it does not end. */
function endOfValue(document: string, start: number): number {
  const first = document.charCodeAt(start);
  if (first === quote) return endOfText(document, start);
  if (!isOpening(first)) {
    let end = start;
    while (end < document.length && !isEnd(document.charCodeAt(end))) end++;
    return end > start && end < document.length ? end : -1;
  }
  let depth = 0;
  for (let at = start; at >= 0 && at < document.length; ) {
    const code = document.charCodeAt(at);
    if (code === quote) {
      at = endOfText(document, at);
      continue;
    }
    at += 1;
    if (isOpening(code)) depth += 1;
    else if (isClosing(code)) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return -1;
}

/** `[` or `{` */
function isOpening(code: number): boolean {
  return code === 0x5b || code === 0x7b;
}

/** `]` or `}` */
function isClosing(code: number): boolean {
  return code === 0x5d || code === 0x7d;
}

/** Whether a character stands behind a value. */
function isEnd(code: number): boolean {
  return code === comma || isClosing(code);
}

/** The place behind a text that begins with a quote at a place; -1 where it does not end. */
function endOfText(document: string, start: number): number {
  for (let end = start; ; ) {
    end = document.indexOf('"', end + 1);
    if (end < 0) return -1;
    let before = end;
    while (document.charCodeAt(before - 1) === backslash) before -= 1;
    if ((end - before) % 2 === 0) return end + 1;
  }
}
