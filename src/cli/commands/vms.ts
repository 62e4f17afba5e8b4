/** `vmctl vms create`, `ip`, `ssh`, `console`, `export-ova` and the like: hand-made verbs of machines. */
import { enums } from '../../model/enums.ts';
import { command, noun } from '../args/command.ts';
import { argument, flag } from '../args/parameters.ts';
import { isOne } from '../verbs/printed-by-verb.ts';
import { createMachine } from './vms/create/command.ts';

const waitFlags = [
  flag('--wait', 'wait until it has one'),
  flag('--wait-timeout <duration>', 'give up waiting after this time (10m)'),
] as const;

const addresses = command({
  verb: 'ip',
  purpose: 'Print the addresses that the guest of a virtual machine reports, IPv4 first',
  summary: 'Print the addresses of a virtual machine',
  arguments: [argument('<vm...>', 'names or ids; - reads them from stdin')],
  flags: [
    flag('--all', 'also those that are link-local or loopback'),
    ...waitFlags,
    flag('--parallel <n>', 'machines at a time, 1 to 16 (4)'),
  ],
  examples: [
    'vmctl vms ip web01',
    'vmctl vms ip web01 --wait --wait-timeout 5m',
    'vmctl vms ip web01 -o json',
  ],
  notes:
    'One address a line; of several machines behind the name and a tab. Exit code 6: it does not run; 3: its guest reports none.',
  exits: [3, 6, 7],
  unshowable: 'many',
  onlyReads: true,
  run: async (cli, [vms], flags) => {
    const { printAddresses } = await import('./vms/ip.ts');
    await printAddresses(cli, vms, flags);
  },
});

const openSession = command({
  verb: 'ssh',
  purpose: 'Sign in to the guest of a virtual machine with ssh, or run a command there',
  summary: 'Sign in to a virtual machine with ssh',
  arguments: [
    argument('<vm>', 'name or id'),
    argument('[words...]', 'handed to ssh behind the address: its options, then a command'),
  ],
  flags: [
    flag('--user <name>', 'who signs in (default: as ssh decides)'),
    flag('--address <address>', 'of several this one (default: the first that vms ip prints)'),
    ...waitFlags,
  ],
  examples: [
    'vmctl vms ssh web01',
    'vmctl vms ssh web01 --user root -- uptime',
    'vmctl vms ssh web01 --dry-run',
  ],
  notes: 'The exit code is that of ssh. --dry-run prints the command line instead of running it.',
  exits: [3, 6, 7],
  unshowable: 'many',
  prints: 'text',
  run: async (cli, [vm, words], flags) => {
    const { runSsh } = await import('./vms/ssh.ts');
    await runSsh(cli, vm, words, flags);
  },
});

const openConsole = command({
  verb: 'console',
  purpose: 'Look at the screen of a virtual machine, or write the file for a viewer',
  summary: 'Look at the screen of a virtual machine',
  arguments: [argument('<vm>', 'name or id')],
  flags: [
    flag('--protocol <word>', 'spice or vnc, where it has both'),
    flag('--file <file>', 'write the connection file there; - is stdout; no viewer is opened'),
    flag('--force', 'replace the file if it exists'),
    flag('--viewer <command>', 'program that is given the file (remote-viewer)'),
    flag('--serial', 'its text console instead, in this terminal, over the serial proxy'),
    flag('--proxy <host:port>', 'with --serial: the proxy (port 2222 beside the service)'),
  ],
  examples: [
    'vmctl vms console web01',
    'vmctl vms console web01 --file web01.vv',
    'vmctl vms console web01 --protocol vnc --file -',
    'vmctl vms console web01 --serial',
  ],
  notes:
    'The serial proxy is a part of the service, where it is set up: ssh signs in there with a key that ' +
    'the service knows of its user. --dry-run prints the command line of ssh.',
  prints: (_, { file, serial }) => (serial === true || file === '-' ? 'text' : 'report'),
  run: async (cli, [vm], flags) => {
    if (flags.serial) {
      const { runSerialConsole } = await import('./vms/serial-console.ts');
      await runSerialConsole(cli, vm, flags);
      return;
    }
    const { runConsole } = await import('./vms/console.ts');
    await runConsole(cli, vm, flags);
  },
});

const takeSnapshot = command({
  verb: 'snapshot',
  purpose: 'Keep the present state of a virtual machine as a snapshot',
  arguments: [argument('[vm...]', 'names or ids; - reads them from stdin')],
  flags: [
    flag('--description <text>', 'what it is for (vmctl)'),
    flag('--memory', 'keep what is in its memory as well; it is paused meanwhile'),
    flag('--no-wait', 'return at once'),
    flag('--wait-timeout <duration>', 'give up waiting after this time (10m)'),
    flag('--all', 'of all of them, or of all that --search finds; asks first'),
    flag('--search <query>', 'with --all: only those that this search finds; @NAME: a bookmark'),
    flag('--no-search-check', 'send --search even where it cannot be understood here', {
      undoes: true,
    }),
    flag('--parallel <n>', 'machines at a time, 1 to 16 (4)'),
    flag('--fail-fast', 'stop after the first failure'),
  ],
  examples: [
    "vmctl vms snapshot web01 --description 'before the upgrade'",
    'vmctl vms snapshot web01 --memory --no-wait',
  ],
  prints: (words, { all }) => (isOne(words) && all !== true ? 'row' : 'objects'),
  run: async (cli, [vms], flags) => {
    const { takeSnapshots } = await import('./vms/snapshot.ts');
    await takeSnapshots(cli, vms, flags);
  },
});

