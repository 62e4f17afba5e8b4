/** Members of stored objects that clients never see, by kind. */
import type { Resource } from '../../model/resource.ts';
import type { KindName, StoredObject } from './kinds.ts';
import type { nameable } from './visible-kinds.ts';

/** An object that a text names without a visible reference. */
export interface NamedObject {
  readonly kind: (typeof nameable)[number];
  readonly id: string;
}

/** Temporary ticket of a console. */
export interface ConsoleTicket {
  readonly value: string;
  /** Expiry in milliseconds since the epoch. */
  readonly until: number;
}

/** State of a VM run, deleted when the VM stops. */
export interface RunState {
  /** Tickets of the consoles, by protocol; may have expired. */
  readonly tickets?: Readonly<Record<string, ConsoleTicket>>;
  /** Whether the file systems of the guest are frozen. */
  readonly frozen?: boolean;
  /** Overrides of the configuration for this run. */
  readonly overrides?: StoredObject;
  /** Whether the next reboot removes the overrides. */
  readonly volatile?: boolean;
  /** Host name that the guest received when it booted. */
  readonly hostName?: string;
  /** First boot data that a real guest receives in this run. */
  readonly firstBoot?: 'cloud-init' | 'sysprep' | 'ignition';
  /** Network devices that the agent of a real guest reports. */
  readonly devices?: readonly Pick<Resource<'reported_device'>, 'name' | 'mac' | 'ips'>[];
}

/** A memory module plugged while the VM runs, removed when it stops. */
export interface MemoryDevice {
  readonly id: string;
  /** Size in bytes. */
  readonly size: number;
}

/** The dirty bitmap of a period of a disk. `size` is the size of the disk then, in bytes. */
export interface BitmapOfPeriod {
  readonly id: string;
  readonly size: number;
}

/** Parts of the networks of a host that changes affect. */
export interface NetworkConfiguration {
  readonly bonds: readonly Resource<'host_nic'>[];
  readonly attachments: readonly Resource<'network_attachment'>[];
  readonly labels: readonly { readonly nic: string; readonly id: string }[];
}

/** An iSCSI target. */
export interface IscsiTarget {
  readonly address: string;
  readonly port: number;
  readonly target: string;
}

/** A task of a Gluster volume. */
export interface VolumeTask {
  readonly type: 'rebalance' | 'remove_bricks';
  readonly id: string;
  readonly status: 'started' | 'finished';
  /** Ids of the bricks to empty. */
  readonly bricks: readonly string[];
}

/** Stored members of a Gluster hook, in addition to the state of the servers. */
export interface StoredHookState {
  readonly status?: 'enabled' | 'disabled';
  readonly removed?: boolean;
  /** Whether it was copied to all servers. */
  readonly everywhere?: boolean;
  /** The server whose content all servers have. */
  readonly textOf?: string;
}

/** A part of a VM or template, with its original collection. */
export interface StoredPart {
  readonly kind: KindName;
  readonly collection: string;
  readonly object: StoredObject;
}

/** Names of the references of a VM or template from another site. */
export interface OriginNames {
  readonly cluster?: string | undefined;
  /** Names by the id of a vNIC profile. */
  readonly profiles: Readonly<
    Record<string, { name?: string | undefined; network?: string | undefined }>
  >;
}

/** Members of an unregistered VM or template on a storage domain. */
type Unregistered = { parts?: readonly StoredPart[]; origin_names?: OriginNames };

/** Whether data specific to a guest was removed. */
type Sealable = { sealed?: boolean };

/** Trusted certificates, visible only in their list. */
type Trusting = { trusted?: readonly Resource<'certificate'>[] };

type MachineMembers = Sealable & {
  run_state?: RunState;
  /** Total running seconds before the current run. */
  former_uptime?: number;
  /** Whether responses show `numa_tune_mode`. */
  has_numa_nodes?: boolean;
  /** Memory modules; clients see only their sum, in `memory`. */
  memory_devices?: readonly MemoryDevice[];
};

