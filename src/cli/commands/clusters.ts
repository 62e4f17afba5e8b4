/** `vmctl clusters upgrade`: declaration of the command. */
import { defineCommand, defineNoun } from '../args/command.ts';
import { defineFlag } from '../args/parameters.ts';

const upgrade = defineCommand({
  verb: 'upgrade',
  purpose: 'Upgrade the hosts of a cluster one after another',
  summary: 'Upgrade the hosts of a cluster one after another',
  extendsVerb: true,
  flags: [
    defineFlag('--no-check', 'skip the check for updates'),
    defineFlag('--skip <host>', 'host to exclude (may be repeated)', {
      repeatable: true,
      type: 'ref host',
    }),
    defineFlag('--no-reboot', 'no reboot after the upgrade'),
    defineFlag('--wait-timeout <duration>', 'timeout per host (default 1h)'),
  ],
  rareFlags: [
    ...['--from-file', '--set', '--set-json', '--all', '--search', '--no-search-check'],
    ...['--glob', '--parallel', '--fail-fast', '--on', '--upgrade-percent-complete'],
  ],
  notes:
    'Each host migrates its VMs, is upgraded and returns before the next one starts; the storage pool ' +
    'manager is last. Hosts in maintenance are upgraded and stay in maintenance. The command stops at ' +
    'the first failure; run it again to resume. --dry-run shows the order. --upgrade-action only ' +
    'changes the upgrade state of the cluster.',
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

export default defineNoun({ name: 'clusters', commands: [upgrade] });
