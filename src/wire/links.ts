/** Links of an object: they all begin with its own address, and say the rest twice. */
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
    for (const rel of this.#rels) yield { href: `${this.#base}/${rel}`, rel };
  }

  /** The array as JSON. */
  json(): string {
    const start = `{"href":${JSON.stringify(this.#base).slice(0, -1)}/`;
    let text = '';
    for (const rel of this.#rels) {
      text += `${text === '' ? '' : ','}${start}${rel}","rel":"${rel}"}`;
    }
    return `[${text}]`;
  }
}
