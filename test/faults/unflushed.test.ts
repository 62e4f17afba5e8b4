/**
 * Power cuts that keep any mixture of flushed and unflushed sectors: the store opens with all
 * acknowledged changes, and never reuses an event id that a client may have seen.
 */
import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/server/store/driver.ts';
import { openStore, type Store } from '../../src/server/store/store.ts';
import type { Transaction } from '../../src/server/store/transaction.ts';
import { findLogDamage } from '../../src/server/store/write-ahead-log.ts';
import { chooseCount, recordResult } from './support/catalogue.ts';
import { type Choice, ForgetfulDisk } from './support/forgetful-disk.ts';

/** Number of stores and of cuts in each. After a cut, the complete store is compared. */
const rounds = Array.from({ length: chooseCount(12, 1) }, (_, round) => round + 1);
const cuts = chooseCount(16, 8);

/** Reproducible pseudo-random numbers. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

let folder: string;
let store: Store;
let disk: ForgetfulDisk;

/** Writes an event, with enough data that the log is emptied regularly. */
function addEvent(tx: Transaction, description: string): number {
  const index = tx.next('event');
  tx.insert('event', '/events', { id: String(index), index, description } as never);
  return index;
}

const lastEvent = (from: Store) => from.read((tx) => tx.rows('event'));

/** Descriptions by event id. */
function descriptions(from: Store): Map<string, string> {
  const events = from.read((tx) => tx.list('event'));
  return new Map(events.map(({ id, description }) => [String(id), String(description)]));
}

describe.skipIf(process.platform !== 'linux')('A2 A3 a power cut', () => {
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'vmctl-unflushed-'));
    const database = join(folder, 'vmctl.db');
    store = await openStore(database);
    disk = new ForgetfulDisk(database);
  });
  afterEach(async () => {
    disk.end();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(rounds)(
    'A2 A3 with any mixture of old and new sectors loses no acknowledged change and reuses no id (%i)',
    async (round) => {
      const random = randomFrom(round);
      const acknowledged: string[] = [];
      let number = 0;
      let taken = 0;
      for (let cut = 0; cut < cuts; cut++) {
        // Groups of one to four. Every other cut follows an emptied log.
        const groups = 1 + Math.floor(random() * 6);
        const { emptied } = disk;
        const isEnough = (done: number) => (cut % 2 ? disk.emptied > emptied : done >= groups);
        for (let done = 0; !isEnough(done); done++) {
          const size = 1 + Math.floor(random() * 4);
          await Promise.all(
            Array.from({ length: size }, async () => {
              const text = `${number++} ${'x'.repeat(Math.floor(random() * 120_000))}`;
              await store.write((tx) => addEvent(tx, text));
              acknowledged.push(text);
            }),
          );
        }
        // One more event, visible but interrupted on its way to the disk.
        const before = lastEvent(store);
        const many = cut % 8 === 0 ? 1_700 : 3;
        const under = store.write((tx) => {
          for (let index = 0; index < many; index++) addEvent(tx, `seen ${number++}`);
        });
        let seen = before;
        const turns = Math.floor(random() * 40);
        for (let turn = 0; turn < turns || seen === before; turn++) {
          await new Promise((resolve) => setImmediate(resolve));
          seen = lastEvent(store);
        }
        const choice = (['flushed', 'either', 'written', 'either'] as const)[cut % 4] as Choice;
        const seenThen = descriptions(store);
        const acknowledgedThen = acknowledged.length;
        const left = disk.cut(join(folder, `cut${cut}`), choice, random);
        expect(findLogDamage(`${left}-wal`)).toBeUndefined();
        const after = await openStore(left, {
          check: true,
          opened: (damage) => expect(damage).toBeUndefined(),
        });
        const found = descriptions(after);
        const there = new Set(found.values());
        const lost = acknowledged.slice(0, acknowledgedThen).filter((text) => !there.has(text));
        expect(lost.map((text) => text.slice(0, 20))).toEqual([]);
        for (const [id, text] of found) expect(seenThen.get(id)).toBe(text);
        if (found.size < seenThen.size) taken += 1;
        const next = await after.write((tx) => addEvent(tx, 'after the cut'));
        expect(next).toBeGreaterThan(Number([...seenThen.keys()].at(-1)));
        await after.close();
        rmSync(join(folder, `cut${cut}`), { recursive: true });
        await under;
      }
      // Otherwise the test checked nothing.
      expect(taken).toBeGreaterThan(0);
      expect(disk.emptied).toBeGreaterThanOrEqual(cuts / 2);
      recordResult(
        'A2',
        `${rounds.length * cuts} cuts on a model disk that keeps random unflushed sectors: 0 acknowledged changes lost`,
      );
      recordResult('A3', 'cuts that lose delivered events: 0 ids reused');
    },
    300_000,
  );

  it('A3 ids continue without a gap after a clean stop, and after all visible ids otherwise', async () => {
    const first = await store.write((tx) => addEvent(tx, 'one'));
    const killed = await openStore(disk.cut(join(folder, 'cut'), 'written', Math.random));
    expect(await killed.write((tx) => addEvent(tx, 'two'))).toBeGreaterThan(first + 1);
    await killed.close();
    await store.close();
    // A copy, because the driver of Node.js 20 releases a database only at garbage collection.
    copyFileSync(join(folder, 'vmctl.db'), join(folder, 'closed.db'));
    store = await openStore(join(folder, 'closed.db'));
    expect(await store.write((tx) => addEvent(tx, 'two'))).toBe(first + 1);
  });

  it('A2 the log does not grow beyond the data written between two checkpoints', async () => {
    let longest = 0;
    for (let number = 0; number < 80; number++) {
      await store.write((tx) => addEvent(tx, 'x'.repeat(200_000)));
      longest = Math.max(longest, statSync(join(folder, 'vmctl.db-wal')).size);
    }
    // 16 MB were written.
    expect(statSync(join(folder, 'vmctl.db')).size).toBeGreaterThan(10e6);
    expect(longest).toBeLessThan(10e6);
    // A log that one large change has extended is truncated.
    await store.write((tx) => {
      for (let index = 0; index < 60; index++) addEvent(tx, 'y'.repeat(200_000));
    });
    await store.write((tx) => addEvent(tx, 'short'));
    expect(statSync(join(folder, 'vmctl.db-wal')).size).toBeLessThan(10e6);
  });

  it('A2 an empty change after a checkpoint succeeds, and so do the following changes', async () => {
    for (let round = 0; round < 3; round++) {
      const { emptied } = disk;
      while (disk.emptied === emptied) {
        await store.write((tx) => addEvent(tx, 'x'.repeat(200_000)));
        await store.write(() => undefined);
      }
      for (let turn = 0; turn < 3; turn++) await store.write(() => undefined);
    }
    const last = await store.write((tx) => addEvent(tx, 'last'));
    const after = await openStore(disk.cut(join(folder, 'cut'), 'flushed', Math.random));
    expect(lastEvent(after)).toBe(last);
    await after.close();
  });

  it('A3 control: detects a store that reuses an id', async () => {
    await store.write((tx) => addEvent(tx, 'before'));
    const under = store.write((tx) => addEvent(tx, 'seen'));
    while (lastEvent(store) < 2) await new Promise((resolve) => setImmediate(resolve));
    const left = disk.cut(join(folder, 'cut'), 'flushed', Math.random);
    const db = await openDatabase(left);
    db.exec("DELETE FROM counter WHERE name = 'event_set_aside'");
    db.close();
    const after = await openStore(left);
    expect(await after.write((tx) => addEvent(tx, 'another'))).toBe(await under);
    await after.close();
  });
});
