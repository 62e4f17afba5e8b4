/** The servers that use a store at the same time: each is noted for as long as it shows that it lives. */
import type { Statement } from './driver.ts';

/** One server. */
export interface ServerRow {
  readonly id: string;
  /** Where its image daemon is reached: `https://HOST:PORT`. */
  readonly images: string;
  /** When it has last shown that it lives; service time in milliseconds. */
  readonly seen: number;
}

/** The list, inside a transaction or outside: each method is one statement. */
export class ServerList {
  readonly #statement: (sql: string) => Statement;

  constructor(statement: (sql: string) => Statement) {
    this.#statement = statement;
  }

  all(): readonly ServerRow[] {
    return this.#statement('SELECT id, images, seen FROM server ORDER BY id')
      .all()
      .map(({ id, images, seen }) => ({
        id: String(id),
        images: String(images),
        seen: Number(seen),
      }));
  }

  /** Where the image daemon of a server is reached; undefined where the server is gone. */
  imagesOf(id: string): string | undefined {
    const row = this.#statement('SELECT images FROM server WHERE id = ?').get(id);
    return row && String(row['images']);
  }

  add({ id, images, seen }: ServerRow): void {
    this.#statement('INSERT INTO server (id, images, seen) VALUES (?, ?, ?)').run(id, images, seen);
  }

  /** Notes that a server lives; false where it was given up meanwhile. */
  renew(id: string, now: number): boolean {
    const row = this.#statement('UPDATE server SET seen = ? WHERE id = ? RETURNING id').get(
      now,
      id,
    );
    return row !== undefined && row !== null;
  }

  /** Gives up the servers that were not seen since. */
  removeSilent(since: number): void {
    this.#statement('DELETE FROM server WHERE seen < ?').run(since);
  }

  remove(id: string): void {
    this.#statement('DELETE FROM server WHERE id = ?').run(id);
  }

  /** Forgets all servers. */
  clear(): void {
    this.#statement('DELETE FROM server').run();
  }
}
