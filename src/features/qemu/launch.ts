/** Launch of QEMU processes: disk images, firmware variables, working folder, process. */
import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isRecord } from '../../records.ts';
import type { HypervisorParts } from '../../server/admin/extension.ts';
import {
  HypervisorError,
  type PowerChange,
  type RunDisc,
  type RunDisk,
  type VmHardware,
} from '../../server/core/hypervisor.ts';
import { requireWholeFile } from '../../server/images/readable-image.ts';
import { createArguments, type RunFiles, sockets } from './arguments.ts';
import { prepareFirmware } from './firmware.ts';
import { createFirstBootDisc } from './first-boot.ts';
import type { Installation } from './installation.ts';
import type { VmProcess } from './running-vm.ts';

export type Launch = Extract<PowerChange, { change: 'launch' }>;

/** Milliseconds until a new process must listen on its control socket. */
const startTimeoutMs = 30_000;
const pollMs = 20;

/** Files in the working folder of a VM, in addition to its sockets. */
const runFile = 'run.json';
const logFile = 'log';

/** Launch of a process that continues the guest of another one. */
export interface Incoming {
  /** Name of its working folder. */
  readonly name: string;
}

/** Launches a VM in a new working folder. Its guest does not run yet. */
export async function launchProcess(
  installation: Installation,
  parts: HypervisorParts,
  id: string,
  { run, hardware, firstBoot }: Launch,
  incoming?: Incoming,
): Promise<VmProcess> {
  const folder = join(parts.folder, incoming?.name ?? id);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, runFile), JSON.stringify({ run }), { mode: 0o600 });
  // Another process may write to the images of a VM that migrates.
  const isShared = incoming !== undefined && incoming.name !== id;
  const files = {
    ...(await prepareFiles(installation, parts, id, hardware, isShared)),
    firstBoot: firstBoot && (await createFirstBootDisc(folder, firstBoot)),
  };
  const { accelerator, program } = installation;
  const words = createArguments({ id, accelerator, hardware, files });
  const pid = await startProcess(
    program,
    incoming ? [...words, '-incoming', 'defer'] : words,
    folder,
  );
  return { id, run, pid, folder };
}

/** The run of a working folder; undefined if none was launched. */
export function readRun(folder: string): string | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, runFile), 'utf8'));
    return isRecord(value) && typeof value['run'] === 'string' ? value['run'] : undefined;
  } catch {
    return undefined;
  }
}

/** The last message of QEMU in a working folder, without paths of the server. */
export function readLastMessage(folder: string): string | undefined {
  const path = join(folder, logFile);
  if (!existsSync(path)) return undefined;
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  const last = lines.at(-1)?.replace(/^\S*qemu\S*: /, '') ?? '';
  return last === '' ? undefined : last.replaceAll(/(^|[\s'"=])\/[^\s'",:;]+/g, '$1...');
}

async function prepareFiles(
  installation: Installation,
  parts: HypervisorParts,
  id: string,
  { disks, cdrom, firmware, linux }: VmHardware,
  isShared: boolean,
): Promise<RunFiles> {
  const paths = new Map<string, string>();
  for (const disk of disks) {
    paths.set(disk.id, isShared ? parts.images.path(disk.id) : await prepareDisk(parts, disk));
  }
  const disc = cdrom.disc && findDisc(parts, cdrom.disc);
  const files = {
    ...{ disks: paths, disc },
    kernel: linux && findIsoFile(parts, linux.kernel),
    initrd: linux?.initrd === undefined ? undefined : findIsoFile(parts, linux.initrd),
  };
  if (firmware === 'bios') return files;
  const uefi = prepareFirmware(installation, parts.folder, id, firmware);
  if (!uefi) {
    throw new HypervisorError(
      'the VM has UEFI firmware, and the package ovmf (Debian) or edk2-ovmf (Enterprise Linux) is not installed',
    );
  }
  return { ...files, uefi };
}

/** Creates the image of a disk if it was never written. */
export async function prepareDisk({ images }: HypervisorParts, disk: RunDisk): Promise<string> {
  const { id, format, readOnly, size, qcowVersion } = disk;
  const path = images.path(id);
  if (format === 'cow') {
    await images.ensureQcow2(id, size, qcowVersion);
    if (!readOnly) await images.toWrite(id, 0);
    await requireWholeFile(path, `The image of disk ${id}`);
  } else await (readOnly ? images.toRead(id, size) : images.toWrite(id, size));
  return path;
}

/** Path of a disc. Throws if the folder of ISO images does not contain it. */
export function findDisc(parts: HypervisorParts, disc: RunDisc): string {
  return 'disk' in disc ? parts.images.path(disc.disk) : findIsoFile(parts, disc.file);
}

function findIsoFile({ isoFolder }: HypervisorParts, name: string): string {
  const path = join(isoFolder, name);
  if (basename(name) !== name || !existsSync(path)) {
    throw new HypervisorError(`the folder of ISO images has no file ${name}`);
  }
  return path;
}

/** Starts QEMU in a separate session. Resolves with its process id when its sockets exist. */
async function startProcess(
  program: string,
  words: readonly string[],
  folder: string,
): Promise<number> {
  const log = openSync(join(folder, logFile), 'w', 0o600);
  const child = spawn(program, words, { cwd: folder, detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  let end: string | undefined;
  child.once('error', (error) => {
    end = error.message;
  });
  child.once('exit', (code, signal) => {
    end = readLastMessage(folder) ?? `QEMU ended with ${signal ?? `exit code ${code}`}`;
  });
  child.unref();
  const until = performance.now() + startTimeoutMs;
  while (!existsSync(join(folder, sockets.qmp))) {
    if (end !== undefined) throw new HypervisorError(end);
    if (performance.now() > until) {
      child.kill('SIGKILL');
      throw new HypervisorError('QEMU does not respond');
    }
    await wait(pollMs);
  }
  return child.pid ?? 0;
}
