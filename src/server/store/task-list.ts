/** Persistent list of tasks with due times. */

import type { Statement } from './driver.ts';
import { writeDocument } from './kinds.ts';

/** A persistent task. */
export interface Task {
  readonly seq: number;
  /** Service time in milliseconds. */
  readonly due: number;
  readonly name: string;
  readonly target: string;
  /** Data of the task in JSON. */
  readonly data: string;
  /** Attempts that began and whose end is not recorded: a crash or a failure interrupted them. */
  readonly attempts: number;
  /** Attempts among these that were still running after `lastingAfter` (`core/task-runner.ts`). */
  readonly lasting: number;
}

/** The tasks of the store, inside one transaction. */
export class TaskList {
  readonly #statement: (sql: string) => Statement;

  constructor(statement: (sql: string) => Statement) {
    this.#statement = statement;
  }

  /** Adds a task that is due at `due` (service time in milliseconds). */
  add(due: number, name: string, target: string, data: object): void {
    this.#statement('INSERT INTO task (due, name, target, data) VALUES (?, ?, ?, ?)').run(
      due,
      name,
      target,
      writeDocument(data),
    );
  }

  /** Removes and returns the earliest due task. */
  take(now: number): Task | undefined {
    const row = this.#statement(
      'DELETE FROM task WHERE seq = (SELECT seq FROM task WHERE due <= ? ORDER BY due, seq LIMIT 1) RETURNING *',
    ).get(now);
    return (
      row && {
        seq: Number(row['seq']),
        due: Number(row['due']),
        name: String(row['name']),
        target: String(row['target']),
        data: String(row['data']),
        attempts: Number(row['attempts']),
        lasting: Number(row['lasting']),
      }
    );
  }

  /**
   * Adds a removed task again with another due time. Returns its new number, which invalidates the
   * old one.
   */
  keep({ name, target, data, attempts, lasting }: Task, due: number): number {
    const row = this.#statement(
      'INSERT INTO task (due, name, target, data, attempts, lasting) VALUES (?, ?, ?, ?, ?, ?) RETURNING seq',
    ).get(due, name, target, data, attempts, lasting);
    return Number(row?.['seq']);
  }

  /** Counts an attempt that begins; false if the task no longer exists. */
  countAttempt(seq: number): boolean {
    const row = this.#statement(
      'UPDATE task SET attempts = attempts + 1 WHERE seq = ? RETURNING seq',
    ).get(seq);
    return row !== undefined && row !== null;
  }

  /** Records that the current attempt has been running for long. */
  countLasting(seq: number): void {
    this.#statement('UPDATE task SET lasting = lasting + 1 WHERE seq = ?').run(seq);
  }

  /** Reverts the count of the current attempt, which a clean stop interrupts. */
  forgetAttempt(seq: number, isLasting: boolean): void {
    this.#statement(
      'UPDATE task SET attempts = attempts - 1, lasting = lasting - ? WHERE seq = ?',
    ).run(isLasting ? 1 : 0, seq);
  }

  /** Postpones a task. */
  postpone(seq: number, due: number): void {
    this.#statement('UPDATE task SET due = ? WHERE seq = ?').run(due, seq);
  }

  /** Removes a task; false if another server has already taken it. */
  remove(seq: number): boolean {
    const row = this.#statement('DELETE FROM task WHERE seq = ? RETURNING seq').get(seq);
    return row !== undefined && row !== null;
  }

  /** Makes all tasks due whose name has this prefix. */
  makeDue(prefix: string, now: number): void {
    this.#statement('UPDATE task SET due = ? WHERE instr(name, ?) = 1').run(now, prefix);
  }

  /** Removes the tasks of a target. Returns their jobs. */
  removeByTarget(target: string): readonly string[] {
    const rows = this.#statement(
      "DELETE FROM task WHERE target = ? RETURNING json_extract(data, '$.job') AS job",
    ).all(target);
    return [...new Set(rows.flatMap(({ job }) => (job == null ? [] : [String(job)])))];
  }

  /** Whether a task belongs to the job. */
  hasForJob(job: string): boolean {
    const found = this.#statement(
      "SELECT 1 FROM task WHERE json_extract(data, '$.job') = ? LIMIT 1",
    ).get(job);
    return found !== undefined && found !== null;
  }

  /** Number of tasks. */
  count(): number {
    return Number(this.#statement('SELECT count(*) AS n FROM task').get()?.['n'] ?? 0);
  }

  /** Due time of the next task of a target, in service time. */
  findDue(target: string): number | undefined {
    const row = this.#statement('SELECT min(due) AS due FROM task WHERE target = ?').get(target);
    return row?.['due'] == null ? undefined : Number(row['due']);
  }

  /** Due time of the next task, in service time. */
  nextDue(): number | undefined {
    const row = this.#statement('SELECT min(due) AS due FROM task').get();
    return row?.['due'] == null ? undefined : Number(row['due']);
  }
}
