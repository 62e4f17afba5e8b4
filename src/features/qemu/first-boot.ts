/** Disc with the first boot data of a guest, in a second CD drive. */
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { getErrorCode } from '../../caught-errors.ts';
import { type FirstBoot, HypervisorError, type VmHardware } from '../../server/core/hypervisor.ts';

const run = promisify(execFile);

export interface FirstBootDisc {
  readonly kind: FirstBoot['kind'];
  /** Path of the ISO image. */
  readonly path: string;
}

/** Names of volumes, by which guests find the disc. */
const labels: Readonly<Record<FirstBoot['kind'], string>> = {
  'cloud-init': 'cidata',
  ignition: 'config-2',
  sysprep: 'unattend',
};

/** Programs that write ISO images, and their first arguments. The others are found if installed. */
const programs: readonly (readonly [string, readonly string[]])[] = [
  ['xorriso', ['-as', 'mkisofs']],
  ['genisoimage', []],
  ['mkisofs', []],
];

/** Milliseconds for an image of a few files. */
const timeoutMs = 30_000;

/** A relative path whose components have only these characters, and do not begin with a dot. */
const pathPattern = /^\w[\w.-]*(\/\w[\w.-]*)*$/;

/**
 * Writes the ISO image into the working folder of a VM. Rejects with a `HypervisorError` if no
 * program is installed that writes it.
 */
export async function createFirstBootDisc(
  folder: string,
  { kind, files }: FirstBoot,
): Promise<FirstBootDisc> {
  const source = join(folder, 'first-boot');
  const path = join(folder, 'first-boot.iso');
  mkdirSync(source, { mode: 0o700 });
  try {
    for (const file of files) {
      if (!pathPattern.test(file.path)) throw new HypervisorError('a path on the disc is invalid');
      const target = join(source, file.path);
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
      writeFileSync(target, file.text, { mode: 0o600 });
    }
    await writeImage(source, path, labels[kind]);
    chmodSync(path, 0o600);
  } finally {
    // The files contain passwords.
    rmSync(source, { recursive: true, force: true });
  }
  return { kind, path };
}

/** Names with Rock Ridge for Linux, and with Joliet for Windows. */
async function writeImage(source: string, path: string, label: string): Promise<void> {
  for (const [program, first] of programs) {
    const words = [...first, '-quiet', '-V', label, '-J', '-r', '-o', path, source];
    try {
      await run(program, words, { timeout: timeoutMs });
      return;
    } catch (error) {
      if (getErrorCode(error) === 'ENOENT') continue;
      // The message of the program contains paths of the server.
      throw new HypervisorError(`${program} cannot write the disc for the first boot`);
    }
  }
  throw new HypervisorError(
    'the VM has data for its first boot, and the package xorriso is not installed',
  );
}

/**
 * The drive of the disc. Images of Linux for clouds contain the driver of virtio-scsi, but not
 * always one of SATA. Windows has only drivers of SATA and IDE.
 */
export function createFirstBootDrive(
  { machine }: VmHardware,
  disc: FirstBootDisc | undefined,
): string[] {
  if (!disc) return [];
  const node = 'first-boot';
  const image = { driver: 'file', filename: disc.path };
  const drive = { driver: 'raw', 'node-name': node, 'read-only': true, file: image };
  const sata = machine === 'i440fx' ? 'sata.5' : 'ide.5';
  const place =
    disc.kind === 'sysprep'
      ? { driver: 'ide-cd', bus: sata }
      : { driver: 'scsi-cd', bus: 'scsi.0' };
  return [
    ...['-blockdev', JSON.stringify(drive)],
    ...['-device', JSON.stringify({ ...place, id: node, drive: node })],
  ];
}
