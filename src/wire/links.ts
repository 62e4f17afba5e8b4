/** Links of an object, written together: all begin with the address of the object. */
import { escapeAttribute } from './xml-characters.ts';

export interface Link {
  readonly href: string;
  readonly rel: string;
}

/**
 * Links `BASE/REL` of an object. Most bytes of a list are links, because each object has dozens.
 * They are therefore stored and written together.
 */
export class LinkList implements Iterable<Link> {
  readonly #base: string;
  readonly #rels: readonly string[];

  /** @param rels path segments that need no escapes */
  constructor(base: string, rels: readonly string[]) {
    this.#base = base;
    this.#rels = rels;
  }

  *[Symbol.iterator](): Generator<Link> {
    for (const rel of this.#rels) yield { href: `${this.#base}/${formatLinkPath(rel)}`, rel };
  }

  /** Writes the array as JSON. */
  json(): string {
    if (this.#rels.length === 0) return '[]';
    const start = `{"href":${JSON.stringify(this.#base).slice(0, -1)}/`;
    const suffixes = getEndings(
      this.#rels,
      jsonEndings,
      (rel) => `${formatLinkPath(rel)}","rel":"${rel}"}`,
    );
    return `[${start}${suffixes.join(`,${start}`)}]`;
  }

  /** Writes XML elements, each on a line that begins with `pad`. */
  xml(pad: string): string {
    if (this.#rels.length === 0) return '';
    const start = `${pad}<link href="${escapeAttribute(this.#base)}/`;
    const suffixes = getEndings(
      this.#rels,
      xmlEndings,
      (rel) => `${formatLinkPath(rel)}" rel="${rel}"/>\n`,
    );
    return start + suffixes.join(start);
  }
}

/** Address of a link, relative to its object. `users/search` is the search template of `users`. */
export function formatLinkPath(rel: string): string {
  return rel.endsWith('/search') ? `${rel.slice(0, -'/search'.length)}?search={query}` : rel;
}

/** Cached endings of the links after the address of the object. */
type Endings = WeakMap<readonly string[], readonly string[]>;

const jsonEndings: Endings = new WeakMap();
const xmlEndings: Endings = new WeakMap();

function getEndings(
  rels: readonly string[],
  known: Endings,
  endOf: (rel: string) => string,
): readonly string[] {
  let suffixes = known.get(rels);
  if (!suffixes) {
    suffixes = rels.map(endOf);
    known.set(rels, suffixes);
  }
  return suffixes;
}
