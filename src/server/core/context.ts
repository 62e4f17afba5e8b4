/** What a rule may use: a transaction, the time, ids, the caller; and how it refuses and reports. */
import type { Dialect } from '../../model/dialect.ts';
import { type EventName, events } from '../../model/events.ts';
import type { FaultKey } from '../../model/faults.ts';
import type { SqlCondition } from '../store/conditions.ts';
import type { KindName, StoredObject } from '../store/kinds.ts';
import type { Transaction } from '../store/transaction.ts';
import type { Behavior, BehaviorRegistry, Parameters } from './behavior.ts';
import type { Place } from './collection-ref.ts';
import { fill, refused, type Words } from './fault.ts';
import { namedBy } from './named-objects.ts';

/** Who asks. */
export interface Caller {
  readonly userId: string;
  /** `admin@internal` */
  readonly userName: string;
  /** Has a role of type admin anywhere, and so sees everything unless `filter` is asked for. */
  readonly administrator: boolean;
  /** Has the role SuperUser on the whole system. */
  readonly superUser: boolean;
}

/** What a caller sees who does not see everything. */
export interface Sight {
  /** The condition on the objects of a kind; undefined where all are visible. */
  readonly condition: (kind: KindName) => SqlCondition | undefined;
  readonly sees: (kind: KindName, id: string) => boolean;
  /** What is shown, without references to what is not visible. */
  readonly shows: (type: string, shown: StoredObject) => StoredObject;
  /** The visible part of a place. Refuses with 404 where its owner is not visible. */
  readonly part: (place: Place) => Place;
  /** Refuses with 404 where the first object of a path is not visible, as if it were not there. */
  readonly enter: (service: string, ids: readonly string[]) => void;
}

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
   * Writes what an image holds into another one, in another form; it makes or replaces that as a
   * whole. An image may be its own target. What was never written stays without a file.
   */
  convert(from: string, to: string, form: ImageForm): Promise<void>;
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

/** Storage that several sites see. A domain is attached to one of them at most. */
export interface SharedStorage {
  domains(): readonly SharedDomain[];
  domain(id: string): SharedDomain | undefined;
  /** Takes a domain for this site; false where another one has it. Durable when it returns. */
  claim(id: string, domain: StoredObject): boolean;
  /** Gives a claim up. */
  disclaim(id: string): void;
  /** What is on a domain; undefined where nothing was handed over. */
  contents(id: string): HandedOver | undefined;
  /**
   * Writes down what is on a domain whose images were brought, and gives it up: as soon as this
   * returns another site may have it. Throws where an image is not there.
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
  /** Where the daemon is reached: `https://HOST:PORT`. */
  readonly url: string;
  /** A ticket can give access to the disk in a qcow2 image, instead of to the image. */
  readonly opensQcow2: boolean;
  /** Rejects when the image cannot be opened. */
  open(ticket: TransferTicket): Promise<void>;
  /** The same for a transfer that has begun already: it is stopped when that is not possible. */
  openOrStop(ticket: TransferTicket, transferId: string): Promise<void>;
  close(id: string): Promise<void>;
  /** Counts as a use of the ticket: it begins to be idle anew. */
  touch(id: string): Promise<void>;
  /** What is known of the bytes that a ticket has moved. */
  progress(id: string): { active: boolean; transferred: number } | undefined;
}

