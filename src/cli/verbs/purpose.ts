/** Purpose of a verb, in the imperative. */
import type { Verb } from './derive-verbs.ts';
import { humanNoun } from './flags.ts';
import { verbOptions } from './verb-names.ts';

const kinds: Readonly<Record<string, (one: string, many: string) => string>> = {
  list: (_, many) => `List ${many}`,
  get: (one) => `Show ${withArticle(one)}`,
  create: (one) => `Create ${withArticle(one)}`,
  update: (one) => `Change ${withArticle(one)}`,
  delete: (one) => `Delete ${withArticle(one)}`,
  wait: (one) => `Wait for a state of ${withArticle(one)}`,
  assign: (one) => `Assign ${withArticle(one)} to an object`,
  unassign: (one) => `Remove ${withArticle(one)} from an object`,
  grant: () => 'Grant a role on an object, by default on the system',
  revoke: () => 'Revoke a role',
  change: (one) => `Change ${withArticle(one)}`,
  stats: (one) => `Show statistics of ${withArticle(one)}`,
};

/** An imperative sentence without a full stop: `Start a VM`. */
export function purposeOf(verb: Verb): string {
  const one = humanNoun(verb.noun);
  const many = pluralOf(one);
  const declared = verbOptions(verb).purpose;
  if (declared !== undefined) return declared.replace('{}', withArticle(one));
  const known = kinds[verb.name];
  if (known && verb.kind !== 'action') return known(one, many);
  if (verb.name === 'attach') return `Attach ${withArticle(one)}${parentsOf(verb, 'to')}`;
  if (verb.name === 'detach') return `Detach ${withArticle(one)}${parentsOf(verb, 'from')}`;
  if (verb.membership) {
    const member = memberWords(verb.membership.one);
    const members = memberWords(verb.membership.many);
    const of = withArticle(one);
    if (verb.kind === 'list') return `List the ${members} of ${of}`;
    if (verb.kind === 'get') return `Show a ${member} of ${of}`;
    return verb.kind === 'add' ? `Add a ${member} to ${of}` : `Remove a ${member} from ${of}`;
  }
  const actionPurpose = actionPurposes[verb.name];
  if (actionPurpose !== undefined) return actionPurpose.replace('{}', withArticle(one));
  const words = verb.name.replaceAll('-', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} ${withArticle(one)}`;
}

/** `host label` for `host-label`, `VM` for `vm`. */
function memberWords(name: string): string {
  return name.replaceAll('-', ' ').replaceAll(/\bvm/g, 'VM');
}

/** The kinds of parents after a preposition: ` to a cluster`. */
function parentsOf({ candidates }: Verb, preposition: string): string {
  const kinds = new Set(candidates.map(({ parents }) => parents.at(-1)?.noun));
  const names = [...kinds].flatMap((noun) => (noun === undefined ? [] : [humanNoun(noun)]));
  if (names.length === 0) return '';
  const text = names.length > 2 ? 'object' : names.join(' or ');
  return ` ${preposition} ${withArticle(text)}`;
}

function withArticle(noun: string): string {
  return `${/^([aeio]|iSCSI|SSH|u(?!ser|nit))/i.test(noun) ? 'an' : 'a'} ${noun}`;
}

/** Plural of a human noun: `VMs`, `affinity labels`. */
export function pluralOf(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return noun.endsWith('s') ? noun : `${noun}s`;
}

const actionPurposes: Readonly<Record<string, string>> = {
  'auto-pin-cpu-and-numa-nodes': 'Pin the CPUs and NUMA nodes of {}',
  'cancel-migration': 'Cancel the migration of {}',
  clone: 'Clone {}',
  'commit-snapshot': 'Commit the previewed snapshot of {}',
  export: 'Export {} to a storage domain or file',
  'freeze-filesystems': 'Freeze the file systems of {}',
  import: 'Import {}',
  logon: 'Log in to the guest of {}',
  maintenance: 'Set hosted engine maintenance on {}',
  migrate: 'Migrate {} to another host',
  'preview-snapshot': 'Preview a snapshot of {}',
  register: 'Register {} from a storage domain',
  'reorder-mac-addresses': 'Sort the MAC addresses of {}',
  reset: 'Reset {} without a guest shutdown',
  screenshot: 'Take a screenshot of {}',
  shutdown: 'Shut down the guest of {}',
  stop: 'Stop {}',
  'thaw-filesystems': 'Thaw the file systems of {}',
  ticket: 'Get a ticket for the console of {}',
  'undo-snapshot': 'Undo the snapshot preview of {}',
  convert: 'Convert the format or allocation of {}',
  reduce: 'Release unused space of {}',
  'refresh-lun': 'Refresh the size of {} on a LUN',
  sparsify: 'Release unused blocks of {}',
  'proxy-ticket': 'Get a ticket for the console proxy',
  'remote-viewer-connection-file': 'Get the connection file for a console viewer',
  restore: 'Restore {}',
  'allocate-vm': 'Allocate a VM from {}',
  'is-attached': 'Check whether {} is attached to a data center',
  'reduce-luns': 'Remove LUNs from {}',
  'refresh-luns': 'Refresh the size of the LUNs of {}',
  'update-ovf-store': 'Update the OVF store of {}',
  'refresh-gluster-heal-status': 'Refresh the Gluster heal status of {}',
  'reset-emulated-machine': 'Reset the emulated machine type of {}',
  'sync-all-networks': 'Synchronize all networks of {}',
  'commit-net-config': 'Save the network configuration of {}',
  'copy-host-networks': 'Copy networks from another host to {}',
  'discover-iscsi': 'Discover iSCSI targets from {}',
  'enroll-certificate': 'Enroll a certificate for {}',
  fence: 'Control the power of {}',
  'force-select-spm': 'Select {} as storage pool manager',
  'iscsi-discover': 'Discover iSCSI targets from {}',
  'iscsi-login': 'Log {} in to an iSCSI target',
  refresh: 'Refresh devices and capabilities of {}',
  'setup-networks': 'Configure bonds, labels and networks of {}',
  'unregistered-storage-domains-discover': 'Discover unregistered storage domains',
  'upgrade-check': 'Check for updates of {}',
  resolve: 'Resolve a conflict of {}',
  'get-profile-statistics': 'Show profiling statistics of {}',
  rebalance: 'Rebalance the data of {}',
  'reset-all-options': 'Reset all options of {}',
  'reset-option': 'Reset an option of {}',
  'set-option': 'Set an option of {}',
  'start-profile': 'Start profiling {}',
  'stop-profile': 'Stop profiling {}',
  'stop-rebalance': 'Stop rebalancing {}',
  'stop-migrate': 'Cancel the migration of bricks',
  'clean-finished-tasks': 'Clean up finished tasks of {}',
  'set-master': 'Set the master storage domain of {}',
  'set-virtual-functions': 'Set the virtual functions of {}',
  undelete: 'Restore deleted alerts',
  clear: 'Remove {} after its end',
  'import-certificates': 'Trust certificates of {}',
  'test-connectivity': 'Test the connection to {}',
  extend: 'Extend the lifetime of {}',
};
