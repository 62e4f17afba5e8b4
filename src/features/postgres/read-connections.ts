/** Asynchronous connections to PostgreSQL for reads, several of them in parallel. */
import type { Row } from '../../server/store/driver.ts';
import { DatabaseError } from './errors.ts';
import type { DatabaseFailure, SentStatement, SiteUse } from './messages.ts';
import type { Session } from './session.ts';

/** Maximum number of connections; a new one is opened if all others are busy. */
const maxConnections = 4;

/** Rows of two statements, the second of which runs after the first. */
export interface ReadRows {
  /** Undefined if there was no first statement. */
  readonly rows: readonly Row[] | undefined;
  readonly second: readonly Row[];
}

interface Connection {
  readonly session: Session;
  /** Number of running statements. */
  pending: number;
}

type Library = typeof import('./session.ts');

export class ReadConnections {
  readonly #url: string;
  readonly #use: SiteUse;
  readonly #connections: Connection[] = [];
  #library: Promise<Library> | undefined;

  /** Connects on the first statement. */
  constructor(url: string, use: SiteUse) {
    this.#url = url;
    this.#use = use;
  }

  /**
   * Sends a statement and a second one after it, each in a separate transaction. Retries once if
   * the connection was lost, which is safe for reads. Rejects with a `DatabaseError`.
   */
  async read(statement: SentStatement | undefined, second: SentStatement): Promise<ReadRows> {
    this.#library ??= import('./session.ts');
    const library = await this.#library;
    const connection = this.#leastBusy(library);
    connection.pending += 1;
    try {
      let found = await send(library, connection.session, statement, second);
      if ('failure' in found && found.failure.isDisconnected) {
        found = await send(library, connection.session, statement, second);
      }
      if ('failure' in found) throw new DatabaseError(found.failure);
      return found;
    } finally {
      connection.pending -= 1;
    }
  }

  /** Closes all connections. */
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
  { describeFailure, toQuery, getRows }: Library,
  session: Session,
  statement: SentStatement | undefined,
  second: SentStatement,
): Promise<ReadRows | { readonly failure: DatabaseFailure }> {
  const { sql } = statement ?? second;
  let { client } = session;
  try {
    client ??= await session.connected();
  } catch (error) {
    return { failure: describeFailure(error, sql, false) };
  }
  try {
    // Pipelined: both statements are sent without waiting.
    const first = statement && client.query(toQuery(statement));
    const [found, last] = await Promise.all([first, client.query(toQuery(second))]);
    return { rows: found && getRows(found), second: getRows(last) };
  } catch (error) {
    const failure = describeFailure(error, sql, true);
    if (failure.isDisconnected) session.drop(client);
    return { failure };
  }
}
