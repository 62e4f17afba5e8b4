/**
 * Interfaces that the server provides to behaviors: images, archives, shared storage, tickets,
 * certificates, clock, ids.
 */
import type { Dialect } from '../../model/dialect.ts';
import type { StoredObject } from '../store/kinds.ts';
import type { BitmapOfPeriod } from '../store/stored-members.ts';
import type { ObjectOf, Transaction } from '../store/transaction.ts';
import type { Hypervisor } from './hypervisor.ts';

/** Conversion of an image between formats. */
export interface ImageForm {
  readonly from: 'raw' | 'cow';
  readonly to: 'raw' | 'cow';
  /** Virtual size of the result in bytes; not less than before. */
  readonly size: number;
  /** Writes a qcow2 image even if it has no data. */
  readonly whole?: boolean;
  /** Version of the qcow2 result. */
  readonly version?: 2 | 3;
}

/** Files of disk images, by disk id. Sizes in bytes. */
export interface DiskImages {
  create(id: string, size: number): void;
  resize(id: string, size: number): void;
  remove(id: string): void;
  /**
   * Copies an image to another one, which is created or replaced atomically. The copy shares blocks
   * if the file system supports that, and otherwise omits blocks of zeros. An image copied onto
   * itself loses its blocks of zeros.
   */
  copy(from: string, to: string): Promise<void>;
  /** Copies several images together: if one copy fails, no target changes. */
  copyTogether(copies: readonly { readonly from: string; readonly to: string }[]): Promise<void>;
  /**
   * Converts an image to another format. The target is created or replaced atomically and may be
   * the source. An image that was never written gets no file.
   */
  convert(from: string, to: string, form: ImageForm): Promise<void>;
  /**
   * Validates a qcow2 image: its header, its tables, and that its virtual size is at most `size`
   * bytes. Rejects with the first problem.
   */
  check(id: string, size: number): Promise<void>;
  /** Creates or replaces an image of `size` bytes that begins with the content. */
  write(id: string, content: Uint8Array, size: number): Promise<void>;
  /** Allocated bytes in the file system of the server, and file length. */
  sizes(id: string): { allocated: number; length: number };
  /** The first bytes of an image. */
  head(id: string, length: number): Uint8Array;
  /** Whether the dirty bitmap of a period exists, for a disk of `size` bytes. */
  hasBitmap(id: string, size: number): boolean;
}

/** A file on a host. */
export interface HostPath {
  /** Name of the host. */
  readonly host: string;
  /** Absolute path on the host. */
  readonly path: string;
}

/** A disk in an archive. */
export interface PackedDisk {
  readonly image: string;
  /** Name of its file in the archive. */
  readonly member: string;
  readonly form: ImageForm;
}

/** OVA archives in the file systems of hosts. */
export interface HostArchives {
  /**
   * The OVF document of an archive and its host. Searches all hosts by default. Undefined
   * if the file does not exist; throws if it is not an archive with a document.
   */
  document(host: string | undefined, path: string): { host: string; text: string } | undefined;
  /** Writes an archive with a document and disks. Removes the partial file after a failure. */
  pack(archive: HostPath, document: string, disks: readonly PackedDisk[]): Promise<void>;
  /** Extracts a disk file of an archive to an image. Detects the format of the file. */
  unpack(archive: HostPath, member: string, to: string, form: ImageForm): Promise<void>;
}

/** A storage domain on storage shared by several sites. */
export interface SharedDomain {
  readonly domain: StoredObject;
  /** The other site that has the domain attached. */
  readonly holder?: string;
  /** Whether no site has the domain attached. */
  readonly isFree: boolean;
}

/** An image on shared storage, and the minimum length of its file in bytes. */
export interface SharedImage {
  readonly id: string;
  readonly length: number;
}

/** A stored object and its collection. */
export interface LocatedRecord {
  readonly collection: string;
  readonly object: StoredObject;
}

/** Contents of a domain that no site has attached. */
export interface DomainContents {
  readonly vms: readonly StoredObject[];
  readonly templates: readonly StoredObject[];
  readonly disks: readonly StoredObject[];
  /** Disk images in snapshots. */
  readonly snapshots: readonly LocatedRecord[];
  readonly images: readonly SharedImage[];
}

/**
 * Result of a claim: new, already made by this site, or refused because another site has the
 * domain.
 */
export type Claim = 'made' | 'own' | 'refused';

