/** A running VM of QEMU whose disks are backed up, with the expected content of its qcow2 disk. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type BackedUp, type Delivered, Machine } from '../../../support/backed-up.ts';
import { GuestSite } from './guest-site.ts';
import { SerialConsole } from './serial-console.ts';

const MiB = 2 ** 20;
/** Bytes of a block, the granularity of changes. */
const block = 64 * 1024;

export class BackedUpGuest {
  readonly site: GuestSite;
  machine: Machine;
  /** Ids of a qcow2 disk with recorded writes (/dev/vda), and of a raw disk (/dev/vdb). */
  disk = '';
  raw = '';
  /** Expected content of the qcow2 disk. */
  image: Buffer = Buffer.alloc(16 * MiB);
  readonly folder = mkdtempSync(join(tmpdir(), 'vmctl-backups-'));
  #shell: SerialConsole | undefined;

  private constructor(site: GuestSite) {
    this.site = site;
    this.machine = this.#connect();
  }

  /** Starts a server without delays, and a VM with two disks. */
  static async create(): Promise<BackedUpGuest> {
    const guest = new BackedUpGuest(await GuestSite.createBare({}, ['--speed', '0']));
    guest.disk = await guest.machine.addDisk(guest.image.length);
    guest.raw = await guest.machine.addDisk(MiB, 'raw');
    await guest.start();
    await guest.run('echo raw > /dev/vdb; sync');
    await guest.write('one', 0, 40);
    return guest;
  }

  #connect(): Machine {
    const { site } = this;
    const finish = async (path: string) => {
      await site.api.json('POST', `${path}/finalize`, {});
      await site.api.until(path, (one) => String(one.json()['phase']).startsWith('finished'));
    };
    return new Machine({ api: site.api, finish }, site.vm);
  }

  async start(): Promise<void> {
    await this.site.start();
    await this.openShell();
  }

  /** Starts the server again, after it has ended. */
  async restartServer(): Promise<void> {
    await this.site.startServer();
    this.machine = this.#connect();
  }

  /** Connects to the console of a new process, and waits for its shell. */
  async openShell(): Promise<void> {
    this.#shell?.close();
    this.#shell = await SerialConsole.connect(join(this.site.folder, 'serial'));
    await this.run('true');
  }

  /** Runs a command in the guest. The console may run it twice; both have ended afterwards. */
  async run(command: string): Promise<void> {
    await this.#shell?.run(command);
    await this.#shell?.run('true');
  }

  /** Writes `count` blocks of a text from block `start`, in the guest and in the expected content. */
  async write(text: string, start: number, count: number): Promise<void> {
    const options = `bs=64k iflag=fullblock seek=${start} count=${count} conv=notrunc,fsync`;
    await this.run(`yes ${text} | dd of=/dev/vda ${options}`);
    Buffer.alloc(count * block, `${text}\n`).copy(this.image, start * block);
  }

  /** Writes to random blocks until `endWriter`. */
  async beginWriter(): Promise<void> {
    const write = 'dd if=/dev/urandom of=/dev/vda bs=4k seek=$((RANDOM % 4000)) count=9';
    const loop = `while [ ! -e /run/end ]; do ${write} conv=notrunc; done`;
    await this.run(`[ -e /run/busy ] || { touch /run/busy; (${loop}) > /dev/null 2>&1 & }`);
  }

  async endWriter(): Promise<void> {
    await this.run('touch /run/end; wait; sync; rm -f /run/busy');
  }

  /** Runs vmctl and requires success. */
  async vmctl(...words: string[]): Promise<void> {
    const { code, stderr } = await this.site.home.run(words);
    expect(code, stderr).toBe(0);
  }

  /** Names of the files in the folder of images. */
  listImages(): string[] {
    return readdirSync(join(this.site.data, 'images')).sort();
  }

  /** Content of a disk that no VM uses. */
  readImage(id: string): Buffer {
    const path = join(this.site.data, 'images', id);
    const target = join(this.folder, 'content');
    const format = readFileSync(path).toString('latin1', 0, 3) === 'QFI' ? 'qcow2' : 'raw';
    execFileSync('qemu-img', ['convert', '-f', format, '-O', 'raw', path, target]);
    return readFileSync(target);
  }

  async remove(): Promise<void> {
    this.#shell?.close();
    await this.site.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The delivery of a disk in a backup. */
export function deliveryOf({ disks }: BackedUp, id: string): Delivered {
  const found = disks.get(id);
  if (!found) throw new Error(`The backup has no disk ${id}.`);
  return found;
}

/** Number of blocks in a delivery. */
export function countBlocks({ pieces }: Delivered): number {
  return pieces.reduce((sum, { length }) => sum + Math.ceil(length / block), 0);
}
