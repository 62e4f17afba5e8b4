/** `vmctl snapshots prune`: removes snapshots that are many or old. */
import { command, noun } from '../args/command.ts';
import { argument, flag } from '../args/parameters.ts';

const prune = command({
  verb: 'prune',
  purpose: 'Delete old or excess snapshots, the oldest first',
  summary: 'Delete old or excess snapshots',
  arguments: [argument('[vm...]', 'VMs (names or ids); - for stdin')],
  flags: [
    flag('--keep <n>', 'number of newest snapshots to keep per VM'),
    flag('--older-than <duration>', 'minimum age: 30d, 12h'),
    flag('--description <pattern>', "pattern of the description: 'nightly*'"),
    flag('--search <query>', 'query for VMs; @NAME for a bookmark'),
    flag('--no-search-check', 'skip the validation of --search', {
      undoes: true,
    }),
    flag('--all', 'all VMs'),
    flag('--parallel <n>', 'number of concurrent VMs, 1 to 16 (default 4); one snapshot per VM'),
    flag('--fail-fast', 'stop after the first failure'),
    flag('--wait-timeout <duration>', 'timeout per snapshot (default 10m)'),
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

export default noun({ name: 'snapshots', commands: [prune] });
