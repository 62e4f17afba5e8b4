/**
 * How operations are called on the command line where the rules do not say it well: verbs, the
 * relations that a noun offers for its members, and arguments behind the object.
 */

/** Verbs for operations of collections whose path ends like this; the first match counts. */
export interface VerbNames {
  readonly ends: string;
  /** Verb by operation; the usual verb stays an alias where nothing else has it. */
  readonly verbs: Readonly<Record<string, string>>;
}

const attaching = { add: 'attach', remove: 'detach' };

export const verbNames: readonly VerbNames[] = [
  { ends: '/datacenters/{datacenter}/storagedomains', verbs: attaching },
  { ends: '/clusters/{cluster}/networks', verbs: attaching },
  { ends: '/iscsibonds/{iscsibond}/networks', verbs: attaching },
  { ends: '/storagedomains/{storagedomain}/storageconnections', verbs: attaching },
  { ends: '/iscsibonds/{iscsibond}/storageserverconnections', verbs: attaching },
  { ends: '/{role}/permits', verbs: attaching },
  { ends: '/vms/{vm}/affinitylabels', verbs: attaching },
  { ends: '/hosts/{host}/affinitylabels', verbs: attaching },
  { ends: '/{nic}/virtualfunctionallowednetworks', verbs: attaching },
  { ends: '/{nic}/virtualfunctionallowedlabels', verbs: attaching },
  { ends: '/vms/{vm}/diskattachments', verbs: attaching },
  { ends: '/vms/{vm}/hostdevices', verbs: attaching },
  { ends: '}/tags', verbs: { add: 'assign', remove: 'unassign' } },
  { ends: '/permissions', verbs: { add: 'grant', remove: 'revoke' } },
  { ends: '/cdroms', verbs: { update: 'change' } },
  {
    ends: '/hosts/{host}/nics',
    verbs: { update_virtual_functions_configuration: 'set-virtual-functions' },
  },
];

/** The usual verbs, by operation. Actions keep their name, in kebab case. */
export const defaultVerbs: Readonly<Record<string, string>> = {
  list: 'list',
  get: 'get',
  add: 'create',
  update: 'update',
  remove: 'delete',
};

/** Other words for verbs, of every noun that has them. */
export const verbAliases: Readonly<Record<string, readonly string[]>> = {
  list: ['ls'],
  get: ['show'],
  create: ['add'],
  update: ['set'],
  delete: ['rm'],
};

/** Other words for verbs of one noun. */
export const nounVerbAliases: Readonly<
  Record<string, Readonly<Record<string, readonly string[]>>>
> = {
  hosts: {
    'unregistered-storage-domains-discover': ['discover-storage-domains'],
    deactivate: ['maintenance'],
    'commit-net-config': ['commit'],
    'force-select-spm': ['spm'],
  },
  glustervolumes: { 'get-profile-statistics': ['profile'] },
  events: { list: ['tail'] },
  storagedomains: { deactivate: ['maintenance'] },
  hostnics: { 'set-virtual-functions': ['update-virtual-functions-configuration'] },
};

/** Collections that are reached by verbs of their owner: `affinitygroups add-vm GROUP VM`. */
export interface Membership {
  readonly ends: string;
  /** Noun whose verbs they are. */
  readonly owner: string;
  /** The member in verbs, singular and plural. */
  readonly words: readonly [string, string];
  /** The noun of the collection has its own verbs for it as well. */
  readonly alsoGeneric?: boolean;
}

export const memberships: readonly Membership[] = [
  { ends: '/affinitygroups/{group}/vms', owner: 'affinitygroups', words: ['vm', 'vms'] },
  { ends: '/affinitygroups/{group}/hosts', owner: 'affinitygroups', words: ['host', 'hosts'] },
  {
    ends: '/affinitygroups/{group}/vmlabels',
    owner: 'affinitygroups',
    words: ['vm-label', 'vm-labels'],
  },
  {
    ends: '/affinitygroups/{group}/hostlabels',
    owner: 'affinitygroups',
    words: ['host-label', 'host-labels'],
  },
  { ends: '/affinitylabels/{label}/vms', owner: 'affinitylabels', words: ['vm', 'vms'] },
  { ends: '/affinitylabels/{label}/hosts', owner: 'affinitylabels', words: ['host', 'hosts'] },
  {
    ends: '/domains/{domain}/users',
    owner: 'domains',
    words: ['user', 'users'],
    alsoGeneric: true,
  },
  {
    ends: '/domains/{domain}/groups',
    owner: 'domains',
    words: ['group', 'groups'],
    alsoGeneric: true,
  },
];

