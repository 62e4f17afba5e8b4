/** Cache of encoded objects for repeated reads, by their stored JSON. */
import { encodeItem, encodeObject, type MediaType } from '../../wire/index.ts';
import { findBehavior } from '../core/behavior.ts';
import type { CollectionRef } from '../core/collection-ref.ts';
import { readJson, type StoredObject } from '../store/kinds.ts';
import { findCollection, type PathLookup, type Presentation } from './presentation.ts';
import { show } from './show.ts';

/** Maximum size of the cache in bytes, and the estimated size of an entry without its characters. */
const defaultMaxSize = 32 * 1024 * 1024;
const entrySize = 120;

/** Minimum time between two removals of all entries, in milliseconds. */
const clearIntervalMs = 60_000;

/** Maximum length of a cached document in characters. Longer objects are encoded in pieces. */
const longestDocument = 16_384;

interface Entry {
  readonly text: string;
  /** Paths of other objects in the text. They change without a change of this object. */
  readonly lookups: readonly PathLookup[];
}

/**
 * Texts by the form of the response and the stored JSON of the object. A change of an object changes its
 * JSON, so that entries need no invalidation.
 */
export class EncodedObjects {
  readonly #maxSize: number;
  readonly #entries = new Map<string, Entry>();
  #size = 0;
  #clearedAt = Number.NEGATIVE_INFINITY;

  constructor(maxSize = defaultMaxSize) {
    this.#maxSize = maxSize;
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  add(key: string, { text, lookups }: Entry): void {
    const size = key.length + text.length + entrySize;
    if (this.#size + size > this.#maxSize) {
      // Without the interval, a list larger than the cache would replace all entries each time.
      if (performance.now() - this.#clearedAt < clearIntervalMs) return;
      this.#entries.clear();
      this.#clearedAt = performance.now();
      this.#size = 0;
    }
    // One flat string takes less memory than the parts of a concatenation.
    const flat = Buffer.from(text, 'utf8').toString('utf8');
    // UTF-8 cannot represent lone surrogates.
    if (flat !== text) return;
    this.#size += size;
    this.#entries.set(key, { text: flat, lookups });
  }

  /** The encoder of a collection. Undefined if a response depends on the caller, clock or other objects. */
  encoderFor(view: Presentation, ref: CollectionRef): ObjectEncoder | undefined {
    const { ctx, everything } = view;
    const { compute, linked, listed, present, presentsObjectOnly } =
      findBehavior(ctx, ref.shownAs ?? ref.kind) ?? {};
    if (everything || ctx.filter || compute || linked || listed) return undefined;
    if (present && !presentsObjectOnly?.(ctx)) return undefined;
    return new ObjectEncoder(this, view, ref);
  }
}

/** Encoder of the objects of one collection for one request. */
class ObjectEncoder {
  readonly #cache: EncodedObjects;
  readonly #view: Presentation;
  readonly #ref: CollectionRef;
  readonly #form: string;
  #lookups: PathLookup[] = [];

  constructor(cache: EncodedObjects, view: Presentation, ref: CollectionRef) {
    const { apiPath, allContent, alone } = view;
    const { kind, service, collection, shownAt, shownAs, owner } = ref;
    this.#cache = cache;
    this.#ref = ref;
    this.#view = {
      ...view,
      onLookUp: (lookup) => {
        this.#lookups.push(lookup);
      },
    };
    this.#form = JSON.stringify([
      ...[apiPath, allContent, alone],
      ...[kind, service, collection, shownAt, shownAs, owner?.id],
    ]);
  }

  isShort(document: string): boolean {
    return document.length <= longestDocument;
  }

  /** A document as the body of a response. */
  body(media: MediaType, document: string): string {
    const { dialect } = this.#view.ctx.site;
    return this.#text(`body ${media}`, document, (object) =>
      encodeObject(media, object, this.#ref.type, dialect),
    );
  }

  /** Documents as items of a list: encoded, or as objects if they are long. */
  *items(
    media: MediaType,
    documents: readonly string[],
  ): Generator<string | StoredObject, void, undefined> {
    const { dialect } = this.#view.ctx.site;
    const encode = (object: StoredObject) =>
      [...encodeItem(media, object, this.#ref.type, dialect)].join('');
    for (const document of documents) {
      yield this.isShort(document)
        ? this.#text(`item ${media}`, document, encode)
        : this.#shown(document);
    }
  }

  #text(form: string, document: string, encode: (object: StoredObject) => string): string {
    const key = `${form} ${this.#form} ${document}`;
    const { ctx } = this.#view;
    const known = this.#cache.get(key);
    const isValid = known?.lookups.every(
      ({ kind, id, collection }) => findCollection(ctx, kind, id) === collection,
    );
    if (known && isValid) return known.text;
    this.#lookups = [];
    const text = encode(this.#shown(document));
    this.#cache.add(key, { text, lookups: this.#lookups });
    return text;
  }

  #shown(document: string): StoredObject {
    return show(this.#view, this.#ref, readJson(document));
  }
}
