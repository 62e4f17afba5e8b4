/**
 * Texts of objects as they are shown, put together from texts of their members: these are kept by what
 * is stored of a member, which no change can make stale, and most objects need not be read.
 */
import { missingCollections } from '../../model/derive/placements.ts';
import { services } from '../../model/derive/services.ts';
import { attributesOf } from '../../model/index.ts';
import type { Attribute } from '../../model/notation/attributes.ts';
import { shownBelow, shownBeside, unaddressed } from '../../model/shown-below.ts';
import { encodeItem, encodeObject, type MediaType, objectTexts } from '../../wire/index.ts';
import { type Behavior, behaviorOf, type Derivations } from '../core/behavior.ts';
import { type CollectionRef, locationOf } from '../core/collection-ref.ts';
import { readJson, type StoredObject, typeOfKind } from '../store/kinds.ts';
import { Composer, type LaidMember, type Layout, type Spot } from './composer.ts';
import { DocumentMembers } from './document-members.ts';
import { type KeptTexts, TextSlot } from './kept-texts.ts';
import { actionsOf } from './object-links.ts';
import { defaultsOf, extentOf, hiddenOf, type Presentation, showsOf } from './presentation.ts';
import { looksOf } from './redact.ts';
import { isBrief, isOnDomain, isWithoutLinks, namesOwner, show } from './show.ts';

/** Characters of a document that is written in one go: less than a millisecond of work. */
const longestDocument = 16_384;

/** Characters of a member that is kept: longer ones are seldom the same twice. */
const longestMember = 2_000;

/** What objects are shown as: in a format, alone or in a list. */
interface Form {
  readonly media: MediaType;
  readonly isItem: boolean;
}

/** What was made out of the places of a server, with the texts that are kept in each. */
export class ShownTexts {
  readonly #kept: KeptTexts;
  readonly #layouts = new Map<string, Layout>();

  constructor(kept: KeptTexts) {
    this.#kept = kept;
  }

  /**
   * What writes the objects of a place; undefined where objects are made up, more of them is shown than
   * is stored, or less.
   */
  writerOf(view: Presentation, ref: CollectionRef): DocumentWriter | undefined {
    const behavior = behaviorOf(view.ctx, ref.kind);
    if (view.everything || behavior?.compute || ref.members?.answers === 'link') return undefined;
    const below = view.ctx.site.dialect.hrefsBelowParents ? shownBelow[ref.kind] : undefined;
    if ((below && !below.afterChange) || shownBeside[ref.kind]) return undefined;
    if (view.alone && below?.addressedBelow) return undefined;
    if (hiddenOf(view, ref.type)?.has('link') || isWithoutLinks(view, ref)) return undefined;
    if (isBrief(view, ref) || namesOwner(view, ref) || isOnDomain(ref)) return undefined;
    if (behavior?.linked) return undefined;
    if (view.ctx.site.dialect.hrefsBelowParents && unaddressed[ref.type]) return undefined;
    if (ref.type !== typeOfKind(ref.kind)) return undefined;
    const derivations = behavior?.derives?.(view.ctx);
    return new DocumentWriter(view, ref, this.#kept, derivations ? undefined : behavior, (form) =>
      this.#layoutOf(view, ref, form, derivations),
    );
  }

  #layoutOf(
    view: Presentation,
    { kind, ...ref }: CollectionRef,
    form: Form,
    derivations: Derivations | undefined,
  ): Layout {
    const { service } = locationOf({ kind, ...ref }, '');
    const derives = derivations !== undefined;
    const { apiPath, allContent, alone } = view;
    const key = JSON.stringify([form, service, kind, apiPath, allContent, alone, derives]);
    let layout = this.#layouts.get(key);
    if (!layout) {
      layout = makeLayout(this.#kept, view, ref.type, service, form, derivations);
      this.#layouts.set(key, layout);
    }
    return layout;
  }
}

