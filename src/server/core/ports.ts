/** Ports: what the server gives to behaviors (images, archives, shared storage, tickets, certificates, clock, ids). */
import type { Dialect } from '../../model/dialect.ts';
import type { StoredObject } from '../store/kinds.ts';
import type { BitmapOfPeriod } from '../store/stored-members.ts';

/** From which form an image is brought into which. */
export interface ImageForm {
  readonly from: 'raw' | 'cow';
  readonly to: 'raw' | 'cow';
  /** Bytes that a virtual machine sees afterwards; not fewer than before. */
  readonly size: number;
  /** A qcow2 image is written also where there is nothing to put into it. */
  readonly whole?: boolean;
  /** Of the qcow2 image that is written. */
  readonly version?: 2 | 3;
}

/** Files of disk images, by disk id. Sizes in bytes. */
export interface DiskImages {
  create(id: string, size: number): void;
  resize(id: string, size: number): void;
  remove(id: string): void;
  /**
   * Copies the bytes of an image to another one, which it makes or replaces as a whole: as a clone
   * that shares its blocks where the file system has that, else without pieces that are all zeros.
   * Those of an image that is copied onto itself become holes.
   */
  copy(from: string, to: string): Promise<void>;
  /**
   * The same for several images at one time: if one copy fails, no target changes.
   */
  copyTogether(copies: readonly { readonly from: string; readonly to: string }[]): Promise<void>;
  /**
   * Writes what an image holds into another one, in another form; it makes or replaces that as a
   * whole. An image may be its own target. What was never written stays without a file.
   */
  convert(from: string, to: string, form: ImageForm): Promise<void>;
  /**
   * Validates a qcow2 image: its header, its tables, and that its virtual size is at most `size` bytes.
   * Rejects with the first fault.
   */
  check(id: string, size: number): Promise<void>;
  /** Makes an image of so many bytes, or replaces one; it begins with the content. */
  write(id: string, content: Uint8Array, size: number): Promise<void>;
  /** Bytes that the image takes on the disk of the server, and its length. */
  sizes(id: string): { allocated: number; length: number };
  /** The first bytes of an image. */
  head(id: string, length: number): Uint8Array;
  /** Whether the dirty bitmap of a period is there, for a disk of so many bytes. */
  hasBitmap(id: string, size: number): boolean;
}

/** A file on a host. */
export interface HostPath {
  /** Name of the host. */
  readonly host: string;
  /** As clients write it: from the root of the host. */
  readonly path: string;
}

/** A disk that goes into an archive. */
export interface PackedDisk {
  readonly image: string;
  /** Name of its file in the archive. */
  readonly member: string;
  readonly form: ImageForm;
}

/** Archives of machines (OVA) in the file systems of hosts. */
export interface HostArchives {
  /**
   * The OVF document of an archive and the host that has it; any host where none is named. Undefined
   * where there is no such file; throws where it is no archive with a document.
   */
  document(host: string | undefined, path: string): { host: string; text: string } | undefined;
  /** Writes an archive with a document and disks; nothing of it is left when that fails. */
  pack(archive: HostPath, document: string, disks: readonly PackedDisk[]): Promise<void>;
  /** Puts the disk in a file of an archive into an image. Its own form is found out. */
  unpack(archive: HostPath, member: string, to: string, form: ImageForm): Promise<void>;
}

/** A storage domain on storage that several sites see. */
export interface SharedDomain {
  readonly domain: StoredObject;
  /** The other site that has it attached. */
  readonly holder?: string;
  /** No site has it attached. */
  readonly isFree: boolean;
}

/** An image on shared storage; its file has so many bytes at least. */
export interface SharedImage {
  readonly id: string;
  readonly length: number;
}

/** An object as it was stored, with the collection that it was in. */
export interface StoredThere {
  readonly collection: string;
  readonly object: StoredObject;
}

/** What is on a domain that no site has attached. */
export interface HandedOver {
  readonly vms: readonly StoredObject[];
  readonly templates: readonly StoredObject[];
  readonly disks: readonly StoredObject[];
  /** The images that disks have in snapshots. */
  readonly snapshots: readonly StoredThere[];
  readonly images: readonly SharedImage[];
}

/** What became of a claim: made now, made before by the same site, or refused because of another one. */
export type Claim = 'made' | 'own' | 'refused';

