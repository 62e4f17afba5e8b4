/** `vmctl snapshots prune`: declaration of the command. */
import { defineCommand, defineNoun } from '../args/command.ts';
import { defineArgument, defineFlag } from '../args/parameters.ts';

const prune = defineCommand({
  verb: 'prune',
  purpose: 'Delete old or excess snapshots, the oldest first',
  summary: 'Delete old or excess snapshots',
  arguments: [defineArgument('[vm...]', 'VMs (names or ids); - for stdin')],
  flags: [
    defineFlag('--keep <n>', 'number of newest snapshots to keep per VM'),
    defineFlag('--older-than <duration>', 'minimum age: 30d, 12h'),
    defineFlag('--description <pattern>', "pattern of the description: 'nightly*'"),
    defineFlag('--search <query>', 'query for VMs; @NAME for a bookmark'),
    defineFlag('--no-search-check', 'skip the validation of --search', {
      undoes: true,
    }),
    defineFlag('--all', 'all VMs'),
    defineFlag(
      '--parallel <n>',
      'number of concurrent VMs, 1 to 16 (default 4); one snapshot per VM',
    ),
    defineFlag('--fail-fast', 'stop after the first failure'),
    defineFlag('--wait-timeout <duration>', 'timeout per snapshot (default 10m)'),
  ],
  notes:
    'With --keep and --older-than, a snapshot is deleted only if it meets both conditions. Snapshots in use ' +
    'stay: the active one, previews, those of stateless VMs, locked ones. The command shows the ' +
    'number per VM and prompts; --dry-run lists each with the reason. Ages use the clock of the service.',
  examples: [
    'vmctl snapshots prune web01 --keep 7',
    "vmctl snapshots prune --search 'cluster=Default' --keep 7 --older-than 30d --dry-run",
    "vmctl snapshots prune --all --older-than 12h --description 'nightly*' --yes",
  ],
  unshowable: 'many',
  prints: 'report',
  run: async (cli, [vms], flags) => {
    const { pruneSnapshots } = await import('./snapshots/prune.ts');
    await pruneSnapshots(cli, vms, flags);
  },
});

export default defineNoun({ name: 'snapshots', commands: [prune] });