function makeLayout(
  kept: KeptTexts,
  view: Presentation,
  type: string,
  service: string,
  { media, isItem }: Form,
  derivations: Derivations = {},
): Layout {
  const texts = objectTexts(media, type, view.ctx.site.dialect, isItem);
  const hidden = hiddenOf(view, type);
  const looks = looksOf(type);
  const attributes: Readonly<Record<string, Attribute>> = attributesOf(type);
  const members = new Map<string, LaidMember>();
  for (const [name, show] of showsOf(type)) {
    const place = texts.place(name);
    if (place === undefined || hidden?.has(name)) continue;
    const kind = attributes[name]?.kind;
    const differs = kind === 'string' || kind === 'date';
    members.set(name, {
      ...{ place, show, look: looks.get(name) },
      slot: differs ? undefined : new TextSlot(kept, longestMember),
    });
  }
  const from = Object.values(derivations).flatMap((one) => one.from);
  const sources = new Map([...new Set(from)].map((name, source) => [name, source]));
  const derived = Object.entries(derivations).flatMap(([name, derivation]) => {
    const member = members.get(name);
    const numbers = derivation.from.map((one) => sources.get(one) ?? 0);
    return member ? [{ member, sources: numbers, ...derivation }] : [];
  });
  const stored = new DocumentMembers<Spot>((name) => {
    const member = Object.hasOwn(derivations, name) ? undefined : members.get(name);
    return { meaning: { name, source: sources.get(name), member }, slot: member?.slot };
  });
  const defaults = defaultsOf(type).flatMap(([name, value]) => {
    const member = members.get(name);
    return member ? [{ member, value, text: texts.write(member.place, value) }] : [];
  });
  const isNested = service.slice(0, service.lastIndexOf('/')).includes('{');
  const by = missingCollections[type]?.by;
  const sort = by === undefined ? undefined : { by, otherwise: attributes[by]?.default };
  return {
    ...{ texts, service, type, members, stored, derived, defaults, sort },
    isAddressed: services[service] !== undefined,
    actions: actionsOf(service),
    whole: isNested ? undefined : new TextSlot(kept, longestDocument),
    asked: new Set<string>(),
  };
}

/** Writes the objects of one place as one caller sees them. */
export class DocumentWriter {
  readonly #view: Presentation;
  readonly #ref: CollectionRef;
  readonly #kept: KeptTexts;
  readonly #computes: ((object: StoredObject) => StoredObject) | undefined;
  readonly #layoutOf: (form: Form) => Layout;

  /** @param behavior what computes members out of whole objects, where that has to be done */
  constructor(
    view: Presentation,
    ref: CollectionRef,
    kept: KeptTexts,
    behavior: Behavior | undefined,
    layoutOf: (form: Form) => Layout,
  ) {
    this.#kept = kept;
    this.#view = view;
    this.#ref = ref;
    this.#layoutOf = layoutOf;
    const present = behavior?.present;
    this.#computes =
      present && ((object) => present(view.ctx, object, view.everything, extentOf(view)));
  }

  /** The document of an object, which `find` looks up or refuses. */
  document(id: string, find: () => string): string {
    const { kind, collection, options, visible } = this.#ref;
    // Where an object is found under conditions, these may be different for the next caller.
    if (visible || options.where || options.condition) return find();
    return this.#kept.documentOf(`${kind} ${collection}/${id}`, find);
  }

  /** Whether an object is written in one go; what is larger has to be written in pieces. */
  isShort(document: string): boolean {
    return document.length <= longestDocument;
  }

  /** One object as a body. */
  body(media: MediaType, document: string): string {
    const text = this.#composer({ media, isItem: false }).compose(document);
    if (text !== undefined) return text;
    return encodeObject(media, this.#shown(document), this.#ref.type, this.#view.ctx.site.dialect);
  }

  /** Objects as they stand inside of the frame of a list, large ones in pieces. */
  *items(
    media: MediaType,
    documents: readonly string[],
  ): Generator<string | Iterable<string>, void, undefined> {
    const composer = this.#composer({ media, isItem: true });
    const { dialect } = this.#view.ctx.site;
    for (const document of documents) {
      const text = this.isShort(document) ? composer.compose(document) : undefined;
      yield text ?? encodeItem(media, this.#shown(document), this.#ref.type, dialect);
    }
  }

  #composer(form: Form): Composer {
    const path = this.#view.apiPath + locationOf(this.#ref, '').path;
    return new Composer(this.#view, this.#layoutOf(form), path, this.#kept, this.#computes);
  }

  #shown(document: string): StoredObject {
    return show(this.#view, this.#ref, readJson(document));
  }
}
