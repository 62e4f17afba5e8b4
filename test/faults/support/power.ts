/**
 * File system on a disk that can lose power or refuse writes. The disk is a file behind nbdkit with
 * a write-back cache; ext4 runs on it through nbdfuse and a loop device. Killing nbdkit is a power
 * cut.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const tools = ['nbdkit', 'nbdfuse', 'losetup', 'mkfs.ext4', 'e2fsck', 'fusermount3'];

/** Whether the file system can be created: needs root, the tools and the devices. */
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

  /** Mount point. */
  readonly path = join(this.#folder, 'mounted');
  readonly #image = join(this.#folder, 'disk.img');
  readonly #bridged = join(this.#folder, 'bridge');
  /** While this file exists, all writes to the disk fail. */
  readonly #trigger = join(this.#folder, 'broken');

  readonly #slow: readonly string[];

  /** A delay such as `5ms` applies to each write. */
  constructor(delay?: string) {
    this.#slow = delay === undefined ? [] : ['--filter=delay', `wdelay=${delay}`];
    mkdirSync(this.path);
    mkdirSync(this.#bridged);
    writeFileSync(this.#image, '');
    truncateSync(this.#image, size);
    execFileSync('mkfs.ext4', ['-q', '-F', this.#image]);
  }

  /** Powers the disk on and repairs the file system, as a boot does. */
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

  /** Cuts the power. */
  cut(): void {
    this.#supply?.kill('SIGKILL');
  }

  /** Lets all further writes fail with EIO. */
  break(): void {
    writeFileSync(this.#trigger, '');
  }

  /** Removes the mounts after a power cut. */
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
