/** Purpose of a verb, in the imperative. */
import type { Verb } from './derive-verbs.ts';
import { getHumanNoun } from './flags.ts';
import { getVerbOptions } from './verb-names.ts';

const kinds: Readonly<Record<string, (one: string, many: string) => string>> = {
  list: (_, many) => `List ${many}`,
  get: (one) => `Show ${addArticle(one)}`,
  create: (one) => `Create ${addArticle(one)}`,
  update: (one) => `Change ${addArticle(one)}`,
  delete: (one) => `Delete ${addArticle(one)}`,
  wait: (one) => `Wait for a state of ${addArticle(one)}`,
  assign: (one) => `Assign ${addArticle(one)} to an object`,
  unassign: (one) => `Remove ${addArticle(one)} from an object`,
  grant: () => 'Grant a role on an object, by default on the system',
  revoke: () => 'Revoke a role',
  change: (one) => `Change ${addArticle(one)}`,
  stats: (one) => `Show statistics of ${addArticle(one)}`,
};

/** Returns the purpose as a sentence without a full stop: `Start a VM`. */
export function formatPurpose(verb: Verb): string {
  const one = getHumanNoun(verb.noun);
  const many = getPlural(one);
  const declared = getVerbOptions(verb).purpose;
  if (declared !== undefined) return declared.replace('{}', addArticle(one));
  const known = kinds[verb.name];
  if (known && verb.kind !== 'action') return known(one, many);
  if (verb.name === 'attach') return `Attach ${addArticle(one)}${formatParents(verb, 'to')}`;
  if (verb.name === 'detach') return `Detach ${addArticle(one)}${formatParents(verb, 'from')}`;
  if (verb.membership) {
    const member = formatMember(verb.membership.one);
    const members = formatMember(verb.membership.many);
    const of = addArticle(one);
    if (verb.kind === 'list') return `List the ${members} of ${of}`;
    if (verb.kind === 'get') return `Show a ${member} of ${of}`;
    return verb.kind === 'add' ? `Add a ${member} to ${of}` : `Remove a ${member} from ${of}`;
  }
  const actionPurpose = actionPurposes[verb.name];
  if (actionPurpose !== undefined) return actionPurpose.replace('{}', addArticle(one));
  const words = verb.name.replaceAll('-', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} ${addArticle(one)}`;
}

/** Formats a member: `host label` for `host-label`, `VM` for `vm`. */
function formatMember(name: string): string {
  return name.replaceAll('-', ' ').replaceAll(/\bvm/g, 'VM');
}

/** Formats the kinds of parents after a preposition: ` to a cluster`. */
function formatParents({ candidates }: Verb, preposition: string): string {
  const kinds = new Set(candidates.map(({ parents }) => parents.at(-1)?.noun));
  const names = [...kinds].flatMap((noun) => (noun === undefined ? [] : [getHumanNoun(noun)]));
  if (names.length === 0) return '';
  const text = names.length > 2 ? 'object' : names.join(' or ');
  return ` ${preposition} ${addArticle(text)}`;
}

function addArticle(noun: string): string {
  return `${/^([aeio]|iSCSI|SSH|u(?!ser|nit))/i.test(noun) ? 'an' : 'a'} ${noun}`;
}

/** Returns the plural of a noun in text: `VMs`, `affinity labels`. */
export function getPlural(noun: string): string {
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
