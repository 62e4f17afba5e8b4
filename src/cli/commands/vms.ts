/**
 * Hand-made verbs of VMs: `vmctl vms create`, `ip`, `ssh`, `scp`, `console`, `snapshot` and `screenshot`.
 */
import { defineCommand, defineNoun } from '../args/command.ts';
import { defineArgument, defineFlag } from '../args/parameters.ts';
import { isSingleObject } from '../verbs/verb-output-kind.ts';
import { createVmCommand } from './vms/create/command.ts';

const waitFlags = [
  defineFlag('--wait', 'wait for an address'),
  defineFlag('--wait-timeout <duration>', 'maximum time to wait (default 10m)'),
] as const;

const connectionFlags = [
  defineFlag('--user <name>', 'user name (default: that of ssh)'),
  defineFlag('--address <address>', 'address to use (default: the first one of vms ip)'),
  defineFlag('--jump <host>', 'jump host: HOST or USER@HOST:PORT, several separated by commas'),
  ...waitFlags,
] as const;

const addresses = defineCommand({
  verb: 'ip',
  purpose: 'Print the guest-reported addresses of a VM, IPv4 first',
  summary: 'Print the addresses of a VM',
  arguments: [defineArgument('<vm...>', 'names or ids; - for stdin')],
  flags: [
    defineFlag('--all', 'include link-local and loopback addresses'),
    ...waitFlags,
    defineFlag('--parallel <n>', 'number of concurrent VMs, 1 to 16 (default 4)'),
  ],
  examples: [
    'vmctl vms ip web01',
    'vmctl vms ip web01 --wait --wait-timeout 5m',
    'vmctl vms ip web01 -o json',
  ],
  notes:
    'Prints one address per line; for several VMs with the name and a tab in front. Exit codes: 6 if the VM does not run, 3 if the guest reports no address.',
  exits: [3, 6, 7],
  unshowable: 'many',
  onlyReads: true,
  run: async (cli, [vms], flags) => {
    const { printAddresses } = await import('./vms/ip.ts');
    await printAddresses(cli, vms, flags);
  },
});

const openSession = defineCommand({
  verb: 'ssh',
  purpose: 'Open an SSH session to a VM, or run a command in it',
  summary: 'Open an SSH session to a VM',
  arguments: [
    defineArgument('<vm>', 'name or id'),
    defineArgument('[words...]', 'options and command for ssh, after the address'),
  ],
  flags: [...connectionFlags],
  examples: [
    'vmctl vms ssh web01',
    'vmctl vms ssh web01 --user root -- uptime',
    'vmctl vms ssh web01 --jump admin@bastion.example.com --dry-run',
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

const copyFiles = defineCommand({
  verb: 'scp',
  purpose: 'Copy files between this computer and VMs, with scp',
  summary: 'Copy files to or from a VM',
  arguments: [
    defineArgument('<file...>', 'local files and VM:PATH; the last one is the target', {
      type: 'file',
    }),
  ],
  flags: [defineFlag('-r, --recursive', 'copy folders with their contents'), ...connectionFlags],
  examples: [
    'vmctl vms scp web01:/etc/hosts . --dry-run',
    'vmctl vms scp app.conf web01:/tmp/ --user root --dry-run',
    'vmctl vms scp -r web01:/var/log/ logs --jump admin@bastion.example.com --dry-run',
  ],
  notes:
    'A path without a slash before the first colon is a path in a VM; use ./a:b for a local file. If both ' +
    'sides are VMs, the data pass through this computer. The exit code is that of scp. --dry-run prints the ' +
    'command line instead of running it.',
  exits: [3, 6, 7],
  unshowable: 'many',
  prints: 'text',
  run: async (cli, [files], flags) => {
    const { runScp } = await import('./vms/scp.ts');
    await runScp(cli, files, flags);
  },
});

const openConsole = defineCommand({
  verb: 'console',
  purpose: 'Open the console of a VM, or save the file for a viewer',
  summary: 'Open the console of a VM',
  arguments: [defineArgument('<vm>', 'name or id')],
  flags: [
    defineFlag('--protocol <word>', 'protocol, if the VM has both spice and vnc'),
    defineFlag('--file <file>', 'connection file to write, without a viewer; - for stdout'),
    defineFlag('--force', 'replace an existing file'),
    defineFlag('--viewer <command>', 'viewer program (default remote-viewer)'),
    defineFlag('--serial', 'text console in this terminal'),
    defineFlag(
      '--proxy <host:port>',
      'with --serial: address of the proxy (default: port 2222 of the service)',
    ),
  ],
  examples: [
    'vmctl vms console web01',
    'vmctl vms console web01 --file web01.vv',
    'vmctl vms console web01 --protocol vnc --file -',
    'vmctl vms console web01 --serial',
  ],
  notes:
    'A server with real VMs (vmctl serve --hypervisor qemu) offers the text console. The key Ctrl-] ends it. ' +
    'Other services have a serial proxy as an optional part. ssh signs in there with a key that the service ' +
    'stores for your user. --dry-run prints the ssh command line.',
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

const takeSnapshot = defineCommand({
  verb: 'snapshot',
  purpose: 'Create a snapshot of a VM',
  arguments: [defineArgument('[vm...]', 'names or ids; - for stdin')],
  flags: [
    defineFlag('--description <text>', 'description (default vmctl)'),
    defineFlag('--memory', 'include the memory; pauses the VM during the snapshot'),
    defineFlag('--no-wait', 'return before the snapshot is complete'),
    defineFlag('--wait-timeout <duration>', 'maximum time to wait (default 10m)'),
    defineFlag('--all', 'run for all VMs, or all that match --search; asks first'),
    defineFlag('--search <query>', 'with --all, select objects by this query; @NAME is a bookmark'),
    defineFlag('--no-search-check', 'skip the validation of --search', {
      undoes: true,
    }),
    defineFlag('--parallel <n>', 'number of concurrent VMs, 1 to 16 (default 4)'),
    defineFlag('--fail-fast', 'stop after the first failure'),
  ],
  examples: [
    "vmctl vms snapshot web01 --description 'before the upgrade'",
    'vmctl vms snapshot web01 --memory --no-wait',
  ],
  prints: (words, { all }) => (isSingleObject(words) && all !== true ? 'row' : 'objects'),
  run: async (cli, [vms], flags) => {
    const { takeSnapshots } = await import('./vms/snapshot.ts');
    await takeSnapshots(cli, vms, flags);
  },
});

const screenshot = defineCommand({
  verb: 'screenshot',
  purpose: 'Take a screenshot of a VM as PNG',
  arguments: [defineArgument('<vm>', 'name or id')],
  flags: [
    defineFlag('--file <file>', 'output file; - for stdout (on a terminal: shown, or NAME.png)'),
    defineFlag('--force', 'replace an existing file'),
  ],
  examples: ['vmctl vms screenshot web01 --file web01.png', 'vmctl vms screenshot web01 > now.png'],
  prints: (_, { file }) => (file === undefined || file === '-' ? 'text' : 'report'),
  run: async (cli, [vm], flags) => {
    const { takeScreenshot } = await import('./vms/screenshot.ts');
    await takeScreenshot(cli, vm, flags);
  },
});

export default defineNoun({
  name: 'vms',
  commands: [
    ...[createVmCommand, addresses, openSession, copyFiles],
    ...[openConsole, takeSnapshot, screenshot],
  ],
});
