/**
 * A file system on a disk that loses power, or refuses to be written: what was not flushed down to
 * the disk is gone afterwards. The disk is a file behind nbdkit with a cache that is only written
 * out by a flush; ext4 lies on it through nbdfuse and a loop device. To kill nbdkit is to pull the
 * plug.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const tools = ['nbdkit', 'nbdfuse', 'losetup', 'mkfs.ext4', 'e2fsck', 'fusermount3'];

/** Whether such a file system can be made here: by root, with the tools and the devices. */
export const hasPower =
  process.getuid?.() === 0 &&
  existsSync('/dev/fuse') &&
  existsSync('/dev/loop-control') &&
  tools.every((tool) => spawnSync('which', [tool]).status === 0);

const size = 384 * 1024 * 1024;

export class PoweredDisk {
  readonly #folder = mkdtempSync(join(tmpdir(), 'vmctl-power-'));
  #supply: ChildProcess | undefined;
  #bridge: ChildProcess | undefined;
  #device: string | undefined;

  /** Where the file system is mounted while there is power. */
  readonly path = join(this.#folder, 'mounted');
  readonly #image = join(this.#folder, 'disk.img');
  readonly #bridged = join(this.#folder, 'bridge');
  /** While this file is there, nothing can be written to the disk. */
  readonly #trigger = join(this.#folder, 'broken');

  readonly #slow: readonly string[];

  /** With a delay (`5ms`) each write takes so long. */
  constructor(delay?: string) {
    this.#slow = delay === undefined ? [] : ['--filter=delay', `wdelay=${delay}`];
    mkdirSync(this.path);
    mkdirSync(this.#bridged);
    writeFileSync(this.#image, '');
    truncateSync(this.#image, size);
    execFileSync('mkfs.ext4', ['-q', '-F', this.#image]);
  }

  /** Gives power, after the file system was repaired as at every start. */
  async on(): Promise<void> {
    spawnSync('e2fsck', ['-fy', this.#image]);
    const socket = join(this.#folder, 'nbd.sock');
    rmSync(socket, { force: true });
    const [filter, ...parameters] = this.#slow;
    const disk = [
      ...(filter === undefined ? [] : [filter]),
      ...['--filter=error', '--filter=cache', 'file', this.#image, 'cache=writeback'],
      ...['error-pwrite=EIO', 'error-pwrite-rate=100%', `error-pwrite-file=${this.#trigger}`],
      ...parameters,
    ];
    this.#supply = spawn('nbdkit', ['-f', '-U', socket, ...disk], { stdio: 'ignore' });
    await there(socket);
    const file = join(this.#bridged, 'nbd');
    this.#bridge = spawn('nbdfuse', [file, '--unix', socket], { stdio: 'ignore' });
    await there(file);
    this.#device = execFileSync('losetup', ['-f', '--show', file], { encoding: 'utf8' }).trim();
    execFileSync('mount', [this.#device, this.path]);
  }

  /** Pulls the plug. */
  cut(): void {
    this.#supply?.kill('SIGKILL');
  }

  /** From now on everything that is to be written fails with EIO. */
  break(): void {
    writeFileSync(this.#trigger, '');
  }

  /** Takes away what is left when the power is gone. */
  async off(): Promise<void> {
    this.cut();
    rmSync(this.#trigger, { force: true });
    spawnSync('umount', ['-l', this.path]);
    if (this.#device) spawnSync('losetup', ['-d', this.#device]);
    spawnSync('fusermount3', ['-uz', join(this.#bridged, 'nbd')]);
    const bridge = this.#bridge;
    if (bridge && bridge.exitCode === null && bridge.signalCode === null) {
      await new Promise((resolve) => {
        bridge.once('exit', resolve);
        bridge.kill('SIGKILL');
      });
    }
    spawnSync('umount', ['-l', this.#bridged]);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function there(path: string): Promise<void> {
  while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 10));
}