const screenshot = command({
  verb: 'screenshot',
  purpose: 'Take a picture of the screen of a virtual machine, as PNG',
  arguments: [argument('<vm>', 'name or id')],
  flags: [
    flag('--file <file>', 'write it there; - is stdout (on a terminal: shown, or NAME.png)'),
    flag('--force', 'replace the file if it exists'),
  ],
  examples: ['vmctl vms screenshot web01 --file web01.png', 'vmctl vms screenshot web01 > now.png'],
  prints: (_, { file }) => (file === undefined || file === '-' ? 'text' : 'report'),
  run: async (cli, [vm], flags) => {
    const { takeScreenshot } = await import('./vms/screenshot.ts');
    await takeScreenshot(cli, vm, flags);
  },
});

const exportOva = command({
  verb: 'export-ova',
  purpose: 'Write a virtual machine with its disks into a local file, as an OVA archive',
  summary: 'Write a virtual machine into an OVA archive',
  arguments: [
    argument('<vm>', 'name or id'),
    argument('<file>', 'the archive: web01.ova; nothing of it is left where the export fails', {
      type: 'file',
    }),
  ],
  flags: [
    flag('--force', 'replace the file if it exists'),
    flag('--parallel <n>', 'connections at a time (4)'),
    flag('--limit-rate <rate>', 'bytes a second over all connections: 50MiB/s'),
    flag('--no-verify', 'do not compare checksums at the end'),
  ],
  notes:
    'The machine may have to be down: services do not read the disks of one that runs; backups run ' +
    'reads them. Its disks become qcow2 images, without their snapshots; the archive is one that ' +
    'services import, too (externalvmimports).',
  examples: [
    'vmctl vms export-ova web01 web01.ova',
    'vmctl vms export-ova web01 web01.ova --force',
  ],
  exits: [3, 6],
  unshowable: 'many',
  prints: 'report',
  run: async (cli, [vm, file], flags) => {
    const { exportOva } = await import('./vms/ova/export.ts');
    await exportOva(cli, vm, file, flags);
  },
});

const importOva = command({
  verb: 'import-ova',
  purpose: 'Make a virtual machine from a local OVA archive, or an OVF document and its files',
  summary: 'Make a virtual machine from an OVA archive',
  arguments: [
    argument('<file>', 'web01.ova, or web01.ovf with its images beside it', { type: 'file' }),
  ],
  flags: [
    flag('--name <name>', 'name of the machine (default: as the document says)'),
    flag('--cluster <cluster>', 'where it is made: name or id', { type: 'ref cluster' }),
    flag('--storagedomain, --storage-domain <domain>', 'where its disks are made: name or id', {
      type: 'ref storage_domain',
    }),
    flag(
      '--network <network>',
      'of interfaces whose own network is not here: name, or network/profile',
    ),
    flag('--disk-interface <word>', 'of all disks (as the document says; sata of other products)', {
      type: 'enum disk_interface',
      values: enums.disk_interface,
    }),
    flag('--cleanup', 'if a step fails, take back what was made'),
    flag('--parallel <n>', 'connections at a time (4)'),
    flag('--limit-rate <rate>', 'bytes a second over all connections: 50MiB/s'),
    flag('--no-verify', 'do not compare checksums, neither of the files nor of the disks'),
    flag('--wait-timeout <duration>', 'give up waiting for the service after this time (10m)'),
  ],
  notes:
    'Archives of oVirt-style services and of other products; VMDK, VHD, VHDX and VDI images are ' +
    'converted, which needs qemu-img and room in TMPDIR. Digests (.mf) are compared before anything ' +
    'is made. Guests of other products may have no virtio drivers: they get SATA disks. Nothing is ' +
    'overwritten.',
  examples: [
    'vmctl vms import-ova web01.ova --cluster Default --storagedomain data1',
    'vmctl vms import-ova web01.ova --name web03 --cluster Default --storagedomain data1',
    'vmctl vms import-ova web01.ova --name web04 --cluster Default --storagedomain data1 --network frontend/guests --cleanup',
  ],
  exits: [6],
  unshowable: 'many',
  prints: 'object',
  run: async (cli, [file], flags) => {
    const { importOva } = await import('./vms/ova/import.ts');
    await importOva(cli, file, flags);
  },
});

export default noun({
  name: 'vms',
  commands: [
    createMachine,
    addresses,
    openSession,
    openConsole,
    takeSnapshot,
    screenshot,
    exportOva,
    importOva,
  ],
});
