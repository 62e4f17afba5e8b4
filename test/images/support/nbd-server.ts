// Real NBD servers as processes that end with their test.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ImageLocation } from '../../../src/images/backends/location.ts';

function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
}

/** Installed servers. Tests of a missing server are skipped, with a note. */
export const hasQemuNbd = isInstalled('qemu-nbd') && isInstalled('qemu-img');
export const hasNbdkit = isInstalled('nbdkit');

export interface NbdServer {
  socket: string;
  place: ImageLocation & { kind: 'nbd' };
  process: ChildProcess;
  /** Its output to stderr until now. */
  complaints(): string;
  /** Kills it with SIGKILL. Resolves when it has exited. */
  kill(): Promise<void>;
}

/** Starts `qemu-nbd` for a file, by default at a new socket. */
export function startQemuNbd(file: string, args: readonly string[] = ['-f', 'raw'], at?: string) {
  return start((socket) => ['qemu-nbd', '-k', socket, '-t', '-e', '8', ...args, file], at);
}

/** Starts `nbdkit` with filters and a plugin. */
export function startNbdkit(args: readonly string[]) {
  return start((socket) => ['nbdkit', '-f', '-U', socket, '--exit-with-parent', ...args]);
}

async function start(command: (socket: string) => string[], given?: string): Promise<NbdServer> {
  const directory = await mkdtemp(join(tmpdir(), 'nbd-'));
  const socket = given ?? join(directory, 's');
  const [program = '', ...args] = command(socket);
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let complaints = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  const gone = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await gone;
  };
  onTestFinished(async () => {
    await kill();
    await rm(directory, { recursive: true, force: true });
  });
  while (!(await greets(socket))) {
    if (child.exitCode !== null) throw new Error(`${program} has ended: ${complaints}`);
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  const place = { kind: 'nbd', address: { path: socket }, exportName: '' } as const;
  return { socket, place, process: child, complaints: () => complaints, kill };
}

/** A server can listen before it is ready. The greeting shows that it is ready. */
function greets(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(socket);
    probe.once('data', () => {
      probe.destroy();
      resolve(true);
    });
    probe.on('error', () => {});
    probe.once('close', () => resolve(false));
  });
}
