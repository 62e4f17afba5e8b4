/** `vmctl vms create`, `ip`, `ssh`, `console` and other verbs of VMs that the model does not describe. */
import { command, noun } from '../args/command.ts';
import { argument, flag } from '../args/parameters.ts';
import { isOne } from '../verbs/printed-by-verb.ts';
import { createMachine } from './vms/create/command.ts';

const waitFlags = [
  flag('--wait', 'wait for an address'),
  flag('--wait-timeout <duration>', 'maximum time to wait (default 10m)'),
] as const;

const addresses = command({
  verb: 'ip',
  purpose: 'Print the guest-reported addresses of a VM, IPv4 first',
  summary: 'Print the addresses of a VM',
  arguments: [argument('<vm...>', 'names or ids; - for stdin')],
  flags: [
    flag('--all', 'include link-local and loopback addresses'),
    ...waitFlags,
    flag('--parallel <n>', 'number of concurrent VMs, 1 to 16 (default 4)'),
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

const openSession = command({
  verb: 'ssh',
  purpose: 'Open an SSH session to a VM, or run a command in it',
  summary: 'Open an SSH session to a VM',
  arguments: [
    argument('<vm>', 'name or id'),
    argument('[words...]', 'options and command for ssh, after the address'),
  ],
  flags: [
    flag('--user <name>', 'user name (default: that of ssh)'),
    flag('--address <address>', 'address to use (default: the first one of vms ip)'),
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
  purpose: 'Open the console of a VM, or save the file for a viewer',
  summary: 'Open the console of a VM',
  arguments: [argument('<vm>', 'name or id')],
  flags: [
    flag('--protocol <word>', 'protocol, if the VM has both spice and vnc'),
    flag('--file <file>', 'connection file to write, without a viewer; - for stdout'),
    flag('--force', 'replace an existing file'),
    flag('--viewer <command>', 'viewer program (default remote-viewer)'),
    flag('--serial', 'text console in this terminal, through the serial proxy'),
    flag(
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
    'The serial proxy is an optional part of the service. ssh signs in there with a key that the service ' +
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

const takeSnapshot = command({
  verb: 'snapshot',
  purpose: 'Create a snapshot of a VM',
  arguments: [argument('[vm...]', 'names or ids; - for stdin')],
  flags: [
    flag('--description <text>', 'description (default vmctl)'),
    flag('--memory', 'include the memory; pauses the VM during the snapshot'),
    flag('--no-wait', 'return before the snapshot is complete'),
    flag('--wait-timeout <duration>', 'maximum time to wait (default 10m)'),
    flag('--all', 'run for all VMs, or all that match --search; asks first'),
    flag('--search <query>', 'with --all, select objects by this query; @NAME is a bookmark'),
    flag('--no-search-check', 'skip the validation of --search', {
      undoes: true,
    }),
    flag('--parallel <n>', 'number of concurrent VMs, 1 to 16 (default 4)'),
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
  purpose: 'Take a screenshot of a VM as PNG',
  arguments: [argument('<vm>', 'name or id')],
  flags: [
    flag('--file <file>', 'output file; - for stdout (on a terminal: shown, or NAME.png)'),
    flag('--force', 'replace an existing file'),
  ],
  examples: ['vmctl vms screenshot web01 --file web01.png', 'vmctl vms screenshot web01 > now.png'],
  prints: (_, { file }) => (file === undefined || file === '-' ? 'text' : 'report'),
  run: async (cli, [vm], flags) => {
    const { takeScreenshot } = await import('./vms/screenshot.ts');
    await takeScreenshot(cli, vm, flags);
  },
});

export default noun({
  name: 'vms',
  commands: [createMachine, addresses, openSession, openConsole, takeSnapshot, screenshot],
});