/** Storage that several sites see. A domain is attached to one of them at most. */
export interface SharedStorage {
  domains(): readonly SharedDomain[];
  domain(id: string): SharedDomain | undefined;
  /** Takes a domain for this site, unless another one has it. Durable when it returns. */
  claim(id: string, domain: StoredObject): Claim;
  /** Gives a claim up. */
  disclaim(id: string): void;
  /** What is on a domain; undefined where nothing was handed over. */
  contents(id: string): HandedOver | undefined;
  /**
   * Writes down what is on a domain whose images were brought. The site has it until `disclaim`.
   * Throws where an image is not there, and where another site has the domain.
   */
  handOver(
    id: string,
    domain: StoredObject,
    contents: HandedOver,
    documents: ReadonlyMap<string, string>,
  ): void;
  /** Puts an image of this site on the storage. */
  bring(domain: string, image: SharedImage): Promise<void>;
  /** Makes an image on the storage one of this site. */
  take(domain: string, image: SharedImage): Promise<void>;
  /** Removes what this site has taken. */
  taken(id: string): void;
  /** Removes a domain, unless another site has it. */
  erase(id: string): void;
}

/** Tickets at the image daemon. */
export interface Tickets {
  /** Where the daemon of this server is reached: `https://HOST:PORT`. */
  readonly url: string;
  /** Id of this server among several, each with a daemon of its own; undefined where it is alone. */
  readonly server: string | undefined;
  /** A ticket can give access to the disk in a qcow2 image, instead of to the image. */
  readonly opensQcow2: boolean;
  /** Rejects when the image cannot be opened. */
  open(ticket: TransferTicket): Promise<void>;
  /** The same for a transfer that has begun already: it is stopped when that is not possible. */
  openOrStop(ticket: TransferTicket, transferId: string): Promise<void>;
  /** Resolves once nobody can use the ticket any more, on whichever server it was. */
  close(id: string): Promise<void>;
  /** Counts as a use of the ticket: it begins to be idle anew. */
  touch(id: string): Promise<void>;
  /** What is known of the bytes that a ticket has moved. */
  progress(id: string): { active: boolean; transferred: number } | undefined;
}

export interface TransferTicket {
  readonly id: string;
  readonly diskId: string;
  /** Upper bound of every request, in bytes. */
  readonly size: number;
  /** Length of an image that was never written, in bytes. */
  readonly length: number;
  readonly direction: 'upload' | 'download';
  readonly inactivityTimeout: number;
  readonly sparse: boolean;
  readonly filename?: string;
  /**
   * Set where the client reads and writes the disk in a qcow2 image; the version of an image that
   * is not there yet and has to be made.
   */
  readonly qcow2?: 2 | 3;
  /** Where what is written is noted. */
  readonly tracks?: BitmapOfPeriod;
  /** Set where the client may ask what has changed: the periods since. */
  readonly changes?: readonly BitmapOfPeriod[];
}

/** Certificates of the service, and what is signed with the key of its own one. */
export interface SiteCertificates {
  /** PEM of the certificate authority. */
  readonly ca: string;
  /** PEM of the certificate whose key signs. */
  readonly own: string;
  readonly sign: (data: string) => Buffer;
}

/** What stays the same for the life of the server. */
export interface Site {
  /** What objects do beyond the generic handling: `behaviorOf` (`behavior.ts`) looks it up. */
  readonly behaviors: object;
  readonly dialect: Dialect;
  /** Factor on the duration of transitions; 0: at once. */
  readonly speed: number;
  /** The time of day. */
  readonly now: () => Date;
  /** Milliseconds that the service has run, for what is due or ends; see `ServiceTime`. */
  readonly steady: () => number;
  readonly newId: () => string;
  /** A number from 0 to 1, the same sequence for the same seed. */
  readonly random: () => number;
  readonly images: DiskImages;
  readonly hostArchives: HostArchives;
  /** Undefined where this site sees storage that is its own alone. */
  readonly sharedStorage?: SharedStorage | undefined;
  readonly tickets: Tickets;
  readonly certificates: SiteCertificates;
  /** Whether somebody listens at an address. */
  readonly answers: (host: string, port: number) => Promise<boolean>;
  /** `HOST:PORT` of the API, known once it listens. */
  readonly address: () => string;
  /** Names of the files that somebody has put into the folder of ISO images. */
  readonly isoFiles: () => readonly string[];
}
