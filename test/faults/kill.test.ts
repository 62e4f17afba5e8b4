/**
 * kill -9 of the server or of the command at random moments of twenty transfers. All of them
 * complete with the same bytes on both sides, and retransmit at most one flush window.
 */
import { createHash } from 'node:crypto';
import { createReadStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerProcess, startServerProcess } from '../support/server.ts';
import { parseProgress, type Running, User } from '../transfer/support/commands.ts';
import { allocated, MiB, makeImage } from '../transfer/support/images.ts';
import { chooseCount, isFullRun, recordResult } from './support/catalogue.ts';

/** Several flush windows long. */
const size = chooseCount(128, 96) * MiB;
/** Maximum retransmission (reliability of transfers: one flush window). */
const window = 64 * MiB;
/** Allowance for small writes: response heads, TLS records, the database. */
const slack = 4 * MiB;

/** Killed process, and whether the command remains to continue the transfer. */
const victims = [
  'command',
  'server',
  'server of an impatient command',
  'server and command',
] as const;
type Victim = (typeof victims)[number];
/** Twenty transfers in all, or one per victim with alternating directions. */
const listRounds = (victim: Victim) =>
  isFullRun ? [1, 2, 3, 4, 5] : [1 + (victims.indexOf(victim) % 2)];

let folder: string;
let data: string;
let server: ServerProcess;
let file: string;
let copy: string;
let digest: string;
/** Maximum number of retransmitted bytes. */
let mostAgain = 0;
let kills = 0;

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { highWaterMark: MiB })) hash.update(piece);
  return hash.digest('hex');
}

const getPort = (url: string | undefined) => (url === undefined ? 0 : new URL(url).port);

/** Starts the server with its data, at its previous addresses. */
async function start(): Promise<void> {
  const ready = server?.ready;
  server = await startServerProcess([
    ...['--data', data, '--speed', '0'],
    ...(ready ? [] : ['--inventory', 'small']),
    ...['--listen', `127.0.0.1:${getPort(ready?.api_url)}`],
    ...['--images-listen', `127.0.0.1:${getPort(ready?.upload_url)}`],
  ]);
}

/** Bytes that the server has written since its start, to files and sockets. */
function written(): number {
  const counts = readFileSync(`/proc/${server.process.pid}/io`, 'utf8');
  return Number(/^wchar: (\d+)$/m.exec(counts)?.[1]);
}

/** Target file of a transfer; undefined until it exists. */
type Target = () => string | undefined;

function bytesIn(target: Target): number {
  const path = target();
  return path === undefined || !statSync(path, { throwIfNoEntry: false }) ? 0 : allocated(path);
}

