/**
 * A real Linux for VMs: the kernel, busybox and guest agent of Debian. It is built once and then
 * reused.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** Programs that the tests need. */
const programs = ['qemu-system-x86_64', 'apt-get', 'dpkg'];

/** Kernel modules of the guest. */
const modules = [
  ...['virtio', 'virtio_ring', 'virtio_pci_modern_dev', 'virtio_pci_legacy_dev', 'virtio_pci'],
  ...['virtio_blk', 'virtio_console', 'failover', 'net_failover', 'virtio_net'],
  ...['evdev', 'button', 'af_packet'],
  ...['scsi_common', 'scsi_mod', 'sd_mod', 'virtio_scsi', 'libata', 'ata_piix', 'cdrom', 'sr_mod'],
  'isofs',
];

/** Name of the guest, which its agent reports. */
export const guestName = 'guest1.example.com';

const init = `#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
# Modules depend on each other, so each pass loads more of them.
for pass in 1 2 3; do
  for name in ${modules.join(' ')}; do
    insmod /modules/$name.ko 2> /dev/null
  done
done
hostname ${guestName}
ip link set lo up
if [ -e /sys/class/net/eth0 ]; then
  ip link set eth0 up
  ip addr add 10.0.2.15/24 dev eth0
fi
for event in /dev/input/event*; do
  grep -q "Power Button" /sys/class/input/$(basename $event)/device/name &&
    (head -c 24 $event > /dev/null && poweroff -f) &
done
qemu-ga -t /run -m virtio-serial -p /dev/vport0p1 > /dev/null 2>&1 &
setsid cttyhack sh
`;

/** Program that the guest agent runs to shut down or reboot. */
const shutdown = `#!/bin/busybox sh
case "$*" in
  *-r*) reboot -f ;;
  *) poweroff -f ;;
esac
`;

/** Files of a guest in the folder of ISO images. */
export const guestFiles = ['vmlinuz', 'initrd'] as const;

/** Attributes of a VM that boots the guest. */
export const guestBoot = {
  kernel: 'iso://vmlinuz',
  initrd: 'iso://initrd',
  cmdline: 'console=ttyS0 quiet panic=-1',
};

/** The reason why no guest can boot here; undefined if it can. */
export function findObstacle(): string | undefined {
  const missing = programs.filter((name) => spawnSync(name, ['--version']).error !== undefined);
  if (missing.length > 0) return `not installed: ${missing.join(', ')}`;
  try {
    buildGuest();
    return undefined;
  } catch (error) {
    return `cannot build a guest: ${String(error)}`;
  }
}

/** Folder of the guest; another one for other contents. */
const contents = createHash('sha256').update(`${init}${shutdown}${modules.join()}`).digest('hex');
const cached = join(tmpdir(), `vmctl-guest-${contents.slice(0, 12)}`);

/** Path of a folder with the files of the guest. */
export function buildGuest(): string {
  if (existsSync(cached)) return cached;
  const work = mkdtempSync(join(tmpdir(), 'vmctl-guest-build-'));
  try {
    const packages = unpackPackages(work);
    const [root, files] = [join(work, 'root'), join(work, 'files')];
    createRoot(root, packages);
    mkdirSync(files);
    const archive = run('sh', ['-c', 'find . | bin/busybox cpio -o -H newc'], root);
    writeFileSync(join(files, 'initrd'), gzipSync(archive, { level: 1 }));
    const kernel = readdirSync(join(packages, 'boot')).find((name) => name.startsWith('vmlinuz'));
    copyFileSync(join(packages, 'boot', kernel ?? ''), join(files, 'vmlinuz'));
    try {
      renameSync(files, cached);
    } catch (error) {
      // Another test file has built it in the meantime.
      if (!existsSync(cached)) throw error;
    }
    return cached;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Downloads packages and unpacks them. Requires no privileges. */
function unpackPackages(work: string): string {
  const depends = run('apt-cache', ['depends', 'linux-image-cloud-amd64'], work).toString();
  const kernel = /Depends: (linux-image-\S+)/.exec(depends)?.[1] ?? '';
  run('apt-get', ['download', kernel, 'busybox-static', 'qemu-guest-agent'], work);
  const target = join(work, 'packages');
  for (const name of readdirSync(work)) {
    if (name.endsWith('.deb')) run('dpkg', ['-x', name, target], work);
  }
  return target;
}

function createRoot(root: string, packages: string): void {
  for (const folder of ['bin', 'sbin', 'proc', 'sys', 'dev', 'run', 'modules', 'lib64']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  copyFileSync(join(packages, 'bin/busybox'), join(root, 'bin/busybox'));
  const found = run('find', [packages, '-name', '*.ko'], packages).toString().split('\n');
  for (const path of found) {
    const name = basename(path, '.ko').replaceAll('-', '_');
    if (modules.includes(name)) copyFileSync(path, join(root, 'modules', `${name}.ko`));
  }
  copyWithLibraries(join(packages, 'usr/sbin/qemu-ga'), root);
  writeExecutable(join(root, 'init'), init);
  writeExecutable(join(root, 'sbin/shutdown'), shutdown);
}

/** Copies a program, and the libraries of this system that it needs. */
function copyWithLibraries(program: string, root: string): void {
  copyFileSync(program, join(root, 'bin', basename(program)));
  for (const [, path = ''] of run('ldd', [program], root)
    .toString()
    .matchAll(/(\/\S+) \(0x/g)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    copyFileSync(path, join(root, path));
  }
}

function writeExecutable(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

function run(program: string, words: readonly string[], cwd: string): Buffer {
  return execFileSync(program, words, {
    ...{ cwd, stdio: ['ignore', 'pipe', 'pipe'] },
    maxBuffer: 2 ** 28,
  });
}