/**
 * Members by kind, with their names in stored documents of all versions. Each is a type alias:
 * interfaces are not assignable to the index signature of stored objects.
 */
export interface StoredMembers {
  attached_storage_domain: {
    /** Service time in milliseconds at which it ceased to be the master. */
    masterUntil?: number;
  };
  backup: {
    /** The periods since the checkpoint, for disks with incremental data. */
    changes?: Readonly<Record<string, readonly BitmapOfPeriod[]>>;
    /** Id of its job, which lasts as long as the backup. */
    job?: string;
  };
  dirty_bitmap: {
    /** Size of the disk at the start of the period in bytes; later growth counts as dirty. */
    size?: number;
    /** Checkpoint at the start of the period; none if the period continues another one. */
    checkpoint?: string;
    /** Whether the entire disk was replaced; writes are no longer recorded. */
    everything?: boolean;
    /** Whether a hypervisor records the writes, which are unknown until the next backup. */
    live?: boolean;
  };
  disk_attachment: {
    /** The snapshot of the attached disk. */
    snapshot?: { readonly id: string };
  };
  domain_template: Sealable & Unregistered;
  domain_vm: MachineMembers & Unregistered;
  event: { names?: readonly NamedObject[] };
  external_host_provider: Trusting;
  file: {
    /** Whether it exists without a file on the storage. */
    given?: boolean;
  };
  gluster_brick: {
    /** Number of times that the brick was recreated. */
    generation?: number;
  };
  gluster_hook: { kept?: StoredHookState };
  gluster_volume: {
    /** The last task, until a client stops or commits it. */
    task?: VolumeTask;
    /** Milliseconds since the epoch. */
    profiled_since?: number;
  };
  host: {
    /** The last committed configuration, while a new one is tested. */
    saved_networks?: NetworkConfiguration;
    iscsi_logins?: readonly IscsiTarget[];
    /** Service time in milliseconds. */
    fenced_at?: number;
    /** Boot time as an ISO date. */
    booted_at?: string;
  };
  image: { format?: Resource<'disk'>['format'] };
  image_transfer: {
    /** Ticket id, visible only at the end of its URLs. */
    ticket?: string;
    /** Id of the server whose daemon has the ticket, if several share the store. */
    server?: string;
    /** Last extension by a client; service time in milliseconds. */
    extended?: number;
    /** Service time in milliseconds. */
    finished?: number;
    /** Whether the transfer uses a temporary file in its format. */
    scratch?: boolean;
    /** Whether the client uses the disk inside its qcow2 image, without a temporary file. */
    inside?: boolean;
    /** Whether the preparation has ended. */
    prepared?: boolean;
    /** Whether the transfer only reads frozen data, so that the disk stays usable. */
    shared?: boolean;
    /** Id of the frozen image of a backup. */
    frozen?: string;
    /** The dirty bitmap that records an upload into the disk. */
    tracks?: BitmapOfPeriod;
    /** Changes since the checkpoint of an incremental backup. */
    changes?: readonly BitmapOfPeriod[];
  };
  job: {
    /** Correlation id, for searches. */
    correlation_id?: string;
    /** Steps from clients, or specific to this kind of job. */
    own_steps?: readonly Resource<'step'>[];
    /** Service time in milliseconds. */
    ended?: number;
    /** Only users who see these objects see the job. */
    names?: readonly NamedObject[];
  };
  next_run_vm: MachineMembers;
  openstack_image_provider: Trusting;
  openstack_network_provider: Trusting;
  openstack_volume_provider: Trusting;
  role: {
    /** Whether the role makes the contents of its object visible. */
    views_children?: boolean;
  };
  snapshot: Sealable & {
    /** Id of the memory of a real VM; for the active snapshot: that its next start loads. */
    saved_memory?: string;
  };
  storage_domain: {
    /** Id of the provider of the domain. */
    provider?: string;
  };
  template: Sealable;
  vm: MachineMembers;
}