/** Waits until `bytes` have arrived; resolves with whether the command is still running. */
async function arrived(bytes: number, target: Target, running: Running): Promise<boolean> {
  while (running.process.exitCode === null) {
    if (bytesIn(target) >= bytes) return true;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return false;
}

interface Transfer {
  readonly user: User;
  /** Arguments without `--resume`. */
  readonly words: readonly string[];
  /** Arguments that resume the transfer. */
  readonly resume: readonly string[];
  readonly target: Target;
  /** Removes the results of a transfer that completed before the kill. */
  readonly undo: () => Promise<unknown>;
}

/** Kills the victim during a transfer, and completes the transfer. */
async function interrupted(victim: Victim, transfer: Transfer): Promise<void> {
  // On a busy computer the transfer may complete before the kill.
  while (!(await tried(victim, transfer))) await transfer.undo();
}

async function tried(victim: Victim, { user, words, resume, target }: Transfer): Promise<boolean> {
  const moment = MiB + Math.floor(Math.random() * 0.8 * size);
  const flags = victim === 'server of an impatient command' ? ['--retries', '0'] : [];
  const running = user.start(...words, ...flags, '-o', 'jsonl');
  if (!(await arrived(moment, target, running))) {
    const { code, stderr } = await running.outcome;
    expect(code, stderr).toBe(0);
    return false;
  }
  if (victim !== 'command') await server.kill();
  if (victim === 'command' || victim === 'server and command') running.process.kill('SIGKILL');
  const hasFollowUp = victim === 'server';
  const { code, stderr } = hasFollowUp ? { code: null, stderr: '' } : await running.outcome;
  const there = bytesIn(target);
  if (victim !== 'command') await start();
  if (user.journals().length === 0) return false;
  if (!hasFollowUp) expect(code, stderr).toBe(flags.length > 0 ? 8 : null);
  const before = written();
  const end = hasFollowUp ? await running.outcome : await user.run(...resume, '-o', 'jsonl');
  expect(end.code, `killed at ${moment}: ${end.stderr}`).toBe(0);
  const last = parseProgress(end.stderr).at(-1);
  expect(last).toMatchObject({ phase: 'done', transferred: size });
  const sent = written() - before;
  const told = size - (last?.resumed ?? 0);
  const again = `killed at ${moment}, when ${there} of ${size} bytes were there`;
  // If one command did the complete transfer, its report must match the bytes on the socket.
  if (!hasFollowUp) expect(told - (size - there), again).toBeLessThanOrEqual(window);
  expect(sent - (size - there), again).toBeLessThanOrEqual(window + slack);
  expect(user.journals()).toEqual([]);
  mostAgain = Math.max(mostAgain, sent - (size - there));
  kills += 1;
  return true;
}

const cannot = process.platform === 'linux' ? undefined : ' (/proc tells what was sent)';

describe.skipIf(cannot)(`C1 after kill -9${cannot ?? ''}`, () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'vmctl-kill-'));
    data = join(folder, 'data');
    file = join(folder, 'image.raw');
    copy = join(folder, 'copy.raw');
    makeImage(file, size);
    digest = await sha256(file);
    await start();
    await new User(server, folder).must(...uploading('source'));
  });
  afterAll(async () => {
    expect(await server.stop()).toBe(0);
    recordResult(
      'C1',
      `${kills} kills, 0 wrong bytes, ${Math.ceil(mostAgain / MiB)} MiB sent again at most`,
    );
    rmSync(folder, { recursive: true, force: true });
  });

  const uploading = (name: string) => [
    ...['disks', 'upload', file, '--name', name, '--storagedomain', 'data1'],
  ];

  describe.each(victims)('of the %s', (victim) => {
    it.each(listRounds(victim).filter((turn) => turn % 2 === 1))(
      'completes an upload with the same bytes (%i)',
      async (turn) => {
        const user = new User(server, folder);
        const name = `${victim}-${turn}`.replaceAll(' ', '-');
        let id: string | undefined;
        const target = () => {
          id ??= user.readJournal('disk');
          return id === undefined ? undefined : join(data, 'images', id);
        };
        const undo = async () => {
          await user.must('disks', 'delete', name, '--yes');
          id = undefined;
        };
        const resume = ['disks', 'upload', file, '--resume'];
        await interrupted(victim, { user, words: uploading(name), resume, target, undo });
        expect(await sha256(target() ?? '')).toBe(digest);
        const [disk] = JSON.parse(
          await user.must('disks', 'list', '--search', `name=${name}`, '-o', 'json'),
        ) as { id: string; status: string }[];
        expect(disk).toMatchObject({ id, status: 'ok' });
        await undo();
      },
    );

    it.each(listRounds(victim).filter((turn) => turn % 2 === 0))(
      'completes a download with the same bytes (%i)',
      async () => {
        const user = new User(server, folder);
        const words = ['disks', 'download', 'source', copy];
        const target = () => `${copy}.partial`;
        const undo = async () => {
          rmSync(copy);
          // If the server was killed after the last byte, the transfer is still open and the disk
          // locked.
          const listed = await user.must('imagetransfers', 'list', '-o', 'json');
          for (const { id, phase } of JSON.parse(listed) as { id: string; phase: string }[]) {
            if (phase === 'transferring') await user.must('imagetransfers', 'cancel', id);
          }
        };
        await interrupted(victim, { user, words, resume: [...words, '--resume'], target, undo });
        expect(await sha256(copy)).toBe(digest);
        await undo();
      },
    );
  });
});