/** Short words for parents, beside the name of their kind. */
export const parentAliases: Readonly<Record<string, readonly string[]>> = {
  datacenter: ['data-center', 'dc'],
  storagedomain: ['storage-domain', 'sd'],
};

/** A flag that sets an attribute below the first level, or under another name. */
export interface Shortcut {
  readonly flag: string;
  readonly path: string;
  readonly doc: string;
}

const cpuShortcuts: readonly Shortcut[] = [
  { flag: 'cpu-sockets', path: 'cpu.topology.sockets', doc: 'Virtual sockets.' },
  { flag: 'cpu-cores', path: 'cpu.topology.cores', doc: 'Cores per socket.' },
  { flag: 'cpu-threads', path: 'cpu.topology.threads', doc: 'Threads per core.' },
  { flag: 'os-type', path: 'os.type', doc: 'Guest operating system.' },
  { flag: 'boot-devices', path: 'os.boot.devices', doc: 'Boot order, separated by commas.' },
  { flag: 'memory-guaranteed', path: 'memory_policy.guaranteed', doc: 'Memory never taken away.' },
  { flag: 'memory-max', path: 'memory_policy.max', doc: 'Limit of memory hot-plug.' },
  { flag: 'ha', path: 'high_availability.enabled', doc: 'Restart it when its host fails.' },
];

const storageShortcuts: readonly Shortcut[] = [
  { flag: 'storage-type', path: 'storage.type', doc: 'nfs, iscsi, fcp, localfs, ...' },
  { flag: 'address', path: 'storage.address', doc: 'Address of the storage server.' },
  { flag: 'path', path: 'storage.path', doc: 'Path on the storage server.' },
  { flag: 'nfs-version', path: 'storage.nfs_version', doc: 'Version of NFS.' },
  { flag: 'target', path: 'storage.target', doc: 'iSCSI target.' },
];

/** By type, for create and update. */
export const typeShortcuts: Readonly<Record<string, readonly Shortcut[]>> = {
  vm: cpuShortcuts,
  template: cpuShortcuts,
  instance_type: cpuShortcuts,
  nic: [{ flag: 'mac', path: 'mac.address', doc: 'MAC address.' }],
  network_label: [{ flag: 'label', path: 'id', doc: 'The label.' }],
  network: [{ flag: 'vlan', path: 'vlan.id', doc: 'VLAN tag.' }],
  cluster: [
    { flag: 'cpu-type', path: 'cpu.type', doc: 'CPU family of the hosts.' },
    { flag: 'compatibility-version', path: 'version', doc: 'Compatibility level: 4.7.' },
    { flag: 'over-commit', path: 'memory_policy.over_commit.percent', doc: 'Memory in percent.' },
  ],
  data_center: [
    { flag: 'compatibility-version', path: 'version', doc: 'Compatibility level: 4.7.' },
  ],
  storage_domain: storageShortcuts,
  disk: [
    { flag: 'size', path: 'provisioned_size', doc: 'Size as the guest sees it: 20GiB.' },
    { flag: 'storagedomain', path: 'storage_domains', doc: 'Where it is kept.' },
  ],
  disk_attachment: [
    { flag: 'new-disk-size', path: 'disk.provisioned_size', doc: 'Make a new disk: its size.' },
    { flag: 'size', path: 'disk.provisioned_size', doc: 'Size of the disk: 20GiB.' },
    { flag: 'new-disk-name', path: 'disk.alias', doc: 'Name of the new disk.' },
    { flag: 'new-disk-format', path: 'disk.format', doc: 'raw or cow.' },
    { flag: 'new-disk-storagedomain', path: 'disk.storage_domains', doc: 'Where it is kept.' },
  ],
  cdrom: [{ flag: 'file', path: 'file.id', doc: 'The ISO; an empty text ejects it.' }],
  host: [
    { flag: 'ssh-user', path: 'ssh.user.user_name', doc: 'User for the installation.' },
    { flag: 'ssh-method', path: 'ssh.authentication_method', doc: 'password or publickey.' },
  ],
  affinity_group: [
    { flag: 'vms-positive', path: 'vms_rule.positive', doc: 'Keep the virtual machines together.' },
    { flag: 'vms-enforcing', path: 'vms_rule.enforcing', doc: 'As a hard rule.' },
    { flag: 'hosts-positive', path: 'hosts_rule.positive', doc: 'Run on these hosts.' },
    { flag: 'hosts-enforcing', path: 'hosts_rule.enforcing', doc: 'As a hard rule.' },
  ],
  external_vm_import: [
    { flag: 'vm', path: 'vm.name', doc: 'Name of the virtual machine where it comes from.' },
  ],
};

