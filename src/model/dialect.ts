/** Dialects: every difference between deployments on the wire. Both sides read it. */

/** Attributes that engines take or know, and never send, by type. */
const unsentByEngines: Readonly<Record<string, ReadonlySet<string>>> = {
  affinity_label: new Set(['description', 'comment', 'hosts', 'vms']),
  agent: new Set(['concurrent']),
  bookmark: new Set(['description', 'comment']),
  cluster_level: new Set(['link']),
  cluster: new Set(['maintenance_reason_required', 'optional_reason']),
  event: new Set(['log_on_host']),
  event_subscription: new Set(['name', 'description', 'comment']),
  group: new Set(['domain']),
  host: new Set(['hosted_engine']),
  host_device: new Set(['placeholder']),
  image_transfer: new Set(['disk']),
  openstack_volume_provider: new Set(['tenant_name']),
  role: new Set(['permits']),
  scheduling_policy: new Set(['comment']),
  user: new Set(['user_options']),
  vnic_profile: new Set(['description', 'comment', 'custom_properties']),
};

export type DialectName = 'standard' | 'ovirt';

export interface Dialect {
  readonly name: DialectName;
  /** Path below which everything lives, without a slash at its end. */
  readonly appRoot: string;
  /** OAuth scope of the API (specification 5.2). */
  readonly scope: string;
  /** JSON output writes booleans and integers as strings. */
  readonly jsonScalarsAsStrings: boolean;
  /** JSON output writes dates as milliseconds since the epoch instead of ISO 8601. */
  readonly jsonDatesAsMillis: boolean;
  /** JSON output writes an empty list as `{}`. */
  readonly jsonEmptyListsBare: boolean;
  /** `from=N` of events leaves N itself out. */
  readonly eventsFromExclusive: boolean;
  /** A search that does not parse finds nothing instead of being refused. */
  readonly badSearchFindsNothing: boolean;
  /** Attributes that `required.ts` asks for on add, and this dialect does not: `cluster.cpu.type`. */
  readonly optionalOnAdd: readonly string[];
  /**
   * Refusals have the status, the reason and the form that a deployed engine gives them
   * (docs/stand-in.md): no body where an id or a method does not exist, a page for browsers where a path or
   * a version does not, `Input validation failed.` for what is mandatory, 400 for actions on unknown ids.
   * Otherwise each is a fault as the specification has it (section 7).
   */
  readonly engineRefusals: boolean;
  /** Attributes that are never sent, by type. */
  readonly unsent: Readonly<Record<string, ReadonlySet<string>>>;
  /**
   * Answers have what a deployed engine adds or leaves out: actions answer with the object that they were called
   * on, the sign-in takes any scope, and the entry point has the id of the engine.
   */
  readonly engineAnswers: boolean;
  /** Addresses of some objects are below an object that they refer to (`shown-below.ts`). */
  readonly hrefsBelowParents: boolean;
  /** What an update of a disk may change without its attachment. */
  readonly diskUpdates: 'qcow_version' | 'all';
  /** A disk without a machine that is added as `active` is refused; otherwise `active` is ignored. */
  readonly refusesActiveDisk: boolean;
  /** A search in a collection that has nothing to search by is ignored instead of being refused. */
  readonly ignoresSearchWithoutFields: boolean;
  /** A VM with an operating system that is not known has another one, instead of being refused. */
  readonly unknownSystemIsOther: boolean;
  /** File systems that are not frozen can be thawed: nothing happens then. */
  readonly thawsWhatIsNotFrozen: boolean;
  readonly product: { readonly name: string; readonly vendor: string };
  /** `origin` of the service's own events and objects. */
  readonly origin: string;
  /** `origin` of VMs that clients make. */
  readonly vmOrigin: string;
  /** Name of the management network. */
  readonly managementNetwork: string;
}

export const dialects: Readonly<Record<DialectName, Dialect>> = {
  standard: {
    name: 'standard',
    appRoot: '/virt-app',
    scope: 'virt-app-api',
    jsonScalarsAsStrings: false,
    jsonDatesAsMillis: false,
    jsonEmptyListsBare: false,
    eventsFromExclusive: false,
    badSearchFindsNothing: false,
    optionalOnAdd: [],
    engineRefusals: false,
    unsent: {},
    engineAnswers: false,
    hrefsBelowParents: false,
    diskUpdates: 'qcow_version',
    refusesActiveDisk: true,
    ignoresSearchWithoutFields: false,
    unknownSystemIsOther: false,
    thawsWhatIsNotFrozen: false,
    product: { name: 'Virtualization Manager (simulated by vmctl serve)', vendor: 'vmctl' },
    origin: 'virt-app',
    vmOrigin: 'virt-app',
    managementNetwork: 'mgmt',
  },
  ovirt: {
    name: 'ovirt',
    appRoot: '/ovirt-engine',
    scope: 'ovirt-app-api',
    jsonScalarsAsStrings: true,
    jsonDatesAsMillis: true,
    jsonEmptyListsBare: true,
    eventsFromExclusive: true,
    badSearchFindsNothing: true,
    optionalOnAdd: ['cluster.cpu.type'],
    engineRefusals: true,
    unsent: unsentByEngines,
    engineAnswers: true,
    hrefsBelowParents: true,
    diskUpdates: 'all',
    refusesActiveDisk: false,
    ignoresSearchWithoutFields: true,
    unknownSystemIsOther: true,
    thawsWhatIsNotFrozen: true,
    product: { name: 'oVirt Engine (simulated by vmctl serve)', vendor: 'ovirt.org' },
    origin: 'oVirt',
    vmOrigin: 'ovirt',
    managementNetwork: 'ovirtmgmt',
  },
};
