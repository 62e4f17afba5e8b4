/** Members of stored objects that clients never see: what the service keeps with them, by kind. */
import type { Resource } from '../../model/resource.ts';
import type { KindName, StoredObject } from './kinds.ts';
import type { nameable } from './visible-kinds.ts';

/** An object that a sentence names without a reference that is shown. */
export interface NamedObject {
  readonly kind: (typeof nameable)[number];
  readonly id: string;
}

/** Opens a console for a while. */
export interface ConsoleTicket {
  readonly value: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** What a run of a machine has beside its configuration; gone when it stops. */
export interface RunState {
  /** Tickets of the consoles, by protocol; those that have ended count no more. */
  readonly tickets?: Readonly<Record<string, ConsoleTicket>>;
  /** The file systems of the guest are frozen. */
  readonly frozen?: boolean;
  /** What was sent to hold for this run instead of the configuration. */
  readonly overrides?: StoredObject;
  /** The overrides are forgotten at the next reboot already. */
  readonly volatile?: boolean;
  /** What the guest was told to call itself when it booted. */
  readonly hostName?: string;
}

/** A module that was plugged while the machine ran; it is gone when the machine stops. */
export interface MemoryDevice {
  readonly id: string;
  /** Bytes. */
  readonly size: number;
}

/** The dirty bitmap of a period of a disk, by its id; the size is that of the disk then, in bytes. */
export interface BitmapOfPeriod {
  readonly id: string;
  readonly size: number;
}

/** What a change of the networks of a host can change. */
export interface NetworkConfiguration {
  readonly bonds: readonly Resource<'host_nic'>[];
  readonly attachments: readonly Resource<'network_attachment'>[];
  readonly labels: readonly { readonly nic: string; readonly id: string }[];
}

/** A target of iSCSI. */
export interface IscsiTarget {
  readonly address: string;
  readonly port: number;
  readonly target: string;
}

/** Work of a Gluster volume. */
export interface VolumeTask {
  readonly type: 'rebalance' | 'remove_bricks';
  readonly id: string;
  readonly status: 'started' | 'finished';
  /** Ids of the bricks that are emptied. */
  readonly bricks: readonly string[];
}

/** What the service knows of a Gluster hook beside what the servers have. */
export interface KeptHook {
  readonly status?: 'enabled' | 'disabled';
  readonly removed?: boolean;
  /** It was brought to all servers. */
  readonly everywhere?: boolean;
  /** The server whose text counts, and is on all of them. */
  readonly textOf?: string;
}

/** An object that belonged to a virtual machine or template, with where it was. */
export interface Part {
  readonly kind: KindName;
  readonly collection: string;
  readonly object: StoredObject;
}

/** What a machine or template of another site referred to there, by name. */
export interface Origin {
  readonly cluster?: string | undefined;
  /** By the id of a vNIC profile. */
  readonly profiles: Readonly<
    Record<string, { name?: string | undefined; network?: string | undefined }>
  >;
}

/** With a virtual machine or template that is on a storage domain and not in the inventory. */
type Unregistered = { parts?: readonly Part[]; origin_names?: Origin };

/** It has taken away what makes a guest different from others. */
type Sealable = { sealed?: boolean };

/** Certificates that were sent; only their list shows them. */
type Trusting = { trusted?: readonly Resource<'certificate'>[] };

type MachineMembers = Sealable & {
  run_state?: RunState;
  /** Seconds that it ran before its present run. */
  former_uptime?: number;
  /** Answers then show `numa_tune_mode`. */
  has_numa_nodes?: boolean;
  /** Clients see their sum alone, in `memory`. */
  memory_devices?: readonly MemoryDevice[];
};

/**
 * Found under these names in the documents of the store, also in those of earlier versions.
 * Each is a type and no interface: only those can be taken for objects of whatever kind.
 */
export interface StoredMembers {
  attached_storage_domain: {
    /** Service time in milliseconds at which it ceased to be the master. */
    masterUntil?: number;
  };
  backup: {
    /** The periods since the checkpoint, of the disks that are not read in full. */
    changes?: Readonly<Record<string, readonly BitmapOfPeriod[]>>;
    /** Id of its job, which lasts as long as it does. */
    job?: string;
  };
  dirty_bitmap: {
    /** Bytes of the disk when the period began: what came later is dirty. */
    size?: number;
    /** The checkpoint that it begins with; none where it goes on with the one before. */
    checkpoint?: string;
    /** All of the disk was replaced; nothing more is noted. */
    everything?: boolean;
  };
  disk_attachment: {
    /** The snapshot whose disk it is of. */
    snapshot?: { readonly id: string };
  };
  domain_template: Sealable & Unregistered;
  domain_vm: MachineMembers & Unregistered;
  event: { names?: readonly NamedObject[] };
  external_host_provider: Trusting;
  file: {
    /** It is there although the storage does not have it. */
    given?: boolean;
  };
  gluster_brick: {
    /** How often it was made anew. */
    generation?: number;
  };
  gluster_hook: { kept?: KeptHook };
  gluster_volume: {
    /** The work that was started last, and neither stopped nor taken account of. */
    task?: VolumeTask;
    /** Milliseconds since the epoch. */
    profiled_since?: number;
  };
  host: {
    /** The configuration that it has saved, while another one is tried. */
    saved_networks?: NetworkConfiguration;
    iscsi_logins?: readonly IscsiTarget[];
    /** Service time in milliseconds. */
    fenced_at?: number;
    /** When it started: a date. */
    booted_at?: string;
  };
  image: { format?: Resource<'disk'>['format'] };
  image_transfer: {
    /** Shown only at the end of its URLs. */
    ticket?: string;
    /** Id of the server whose daemon has the ticket, where there are several. */
    server?: string;
    /** When somebody asked for more time; service time in milliseconds. */
    extended?: number;
    /** Service time in milliseconds. */
    finished?: number;
    /** The bytes are in a file of the transfer, in its format. */
    scratch?: boolean;
    /** The client sees the disk in the qcow2 image of the disk; no file of its own is needed. */
    inside?: boolean;
    /** What had to be made for it before it begins is there. */
    prepared?: boolean;
    /** It only reads what others keep as it is: the disk goes on being used. */
    shared?: boolean;
    /** Id of the image that a backup keeps. */
    frozen?: string;
    /** The dirty bitmap in which an upload into the disk is noted. */
    tracks?: BitmapOfPeriod;
    /** What has changed since the checkpoint of an incremental backup. */
    changes?: readonly BitmapOfPeriod[];
  };
  job: {
    /** Found by searches. */
    correlation_id?: string;
    /** Steps that clients added, or that only jobs of this kind have. */
    own_steps?: readonly Resource<'step'>[];
    /** Service time in milliseconds. */
    ended?: number;
    /** Whoever may not see what it names any more does not see the job. */
    names?: readonly NamedObject[];
  };
  next_run_vm: MachineMembers;
  openstack_image_provider: Trusting;
  openstack_network_provider: Trusting;
  openstack_volume_provider: Trusting;
  role: {
    /** Whoever has it sees what is in its object. */
    views_children?: boolean;
  };
  snapshot: Sealable;
  storage_domain: {
    /** Id of the provider that it was made for. */
    provider?: string;
  };
  template: Sealable;
  vm: MachineMembers;
}
