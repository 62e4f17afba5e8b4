/** Servers of a site. A server is listed while it sends heartbeats. */
import type { Transaction } from '../../server/store/transaction.ts';

/** A running server. */
export interface ServerRow {
  readonly id: string;
  /** URL of its image daemon: `https://HOST:PORT`. */
  readonly images: string;
  /** Last heartbeat; service time in milliseconds. */
  readonly seen: number;
}

export function listServers(tx: Transaction): readonly ServerRow[] {
  const rows = tx.statement('SELECT id, images, seen FROM server ORDER BY id').all();
  return rows.map(({ id, images, seen }) => ({
    id: String(id),
    images: String(images),
    seen: Number(seen),
  }));
}

/** URL of the image daemon of a server; undefined if the server has stopped. */
export function findImagesUrl(tx: Transaction, id: string): string | undefined {
  const row = tx.statement('SELECT images FROM server WHERE id = ?').get(id);
  return row && String(row['images']);
}

export function addServer(tx: Transaction, { id, images, seen }: ServerRow): void {
  tx.statement('INSERT INTO server (id, images, seen) VALUES (?, ?, ?)').run(id, images, seen);
}

/** Records a heartbeat; false if the server was removed since the last one. */
export function renewServer(tx: Transaction, id: string, now: number): boolean {
  const row = tx.statement('UPDATE server SET seen = ? WHERE id = ? RETURNING id').get(now, id);
  return row !== undefined;
}

/** Removes the servers without a heartbeat since a time. */
export function removeSilentServers(tx: Transaction, since: number): void {
  tx.statement('DELETE FROM server WHERE seen < ?').run(since);
}

export function removeServer(tx: Transaction, id: string): void {
  tx.statement('DELETE FROM server WHERE id = ?').run(id);
}

export function removeServers(tx: Transaction): void {
  tx.statement('DELETE FROM server').run();
}
