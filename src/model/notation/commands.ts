/**
 * Notation of commands: what the command line calls the objects of a resource, how its verbs differ
 * from what the operations say, and which columns its tables have.
 */

/** The groups of nouns in the order in which help shows them. */
export const groups = [
  'compute',
  'storage',
  'network',
  'scheduling',
  'access',
  'gluster',
  'observe',
  'providers',
] as const;

export type Group = (typeof groups)[number];

/** A column under another title than its path; the values of several paths are multiplied. */
export interface TitledColumn<P extends string = string> {
  readonly title: string;
  readonly paths: readonly [P, ...P[]];
}

/** A column of a table: an attribute path, or several under a title. */
export type ColumnDeclaration = string | TitledColumn;

/** A column under a title of its own: `column('mac', 'mac.address')`. Several paths are multiplied. */
export function column<const P extends string>(
  title: string,
  ...paths: readonly [P, ...P[]]
): TitledColumn<P> {
  return { title, paths };
}

/** A flag that sets an attribute below the first level, or under another name. */
export interface Shortcut {
  readonly flag: string;
  readonly path: string;
  readonly doc: string;
}

/** Declares such a flag. */
export function shortcut(flag: string, path: string, doc: string): Shortcut {
  return { flag, path, doc };
}

/** An argument behind the object, and the attribute paths that its text goes to. */
export interface ExtraArgument {
  readonly name: string;
  /** Of two, the text before and behind the sign: `a=b`. */
  readonly paths: readonly string[];
  readonly doc: string;
}

/** A flag that stands for a value of a query parameter. */
export interface QueryShortcut {
  readonly flag: string;
  readonly query: string;
  readonly value: string;
  readonly doc: string;
}

/** Words in the example of one verb, where they are not the usual ones. */
export interface VerbSample {
  readonly object?: string;
  /** Flags, as they are typed; an empty text where the verb needs none. */
  readonly flags?: string;
  /** Parent of the example in help, as `--on` names it: `vms/web01`. */
  readonly on?: string;
  /** By noun: the object that it belongs to. */
  readonly parents?: Readonly<Record<string, string>>;
}

/** What a verb has beyond what its operation says. */
export interface VerbOptions {
  readonly aliases?: readonly string[];
  /** One sentence without a full stop; `{}` stands for the object, with its article. */
  readonly purpose?: string;
  readonly shortcuts?: readonly Shortcut[];
  /** Other names of flags, by flag. */
  readonly flagAliases?: Readonly<Record<string, readonly string[]>>;
  /** The attributes that are flags, where not all of them should be. */
  readonly onlyAttributes?: readonly string[];
  readonly argument?: ExtraArgument;
  readonly queryShortcut?: QueryShortcut;
  /** The arguments are bricks, new ones or those of a volume, for all of which one request is sent. */
  readonly takesBricks?: true;
  /** `--object KIND/REF` names what the new object is about. */
  readonly namesObject?: true;
  /**
   * Objects without names are found by these references, as flags, where no argument names them: the
   * flags that made them. With it goes `--object KIND/REF`, what they are about.
   */
  readonly foundBy?: readonly string[];
  /** It sends attributes, although verbs of its name send a reference to what exists. */
  readonly sendsAttributes?: true;
  readonly sample?: VerbSample;
}

/** Words for examples. */
export interface NounSamples {
  /** An object as it may be called; an id where it has no name. */
  readonly object?: string;
  /** Of single collections, by path. */
  readonly objectAt?: Readonly<Record<`/${string}`, string>>;
  /** What a new object may be called. */
  readonly newName?: string;
  /** A state that objects are waited for. */
  readonly state?: string;
  /** What may be searched for; the beginning of a name where nothing is said. */
  readonly search?: string;
  /** By noun: the object that it belongs to. */
  readonly parents?: Readonly<Record<string, string>>;
}

