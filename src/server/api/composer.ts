/** Composer of the text of an object from its document, out of the texts of its members. */
import { LinkList, type ObjectTexts } from '../../wire/index.ts';
import { type KindName, readJson, type StoredObject } from '../store/kinds.ts';
import type { DocumentMembers, Step } from './document-members.ts';
import type { KeptText, KeptTexts, Place, TextSlot } from './kept-texts.ts';
import { linkWords } from './object-links.ts';
import { asItIs, type Own, type Presentation, type Show } from './presentation.ts';
import type { Redactor } from './redact.ts';

/** A member of objects, in its place. */
export interface LaidMember {
  readonly place: number;
  readonly show: Show;
  /** What is done for callers who do not see everything. */
  readonly look: Redactor | undefined;
  /** Texts by what is stored; none for what is seldom the same twice. */
  readonly slot: TextSlot | undefined;
}

/** A member that follows from others. */
export interface DerivedMember {
  readonly member: LaidMember;
  readonly from: readonly string[];
  /** The same, as numbers of sources. */
  readonly sources: readonly number[];
  make(object: StoredObject): unknown;
}

/** What a member that is stored means for the text. */
export interface Spot {
  readonly name: string;
  /** Number under which others follow from it. */
  readonly source: number | undefined;
  /** Where it is shown; undefined where it is not, or another value instead of it. */
  readonly member: LaidMember | undefined;
}

/** Everything about the objects of one kind at one place in one format that no object changes. */
export interface Layout {
  readonly texts: ObjectTexts;
  readonly service: string;
  readonly type: string;
  readonly members: ReadonlyMap<string, LaidMember>;
  /** What documents are taken apart with. */
  readonly stored: DocumentMembers<Spot>;
  readonly derived: readonly DerivedMember[];
  /** What is shown of objects that were stored without it. */
  readonly defaults: readonly {
    readonly member: LaidMember;
    readonly value: unknown;
    readonly text: string;
  }[];
  /** The attribute that decides which collections are below an object, and what it is by itself. */
  readonly sort: { readonly by: string; readonly otherwise: unknown } | undefined;
  /** Whether its objects have an address. */
  readonly isAddressed: boolean;
  readonly actions: readonly string[];
  /** Texts of whole objects; undefined where the same document may be shown at several addresses. */
  readonly whole: TextSlot | undefined;
  /** Ids of objects that were asked for: the text of one is kept when it is asked for again. */
  readonly asked: Set<string>;
}

/** Objects of which it is remembered that they were asked for, at most. */
const maxAsked = 5_000;

/** For one request: what it shows is made in the view of its caller. */
export class Composer {
  readonly #view: Presentation;
  readonly #layout: Layout;
  readonly #computes: ((object: StoredObject) => StoredObject) | undefined;
  /** Path of the collection that the objects are found in, with the slash behind it. */
  readonly #path: string;
  readonly #kept: KeptTexts;
  /** Objects that were looked up for the text that is made, and for its present member. */
  #places = new Set<Place>();
  #memberPlaces: Place[] = [];
  readonly #own: PlaceNoted;
  /** What this caller sees of members, by what is stored of them. */
  readonly #seen = new Map<LaidMember, Map<string, string>>();
  #id = '';
  readonly #steps: Step<Spot>[] = [];
  readonly #values: string[] = [];

  /** @param computes the members that are made out of a whole object, where there are any */
  constructor(
    view: Presentation,
    layout: Layout,
    path: string,
    kept: KeptTexts,
    computes?: (object: StoredObject) => StoredObject,
  ) {
    const lookUp = (kind: KindName, id: string) => {
      const place = kept.placeOf(view.ctx.tx, kind, id);
      this.#memberPlaces.push(place);
      return place.collection;
    };
    this.#view = { ...view, lookUp };
    this.#kept = kept;
    this.#layout = layout;
    this.#path = path;
    this.#computes = computes;
    this.#own = new PlaceNoted(layout.service);
  }

