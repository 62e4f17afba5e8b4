/**
 * All that a store holds, as lines of JSON: to be saved, and loaded into another store. Bytes of
 * disks and what is known of their changes, passwords and tokens are not part of it.
 */

import { setAside } from './event-ids.ts';
import {
  isKind,
  isRecord,
  parseDocument,
  type StoredObject,
  storedKinds,
  writeDocument,
} from './kinds.ts';
import { table } from './schema.ts';
import type { Transaction } from './transaction.ts';

const format = 'vmctl-state';
const formatVersion = 1;
/** Characters of a piece, at least. */
const pieceSize = 2 ** 20;

/**
 * The state in pieces. Must be read to its end before anything is changed. `now` is service time: what
 * is due has the same time left wherever the state is loaded.
 */
export function* saveState(tx: Transaction, now: number): Generator<string> {
  let piece = `${JSON.stringify({ format, version: formatVersion })}\n`;
  for (const line of linesOf(tx, now)) {
    piece += `${line}\n`;
    if (piece.length < pieceSize) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

function* linesOf(tx: Transaction, now: number): Generator<string> {
  for (const kind of storedKinds()) {
    if (kind === 'dirty_bitmap') continue;
    const rows = tx.statement(`SELECT collection, doc FROM ${table(kind)} ORDER BY rowid`).all();
    for (const { collection, doc } of rows) {
      yield `{"kind":${JSON.stringify(kind)},"collection":${JSON.stringify(collection)},"object":${String(doc)}}`;
    }
  }
  for (const { name, value } of tx.statement('SELECT name, value FROM counter').all()) {
    // Of another store than the one that it will be loaded into.
    if (name === setAside) continue;
    yield JSON.stringify({ counter: name, value: Number(value) });
  }
  for (const row of tx.statement('SELECT due, name, target, data FROM task ORDER BY seq').all()) {
    const { due, name, target, data } = row;
    yield `{"task":${JSON.stringify(name)},"left":${Number(due) - now},"target":${JSON.stringify(target)},"data":${String(data)}}`;
  }
}

/** Removes all objects, counters and tasks; who may sign in stays. */
export function clearState(tx: Transaction): void {
  for (const kind of storedKinds()) tx.statement(`DELETE FROM ${table(kind)}`).run();
  const others = ['reference', 'task', 'counter', 'idempotency_key'];
  for (const name of others) tx.statement(`DELETE FROM ${name}`).run();
}

/** Puts a saved state into an empty store, at a service time. Throws with the number of the line that is wrong. */
export function loadState(tx: Transaction, text: string, now: number): void {
  const kinds = new Set<string>(storedKinds());
  let number = 0;
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end < 0 ? text.length : end);
    at += line.length + 1;
    number += 1;
    if (line.trim() === '') continue;
    try {
      loadLine(tx, parseDocument(line), number, kinds, now);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`line ${number} of the saved state: ${reason}`, { cause });
    }
  }
  if (number === 0) throw new Error('the saved state is empty');
}

function loadLine(
  tx: Transaction,
  line: StoredObject,
  number: number,
  kinds: ReadonlySet<string>,
  now: number,
): void {
  if (number === 1) {
    if (line['format'] !== format) throw new Error('this is not the state of a vmctl serve');
    if (line['version'] !== formatVersion) {
      throw new Error(`it has version ${String(line['version'])}, not ${formatVersion}`);
    }
  } else if (line['kind'] !== undefined) {
    const kind = String(line['kind']);
    if (!isKind(kind) || !kinds.has(kind))
      throw new Error(`there is no kind of objects called ${kind}`);
    if (!isRecord(line['object'])) throw new Error('it has no object');
    tx.restore(kind, String(line['collection']), line['object']);
  } else if (line['counter'] !== undefined) {
    tx.statement('INSERT INTO counter (name, value) VALUES (?, ?)').run(
      String(line['counter']),
      Number(line['value']),
    );
  } else if (line['task'] !== undefined) {
    if (!isRecord(line['data'])) throw new Error('it has no data');
    tx.statement('INSERT INTO task (due, name, target, data) VALUES (?, ?, ?, ?)').run(
      // Earlier versions saved the time of day.
      line['left'] === undefined ? Number(line['due']) : now + Number(line['left']),
      String(line['task']),
      String(line['target']),
      writeDocument(line['data']),
    );
  } else throw new Error('it is neither an object, a counter nor a task');
}