/** A noun of the command line. It stands for all collections whose path ends with it. */
export interface NounDeclaration<N extends string = string> {
  readonly noun: N;
  readonly aliases?: readonly string[];
  readonly group: Group;
  /** What the objects are, for lists of nouns. */
  readonly doc: string;
  /** One object in words, where that is not the singular of the noun. */
  readonly one?: string;
  /** Shown in `vmctl help nouns` only. */
  readonly more?: true;
  /** Place in the group; those without one follow, in the order of the resources. */
  readonly position?: number;
  /** Collections that it stands for although their paths end with another word. */
  readonly collections?: readonly `/${string}`[];
  /** Other names of the flag that says to which of these objects something belongs. */
  readonly parentFlags?: readonly string[];
  /** What operations are called, by operation, where not as usual. */
  readonly operationVerbs?: Readonly<Record<string, string>>;
  /** By verb. */
  readonly verbs?: Readonly<Record<string, VerbOptions>>;
  readonly samples?: NounSamples;
}

/** What the command line knows of a resource. */
export interface Commands extends NounDeclaration {
  /** Nouns for collections of the same type under other words. */
  readonly otherNouns?: readonly NounDeclaration[];
  /**
   * Columns of tables, the most important one first: where a terminal has no room, the last are left
   * out. Without them the first attributes that are plain.
   */
  readonly columns?: readonly ColumnDeclaration[];
  /** Columns that `-o wide` shows as well; the links in them are followed. */
  readonly wideColumns?: readonly ColumnDeclaration[];
  /** The link that has to be followed for the usual columns. */
  readonly follow?: string;
  /** Flags of `create` and `update`. */
  readonly shortcuts?: readonly Shortcut[];
  /** Attributes by which an object is known, where that is not its name; the first is listed. */
  readonly knownBy?: readonly string[];
  /** The link that has to be followed to see them. */
  readonly knownThrough?: string;
  /** Its owner has one as a rule, which need not be named then. */
  readonly isSingle?: true;
  /** Lists are long: a name is searched for, instead of in the whole list. */
  readonly searchedByName?: true;
  /** The attribute that names an object in bodies, where it is neither id nor name of a collection. */
  readonly referredBy?: string;
  /** Values of new objects that are not left to the service. */
  readonly alwaysSent?: Readonly<Record<string, unknown>>;
  /** An object that is made together with this one, and waited for. */
  readonly createdAlong?: { readonly attribute: string; readonly type: string };
}

/** The processors of a machine. */
export const cpusColumn = column(
  'cpus',
  'cpu.topology.sockets',
  'cpu.topology.cores',
  'cpu.topology.threads',
);

/** Flags for what machines, templates and instance types have in common. */
export const cpuShortcuts: readonly Shortcut[] = [
  shortcut('cpu-sockets', 'cpu.topology.sockets', 'Number of virtual sockets.'),
  shortcut('cpu-cores', 'cpu.topology.cores', 'Number of cores per socket.'),
  shortcut('cpu-threads', 'cpu.topology.threads', 'Number of threads per core.'),
  shortcut('os-type', 'os.type', 'Operating system of the guest.'),
  shortcut('boot-devices', 'os.boot.devices', 'Boot devices in order, separated by commas.'),
  shortcut('memory-guaranteed', 'memory_policy.guaranteed', 'Guaranteed memory.'),
  shortcut('memory-max', 'memory_policy.max', 'Upper limit for memory hot plug.'),
  shortcut('ha', 'high_availability.enabled', 'Restart on another host after a host failure.'),
];

/** Verbs of collections in which objects that exist are put. */
export const attaching = { add: 'attach', remove: 'detach' } as const;

/** A collection that has verbs of its owner: `affinitygroups add-vm GROUP VM`. */
export interface MemberVerbs {
  readonly one: string;
  readonly many: string;
  /** What a member may be called, in examples. */
  readonly sample?: string;
  /** The noun of the collection has its own verbs for it as well. */
  readonly alsoGeneric?: true;
}

/** The id of objects without a name, in examples. */
export const sampleId = '4f5a1a8e-30ab-4c57-9d3c-7f5a6a1c2b90';

/** The same for a second connection to storage. */
export const otherId = '9b0d7c3e-6f15-4a88-b2d4-e1c3a5f70b66';

/** The id of the storage domain data1, where only an id will do. */
export const domainId = '2e7d51f0-94c3-4b6a-8f1e-0b5d7c9a3e42';
