/** The assumption that nothing has changed, under which work is begun that may have to be begun again. */
import type { Row } from '../../server/store/driver.ts';
import type { SentStatement } from './messages.ts';

/** Statements of one piece of work that are read ahead: for each of them it is begun again. */
const maxAhead = 2;

/** A statement whose rows are there. */
export interface ReadStatement extends SentStatement {
  readonly rows: readonly Row[];
}

export class Assumption {
  /** Something was done because of the version. */
  isUsed = false;
  /** It was found to hold: what was read is of that version. */
  isProved: boolean;
  /** It was found not to hold. */
  isBroken = false;
  /** What has to be read before the work is begun again. */
  missing: SentStatement | undefined;
  readonly #read: readonly ReadStatement[];

  /** @param read what was read ahead, of the version that is assumed */
  constructor(read: readonly ReadStatement[], isProved: boolean) {
    this.#read = read;
    this.isProved = isProved;
  }

  /** Whether what the work has come to can be answered. */
  get holds(): boolean {
    return !this.isBroken && !this.missing && (this.isProved || !this.isUsed);
  }

  /** Ends the work: throws, for what was remembered may be otherwise, and what was read may be older. */
  broken(): never {
    this.isBroken = true;
    throw new Error('The site has changed.');
  }

  /** The rows of a statement; undefined for one that is not read ahead. Throws where it is to be. */
  rowsOf(statement: SentStatement): readonly Row[] | undefined {
    const found = this.#read.find((read) => isSame(read, statement));
    if (found) return found.rows;
    if (this.#read.length >= maxAhead) return undefined;
    this.missing ??= statement;
    throw unread;
  }
}

function isSame(one: SentStatement, other: SentStatement): boolean {
  const { values = [] } = one;
  const { values: others = [] } = other;
  if (one.sql !== other.sql || values.length !== others.length) return false;
  return values.every((value, index) => value === others[index]);
}

/** Thrown where rows are not there yet. Nobody looks where it came from: one is made for all. */
const unread = new Error('The rows do not exist yet.');
