/** `vmctl vms console` and `snapshot`: what people do with machines in one command. */
import type { Command } from 'commander';
import type { CommandContext } from '../session/command-context.ts';
import { verbOf } from '../verbs/derive-verbs.ts';
import { flagsOf } from '../verbs/flags.ts';
import { runVerb } from '../verbs/run-verb.ts';
import type { ConsoleFlags } from './vms/console.ts';

interface SnapshotFlags {
  readonly description?: string;
  readonly memory?: boolean;
  readonly wait: boolean;
  readonly waitTimeout?: string;
}

/** Adds the verbs that the model does not describe. */
export function register(command: Command, cli: CommandContext): void {
  command
    .command('console')
    .argument('<vm>', 'name or id')
    .description('Look at the screen of a virtual machine, or write the file for a viewer')
    .option('--protocol <word>', 'spice or vnc, where it has both')
    .option('--file <file>', 'write the connection file there; - is stdout; no viewer is opened')
    .option('--viewer <command>', 'program that is given the file (remote-viewer)')
    .addHelpText(
      'after',
      `
Examples:
  vmctl vms console web01
  vmctl vms console web01 --file web01.vv
  vmctl vms console web01 --protocol vnc --file -`,
    )
    .action(async (vm: string, flags: ConsoleFlags) => {
      const { runConsole } = await import('./vms/console.ts');
      await runConsole(cli, vm, flags);
    });
  command
    .command('snapshot')
    .argument('<vm>', 'name or id')
    .description('Keep the present state of a virtual machine as a snapshot')
    .option('--description <text>', 'what it is for (vmctl)')
    .option('--memory', 'keep what is in its memory as well; it is paused meanwhile')
    .option('--no-wait', 'return at once')
    .option('--wait-timeout <duration>', 'give up waiting after this time (10m)')
    .addHelpText(
      'after',
      `
Examples:
  vmctl vms snapshot web01 --description 'before the upgrade'
  vmctl vms snapshot web01 --memory --no-wait`,
    )
    .action((vm: string, flags: SnapshotFlags) => snapshot(cli, vm, flags));
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