const importTarget: Shortcut = {
  flag: 'to',
  path: 'storage_domain',
  doc: 'The storage domain that gets the disks.',
};

/** By noun and verb, for actions. */
export const actionShortcuts: Readonly<Record<string, readonly Shortcut[]>> = {
  'vms clone': [{ flag: 'name', path: 'vm.name', doc: 'Name of the copy.' }],
  'vms preview-snapshot': [
    { flag: 'snapshot', path: 'snapshot.id', doc: 'The snapshot: description or id.' },
  ],
  'disks convert': [{ flag: 'format', path: 'disk.format', doc: 'raw or cow.' }],
  'disks copy': [{ flag: 'name', path: 'disk.name', doc: 'Name of the copy.' }],
  'hosts fence': [
    { flag: 'type', path: 'fence_type', doc: 'restart, start, stop, status or manual.' },
  ],
  'hosts setup-networks': [
    { flag: 'commit', path: 'commit_on_success', doc: 'Keep the configuration when it works.' },
  ],
  'vms ticket': [
    { flag: 'expiry', path: 'ticket.expiry', doc: 'Seconds for which the ticket is valid.' },
  ],
  'hostnics set-virtual-functions': [
    {
      flag: 'number',
      path: 'virtual_functions_configuration.number_of_virtual_functions',
      doc: 'How many there are.',
    },
    {
      flag: 'all-networks-allowed',
      path: 'virtual_functions_configuration.all_networks_allowed',
      doc: 'Whether every network may use them.',
    },
  ],
  // --storage-domain says where it comes from.
  'vms import': [importTarget],
  'templates import': [importTarget],
  'images import': [{ flag: 'name', path: 'disk.name', doc: 'Name of the disk.' }, importTarget],
};

/** Arguments behind the object, by noun and verb, and where their text goes in the body. */
export interface ExtraArgument {
  readonly name: string;
  /** Attribute paths; for `a=b` the text before and behind the sign. */
  readonly paths: readonly string[];
  readonly doc: string;
}

export const extraArguments: Readonly<Record<string, ExtraArgument>> = {
  'glustervolumes set-option': {
    name: 'name=value',
    paths: ['option.name', 'option.value'],
    doc: 'the option and its value',
  },
  'glustervolumes reset-option': { name: 'name', paths: ['option.name'], doc: 'the option' },
};

/** Actions and removals on a whole collection whose objects are given as arguments: bricks. */
export const brickVerbs: ReadonlySet<string> = new Set([
  'glusterbricks create',
  'glusterbricks activate',
  'glusterbricks migrate',
  'glusterbricks stop-migrate',
]);

/** Attributes that are flags of this verb, where not all of them should be. */
export const onlyFields: Readonly<Record<string, readonly string[]>> = {
  'permissions grant': ['role', 'user', 'group'],
};

/** Verbs that attach something existing: an argument names it, the body is a reference to it. */
export function isReferenceVerb(noun: string, verb: string): boolean {
  if (noun === 'diskattachments') return false;
  return verb === 'attach' || verb === 'assign' || verb.startsWith('add-');
}

/** Types whose objects are named in the body by this attribute, because they have no home. */
export const referenceAttribute: Readonly<Record<string, string>> = {
  host_device: 'name',
  network_label: 'id',
  permit: 'name',
};

/** Flags that stand for a value of a query parameter, by noun and verb. */
export interface QueryShortcut {
  readonly flag: string;
  readonly query: string;
  readonly value: string;
  readonly doc: string;
}

export const queryShortcuts: Readonly<Record<string, QueryShortcut>> = {
  'diskattachments detach': {
    flag: 'delete-disk',
    query: 'detach_only',
    value: 'false',
    doc: 'Delete the disk as well.',
  },
};

/** Values of new objects that must not be left to the service, by type (specification 4.5). */
export const alwaysSent: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  disk_attachment: { active: true },
};

/** Objects that are made together with another one, and are not ready when that one is. */
export const createdAlong: Readonly<
  Record<string, { readonly attribute: string; readonly type: string }>
> = { disk_attachment: { attribute: 'disk', type: 'disk' } };

/** Verbs with `--object KIND/REF`, which names what the permission is about. */
export const objectVerbs: ReadonlySet<string> = new Set(['permissions grant']);
