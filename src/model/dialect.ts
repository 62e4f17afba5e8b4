/** Dialects: all differences between deployments. The client and the server use them. */

/** Attributes that engines never send, by type. */
const unsentByEngines: Readonly<Record<string, ReadonlySet<string>>> = {
  affinity_label: new Set(['description', 'comment', 'hosts', 'vms']),
  agent: new Set(['concurrent']),
  balance: new Set(['name']),
  bookmark: new Set(['description', 'comment']),
  cluster_level: new Set(['link']),
  cluster: new Set(['maintenance_reason_required', 'optional_reason']),
  disk_snapshot: new Set(['image_id']),
  event: new Set(['log_on_host']),
  event_subscription: new Set(['name', 'description', 'comment']),
  filter: new Set(['name']),
  group: new Set(['domain']),
  host: new Set(['hosted_engine']),
  host_device: new Set(['placeholder']),
  host_nic: new Set(['override_configuration']),
  image_transfer: new Set(['disk']),
  openstack_volume_provider: new Set(['tenant_name']),
  role: new Set(['permits']),
  scheduling_policy: new Set(['comment']),
  tag: new Set(['comment']),
  user: new Set(['user_options']),
  vnic_profile: new Set(['comment']),
  weight: new Set(['name']),
};

/** Lists that engines create without an array. */
const bareElements: ReadonlySet<string> = new Set([
  'disk_attachment',
  'method',
  'pm_proxy',
  'property',
  'usage',
  'value',
]);

/** Lists that engines begin before they read the objects. */
const listsNamedByEngines: ReadonlySet<string> = new Set([
  '/clusters/{cluster}/affinitygroups/{group}/hostlabels',
  '/clusters/{cluster}/affinitygroups/{group}/vmlabels',
  '/diskprofiles',
  '/hosts/{host}/affinitylabels',
  '/hosts/{host}/hooks',
  '/users/{user}/groups',
  '/users/{user}/options',
  '/users/{user}/sshpublickeys',
  '/vms/{vm}/affinitylabels',
  '/vms/{vm}/numanodes',
]);

export type DialectName = 'standard' | 'ovirt';

export interface Dialect {
  readonly name: DialectName;
  /** Root path of the service, without a trailing slash. */
  readonly appRoot: string;
  /** OAuth scope of the API (specification 5.2). */
  readonly scope: string;
  /** JSON output writes booleans and integers as strings. */
  readonly jsonScalarsAsStrings: boolean;
  /** JSON output writes dates as milliseconds since the epoch instead of ISO 8601. */
  readonly jsonDatesAsMillis: boolean;
  /** JSON output writes an empty collection as `{}`. */
  readonly jsonEmptyListsBare: boolean;
  /** Elements whose list inside of an object is `{}` in JSON if it is empty; other lists keep their array. */
  readonly jsonBareElements: ReadonlySet<string>;
  /** Lists with their name in JSON although they are empty, by path template. */
  readonly jsonNamedEmptyLists: ReadonlySet<string>;
  /** `from=N` of events excludes N. */
  readonly eventsFromExclusive: boolean;
  /** An invalid search returns an empty list instead of a refusal. */
  readonly badSearchFindsNothing: boolean;
  /**
   * Attributes that are optional on add in this dialect, although they are declared as required:
   * `cluster.cpu.type`.
   */
  readonly optionalOnAdd: readonly string[];
  /**
   * Refusals have the status, the reason and the form of a deployed engine (docs/stand-in.md): no body for an
   * unknown id or method, a web page for an unknown path or version, `Input validation failed.` for missing
   * mandatory attributes, 400 for actions on unknown ids. Otherwise each refusal is a fault (specification 7).
   */
  readonly engineRefusals: boolean;
  /** Attributes that are never sent, by type. */
  readonly unsent: Readonly<Record<string, ReadonlySet<string>>>;
  /**
   * Responses have the members of a deployed engine: actions return their object, the sign-in accepts any scope,
   * and the entry point has the id of the engine.
   */
  readonly engineAnswers: boolean;
  /** Addresses of some objects are below an object that they refer to (`shown-below.ts`). */
  readonly hrefsBelowParents: boolean;
  /** Domains have links to searches among their users and groups. */
  readonly linksToSearches: boolean;
  /** A label of VMs or hosts cannot be removed. */
  readonly refusesUsedLabels: boolean;
  /**
   * Collections without a search list their objects in the order of creation (`list-order.ts`), not
   * by name.
   */
  readonly listsAsCreated: boolean;
  /** Attributes, as `type.attribute`, with ignored unknown ids: the attribute keeps its default. */
  readonly ignoredReferences: ReadonlySet<string>;
  /** Attributes of a disk that an update may change without its attachment. */
  readonly diskUpdates: 'qcow_version' | 'all';
  /** A new disk without a VM is refused if it has `active`; otherwise `active` is ignored. */
  readonly refusesActiveDisk: boolean;
  /** A search in a collection without searchable attributes is ignored instead of refused. */
  readonly ignoresSearchWithoutFields: boolean;
  /** An unknown operating system of a VM becomes `other` instead of being refused. */
  readonly unknownSystemIsOther: boolean;
  /** Thawing file systems that are not frozen succeeds without an effect. */
  readonly thawsWhatIsNotFrozen: boolean;
  readonly product: { readonly name: string; readonly vendor: string };
  /** `origin` of events and objects of the service itself. */
  readonly origin: string;
  /** `origin` of new VMs. */
  readonly vmOrigin: string;
  /** Name of the management network. */
  readonly managementNetwork: string;
  /** Description of the management network of the first data center. */
  readonly firstNetworkDescription: string;
}

