// Demonstration of VMs that boot: starts `vmctl serve --hypervisor qemu`, boots a Linux from packages
// of Debian, and runs it through its life. Requires a Debian system with QEMU (apt install
// qemu-system-x86 qemu-utils xorriso), and is skipped with a message elsewhere. Exits with 0 only if every
// step was verified.
//
//   npm run demo:qemu
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { makeDemo } from './demo-steps.js';
import { prepare, root } from './prepare.js';

await prepare();

const demo = makeDemo();
const { folder, run, title, check } = demo;
const data = join(folder, 'site');

/** Loads a module of the tests. */
async function load(name) {
  const input = join(root, 'test/features/qemu/support', `${name}.ts`);
  const file = join(folder, 'modules', `${name}.mjs`);
  const bundle = await rolldown({ input, platform: 'node', logLevel: 'silent' });
  await bundle.write({ file });
  return await import(pathToFileURL(file).href);
}

const { findObstacle, buildGuest, guestBoot, guestFiles, guestName } = await load('guest');
const { SerialConsole } = await load('serial-console');

/** Working folder of the VM: its name is the id of the VM. */
function findVmFolder() {
  const id = readdirSync(join(data, 'vms')).find((name) => /^[0-9a-f-]+$/.test(name));
  return id === undefined ? undefined : join(data, 'vms', id);
}

