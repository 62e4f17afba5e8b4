/** Journals of transfers: the content after a crash suffices to resume. */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Range } from '../../src/extents/range-set.ts';
import { Journal, type JournalHeader } from '../../src/transfer/journal.ts';

/** Ranges of a set, as pairs of first and last number. */
function pairs(set: Iterable<Range>): [first: number, last: number][] {
  return [...set].map(({ start, end }) => [start, end - 1]);
}

const header: JournalHeader = {
  version: 1,
  direction: 'upload',
  server: 'https://server/virt-app',
  disk: 'disk-1',
  name: 'one',
  file: '/images/one.raw',
  identity: { size: 1000, modified: '1', inode: '1:2' },
  format: 'raw',
  size: 1024,
  created: true,
  zeroed: true,
  hashed: true,
};

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-journal-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const digest = (text: string) => createHash('sha256').update(text).digest();

function reopened(): Journal {
  const [found] = Journal.find(folder, () => true);
  if (!found) throw new Error('There is no journal.');
  return found;
}

describe('Journal', () => {
  it('passes all data to the next process', () => {
    const journal = Journal.create(folder, header);
    journal.begin('transfer-1');
    journal.recordBlocks([
      { block: 7, digest: digest('seven') },
      { block: 2, digest: digest('two') },
      { block: 3, digest: digest('three') },
    ]);
    journal.recordZeros([[10, 20]]);
    journal.close();
    const again = reopened();
    expect(again.header).toEqual(header);
    expect(again.transfer).toBe('transfer-1');
    expect(pairs(again.done)).toEqual([
      [2, 3],
      [7, 7],
      [10, 20],
    ]);
    expect(again.hashes.get(7)).toEqual(digest('seven'));
    expect(again.hashes.get(3)).toEqual(digest('three'));
    expect(again.hashes.get(15)).toBeUndefined();
    again.begin('transfer-2');
    again.recordBlocks([{ block: 4, digest: digest('four') }]);
    again.close();
    const third = reopened();
    expect(third.transfer).toBe('transfer-2');
    expect(pairs(third.done)[0]).toEqual([2, 4]);
    third.close();
  });

  it('keeps the algorithm of its hashes', () => {
    const short = (text: string) => digest(text).subarray(0, 16);
    const journal = Journal.create(folder, header);
    expect(journal.hashes.algorithm).toBe('sha256');
    journal.hashBy('xxh128');
    journal.recordBlocks([
      { block: 4, digest: short('four') },
      { block: 5, digest: short('five') },
      { block: 9, digest: short('nine') },
    ]);
    journal.close();
    const again = reopened();
    again.hashBy('sha256');
    expect(again.hashes.algorithm).toBe('xxh128');
    expect(again.hashes.get(5)).toEqual(short('five'));
    expect(again.hashes.get(9)).toEqual(short('nine'));
    again.close();
  });

  it('continues hashes of earlier versions', () => {
    const journal = Journal.create(folder, header);
    journal.recordBlocks([{ block: 1, digest: digest('one') }]);
    journal.hashBy('xxh128');
    expect(journal.hashes.algorithm).toBe('sha256');
    journal.close();
    expect(readFileSync(journal.path, 'utf8')).not.toContain('algorithm');
  });

  it('survives truncation at any byte', () => {
    const journal = Journal.create(folder, header);
    journal.begin('transfer-1');
    const { size: start } = statSync(journal.path);
    for (let block = 0; block < 5; block += 1)
      journal.recordBlocks([{ block, digest: digest('x') }]);
    journal.close();
    const text = readFileSync(journal.path, 'utf8');
    for (let length = text.length; length > start; length -= 7) {
      truncateSync(journal.path, length);
      const again = reopened();
      const whole = text.slice(0, length + 1).split('\n').length - 3;
      expect(pairs(again.done)).toEqual(whole > 0 ? [[0, whole - 1]] : []);
      again.recordBlocks([{ block: 40, digest: digest('y') }]);
      again.close();
      const third = reopened();
      expect(third.done.has(40)).toBe(true);
      third.close();
      writeFileSync(journal.path, text.slice(0, length));
    }
  });

  it('is restricted to its owner, and contains no ticket', () => {
    const journal = Journal.create(join(folder, 'deeper', 'transfers'), header);
    expect(statSync(journal.path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'deeper', 'transfers')).mode & 0o777).toBe(0o700);
    journal.close();
  });

  it.skipIf(process.platform === 'win32')('is refused if other users can write it', () => {
    const journal = Journal.create(folder, header);
    journal.close();
    chmodSync(journal.path, 0o666);
    expect(() => Journal.find(folder, () => true)).toThrow(/^other users can change /);
  });

  it('of another version, or without content, is ignored', () => {
    writeFileSync(join(folder, 'new.jsonl'), '{"version":2}\n', { mode: 0o600 });
    writeFileSync(join(folder, 'empty.jsonl'), '', { mode: 0o600 });
    writeFileSync(join(folder, 'odd.jsonl'), 'null\n', { mode: 0o600 });
    expect(Journal.find(folder, () => true)).toEqual([]);
    expect(readFileSync(join(folder, 'empty.jsonl'), 'utf8')).toBe('');
  });

  it('is found by its header', () => {
    Journal.create(folder, header).close();
    Journal.create(folder, { ...header, disk: 'disk-2' }).close();
    Journal.create(folder, { ...header, direction: 'download' }).close();
    const found = Journal.find(folder, ({ direction }) => direction === 'upload');
    expect(found.map((journal) => journal.header.disk).sort()).toEqual(['disk-1', 'disk-2']);
    for (const journal of found) journal.remove();
    expect(Journal.find(folder, () => true)).toHaveLength(1);
    expect(Journal.find(join(folder, 'none'), () => true)).toEqual([]);
  });

  it('is ignored if another process removes it during the search', () => {
    for (const disk of ['disk-1', 'disk-2']) Journal.create(folder, { ...header, disk }).close();
    const found = Journal.find(folder, () => {
      for (const name of readdirSync(folder)) rmSync(join(folder, name));
      return true;
    });
    expect(found).toHaveLength(1);
    for (const journal of found) journal.close();
  });

  it.skipIf(process.platform === 'win32').each([0o620, 0o602, 0o666])(
    'is refused if its mode is %i',
    (mode) => {
      const journal = Journal.create(folder, header);
      journal.close();
      chmodSync(journal.path, mode);
      expect(() => Journal.find(folder, () => true)).toThrow(
        expect.objectContaining({
          message: `other users can change ${journal.path}`,
          code: 'unsafe_file',
          hint: 'check its contents, then remove it',
        }),
      );
      chmodSync(journal.path, 0o644);
      reopened().close();
    },
  );

  it('reports its purpose if it cannot be written', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(() => Journal.create(join(file, 'journals'), header)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(
          /^cannot write ".*file\/journals\/[0-9a-f]{32}\.jsonl": a part of the path is not a folder$/,
        ),
        code: 'unwritable_journal',
        hint: 'it is the journal of the transfer; free some space, or set XDG_STATE_HOME to another folder',
      }),
    );
  });

  it('reports a failed removal, and no successful one', () => {
    const notes: string[] = [];
    const journal = Journal.create(folder, header);
    rmSync(journal.path);
    mkdirSync(journal.path);
    journal.remove((note) => notes.push(note));
    journal.remove();
    expect(notes).toEqual([expect.stringMatching(/^cannot remove the journal .*\.jsonl: ./)]);
    rmSync(journal.path, { recursive: true });
    const other = Journal.create(folder, header);
    other.remove((note) => notes.push(note));
    expect(existsSync(other.path)).toBe(false);
    expect(notes).toHaveLength(1);
  });

  it('in memory has the same content, and writes no file', () => {
    const journal = Journal.inMemory(header);
    journal.begin('transfer-1');
    journal.hashBy('xxh128');
    journal.recordBlocks([{ block: 3, digest: digest('three').subarray(0, 16) }]);
    journal.recordZeros([[5, 6]]);
    expect(journal.transfer).toBe('transfer-1');
    expect(journal.hashes.algorithm).toBe('xxh128');
    expect(pairs(journal.done)).toEqual([
      [3, 3],
      [5, 6],
    ]);
    journal.remove();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('records nothing for empty lists', () => {
    const journal = Journal.create(folder, header);
    const before = readFileSync(journal.path, 'utf8');
    journal.recordBlocks([]);
    journal.recordZeros([]);
    expect(readFileSync(journal.path, 'utf8')).toBe(before);
    journal.close();
    journal.close();
  });

  it.skipIf(process.platform !== 'linux')('belongs to another running vmctl', () => {
    const child = spawn('sleep', ['60'], { argv0: 'vmctl', stdio: 'ignore' });
    try {
      const journal = Journal.create(folder, header);
      appendFileSync(journal.path, `{"pid":${child.pid}}\n`);
      journal.close();
      const again = reopened();
      expect(() => again.refuseIfInUse()).toThrow(
        expect.objectContaining({
          message: `another vmctl (process ${child.pid}) is transferring /images/one.raw`,
          code: 'transfer_in_use',
          hint: 'wait for it, or stop it',
        }),
      );
      again.close();
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('of a process that has exited is not in use', () => {
    const { pid } = spawnSync('true');
    const journal = Journal.create(folder, header);
    appendFileSync(journal.path, `{"pid":${pid}}\n`);
    journal.close();
    const again = reopened();
    expect(() => again.refuseIfInUse()).not.toThrow();
    again.close();
  });

  it('belongs to the process that writes it, while that runs', () => {
    const journal = Journal.create(folder, header);
    journal.begin('transfer-1');
    journal.refuseIfInUse();
    // Process 1 always runs, but belongs to another user; the parent can be any process.
    appendFileSync(journal.path, '{"pid":1}\n');
    journal.close();
    const again = reopened();
    expect(() => again.refuseIfInUse()).not.toThrow();
    again.remove();
  });
});
