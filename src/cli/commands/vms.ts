/** `vmctl vms console` and `snapshot`: hand-made verbs of machines. */
import { command, noun } from '../args/command.ts';
import { argument, flag } from '../args/parameters.ts';
import type { CommandContext } from '../session/command-context.ts';
import { verbOf } from '../verbs/derive-verbs.ts';
import { flagsOf } from '../verbs/flags.ts';
import { runVerb } from '../verbs/run-verb.ts';

const openConsole = command({
  verb: 'console',
  purpose: 'Look at the screen of a virtual machine, or write the file for a viewer',
  arguments: [argument('<vm>', 'name or id')],
  flags: [
    flag('--protocol <word>', 'spice or vnc, where it has both'),
    flag('--file <file>', 'write the connection file there; - is stdout; no viewer is opened'),
    flag('--viewer <command>', 'program that is given the file (remote-viewer)'),
  ],
  examples: [
    'vmctl vms console web01',
    'vmctl vms console web01 --file web01.vv',
    'vmctl vms console web01 --protocol vnc --file -',
  ],
  run: async (cli, [vm], flags) => {
    const { runConsole } = await import('./vms/console.ts');
    await runConsole(cli, vm, flags);
  },
});

const takeSnapshot = command({
  verb: 'snapshot',
  purpose: 'Keep the present state of a virtual machine as a snapshot',
  arguments: [argument('<vm>', 'name or id')],
  flags: [
    flag('--description <text>', 'what it is for (vmctl)'),
    flag('--memory', 'keep what is in its memory as well; it is paused meanwhile'),
    flag('--no-wait', 'return at once'),
    flag('--wait-timeout <duration>', 'give up waiting after this time (10m)'),
  ],
  examples: [
    "vmctl vms snapshot web01 --description 'before the upgrade'",
    'vmctl vms snapshot web01 --memory --no-wait',
  ],
  run: (cli, [vm], flags) => snapshot(cli, vm, flags),
});

interface SnapshotFlags {
  readonly description?: string;
  readonly memory?: boolean;
  readonly wait: boolean;
  readonly waitTimeout?: string;
}

/** The same as `snapshots create --vm VM`, where one thinks of it. */
async function snapshot(cli: CommandContext, vm: string, flags: SnapshotFlags): Promise<void> {
  const verb = verbOf('snapshots', 'create');
  if (!verb) throw new Error('The model has no snapshots.');
  const given = new Map([
    ['vm', [vm]],
    ['description', [flags.description ?? 'vmctl']],
    ['persistmemorystate', [String(flags.memory === true)]],
  ]);
  await runVerb(cli, verb, flagsOf(verb), given, [], { ...flags });
}

export default noun({ name: 'vms', commands: [openConsole, takeSnapshot] });