/** Id of the process of the VM; undefined if it has none. */
function findProcess() {
  const folder = findVmFolder();
  const found = readdirSync('/proc').find((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`) === folder;
    } catch {
      return false;
    }
  });
  return found === undefined ? undefined : Number(found);
}

/** Runs a command in the guest, on its serial console. */
async function inGuest(command) {
  console.log(`\nguest# ${command}`);
  const shell = await SerialConsole.connect(join(findVmFolder(), 'serial'));
  try {
    const output = await shell.run(command);
    if (output !== '') console.log(output);
    return output;
  } finally {
    shell.close();
  }
}

/** Repeats a work until its result meets the condition. */
async function until(work, met) {
  for (;;) {
    const found = await work();
    if (met(found)) return found;
    await new Promise((done) => setTimeout(done, 500));
  }
}

const startServer = () => demo.serve('--hypervisor', 'qemu', '--data', data);
let server;

async function bootAndTalk() {
  title('Create a VM with a disk and a NIC, which boots a Linux kernel');
  await run(
    ...['vms', 'create', '--name', 'guest', '--cluster', 'Default', '--template', 'Blank'],
    ...['--memory', '256MiB', '--set', 'bios.type=q35_sea_bios'],
    ...['--set', `os.kernel=${guestBoot.kernel}`, '--set', `os.initrd=${guestBoot.initrd}`],
    ...['--set', `os.cmdline=${guestBoot.cmdline}`],
    ...['--set', 'initialization.host_name=web01.example.com', '--set', 'console.enabled=true'],
  );
  await run(
    ...['diskattachments', 'create', '--vm', 'guest', '--new-disk-name', 'root'],
    ...['--new-disk-size', '64MiB', '--new-disk-format', 'cow', '--interface', 'virtio'],
    ...['--new-disk-storage-domain', 'data1', '--bootable', '--set', 'disk.backup=incremental'],
  );
  await run('nics', 'create', '--vm', 'guest', '--name', 'nic1', '--vnic-profile', 'mgmt');

  title('Boot it');
  await run('vms', 'start', 'guest', '--wait');
  check((await inGuest('uname -s')) === 'Linux', 'Linux runs');
  await run('vms', 'ip', 'guest', '--wait');
  const reported = await run('vms', 'get', 'guest', '--columns', 'fqdn', '-o', 'csv');
  check(reported.includes(guestName), 'the guest agent reports its name');

  title('Read the data for cloud-init');
  const mount = 'mkdir -p /disc; mount -r $(findfs LABEL=cidata) /disc';
  const data = await inGuest(`${mount}; cat /disc/meta-data; umount /disc`);
  check(data.includes('local-hostname: "web01.example.com"'), 'the guest gets its host name');

  title('Take a picture of its screen');
  const picture = join(folder, 'screen.png');
  await run('vms', 'screenshot', 'guest', '--file', picture);
  check(readFileSync(picture).subarray(1, 4).toString() === 'PNG', 'it is a PNG image');
}

async function changeWhileRunning() {
  title('Start it again, without the data of the first boot');
  await run('vms', 'stop', 'guest', '--wait');
  await run('vms', 'start', 'guest', '--wait');
  await inGuest('echo before > /dev/vda; sync; echo here > /run/mark');

  title('Take a snapshot with memory, change the guest, and return to the snapshot');
  await run('snapshots', 'create', '--vm', 'guest', '--description', 'before');
  await inGuest('echo after > /dev/vda; sync; rm /run/mark');
  await run('vms', 'stop', 'guest', '--wait');
  await run('snapshots', 'restore', 'before', '--vm', 'guest', '--restore-memory', '--yes');
  await run('vms', 'start', 'guest', '--wait');
  check((await inGuest('cat /run/mark')) === 'here', 'its memory is as in the snapshot');
  check((await inGuest('head -n 1 /dev/vda')) === 'before', 'its disk is as in the snapshot');

  title('Suspend it to disk, and continue');
  await run('vms', 'suspend', 'guest', '--wait');
  check(findProcess() === undefined, 'it has no process');
  await run('vms', 'start', 'guest', '--wait');
  check((await inGuest('cat /run/mark')) === 'here', 'its memory is the same');

  title('Migrate it to the other host');
  const pid = findProcess();
  await run('vms', 'migrate', 'guest', '--wait');
  check((await inGuest('cat /run/mark')) === 'here', 'its memory is the same');
  check(findProcess() !== pid, 'another process runs it');

  title('Plug in a second disk');
  await run(
    ...['diskattachments', 'create', '--vm', 'guest', '--new-disk-name', 'second'],
    ...['--new-disk-size', '16MiB', '--new-disk-format', 'cow', '--interface', 'virtio'],
    ...['--new-disk-storage-domain', 'data1', '--active', '--set', 'disk.backup=incremental'],
  );
  await until(
    () => inGuest('ls /sys/block'),
    (blocks) => blocks.includes('vdb'),
  );
  check(true, 'the guest has the disk');
}

async function killAndRecover() {
  title('Kill the server: the VM continues to run');
  const pid = findProcess();
  await server.kill();
  server = await startServer();
  await demo.signIn(server);
  check((await run('vms', 'list', '--search', 'status=up')).includes('guest'), 'the VM is up');
  check((await inGuest('cat /run/mark')) === 'here', 'the guest is the same');
  check(findProcess() === pid, 'its process is the same');

  title('Kill QEMU: a highly available VM starts again');
  await run('vms', 'update', 'guest', '--set', 'high_availability.enabled=true');
  console.log(`\n$ kill -KILL ${pid}`);
  process.kill(pid, 'SIGKILL');
  await until(findProcess, (found) => found !== undefined && found !== pid);
  await run('vms', 'wait', 'guest', '--for', 'status=up');
  check((await inGuest('ls /run')).includes('mark') === false, 'the guest started again');
}

async function backUp() {
  title('Back it up while it runs: first in full, then the changes');
  const backups = join(folder, 'backups');
  const options = 'bs=64k iflag=fullblock conv=fsync 2> /dev/null';
  await inGuest(`yes one | dd of=/dev/vda count=64 ${options}`);
  await run('backups', 'run', 'guest', backups);
  await inGuest(`yes two | dd of=/dev/vda count=16 seek=32 ${options}`);
  const increment = JSON.parse(await run('backups', 'run', 'guest', backups, '-o', 'json'));
  const modes = increment.disks.map(({ mode }) => mode);
  check(
    modes.every((mode) => mode === 'incremental'),
    'the second backup contains the changes only',
  );

  title('Shut it down by ACPI');
  await run('vms', 'shutdown', 'guest', '--wait');
  check(findProcess() === undefined, 'its process has ended');

  title('Restore the backup, and compare the disks');
  await run('backups', 'restore', backups, '--name', 'restored');
  const [own, restored] = [join(folder, 'own.qcow2'), join(folder, 'restored.qcow2')];
  for (const [vm, file] of [
    ['guest', own],
    ['restored', restored],
  ]) {
    const found = await run('diskattachments', 'list', '--vm', vm, '-o', 'json');
    const root = JSON.parse(found).find(({ bootable }) => bootable);
    await run('disks', 'download', root.id, file);
  }
  execFileSync('qemu-img', ['compare', own, restored], { stdio: 'inherit' });
  check(true, 'the disks are identical');
  check((await server.stop()) === 0, 'the server exited with code 0');
  server = undefined;
}

try {
  const obstacle = findObstacle();
  if (obstacle !== undefined) console.log(`skipped: ${obstacle}`);
  else {
    mkdirSync(join(data, 'iso'), { recursive: true });
    for (const name of guestFiles) copyFileSync(join(buildGuest(), name), join(data, 'iso', name));
    title('Start a server with QEMU, and sign in');
    server = await startServer();
    await demo.signIn(server);
    await bootAndTalk();
    await changeWhileRunning();
    await killAndRecover();
    await backUp();
    demo.succeeded();
  }
} catch (error) {
  demo.failed(error);
} finally {
  const pid = existsSync(join(data, 'vms')) ? findProcess() : undefined;
  await server?.kill();
  if (pid !== undefined) process.kill(pid, 'SIGKILL');
  demo.remove();
}