  /** The text of an object; undefined where it has to be shown in another way. */
  compose(document: string): string | undefined {
    // What one caller sees is nobody else's, and what is computed may be different next time.
    const { whole, asked } = this.#layout;
    if (!whole || this.#computes || this.#view.ctx.filter) return this.#composed(document);
    const known = whole.get(document);
    if (known && this.#holds(known)) return known.text;
    this.#places = new Set();
    const text = this.#composed(document);
    const id = this.#id;
    // To keep every object costs whoever walks through all pages more than it gives.
    if (text !== undefined && asked.has(id)) whole.keep(document, text, [...this.#places]);
    if (asked.size >= maxAsked) asked.clear();
    asked.add(id);
    return text;
  }

  /** Whether all objects are where they were when a text was made. */
  #holds({ places }: KeptText): boolean {
    const { tx } = this.#view.ctx;
    return places.every(
      ({ kind, id, collection }) => this.#kept.placeOf(tx, kind, id).collection === collection,
    );
  }

  #composed(document: string): string | undefined {
    const steps = this.#steps;
    const values = this.#values;
    const { texts, stored, derived, sort: sorting } = this.#layout;
    if (!stored.split(document, steps, values)) return undefined;
    const stands = values[steps.findIndex(({ meaning }) => meaning.name === 'id')];
    if (stands === undefined) return undefined;
    const id = String(valueIn(stands));
    this.#id = id;
    const base = this.#path + id;
    this.#own.is(base);
    const found = new Array<string | undefined>(texts.size);
    const sources: (string | undefined)[] = [];
    let sort = sorting?.otherwise;
    for (const [index, { meaning }] of steps.entries()) {
      const { name, source, member } = meaning;
      const value = values[index] ?? '';
      if (name === sorting?.by) sort = valueIn(value) ?? undefined;
      if (source !== undefined) sources[source] = value;
      if (member) found[member.place] = this.#stored(member, value);
    }
    for (const one of derived) found[one.member.place] = this.#derived(one, sources);
    if (this.#computes) {
      const computed = this.#computes(readJson(document));
      for (const name in computed) {
        const member = this.#layout.members.get(name);
        if (member) found[member.place] = this.#shown(member, computed[name] ?? undefined);
        if (name === sorting?.by) sort = computed[name] ?? undefined;
      }
    }
    this.#complete(found, base, id, sort);
    return texts.whole(found);
  }

  /** Puts in what is not stored: defaults, identity, links and actions. */
  #complete(found: (string | undefined)[], base: string, id: unknown, sort: unknown): void {
    const { texts, defaults, service, type, isAddressed, actions, ...layout } = this.#layout;
    for (const { member, value, text } of defaults) {
      const { place, look } = member;
      found[place] ??= look && this.#view.ctx.filter ? this.#visible(member, value) : text;
    }
    const put = (name: string, value: unknown) => {
      const place = texts.place(name);
      if (place !== undefined) found[place] = texts.write(place, value);
    };
    put('id', id);
    if (isAddressed) put('href', base);
    const object = layout.sort ? { [layout.sort.by]: sort } : {};
    const links = linkWords(this.#view, { service, type, object });
    if (links) put('link', new LinkList(base, links));
    if (actions.length > 0) put('actions', { link: new LinkList(base, actions) });
  }

  /** The text of a member by what is stored of it. */
  #stored(member: LaidMember, stored: string): string {
    return this.#text(member, stored, () => valueIn(stored));
  }

  #derived({ member, from, sources, make }: DerivedMember, stored: (string | undefined)[]): string {
    let key = '';
    for (const source of sources) key += `${stored[source] ?? ''}\n`;
    return this.#text(member, key, () => {
      const object: StoredObject = {};
      for (const [index, name] of from.entries()) {
        const value = stored[sources[index] ?? -1];
        if (value !== undefined) object[name] = valueIn(value);
      }
      return make(object);
    });
  }

  /** The text of a member, made anew where none is kept that still holds. */
  #text(member: LaidMember, key: string, value: () => unknown): string {
    const { slot, look } = member;
    if (look && this.#view.ctx.filter) return this.#textForCaller(member, key, value);
    const known = slot && (slot.last?.source === key ? slot.last : slot.get(key));
    if (known && this.#holds(known)) {
      for (const place of known.places) this.#places.add(place);
      return known.text;
    }
    const text = this.#shown(member, value());
    for (const place of this.#memberPlaces) this.#places.add(place);
    // What stands in it by its own address is different in every object.
    if (!this.#own.isNoted) slot?.keep(key, text, this.#memberPlaces);
    return text;
  }

  #textForCaller(member: LaidMember, key: string, value: () => unknown): string {
    let seen = this.#seen.get(member);
    if (!seen) {
      seen = new Map();
      this.#seen.set(member, seen);
    }
    const known = seen.get(key);
    if (known !== undefined) return known;
    const text = this.#shown(member, value());
    if (!this.#own.isNoted && seen.size < maxSeen) seen.set(key, text);
    return text;
  }

  /** The text of a value; notes what was looked up for it, and whether its own place is in it. */
  #shown(member: LaidMember, value: unknown): string {
    this.#memberPlaces = [];
    this.#own.isNoted = false;
    if (value === undefined || value === null) return '';
    const { show } = member;
    return this.#visible(member, show === asItIs ? value : show(this.#view, value, this.#own));
  }

  #visible({ place, look }: LaidMember, shown: unknown): string {
    const { filter } = this.#view.ctx;
    const hasValue = shown !== undefined && shown !== null;
    const seen = look && filter && hasValue ? look(filter, shown) : shown;
    return seen === undefined || seen === null ? '' : this.#layout.texts.write(place, seen);
  }
}

/** Values of a member that are kept for one request. */
const maxSeen = 1_000;

/** Where an object is, with a note whether anybody asked for its address. */
class PlaceNoted implements Own {
  readonly service: string;
  isNoted = false;
  #base = '';

  constructor(service: string) {
    this.service = service;
  }

  is(base: string): void {
    this.#base = base;
  }

  get base(): string {
    this.isNoted = true;
    return this.#base;
  }
}

/** The value that is written in JSON by the store. Most of them are plain texts. */
function valueIn(json: string): unknown {
  const isPlain = json.charCodeAt(0) === 0x22 && !json.includes('\\');
  return isPlain ? json.slice(1, -1) : readJson<unknown>(json);
}
