/**
 * Every n-th call fails with which a command moves an image: those that concern its journal, the file
 * that a download grows in, and the one that it becomes. The command says what was wrong, or gets
 * over it; and it can be brought to its end after that, with every byte in its place.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerProcess, startServerProcess } from '../support/server.ts';
import { type Outcome, User } from '../transfer/support/commands.ts';
import { difference, MiB, makeImage } from '../transfer/support/images.ts';
import { count, figure } from './support/catalogue.ts';
import {
  callsIn,
  cannotInject,
  type Fault,
  mostOfOneThread,
  type SeenCall,
  straceWords,
  struckIn,
} from './support/inject.ts';

const cannot = cannotInject();
/** A few blocks, so that the journal grows while they travel. */
const size = 9 * MiB;

let folder: string;
let file: string;
let server: ServerProcess;

/** Calls and what happens to them. */
const kinds: readonly (readonly [call: string, effect: string])[] = [
  ['openat', 'error=EIO'],
  ['write,pwrite64', 'error=ENOSPC'],
  ['write,pwrite64', 'retval=0'],
  ['fsync,fdatasync', 'error=EIO'],
  ['ftruncate', 'error=ENOSPC'],
  ['rename,link,linkat', 'error=ENOSPC'],
  ['unlink,unlinkat', 'error=EIO'],
];

/** Somebody with an empty home and a file to download into. */
class Person {
  /** Always the same: the name of a journal is made from the paths. */
  readonly home = join(folder, 'home');
  readonly copy = join(this.home, 'copy.raw');
  readonly user = new User(server, this.home);
  readonly #log = join(this.home, 'calls');

  constructor() {
    rmSync(this.home, { recursive: true, force: true });
    mkdirSync(this.home);
  }

  words(direction: Direction): string[] {
    return direction === 'upload'
      ? ['disks', 'upload', file, '--disk', 'target', '-o', 'json']
      : ['disks', 'download', 'moved', this.copy, '-o', 'json'];
  }

  /** Runs the command with a fault; tells which calls it made, and how many of them failed. */
  async move(direction: Direction, fault: Fault) {
    const journal = fault.paths?.[0];
    // A journal is created under a name that ends with the process id: with -D the command has that of the shell.
    const draft = journal === undefined ? '' : ' -P "$1.$$"';
    const script = `exec strace -D -f -qq${draft} "\${@:2}"`;
    const strace = ['bash', '-c', script, 'bash', journal ?? '', ...straceWords(fault, this.#log)];
    const outcome = await this.user.runUnder(strace, ...this.words(direction));
    return { outcome, calls: callsIn(this.#log), struck: struckIn(this.#log) };
  }

  /** Files that matter to a transfer. */
  paths(journal: string): string[] {
    const kept = join(this.home, '.local/state/vmctl/transfers', journal);
    return [kept, this.copy, `${this.copy}.partial`];
  }

  /** Brings a transfer to its end that may have failed. */
  async finish(direction: Direction): Promise<void> {
    const words = this.words(direction);
    const resumed = await this.user.run(...words, '--resume');
    if (resumed.code === 0) return;
    const again = direction === 'download' ? ['--force'] : [];
    expect(resumed.stderr).toMatch(/"code": ?"(nothing_to_resume|partial_changed)"/);
    const anew = await this.user.run(...words, ...again);
    expect(anew.code, anew.stderr).toBe(0);
  }
}

type Direction = 'upload' | 'download';

/** The error of a command that failed: one that says what was wrong, without a stack. */
function expectClear({ code, stdout, stderr }: Outcome, fault: Fault): void {
  const what = `${JSON.stringify(fault)}: ${stderr}`;
  expect(stderr, what).not.toMatch(/^\s+at /m);
  expect(stderr, what).not.toContain('"internal');
  expect([1, 2, 10], what).toContain(code);
  expect(stdout, what).toBe('');
  const error = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
  expect(error['code'], what).toMatch(/^(un\w+|no_space\w*|file_exists|journal\w*)$/);
  expect(error['message'], what).toMatch(/\.jsonl|copy\.raw/);
}

describe.skipIf(cannot)(`A5 calls of the client${cannot ? ` (${cannot})` : ''}`, () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'vmctl-client-calls-'));
    file = join(folder, 'image.raw');
    makeImage(file, size);
    server = await startServerProcess(['--speed', '0', '--inventory', 'small']);
    const { user } = new Person();
    const place = ['--storagedomain', 'data1'];
    await user.must('disks', 'upload', file, '--name', 'moved', ...place);
    await user.must('disks', 'upload', file, '--name', 'target', ...place);
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(['upload', 'download'] as const)(
    'A5 of a %s, each in turn: it says so, and goes on to its end',
    async (direction) => {
      // The name of a journal tells what it is about: the same for the same transfer.
      const first = new Person();
      const { calls } = await first.move(direction, { call: 'openat' });
      const opened = calls
        .flatMap(({ text }) => /"([^"]+\.jsonl)\.\d+"/.exec(text)?.[1] ?? [])
        .filter((path) => !path.includes('/history/'));
      const paths = first.paths(basename(String(opened.at(-1))));
      expect(opened.length).toBeGreaterThan(0);
      let tried = 0;
      let failed = 0;
      let position = 0;
      const names = [...new Set(kinds.flatMap(([call]) => call.split(',')))];
      const seen = await new Person().move(direction, { call: names.join(','), paths });
      expect(seen.outcome.code, seen.outcome.stderr).toBe(0);
      for (const [call, effect] of kinds) {
        const counted = call.split(',');
        const isCounted = ({ text }: SeenCall) => counted.some((one) => text.startsWith(`${one}(`));
        const total = mostOfOneThread(seen.calls.filter(isCounted));
        for (let n = 1; n <= total; n++) {
          // All of them one behind the other, and each so many-th of those.
          position += 1;
          if (position % count(1, 4) !== 0) continue;
          const person = new Person();
          const fault = { call, effect, when: String(n), paths };
          const { outcome, struck } = await person.move(direction, fault);
          tried += 1;
          if (outcome.code !== 0) {
            expect(struck, outcome.stderr).toBeGreaterThan(0);
            failed += 1;
            expectClear(outcome, fault);
            await person.finish(direction);
          }
          if (direction === 'upload') {
            await person.user.must('disks', 'download', 'target', person.copy);
          }
          expect(difference(file, person.copy), JSON.stringify(fault)).toBeUndefined();
        }
      }
      expect(tried).toBeGreaterThan(0);
      figure(
        'A5',
        `${direction}: ${tried} calls for journal and file failed, one per run: ${failed} clear errors, all transfers completed, 0 wrong bytes`,
      );
    },
    1_800_000,
  );
});
