/** Purpose of a verb, in one sentence. */
import type { Verb } from './derive-verbs.ts';
import { humanNoun } from './flags.ts';
import { verbOptions } from './verb-names.ts';

const kinds: Readonly<Record<string, (one: string, many: string) => string>> = {
  list: (_, many) => `List ${many}`,
  get: (one) => `Show ${withArticle(one)}`,
  create: (one) => `Create ${withArticle(one)}`,
  update: (one) => `Change ${withArticle(one)}`,
  delete: (one) => `Delete ${withArticle(one)}`,
  wait: (one) => `Wait until ${withArticle(one)} is in a state`,
  attach: (one) => `Attach ${withArticle(one)}`,
  detach: (one) => `Detach ${withArticle(one)}`,
  assign: (one) => `Put ${withArticle(one)} on an object`,
  unassign: (one) => `Take ${withArticle(one)} off an object`,
  grant: () => 'Give a role to a user or group',
  revoke: () => 'Take a role away',
  change: (one) => `Change ${withArticle(one)}`,
  stats: (one) => `Show measured values of ${withArticle(one)}`,
};

/** One sentence without a full stop: `Start a virtual machine`. */
export function purposeOf(verb: Verb): string {
  const one = humanNoun(verb.noun);
  const many = pluralOf(one);
  const known = kinds[verb.name];
  if (known && verb.kind !== 'action') return known(one, many);
  if (verb.membership) {
    const member = verb.membership.one.replaceAll('-', ' ');
    const members = verb.membership.many.replaceAll('-', ' ');
    const of = withArticle(one);
    if (verb.kind === 'list') return `List the ${members} of ${of}`;
    if (verb.kind === 'get') return `Show a ${member} of ${of}`;
    return verb.kind === 'add' ? `Add a ${member} to ${of}` : `Remove a ${member} from ${of}`;
  }
  const actionPurpose = verbOptions(verb).purpose ?? actionPurposes[verb.name];
  if (actionPurpose !== undefined) return actionPurpose.replace('{}', withArticle(one));
  const words = verb.name.replaceAll('-', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} ${withArticle(one)}`;
}

function withArticle(noun: string): string {
  return `${/^([aeio]|iSCSI|u(?!ser|nit))/i.test(noun) ? 'an' : 'a'} ${noun}`;
}

function pluralOf(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return noun.endsWith('s') ? noun : `${noun}s`;
}

const actionPurposes: Readonly<Record<string, string>> = {
  'auto-pin-cpu-and-numa-nodes': 'Pin the processors and NUMA nodes of {}',
  'cancel-migration': 'Stop the migration of {}',
  clone: 'Copy {}',
  'commit-snapshot': 'Keep the previewed snapshot of {}',
  export: 'Write {} to a storage domain or file',
  'freeze-filesystems': 'Freeze the file systems of {}',
  import: 'Bring {} into the service',
  logon: 'Log on to the guest of {}',
  maintenance: 'Switch the maintenance of the hosted engine on {} on or off',
  migrate: 'Move {} to another host',
  'preview-snapshot': 'Try a snapshot of {}',
  register: 'Put {} that is on the storage into the inventory',
  'reorder-mac-addresses': 'Sort the MAC addresses of {}',
  reset: 'Reset {} without asking its guest',
  screenshot: 'Take a picture of the screen of {}',
  shutdown: 'Ask the guest of {} to shut down',
  stop: 'Stop {}',
  'thaw-filesystems': 'Thaw the file systems of {}',
  ticket: 'Get a ticket for the console of {}',
  'undo-snapshot': 'Leave the previewed snapshot of {}',
  convert: 'Change format or allocation of {}',
  reduce: 'Give unused space of {} back to its storage domain',
  'refresh-lun': 'Read the size of {} on a LUN again',
  sparsify: 'Give the unused blocks of {} back',
  'proxy-ticket': 'Get a ticket for the console proxy',
  'remote-viewer-connection-file': 'Get the file that opens a console in a viewer',
  restore: 'Go back to {}',
  'allocate-vm': 'Get a virtual machine from {}',
  'is-attached': 'Tell whether {} is attached to a data center',
  'reduce-luns': 'Take LUNs away from {}',
  'refresh-luns': 'Read the size of the LUNs of {} again',
  'update-ovf-store': 'Write the configurations of virtual machines to {}',
  'refresh-gluster-heal-status': 'Read the heal status of the volumes of {} again',
  'reset-emulated-machine': 'Forget the emulated machine type of {}',
  'sync-all-networks': 'Bring the networks of {} back in sync',
  'commit-net-config': 'Keep the network configuration of {} over a restart',
  'copy-host-networks': 'Give {} the networks of another host',
  'discover-iscsi': 'Find iSCSI targets from {}',
  'enroll-certificate': 'Give {} a new certificate',
  fence: 'Control the power of {}',
  'force-select-spm': 'Make {} the storage pool manager',
  'iscsi-discover': 'Find iSCSI targets from {}',
  'iscsi-login': 'Log {} in to an iSCSI target',
  refresh: 'Read devices and capabilities of {} again',
  'setup-networks': 'Change bonds, labels and network attachments of {} in one step',
  'unregistered-storage-domains-discover': 'Find storage domains that are not in the inventory',
  'upgrade-check': 'Look for updates of {}',
  resolve: 'Resolve a conflict of {}',
  'get-profile-statistics': 'Show what profiling of {} has measured',
  rebalance: 'Spread the data of {} evenly',
  'reset-all-options': 'Set all options of {} back',
  'reset-option': 'Set an option of {} back',
  'set-option': 'Set an option of {}',
  'start-profile': 'Begin profiling {}',
  'stop-profile': 'End profiling {}',
  'stop-rebalance': 'Stop rebalancing {}',
  'stop-migrate': 'Cancel the migration of bricks',
  'clean-finished-tasks': 'Clean up finished tasks of {}',
  'set-master': 'Choose the master storage domain of {}',
  'set-virtual-functions': 'Set the virtual functions of {}',
  undelete: 'Show deleted alerts again',
  clear: 'Remove {} that has ended',
  'import-certificates': 'Trust certificates of {}',
  'test-connectivity': 'Test the connection to {}',
  extend: 'Keep {} alive',
};
