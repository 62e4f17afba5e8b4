/**
 * Notation of commands: names of the objects of a resource, exceptions from the derived verbs, and
 * table columns.
 */

/** Groups of nouns, in the order of help. */
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

/** Column with a title other than its path. The values of several paths are multiplied. */
export interface TitledColumn<P extends string = string> {
  readonly title: string;
  readonly paths: readonly [P, ...P[]];
}

/** Table column: an attribute path, or one or more paths with a title. */
export type ColumnDeclaration = string | TitledColumn;

/**
 * Declares a column with a title: `column('mac', 'mac.address')`. The values of several paths are
 * multiplied.
 */
export function column<const P extends string>(
  title: string,
  ...paths: readonly [P, ...P[]]
): TitledColumn<P> {
  return { title, paths };
}

/** Flag for a nested attribute, or with another name than the attribute. */
export interface Shortcut {
  readonly flag: string;
  readonly path: string;
  readonly doc: string;
}

/** Declares a shortcut flag. */
export function shortcut(flag: string, path: string, doc: string): Shortcut {
  return { flag, path, doc };
}

/** Argument after the object, and the attribute paths that it sets. */
export interface ExtraArgument {
  readonly name: string;
  /** Two paths receive the text before and after the sign: `a=b`. */
  readonly paths: readonly string[];
  readonly doc: string;
}

/** Flag that sets a query parameter to a value. */
export interface QueryShortcut {
  readonly flag: string;
  readonly query: string;
  readonly value: string;
  readonly doc: string;
}

/** Values in the example of one verb that differ from those of the noun. */
export interface VerbSample {
  readonly object?: string;
  /** Flags of the example. Empty if the verb needs none. */
  readonly flags?: string;
  /** Flags of a second example. */
  readonly also?: string;
  /** Parent in the example, as `--on` names it: `vms/web01`. */
  readonly on?: string;
  /** Parents of the object, by noun. */
  readonly parents?: Readonly<Record<string, string>>;
}

/** Options of a verb that do not follow from its operation. */
export interface VerbOptions {
  readonly aliases?: readonly string[];
  /** One sentence without a full stop. `{}` is replaced by the object with its article. */
  readonly purpose?: string;
  readonly shortcuts?: readonly Shortcut[];
  /** Other names of flags, by flag. */
  readonly flagAliases?: Readonly<Record<string, readonly string[]>>;
  /** Attributes with a flag (default: all). */
  readonly onlyAttributes?: readonly string[];
  readonly argument?: ExtraArgument;
  readonly queryShortcut?: QueryShortcut;
  /** The arguments are new or existing bricks of a volume. One request contains all of them. */
  readonly takesBricks?: true;
  /** `--object KIND/REF` names the subject of the new object. */
  readonly namesObject?: true;
  /**
   * References, as flags, that find an object without a name by its creation. The verb also
   * has `--object KIND/REF`, the subject of the object.
   */
  readonly foundBy?: readonly string[];
  /**
   * Whether it sends attributes, although other verbs of its name send a reference to an existing
   * object.
   */
  readonly sendsAttributes?: true;
  readonly sample?: VerbSample;
}

/** Values for examples. */
export interface NounSamples {
  /** Name of an object, or an id if objects have no name. */
  readonly object?: string;
  /** Names of objects in single collections, by path. */
  readonly objectAt?: Readonly<Record<`/${string}`, string>>;
  /** Name of a new object. */
  readonly newName?: string;
  /** State to wait for. */
  readonly state?: string;
  /** Search text (default: the beginning of a name). */
  readonly search?: string;
  /** Parents of the object, by noun. */
  readonly parents?: Readonly<Record<string, string>>;
}

/** Noun of the command line, for all collections whose path ends with it. */
export interface NounDeclaration<N extends string = string> {
  readonly noun: N;
  readonly aliases?: readonly string[];
  readonly group: Group;
  /** Description for lists of nouns. */
  readonly doc: string;
  /** Name of a single object, if it is not the singular of the noun. */
  readonly one?: string;
  /** Only in `vmctl help nouns`. */
  readonly more?: true;
  /** Position in the group. Nouns without one follow in the order of the resources. */
  readonly position?: number;
  /** Additional collections whose paths end with a different segment. */
  readonly collections?: readonly `/${string}`[];
  /** Other names of the flag for a parent of this noun. */
  readonly parentFlags?: readonly string[];
  /** Verbs by operation, if they differ from the defaults. */
  readonly operationVerbs?: Readonly<Record<string, string>>;
  /** By verb. */
  readonly verbs?: Readonly<Record<string, VerbOptions>>;
  readonly samples?: NounSamples;
}

/** Command-line options of a resource. */
export interface Commands extends NounDeclaration {
  /** Nouns for collections of the same type with other names. */
  readonly otherNouns?: readonly NounDeclaration[];
  /**
   * Columns of tables, the most important first. A narrow terminal omits the last ones. By default,
   * the first plain attributes.
   */
  readonly columns?: readonly ColumnDeclaration[];
  /** Additional columns of `-o wide`. Links in them are followed. */
  readonly wideColumns?: readonly ColumnDeclaration[];
  /** Link to follow for the default columns. */
  readonly follow?: string;
  /** Flags of `create` and `update`. */
  readonly shortcuts?: readonly Shortcut[];
  /** Attributes that identify an object instead of its name. Lists show the first. */
  readonly knownBy?: readonly string[];
  /** Link to follow for these attributes. */
  readonly knownThrough?: string;
  /** Whether its owner usually has one, so that the name is optional. */
  readonly isSingle?: true;
  /** Whether lists are long, so that the server searches for a name. */
  readonly searchedByName?: true;
  /** Attribute that identifies an object in bodies, if it is neither the id nor the name. */
  readonly referredBy?: string;
  /** Values that new objects always have, instead of defaults of the service. */
  readonly alwaysSent?: Readonly<Record<string, unknown>>;
  /** Object that is created together with this one. Commands wait for it too. */
  readonly createdAlong?: { readonly attribute: string; readonly type: string };
}

/** Virtual CPUs of a VM. */
export const cpusColumn = column(
  'cpus',
  'cpu.topology.sockets',
  'cpu.topology.cores',
  'cpu.topology.threads',
);

/** Flags that VMs, templates and instance types share. */
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

/** Verbs of collections that attach existing objects. */
export const attaching = { add: 'attach', remove: 'detach' } as const;

/** Collection with verbs of its owner: `affinitygroups add-vm GROUP VM`. */
export interface MemberVerbs {
  readonly one: string;
  readonly many: string;
  /** Name of a member in examples. */
  readonly sample?: string;
  /** Whether the noun of the collection has verbs for it too. */
  readonly alsoGeneric?: true;
}

/** Id of objects without a name in examples. */
export const sampleId = '4f5a1a8e-30ab-4c57-9d3c-7f5a6a1c2b90';

/** Id of a second storage connection. */
export const otherId = '9b0d7c3e-6f15-4a88-b2d4-e1c3a5f70b66';

/** Id of the storage domain data1, for flags that accept only ids. */
export const domainId = '2e7d51f0-94c3-4b6a-8f1e-0b5d7c9a3e42';
