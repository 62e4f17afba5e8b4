/**
 * Bootable disc with a real Linux: the kernel, busybox and guest agent of Debian. It is built once
 * and then reused.
 */
import { execFileSync, spawnSync } from 'node:child_process';
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

/** Programs that the tests need. */
const programs = ['qemu-system-x86_64', 'grub-mkrescue', 'xorriso', 'mformat', 'apt-get', 'cpio'];

/** Kernel modules of the guest. */
const modules = [
  ...['virtio', 'virtio_ring', 'virtio_pci_modern_dev', 'virtio_pci_legacy_dev', 'virtio_pci'],
  ...['virtio_blk', 'virtio_console', 'failover', 'net_failover', 'virtio_net'],
  ...['evdev', 'button', 'af_packet'],
];

/** Name of the guest, which its agent reports. */
export const guestName = 'guest1.example.com';

/** Line on the serial console after the boot. */
export const bootMarker = 'guest is ready';

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
echo "${bootMarker}"
setsid cttyhack sh
`;

/** Program that the guest agent runs to shut down or reboot. */
const shutdown = `#!/bin/busybox sh
case "$*" in
  *-r*) reboot -f ;;
  *) poweroff -f ;;
esac
`;

const bootMenu = `set timeout=0
menuentry linux {
  linux /vmlinuz console=ttyS0 quiet panic=-1
  initrd /initrd
}
`;

/** The reason why no guest can boot here; undefined if it can. */
export function findObstacle(): string | undefined {
  const missing = programs.filter((name) => spawnSync(name, ['--version']).error !== undefined);
  if (missing.length > 0) return `not installed: ${missing.join(', ')}`;
  try {
    buildGuestDisc();
    return undefined;
  } catch (error) {
    return `cannot build a guest: ${String(error)}`;
  }
}

const cached = join(tmpdir(), 'vmctl-guest-2', 'guest.iso');

/** Path of the disc. */
export function buildGuestDisc(): string {
  if (existsSync(cached)) return cached;
  const work = mkdtempSync(join(tmpdir(), 'vmctl-guest-build-'));
  try {
    const packages = unpackPackages(work);
    const root = join(work, 'initrd');
    createRoot(root, packages);
    const disc = join(work, 'disc');
    mkdirSync(join(disc, 'boot/grub'), { recursive: true });
    run('sh', ['-c', `find . | cpio -o -H newc --quiet | gzip -1 > ${disc}/initrd`], root);
    const kernel = readdirSync(join(packages, 'boot')).find((name) => name.startsWith('vmlinuz'));
    copyFileSync(join(packages, 'boot', kernel ?? ''), join(disc, 'vmlinuz'));
    writeFileSync(join(disc, 'boot/grub/grub.cfg'), bootMenu);
    run('grub-mkrescue', ['-o', join(work, 'guest.iso'), disc], work);
    mkdirSync(dirname(cached), { recursive: true });
    renameSync(join(work, 'guest.iso'), cached);
    return cached;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Downloads packages and unpacks them. Requires no privileges. */
function unpackPackages(work: string): string {
  const depends = run('apt-cache', ['depends', 'linux-image-cloud-amd64'], work);
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
  const found = run('find', [packages, '-name', '*.ko'], packages).split('\n');
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
  for (const [, path = ''] of run('ldd', [program], root).matchAll(/(\/\S+) \(0x/g)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    copyFileSync(path, join(root, path));
  }
}

function writeExecutable(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

function run(program: string, words: readonly string[], cwd: string): string {
  return execFileSync(program, words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
