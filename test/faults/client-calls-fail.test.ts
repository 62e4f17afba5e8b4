/**
 * Failure of every n-th system call of an image transfer: calls on the journal, on the partial file
 * of a download and on the final file. The command reports the cause or recovers, and the transfer
 * can be completed with correct bytes.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerProcess, startServerProcess } from '../support/server.ts';
import { type Outcome, User } from '../transfer/support/commands.ts';
import { difference, MiB, makeImage } from '../transfer/support/images.ts';
import { chooseCount, recordResult } from './support/catalogue.ts';
import {
  cannotInject,
  countModified,
  countMostCalls,
  createStraceArguments,
  type Fault,
  readCalls,
  type SeenCall,
} from './support/inject.ts';

const cannot = cannotInject();
/** A few blocks, so that the journal grows during the transfer. */
const size = 9 * MiB;

let folder: string;
let file: string;
let server: ServerProcess;

/** System calls with their failures. */
const kinds: readonly (readonly [call: string, effect: string])[] = [
  ['openat', 'error=EIO'],
  ['write,pwrite64', 'error=ENOSPC'],
  ['write,pwrite64', 'retval=0'],
  ['fsync,fdatasync', 'error=EIO'],
  ['ftruncate', 'error=ENOSPC'],
  ['rename,link,linkat', 'error=ENOSPC'],
  ['unlink,unlinkat', 'error=EIO'],
];

/** A user with an empty home and a target file for downloads. */
class Person {
  /** Constant, because the name of the journal depends on the paths. */
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

  /** Runs the command with a fault; returns its calls and the number of failed ones. */
  async move(direction: Direction, fault: Fault) {
    const journal = fault.paths?.[0];
    // The journal is created under a name that ends with the process id. With -D the command has
    // the process id of the shell.
    const draft = journal === undefined ? '' : ' -P "$1.$$"';
    const script = `exec strace -D -f -qq${draft} "\${@:2}"`;
    const strace = [
      'bash',
      '-c',
      script,
      'bash',
      journal ?? '',
      ...createStraceArguments(fault, this.#log),
    ];
    const outcome = await this.user.runUnder(strace, ...this.words(direction));
    return { outcome, calls: readCalls(this.#log), struck: countModified(this.#log) };
  }

  /** Files of a transfer. */
  paths(journal: string): string[] {
    const kept = join(this.home, '.local/state/vmctl/transfers', journal);
    return [kept, this.copy, `${this.copy}.partial`];
  }

  /** Completes a transfer that may have failed. */
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

/** Requires an error that names the cause, without a stack trace. */
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
    'A5 of a %s, each in turn: reports the failure and can complete',
    async (direction) => {
      // The journal name is a function of the transfer.
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
        const total = countMostCalls(seen.calls.filter(isCounted));
        for (let n = 1; n <= total; n++) {
          // Each position in the list of all calls.
          position += 1;
          if (position % chooseCount(1, 4) !== 0) continue;
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
      recordResult(
        'A5',
        `${direction}: ${tried} calls for journal and file failed, one per run: ${failed} clear errors, all transfers completed, 0 wrong bytes`,
      );
    },
    1_800_000,
  );
});
