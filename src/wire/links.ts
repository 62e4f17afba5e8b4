/** Links of an object, kept and written as a whole: they all begin with its own address. */
import { escapeAttribute } from './xml-characters.ts';

export interface Link {
  readonly href: string;
  readonly rel: string;
}

/**
 * The links `BASE/REL` of an object. Every object has dozens of them, so that a list of objects is
 * mostly links: they are kept and written as a whole.
 */
export class LinkList implements Iterable<Link> {
  readonly #base: string;
  readonly #rels: readonly string[];

  /** @param rels words of paths, in which nothing needs an escape */
  constructor(base: string, rels: readonly string[]) {
    this.#base = base;
    this.#rels = rels;
  }

  *[Symbol.iterator](): Generator<Link> {
    for (const rel of this.#rels) yield { href: `${this.#base}/${addressOf(rel)}`, rel };
  }

  /** The array as JSON. */
  json(): string {
    if (this.#rels.length === 0) return '[]';
    const start = `{"href":${JSON.stringify(this.#base).slice(0, -1)}/`;
    const suffixes = endsOf(this.#rels, jsonEnds, (rel) => `${addressOf(rel)}","rel":"${rel}"}`);
    return `[${start}${suffixes.join(`,${start}`)}]`;
  }

  /** The elements in XML, each on a line that begins with `pad`. */
  xml(pad: string): string {
    if (this.#rels.length === 0) return '';
    const start = `${pad}<link href="${escapeAttribute(this.#base)}/`;
    const suffixes = endsOf(this.#rels, xmlEnds, (rel) => `${addressOf(rel)}" rel="${rel}"/>\n`);
    return start + suffixes.join(start);
  }
}

/** Address of a link below its object. `users/search` is the template of a search in `users`. */
export function addressOf(rel: string): string {
  return rel.endsWith('/search') ? `${rel.slice(0, -'/search'.length)}?search={query}` : rel;
}

/** What follows the address of the object in each link. */
type Ends = WeakMap<readonly string[], readonly string[]>;

const jsonEnds: Ends = new WeakMap();
const xmlEnds: Ends = new WeakMap();

function endsOf(
  rels: readonly string[],
  known: Ends,
  endOf: (rel: string) => string,
): readonly string[] {
  let suffixes = known.get(rels);
  if (!suffixes) {
    suffixes = rels.map(endOf);
    known.set(rels, suffixes);
  }
  return suffixes;
}
