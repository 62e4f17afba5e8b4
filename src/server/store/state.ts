/**
 * Saved state: the contents of a store as JSON lines, which another store can load. Excludes disk
 * data, records of disk changes, passwords and tokens.
 */

import { getErrorMessage } from '../../caught-errors.ts';
import { isRecord } from '../../records.ts';
import { jsonPlace, Mistake } from '../../source-place.ts';
import { describeLineProblem } from '../../wire/json-file.ts';
import { commits } from './commit-position.ts';
import type { SqlValue } from './driver.ts';
import { setAside } from './event-ids.ts';
import {
  isKind,
  type KindName,
  parseDocument,
  type StoredObject,
  storedKinds,
  writeDocument,
} from './kinds.ts';
import { table } from './schema.ts';
import type { Transaction } from './transaction.ts';

const format = 'vmctl-state';
const formatVersion = 1;
/** Minimum characters of a piece. */
const pieceSize = 2 ** 20;

/**
 * The state in pieces. Read all of it before any change. `now` is service time: due times are
 * relative, so that they keep their remaining time.
 */
export function* saveState(tx: Transaction, now: number): Generator<string> {
  let piece = `${JSON.stringify({ format, version: formatVersion })}\n`;
  for (const line of listLines(tx, now)) {
    piece += `${line}\n`;
    if (piece.length < pieceSize) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

function* listLines(tx: Transaction, now: number): Generator<string> {
  for (const kind of storedKinds()) {
    if (kind === 'dirty_bitmap') continue;
    for (const { line } of objectLines(tx, kind)) yield line;
  }
  for (const { name, value } of tx.statement('SELECT name, value FROM counter').all()) {
    // These counters belong to this store.
    if (name === setAside || name === commits) continue;
    yield JSON.stringify({ counter: name, value: Number(value) });
  }
  for (const row of tx.statement('SELECT due, name, target, data FROM task ORDER BY seq').all()) {
    const { due, name, target, data } = row;
    yield `{"task":${JSON.stringify(name)},"left":${Number(due) - now},"target":${JSON.stringify(target)},"data":${String(data)}}`;
  }
}

/** The lines of the objects of a kind, in row order. */
function* objectLines(tx: Transaction, kind: KindName): Generator<{ line: string; row: SqlValue }> {
  const rows = tx.statement(
    `SELECT rowid AS "row", collection, doc FROM ${table(kind)} ORDER BY rowid`,
  );
  for (const { row, collection, doc } of rows.all()) {
    const place = `"kind":${JSON.stringify(kind)},"collection":${JSON.stringify(collection)}`;
    yield { line: `{${place},"object":${String(doc)}}`, row: row ?? null };
  }
}

/** Removes all objects, counters and tasks, but no credentials. */
export function clearState(tx: Transaction): void {
  for (const kind of storedKinds()) tx.statement(`DELETE FROM ${table(kind)}`).run();
  tx.statement('DELETE FROM reference').run();
  clearOthers(tx);
}

function clearOthers(tx: Transaction): void {
  for (const name of ['task', 'counter', 'idempotency_key']) {
    tx.statement(`DELETE FROM ${name}`).run();
  }
  tx.changes.noteAll();
}

/**
 * Loads a saved state into an empty store, at a service time. Throws `FILE:LINE:COLUMN: problem`
 * for an invalid line; `file` is the file name in the message.
 */
export function loadState(
  tx: Transaction,
  text: string,
  now: number,
  file = 'the saved state',
): void {
  loadLines(tx, [...splitLines(text)], now, file);
}

/**
 * Replaces the current state with a saved one, like `clearState` and `loadState`. Leaves identical
 * objects unchanged, which are almost all if a client restores one state repeatedly.
 */
export function replaceState(tx: Transaction, text: string, now: number): void {
  const wanted = new Map<string | undefined, NumberedLine[]>();
  for (const line of splitLines(text)) {
    const kind = /^\{"kind":"(\w+)",/.exec(line.text)?.[1];
    const lines = wanted.get(kind);
    if (lines) lines.push(line);
    else wanted.set(kind, [line]);
  }
  // A hand-written state may have another format, whose kinds are not recognized.
  const [first, ...others] = wanted.get(undefined) ?? [];
  const isKnown =
    first?.number === 1 && others.every((line) => /^\{"(?:counter|task)":/.test(line.text));
  for (const kind of storedKinds()) {
    const lines = wanted.get(kind) ?? [];
    wanted.set(kind, lines.slice(isKnown ? keepSame(tx, kind, lines) : clearFrom(tx, kind, 0)));
  }
  clearOthers(tx);
  const changed = [...wanted.values()].flat();
  loadLines(
    tx,
    changed.sort((one, other) => one.number - other.number),
    now,
  );
}

/**
 * Removes the objects of a kind from the first difference on. Returns the number of remaining ones.
 */
function keepSame(tx: Transaction, kind: KindName, wanted: readonly NumberedLine[]): number {
  let same = 0;
  let last: SqlValue = null;
  for (const { line, row } of objectLines(tx, kind)) {
    if (line !== wanted[same]?.text) return clearFrom(tx, kind, same, last);
    same += 1;
    last = row;
  }
  return same;
}

/**
 * Removes the objects of a kind after a row, of which `kept` remain. Removes all if remaining and
 * removed objects share an id.
 */
function clearFrom(tx: Transaction, kind: KindName, kept: number, last: SqlValue = null): number {
  const name = table(kind);
  // References have no collection, so objects with the same id share them.
  const both = `SELECT 1 FROM ${name} kept JOIN ${name} gone ON gone.id = kept.id
    WHERE kept.rowid <= ? AND gone.rowid > ? LIMIT 1`;
  if (kept === 0 || tx.statement(both).get(last, last)) {
    tx.statement(`DELETE FROM ${name}`).run();
    tx.statement('DELETE FROM reference WHERE kind = ?').run(kind);
    return 0;
  }
  const gone = `SELECT id FROM ${name} WHERE rowid > ?`;
  tx.statement(`DELETE FROM reference WHERE kind = ? AND id IN (${gone})`).run(kind, last);
  tx.statement(`DELETE FROM ${name} WHERE rowid > ?`).run(last);
  return kept;
}

/** A non-empty line of a saved state. */
interface NumberedLine {
  readonly number: number;
  readonly text: string;
}

function* splitLines(state: string): Generator<NumberedLine> {
  let number = 0;
  for (let at = 0; at < state.length; ) {
    const end = state.indexOf('\n', at);
    const text = state.slice(at, end < 0 ? state.length : end);
    at += text.length + 1;
    number += 1;
    if (text.trim() !== '') yield { number, text };
  }
}

function loadLines(
  tx: Transaction,
  lines: readonly NumberedLine[],
  now: number,
  file = 'the saved state',
): void {
  const kinds = new Set<string>(storedKinds());
  if (lines.length === 0) throw new Error(`${file}:1:1: the text is empty`);
  for (const { number, text } of lines) {
    const line = parsedLine(text, file, number);
    try {
      loadLine(tx, line, number, kinds, now);
    } catch (cause) {
      const reason = getErrorMessage(cause);
      const steps = cause instanceof Mistake ? cause.steps : [];
      const position = jsonPlace(file, text, number)
        .at(...steps)
        .position();
      throw new Error(`${position}: ${reason}`, { cause });
    }
  }
}

function parsedLine(text: string, file: string, number: number): StoredObject {
  let line: unknown;
  try {
    line = parseDocument(text);
  } catch (cause) {
    throw new Error(describeLineProblem(text, file, number), { cause });
  }
  if (isRecord(line)) return line;
  throw new Error(`${jsonPlace(file, text, number)}: expected one object`);
}

function loadLine(
  tx: Transaction,
  line: StoredObject,
  number: number,
  kinds: ReadonlySet<string>,
  now: number,
): void {
  if (number === 1) {
    if (line['format'] !== format) {
      throw new Mistake(['format'], 'not a state of vmctl serve');
    }
    if (line['version'] !== formatVersion) {
      const problem = `it has version ${String(line['version'])}, not ${formatVersion}`;
      throw new Mistake(['version'], problem);
    }
  } else if (line['kind'] !== undefined) {
    const kind = String(line['kind']);
    if (!isKind(kind) || !kinds.has(kind)) {
      throw new Mistake(['kind'], `unknown kind of objects "${kind}"`);
    }
    if (!isRecord(line['object'])) throw new Mistake(['object'], 'it has no object');
    if (typeof line['object']['id'] !== 'string') {
      throw new Mistake(['object'], 'the object has no id');
    }
    tx.restore(kind, String(line['collection']), line['object']);
  } else if (line['counter'] !== undefined) {
    tx.statement('INSERT INTO counter (name, value) VALUES (?, ?)').run(
      String(line['counter']),
      readWhole(line, 'value'),
    );
  } else if (line['task'] !== undefined) {
    if (!isRecord(line['data'])) throw new Mistake(['data'], 'it has no data');
    tx.statement('INSERT INTO task (due, name, target, data) VALUES (?, ?, ?, ?)').run(
      // Earlier versions saved the time of day.
      line['left'] === undefined ? readWhole(line, 'due') : now + readWhole(line, 'left'),
      String(line['task']),
      String(line['target']),
      writeDocument(line['data']),
    );
  } else throw new Error('it is not an object, a counter or a task');
}

/** A number of a line. Throws if it is missing or inexact. */
function readWhole(line: StoredObject, member: string): number {
  const value = line[member];
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new Mistake([member], `${member} is not a number`);
}
