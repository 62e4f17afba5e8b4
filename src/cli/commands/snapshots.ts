/** `vmctl snapshots prune`: removes snapshots that are many or old. */
import { command, noun } from '../args/command.ts';
import { argument, flag } from '../args/parameters.ts';

const prune = command({
  verb: 'prune',
  purpose: 'Delete snapshots that are beyond a number or an age, the oldest first',
  summary: 'Delete snapshots that are many or old',
  arguments: [
    argument('[vm...]', 'whose: names or ids of virtual machines; - reads them from stdin'),
  ],
  flags: [
    flag('--keep <n>', 'of each machine the newest n stay'),
    flag('--older-than <duration>', 'those that are younger stay: 30d, 12h'),
    flag('--description <pattern>', "only those that are described so: 'nightly*'"),
    flag('--search <query>', 'of the machines that this search finds; @NAME: a bookmark'),
    flag('--no-search-check', 'send --search even where it cannot be understood here', {
      undoes: true,
    }),
    flag('--all', 'of all machines'),
    flag('--parallel <n>', 'machines at a time, 1 to 16 (4); of each one snapshot at a time'),
    flag('--fail-fast', 'begin with no other machine after the first failure'),
    flag('--wait-timeout <duration>', 'give up waiting for a snapshot to go after this time (10m)'),
  ],
  notes:
    'With --keep and --older-than a snapshot goes only if both say so. Those that are in use stay: ' +
    'the active one, previews, those of stateless machines, locked ones. It shows how many of which ' +
    'machine go, and asks; --dry-run shows each with the reason. Ages are by the clock of the service.',
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