/** The dirty bitmap of a period of a disk, by its id; the size is that of the disk then, in bytes. */
export interface BitmapOfPeriod {
  readonly id: string;
  readonly size: number;
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
  /** What objects do beyond the generic handling, by kind. */
  readonly behaviors: BehaviorRegistry;
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

/** Objects that an event is about; those given become references of the event. */
export interface EventSubjects {
  readonly vm?: Named | undefined;
  readonly host?: Named | undefined;
  readonly cluster?: Named | undefined;
  readonly data_center?: Named | undefined;
  readonly storage_domain?: Named | undefined;
  readonly template?: Named | undefined;
  /** These two are kept for searches; events do not show them. */
  readonly gluster_volume?: Named | undefined;
  readonly quota?: Named | undefined;
}

interface Named {
  readonly id?: string;
  readonly name?: string;
}

/** Subjects that events do not show. */
function isKept(subject: keyof EventSubjects): subject is 'gluster_volume' | 'quota' {
  return subject === 'gluster_volume' || subject === 'quota';
}

/** The words that name them in the sentences of events. */
export const subjectWords = {
  vm: 'VmName',
  host: 'HostName',
  cluster: 'ClusterName',
  data_center: 'DataCenterName',
  storage_domain: 'StorageDomainName',
  template: 'TemplateName',
  gluster_volume: 'VolumeName',
  quota: 'QuotaName',
} as const;

const noParameters: Parameters = { flag: () => undefined, text: () => undefined };

export class RuleContext {
  readonly tx: Transaction;
  readonly site: Site;
  readonly caller: Caller;
  readonly correlationId: string | undefined;
  /** Parameters of the query of the request; none where no request is behind it. */
  readonly parameters: Parameters;
  /** The time of day. */
  readonly now: Date;
  /** The time of the service in milliseconds, which does not jump: for what is due or ends. */
  readonly steady: number;
  /** What the caller sees; undefined where that is everything. */
  sight: Sight | undefined;
  /** The job that moves and work begun here belong to, and whether one of them ended badly. */
  job: string | undefined;
  failed = false;
  /** Steps that the job has beside those of every job: type, description, id. */
  readonly steps: StoredObject[] = [];
  /** The job of a client that the request is a part of. */
  externalJob: string | undefined;
  /** Work outside the database, done once the transaction is durable and before the answer. */
  readonly afterCommit: (() => void | Promise<void>)[] = [];

  constructor(
    tx: Transaction,
    site: Site,
    caller: Caller,
    correlationId?: string,
    parameters: Parameters = noParameters,
  ) {
    this.tx = tx;
    this.site = site;
    this.caller = caller;
    this.correlationId = correlationId;
    this.parameters = parameters;
    this.now = site.now();
    this.steady = site.steady();
  }

  /** The time of the transaction, as objects hold it: ISO 8601 in UTC. */
  get timestamp(): string {
    return this.now.toISOString();
  }

  /** What is declared for a kind of objects. */
  behavior(kind: KindName): Behavior | undefined {
    return this.site.behaviors.of(kind);
  }

  /** Refuses the request with a sentence of the catalogue. */
  refuse(key: FaultKey, words: Words): never {
    throw refused(key, words);
  }

  /** Writes an event, in this transaction, under the next id. */
  event(name: EventName, subjects: EventSubjects = {}, words: Words = {}): void {
    const { code, severity, text } = events[name];
    const references: Record<string, Named> = {};
    const names: Record<string, string> = {};
    const named = namedBy(this.tx, words, subjects.vm?.id);
    for (const [subject, object] of Object.entries(subjects) as [keyof EventSubjects, Named][]) {
      if (!object?.id) continue;
      const label = object.name ?? (this.tx.get(subject, object.id) as Named | undefined)?.name;
      references[subject] = { id: object.id, ...(label ? { name: label } : {}) };
      names[subjectWords[subject]] = label ?? object.id;
      if (isKept(subject)) named.push({ kind: subject, id: object.id });
    }
    this.addEvent({
      code,
      severity,
      description: fill(text, { UserName: this.caller.userName, ...names, ...words }),
      origin: this.site.dialect.origin,
      custom_id: -1,
      ...references,
      ...(named.length > 0 ? { names: named } : {}),
    });
  }

  /** Stores an event; its id is greater than every earlier one. Returns the id. */
  addEvent(event: Record<string, unknown>): string {
    const index = this.tx.next('event');
    const id = String(index);
    this.tx.insert('event', '/events', {
      id,
      index,
      time: this.timestamp,
      flood_rate: 30,
      ...(this.correlationId ? { correlation_id: this.correlationId } : {}),
      user: { id: this.caller.userId, name: this.caller.userName },
      ...event,
    });
    return id;
  }

  /** The same request, on behalf of the service itself. */
  static system(tx: Transaction, site: Site): RuleContext {
    return new RuleContext(tx, site, systemCaller);
  }
}

/** The service itself: what it does by itself is not asked for permission. */
export const systemCaller: Caller = {
  userId: '00000000-0000-0000-0000-000000000000',
  userName: 'SYSTEM',
  administrator: true,
  superUser: true,
};
