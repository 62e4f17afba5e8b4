/** `vmctl clusters upgrade`: upgrades the hosts of a cluster, one after the other. */
import { command, noun } from '../args/command.ts';
import { flag } from '../args/parameters.ts';

const upgrade = command({
  verb: 'upgrade',
  purpose: 'Upgrade the hosts of a cluster, one after the other, while its machines run on',
  summary: 'Upgrade the hosts of a cluster, one after the other',
  extendsVerb: true,
  flags: [
    flag('--no-check', 'upgrade by what is known already, without a look for updates first'),
    flag('--skip <host>', 'leave this host as it is; may be repeated', {
      repeatable: true,
      type: 'ref host',
    }),
    flag('--no-reboot', 'do not reboot hosts when they are upgraded'),
    flag('--wait-timeout <duration>', 'give up waiting for a host after this time (1h)'),
  ],
  rareFlags: [
    ...['--from-file', '--set', '--set-json', '--all', '--search', '--no-search-check'],
    ...['--glob', '--parallel', '--fail-fast', '--on', '--upgrade-percent-complete'],
  ],
  notes:
    'Each host moves its machines away, is upgraded, and comes back before the next one begins; the ' +
    'one that manages the storage pool is the last. One in maintenance is upgraded and stays there. ' +
    'It stops at the first failure; the same command goes on where it stopped. --dry-run shows the ' +
    'order. With --upgrade-action only the account that the service keeps is changed.',
  examples: [
    'vmctl clusters upgrade Default --dry-run',
    'vmctl clusters upgrade Default',
    'vmctl clusters upgrade Default --no-check --skip node3',
    'vmctl clusters upgrade Default --upgrade-action start',
  ],
  prints: (_, { upgradeAction }) => (upgradeAction === undefined ? 'report' : 'outcome'),
  run: async (cli, words, flags) => {
    const { runUpgrade } = await import('./clusters/upgrade.ts');
    await runUpgrade(cli, words, flags);
  },
});

export default noun({ name: 'clusters', commands: [upgrade] });
