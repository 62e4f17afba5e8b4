/** Optimistic reads: work that runs under the assumption that the site has not changed. */
import type { Row } from '../../server/store/driver.ts';
import type { SentStatement } from './messages.ts';

/**
 * Maximum number of statements read ahead for one piece of work; each of them restarts the work.
 */
const maxAhead = 2;

/** A statement with its rows. */
export interface ReadStatement extends SentStatement {
  readonly rows: readonly Row[];
}

export class Assumption {
  /** Whether the work has used the assumed version. */
  isUsed = false;
  /** Whether the version was confirmed; then the rows belong to it. */
  isProved: boolean;
  /** Whether the version has changed. */
  isBroken = false;
  /** Statement whose rows must be read before the work restarts. */
  missing: SentStatement | undefined;
  readonly #read: readonly ReadStatement[];

  /** @param read statements with rows of the assumed version */
  constructor(read: readonly ReadStatement[], isProved: boolean) {
    this.#read = read;
    this.isProved = isProved;
  }

  /** Whether the result of the work can be returned. */
  get holds(): boolean {
    return !this.isBroken && !this.missing && (this.isProved || !this.isUsed);
  }

  /** Aborts the work, because cached objects and read rows may be outdated. */
  fail(): never {
    this.isBroken = true;
    throw new Error('The site has changed.');
  }

  /** Rows of a statement; undefined if it is not read ahead. Throws if it has to be read first. */
  findRows(statement: SentStatement): readonly Row[] | undefined {
    const found = this.#read.find((read) => isSameStatement(read, statement));
    if (found) return found.rows;
    if (this.#read.length >= maxAhead) return undefined;
    this.missing ??= statement;
    throw rowsUnread;
  }
}

function isSameStatement(one: SentStatement, other: SentStatement): boolean {
  const { values = [] } = one;
  const { values: others = [] } = other;
  if (one.sql !== other.sql || values.length !== others.length) return false;
  return values.every((value, index) => value === others[index]);
}

/** Thrown if rows are not read yet. One shared instance, because its stack trace is never used. */
const rowsUnread = new Error('The rows do not exist yet.');
