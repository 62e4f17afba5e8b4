/** Texts that are kept by what they were made from, in bounded memory. */
import type { KindName } from '../store/kinds.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';

/** Bytes that are kept at most. */
const defaultSize = 32 * 1024 * 1024;
/** Bytes that an entry takes beside its characters, about. */
const entrySize = 120;
/** Places of objects that are remembered at most, and documents. */
const maxPlaces = 10_000;
const maxDocuments = 1_000;
/** Characters of a document that is remembered. */
const longestDocument = 8_192;

/** Where an object was when a text was made that says so; undefined where it was nowhere. */
export interface Place {
  readonly kind: KindName;
  readonly id: string;
  readonly collection: string | undefined;
}

/** A text, with what it was made from. */
export interface KeptText {
  readonly source: string;
  readonly text: string;
  /** Where objects have to be for it to hold. */
  readonly places: readonly Place[];
}

type Versions = Pick<Store, 'version' | 'knownVersion'>;

/**
 * The memory that all slots share. What was not asked for while half of it was filled anew is
 * forgotten, so that no walk through texts that are new takes away those that come again and again.
 */
export class KeptTexts {
  readonly #maxSize: number;
  readonly #store: Versions;
  #size = 0;
  /** Slots that something was put into in this half, and in the one before. */
  #filled = new Set<TextSlot>();
  #filledBefore = new Set<TextSlot>();
  /** Where objects are, and how they are stored, as of one version of the store. */
  readonly #places = new Map<string, Place>();
  readonly #documents = new Map<string, string>();
  #version = -1;

  /** @param maxSize in bytes */
  constructor(store: Versions, maxSize = defaultSize) {
    this.#store = store;
    this.#maxSize = maxSize;
  }

  /** Counts what a slot has been given. */
  count(slot: TextSlot, { source, text }: KeptText): void {
    this.#filled.add(slot);
    this.#size += sizeOf(source) + sizeOf(text) + entrySize;
    if (2 * this.#size <= this.#maxSize) return;
    for (const one of new Set([...this.#filledBefore, ...this.#filled])) one.age();
    this.#filledBefore = this.#filled;
    this.#filled = new Set();
    this.#size = 0;
  }

  /**
   * Where an object is: looked up once until the store is known to have changed. Whoever asks has just read
   * what leads to it.
   */
  placeOf(tx: Transaction, kind: KindName, id: string): Place {
    this.#forgetOthers(this.#store.knownVersion);
    const key = `${kind} ${id}`;
    let place = this.#places.get(key);
    if (!place) {
      if (this.#places.size >= maxPlaces) this.#places.clear();
      place = { kind, id, collection: tx.collectionOf(kind, id) };
      this.#places.set(key, place);
    }
    return place;
  }

  /** The document that has this key now: found once until the store changes, unless it is long. */
  documentOf(key: string, find: () => string): string {
    this.#forgetOthers(this.#store.version);
    let document = this.#documents.get(key);
    if (document === undefined) {
      if (this.#documents.size >= maxDocuments) this.#documents.clear();
      document = find();
      if (document.length <= longestDocument) this.#documents.set(key, document);
    }
    return document;
  }

  /** Forgets what was so in another version of the store. */
  #forgetOthers(version: number): void {
    if (this.#version === version) return;
    this.#version = version;
    this.#places.clear();
    this.#documents.clear();
  }
}

/** Texts that are made in one way, by what they are made from. */
export class TextSlot {
  readonly #kept: KeptTexts;
  readonly #longest: number;
  #young = new Map<string, KeptText>();
  #old = new Map<string, KeptText>();
  /** What was found last: the same often follows. */
  last: KeptText | undefined;

  /** @param longest characters that a text may be made from, or have */
  constructor(kept: KeptTexts, longest: number) {
    this.#kept = kept;
    this.#longest = longest;
  }

  /** What is kept of this, whether or not it still holds. */
  get(source: string): KeptText | undefined {
    let found = this.#young.get(source);
    if (!found) {
      found = this.#old.get(source);
      if (found) this.#add(found);
    }
    if (found) this.last = found;
    return found;
  }

  keep(source: string, text: string, places: readonly Place[]): void {
    if (source.length > this.#longest || text.length > this.#longest) return;
    const entry = { source: copied(source), text: copied(text), places };
    if (entry.source === source && entry.text === text) this.#add(entry);
  }

  /** Forgets what was not asked for since it was called before. */
  age(): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.last = undefined;
  }

  #add(entry: KeptText): void {
    this.#young.set(entry.source, entry);
    this.#kept.count(this, entry);
  }
}

/** The same text in memory of its own: a part of another one would keep all of that. */
function copied(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}

/** Bytes of a text in memory, at most: two for each character unless all are ASCII. */
function sizeOf(text: string): number {
  return Buffer.byteLength(text, 'utf8') === text.length ? text.length : 2 * text.length;
}