export const dialects: Readonly<Record<DialectName, Dialect>> = {
  standard: {
    name: 'standard',
    appRoot: '/virt-app',
    scope: 'virt-app-api',
    jsonScalarsAsStrings: false,
    jsonDatesAsMillis: false,
    jsonEmptyListsBare: false,
    jsonBareElements: new Set(),
    jsonNamedEmptyLists: new Set(),
    eventsFromExclusive: false,
    badSearchFindsNothing: false,
    optionalOnAdd: [],
    engineRefusals: false,
    unsent: {},
    engineAnswers: false,
    hrefsBelowParents: false,
    linksToSearches: false,
    refusesUsedLabels: false,
    listsAsCreated: false,
    ignoredReferences: new Set(),
    diskUpdates: 'qcow_version',
    refusesActiveDisk: true,
    ignoresSearchWithoutFields: false,
    unknownSystemIsOther: false,
    thawsWhatIsNotFrozen: false,
    product: { name: 'Virtualization Manager (simulated by vmctl serve)', vendor: 'vmctl' },
    origin: 'virt-app',
    vmOrigin: 'virt-app',
    managementNetwork: 'mgmt',
    firstNetworkDescription: 'Default Management Network',
  },
  ovirt: {
    name: 'ovirt',
    appRoot: '/ovirt-engine',
    scope: 'ovirt-app-api',
    jsonScalarsAsStrings: true,
    jsonDatesAsMillis: true,
    jsonEmptyListsBare: true,
    jsonBareElements: bareElements,
    jsonNamedEmptyLists: listsNamedByEngines,
    eventsFromExclusive: true,
    badSearchFindsNothing: true,
    optionalOnAdd: ['cluster.cpu.type', 'openstack_network_provider.url'],
    engineRefusals: true,
    unsent: unsentByEngines,
    engineAnswers: true,
    hrefsBelowParents: true,
    linksToSearches: true,
    refusesUsedLabels: true,
    listsAsCreated: true,
    ignoredReferences: new Set(['cluster.scheduling_policy']),
    diskUpdates: 'all',
    refusesActiveDisk: false,
    ignoresSearchWithoutFields: true,
    unknownSystemIsOther: true,
    thawsWhatIsNotFrozen: true,
    product: { name: 'oVirt Engine (simulated by vmctl serve)', vendor: 'ovirt.org' },
    origin: 'oVirt',
    vmOrigin: 'ovirt',
    managementNetwork: 'ovirtmgmt',
    firstNetworkDescription: 'Management Network',
  },
};
