/** qemu-nbd processes, which expose the disk inside a qcow2 image to the image daemon. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Changes, type ImageLocation, maxSocketPathLength } from '../../images/index.ts';
import type { TransferTicket } from '../core/ports.ts';
import type { DiskFiles } from './disk-files.ts';
import { requireWholeFile } from './readable-image.ts';

/** Parameters for opening an image. */
export interface OpenParameters {
  readonly file: string;
  readonly writable: boolean;
  /** Zeroed ranges release their space. */
  readonly sparse: boolean;
}

interface Running {
  readonly child: ChildProcess;
  readonly gone: Promise<void>;
  readonly socket: string;
  readonly file: string;
  isEnding: boolean;
}

/** Milliseconds until a process must have started. */
const startTimeoutMs = 20_000;
/** Milliseconds until a process must have ended: it writes pending data first. */
const endTimeoutMs = 60_000;
const pause = 5;
/** Milliseconds until the greeting is requested again. */
const greetingTimeoutMs = 1000;
/** Maximum connections of one process, more than the daemon uses. */
const connections = '8';

export class QemuNbd {
  readonly #program: string;
  readonly #folder: string;
  readonly #running = new Map<string, Running>();
  #guard: Promise<readonly string[]> | undefined;
  #count = 0;

  private constructor(program: string, folder: string) {
    this.#program = program;
    this.#folder = folder;
  }

  /**
   * Finds qemu-nbd in the search path; undefined if it is not installed. Empties `folder` of
   * sockets that a crash left, and uses it for new ones.
   */
  static find(folder: string): QemuNbd | undefined {
    const program = findProgram('qemu-nbd');
    if (program === undefined) return undefined;
    rmSync(folder, { recursive: true, force: true });
    if (Buffer.byteLength(folder) > maxSocketPathLength - 10) {
      return new QemuNbd(program, mkdtempSync(join(tmpdir(), 'vmctl-nbd-')));
    }
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return new QemuNbd(program, folder);
  }

  /**
   * Opens an image for the ticket `id` and resolves when it is served. Rejects with the error of
   * qemu-nbd.
   */
  async start(id: string, { file, writable, sparse }: OpenParameters): Promise<ImageLocation> {
    // A process that is closing the image still has its lock.
    for (const other of this.#running.values()) {
      if (other.file === file && other.isEnding) await other.gone;
    }
    this.#count += 1;
    const socket = join(this.#folder, String(this.#count));
    const zeros = sparse ? ['--discard=unmap', '--detect-zeroes=unmap'] : ['--detect-zeroes=on'];
    const command = [
      ...(await this.#guarded()),
      this.#program,
      ...['--socket', socket, '--persistent', '--shared', connections],
      ...['--format', 'qcow2', '--allocation-depth'],
      ...(writable ? zeros : ['--read-only']),
      file,
    ];
    // A separate session: an interrupt in the terminal must not end it before the server.
    const [program = '', ...rest] = command;
    const child = spawn(program, rest, { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
    let complaint = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaint = `${complaint}${text}`.slice(-1000);
    });
    const gone = new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', (error) => {
        complaint = error.message;
        resolve();
      });
    });
    let isGone = false;
    gone.then(() => {
      isGone = true;
    });
    this.#running.set(id, { child, gone, socket, file, isEnding: false });
    const begun = Date.now();
    while (!(await hasGreeting(socket))) {
      if (isGone || Date.now() - begun > startTimeoutMs) {
        await this.stop(id);
        throw new Error(`qemu-nbd cannot open ${file}: ${complaint.trim() || 'no message'}`);
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    return { kind: 'nbd', address: { path: socket }, exportName: '' };
  }

  /** Ends the process of a ticket, if there is one, and resolves when the image is closed. */
  async stop(id: string): Promise<void> {
    const running = this.#running.get(id);
    if (!running) return;
    running.isEnding = true;
    running.child.kill('SIGTERM');
    const kill = setTimeout(() => running.child.kill('SIGKILL'), endTimeoutMs);
    await running.gone;
    clearTimeout(kill);
    rmSync(running.socket, { force: true });
    if (this.#running.get(id) === running) this.#running.delete(id);
  }

  /** Ends all processes and removes the folder. */
  async end(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((id) => this.stop(id)));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /**
   * Prefix of the command that ends a process when this one is killed, because it would keep its
   * lock on the image. Empty if the program is not available.
   */
  #guarded(): Promise<readonly string[]> {
    this.#guard ??= new Promise((resolve) => {
      const setpriv = findProgram('setpriv');
      if (setpriv === undefined) return resolve([]);
      const command = [setpriv, '--pdeathsig', 'KILL'];
      execFile(setpriv, [...command.slice(1), 'true'], (error) => resolve(error ? [] : command));
    });
    return this.#guard;
  }
}

/** The path of a program in the search path. */
function findProgram(name: string): string | undefined {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    if (folder === '') continue;
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // A later folder may contain the program.
    }
  }
  return undefined;
}

/**
 * Whether a server sends a greeting on a socket. A connection is not sufficient: qemu-nbd listens
 * before it opens the image.
 */
function hasGreeting(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect({ path: socket, timeout: greetingTimeoutMs });
    probe.once('data', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('timeout', () => probe.destroy());
    probe.on('error', () => {});
    probe.once('close', () => resolve(false));
  });
}

/** Resources of an opened ticket. */
export interface OpenedImage {
  readonly image: ImageLocation;
  /** Path of the dirty bitmap that records writes. */
  readonly trackingBitmap?: string;
  /** Changes by period. */
  readonly changes?: readonly Changes[];
}

/** Images of tickets: files, or qemu-nbd exports for the disk inside a qcow2 image. */
export class TicketImages {
  readonly #files: DiskFiles;
  readonly #qemuNbd: QemuNbd | undefined;

  constructor(files: DiskFiles, qemuNbd: QemuNbd | undefined) {
    this.#files = files;
    this.#qemuNbd = qemuNbd;
  }

  get opensQcow2(): boolean {
    return this.#qemuNbd !== undefined;
  }

  /** Opens the image of a ticket. Rejects on failure. */
  async open(ticket: TransferTicket): Promise<OpenedImage> {
    const tracks = ticket.tracks && (await this.#files.toTrack(ticket.tracks));
    const changes = ticket.changes?.map((period) => {
      const path = this.#files.findBitmapPath(period);
      return { size: period.size, ...(path === undefined ? {} : { path }) };
    });
    return {
      image: await this.#place(ticket),
      ...(tracks === undefined ? {} : { trackingBitmap: tracks }),
      ...(changes === undefined ? {} : { changes }),
    };
  }

  async #place(ticket: TransferTicket): Promise<ImageLocation> {
    const { id, diskId, length, size, qcow2, sparse } = ticket;
    const file = this.#files.path(diskId);
    const writable = ticket.direction === 'upload';
    if (qcow2 === undefined) {
      if (writable) await this.#files.toWrite(diskId, length);
      else await this.#files.toRead(diskId, length);
      return { kind: 'file', path: file };
    }
    if (!this.#qemuNbd) throw new Error('qemu-nbd is no longer installed.');
    if (writable) await this.#files.ensureQcow2(diskId, size, qcow2);
    await requireWholeFile(file, `The image of disk ${diskId}`);
    return this.#qemuNbd.start(id, { file, writable, sparse });
  }

  /** Closes the image of a ticket and resolves when no process has it open. */
  async close(id: string): Promise<void> {
    await this.#qemuNbd?.stop(id);
  }
}
