/**
 * Connections to PostgreSQL for statements that this thread does not wait for: it has other things to do until
 * the rows are there, and several of them are under way at once.
 */
import type { Row } from '../../server/store/driver.ts';
import { DatabaseError } from './errors.ts';
import type { DatabaseFailure, SentStatement, SiteUse } from './messages.ts';
import type { Session } from './session.ts';

/** Connections at most; a further one is made where all others are at work. */
const maxConnections = 4;

/** What two statements have answered, the second of them behind the first. */
export interface ReadRows {
  /** Undefined where there is no first one. */
  readonly rows: readonly Row[] | undefined;
  readonly behind: readonly Row[];
}

interface Connection {
  readonly session: Session;
  /** Statements that are under way. */
  pending: number;
}

type Library = typeof import('./session.ts');

export class ReadConnections {
  readonly #url: string;
  readonly #use: SiteUse;
  readonly #connections: Connection[] = [];
  #library: Promise<Library> | undefined;

  /** Connects with the first statement. */
  constructor(url: string, use: SiteUse) {
    this.#url = url;
    this.#use = use;
  }

  /**
   * Sends a statement, and another one behind it, each in a transaction of its own. Once more where the
   * connection ended, for nothing depends on it. Rejects with a `DatabaseError`.
   */
  async read(statement: SentStatement | undefined, behind: SentStatement): Promise<ReadRows> {
    this.#library ??= import('./session.ts');
    const library = await this.#library;
    const connection = this.#leastBusy(library);
    connection.pending += 1;
    try {
      let found = await send(library, connection.session, statement, behind);
      if ('failure' in found && found.failure.isDisconnected) {
        found = await send(library, connection.session, statement, behind);
      }
      if ('failure' in found) throw new DatabaseError(found.failure);
      return found;
    } finally {
      connection.pending -= 1;
    }
  }

  /** Ends all connections. */
  close(): void {
    for (const { session } of this.#connections.splice(0)) session.drop(session.client);
  }

  #leastBusy({ Session }: Library): Connection {
    const [least] = this.#connections.toSorted((one, other) => one.pending - other.pending);
    if (least && (least.pending === 0 || this.#connections.length >= maxConnections)) return least;
    const added = { session: new Session(this.#url, this.#use), pending: 0 };
    this.#connections.push(added);
    return added;
  }
}

async function send(
  { failureOf, queryOf, rowsOf }: Library,
  session: Session,
  statement: SentStatement | undefined,
  behind: SentStatement,
): Promise<ReadRows | { readonly failure: DatabaseFailure }> {
  const { sql } = statement ?? behind;
  let { client } = session;
  try {
    client ??= await session.connected();
  } catch (error) {
    return { failure: failureOf(error, sql, false) };
  }
  try {
    // Both go to PostgreSQL at once.
    const first = statement && client.query(queryOf(statement));
    const [found, last] = await Promise.all([first, client.query(queryOf(behind))]);
    return { rows: found && rowsOf(found), behind: rowsOf(last) };
  } catch (error) {
    const failure = failureOf(error, sql, true);
    if (failure.isDisconnected) session.drop(client);
    return { failure };
  }
}