/** Storage shared by several sites. At most one of them has a domain attached. */
export interface SharedStorage {
  domains(): readonly SharedDomain[];
  domain(id: string): SharedDomain | undefined;
  /** Claims a domain for this site, unless another one has it. Durable on return. */
  claim(id: string, domain: StoredObject): Claim;
  /** Releases a claim. */
  disclaim(id: string): void;
  /** Contents of a domain; undefined if no site has handed it over. */
  contents(id: string): DomainContents | undefined;
  /**
   * Records the contents of a domain after its images were moved to it. The site retains its claim
   * until `disclaim`. Throws if an image is missing or another site has the domain.
   */
  handOver(
    id: string,
    domain: StoredObject,
    contents: DomainContents,
    documents: ReadonlyMap<string, string>,
  ): void;
  /** Moves an image of this site to the shared storage. */
  bring(domain: string, image: SharedImage): Promise<void>;
  /** Moves an image from the shared storage to this site. */
  take(domain: string, image: SharedImage): Promise<void>;
  /** Removes the contents that this site has taken. */
  taken(id: string): void;
  /** Removes a domain, unless another site has it. */
  erase(id: string): void;
}

/** Assignment of transfers to the servers of a site, each with an image daemon. */
export interface TransferAssignment {
  /** Returns a transfer whose ticket is at the daemon of this server. */
  assign(transfer: ObjectOf<'image_transfer'>): ObjectOf<'image_transfer'>;
  /** Whether a transfer belongs to this server, or to none yet. */
  isHere(transfer: ObjectOf<'image_transfer'>): boolean;
  /** URL of the daemon of another server; undefined if that server has stopped. */
  findDaemonUrl(tx: Transaction, transfer: ObjectOf<'image_transfer'>): string | undefined;
}

/** Tickets of the image daemon. */
export interface Tickets {
  /** URL of the image daemon of this server: `https://HOST:PORT`. */
  readonly url: string;
  readonly assignment: TransferAssignment;
  /** Whether a ticket can give access to the disk inside a qcow2 image instead of the file. */
  readonly opensQcow2: boolean;
  /** Rejects when the image cannot be opened. */
  open(ticket: TransferTicket): Promise<void>;
  /** Opens a ticket for a transfer that has already begun. Stops the transfer on failure. */
  openOrStop(ticket: TransferTicket, transferId: string): Promise<void>;
  /** Resolves after no server accepts the ticket any longer. */
  close(id: string): Promise<void>;
  /** Restarts the inactivity timeout of the ticket. */
  touch(id: string): Promise<void>;
  /** Progress of the transfer of a ticket in bytes; undefined if unknown. */
  progress(id: string): { active: boolean; transferred: number } | undefined;
}

export interface TransferTicket {
  readonly id: string;
  readonly diskId: string;
  /** Maximum end offset of requests, in bytes. */
  readonly size: number;
  /** Length of the image if it was never written, in bytes. */
  readonly length: number;
  readonly direction: 'upload' | 'download';
  readonly inactivityTimeout: number;
  readonly sparse: boolean;
  readonly filename?: string;
  /**
   * Set if the client reads and writes the disk inside a qcow2 image: the version to create if the
   * image does not exist.
   */
  readonly qcow2?: 2 | 3;
  /** Dirty bitmap in which writes are recorded. */
  readonly tracks?: BitmapOfPeriod;
  /**
   * Set if the client may request changed extents: the bitmaps of the periods since the checkpoint.
   */
  readonly changes?: readonly BitmapOfPeriod[];
}

/** Certificates of the service, and signatures with the key of the service certificate. */
export interface SiteCertificates {
  /** PEM of the certificate authority. */
  readonly ca: string;
  /** PEM of the service certificate, whose key signs. */
  readonly own: string;
  readonly sign: (data: string) => Buffer;
}

/** Constant parts of a running server. */
export interface Site {
  /** Registered behaviors. `findBehavior` (`behavior.ts`) reads them with their types. */
  readonly behaviors: object;
  readonly dialect: Dialect;
  /** Factor on the duration of transitions; 0 skips the waiting. */
  readonly speed: number;
  /** The time of day. */
  readonly now: () => Date;
  /** Service time in milliseconds, for due times and durations; see `ServiceTime`. */
  readonly steady: () => number;
  readonly newId: () => string;
  /** A number from 0 to 1. The sequence depends on the seed. */
  readonly random: () => number;
  readonly images: DiskImages;
  readonly hostArchives: HostArchives;
  /** Undefined if the storage of this site is not shared. */
  readonly sharedStorage?: SharedStorage | undefined;
  readonly tickets: Tickets;
  /** Undefined if timers simulate the VMs. */
  readonly hypervisor?: Hypervisor | undefined;
  readonly certificates: SiteCertificates;
  /** Whether a server listens at an address. */
  readonly answers: (host: string, port: number) => Promise<boolean>;
  /** `HOST:PORT` of the API, available after the server listens. */
  readonly address: () => string;
  /** Names of the files in the folder of ISO images. */
  readonly isoFiles: () => readonly string[];
}
