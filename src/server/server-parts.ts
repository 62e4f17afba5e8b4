/** Parts of a starting server: store, certificates, image daemon and site. */

import { randomBytes, randomUUID, sign } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { maxSocketPathLength, type PreparedDaemon, type Ticket } from '../images/index.ts';
import type { Dialect } from '../model/dialect.ts';
import type { ExtendedOptions } from './admin/extension.ts';
import { choosePassword, type Password } from './auth/administrator-password.ts';
import { hashAhead, type SaltedHash } from './auth/passwords.ts';
import { type Clock, ServiceTime } from './core/clock.ts';
import type { Coordination, SiteSecrets } from './core/coordination.ts';
import { cannotListen, getUploadUrl, listCertificateNames } from './core/listening.ts';
import type { DataFolder } from './core/opened-site.ts';
import { getUrlHost } from './core/options.ts';
import { probePort } from './core/port-probe.ts';
import type { Site } from './core/ports.ts';
import { seededRandom, seededUuid } from './core/random.ts';
import { keepDurably } from './files/durable-file.ts';
import { openDataFolder } from './folder/data-folder.ts';
import { parseSiteMark } from './folder/marks.ts';
import { DiskFiles } from './images/disk-files.ts';
import { HostFiles } from './images/host-files.ts';
import { findImages, type ImageFindings } from './images/lost-images.ts';
import { QemuNbd, TicketImages } from './images/qemu-nbd.ts';
import { StorageFolder } from './images/shared-storage.ts';
import { TicketManager } from './images/ticket-manager.ts';
import { reopenTickets } from './images/transfer-tickets.ts';
import { behaviors } from './resources/index.ts';
import type { Store } from './store/store.ts';
import {
  loadOwnCertificates,
  readGivenCertificates,
  type ServerCertificates,
} from './tls/certificates.ts';

/** Context of a start. */
export interface Startup {
  readonly options: ExtendedOptions;
  readonly dialect: Dialect;
  /** Data folder, or a temporary folder without persistence. */
  readonly folder: string;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
  /** Functions that release resources, called in reverse order at the stop. */
  readonly closers: (() => unknown)[];
}

/** A start with an open store. */
export interface StoreParts extends Startup {
  readonly data: DataFolder;
  readonly store: Store;
  readonly coordination: Coordination;
  readonly time: ServiceTime;
  readonly steady: () => number;
  readonly password: Password;
  /** Hash of the password; undefined if the site keeps an unknown password. */
  readonly hashed: Promise<SaltedHash> | undefined;
  readonly certificates: ServerCertificates;
  /** Path of the certificate authority, PEM. */
  readonly caFile: string;
}

/** A start with a running image daemon. */
export interface ImageParts extends StoreParts {
  readonly files: DiskFiles;
  readonly findings: ImageFindings;
  /** Whether the store comes from a backup and starts for the first time since. */
  readonly isRestored: boolean;
  /** Tickets that were open when the server stopped. */
  readonly tickets: readonly Ticket[];
  readonly ticketManager: TicketManager;
}

/** A start with a site, before its service. */
export interface SiteParts extends ImageParts {
  readonly site: Site;
  readonly ids: IdSource;
  /** Port of the API: the requested one until the server listens. */
  readonly listening: { port: number };
  /** `HOST:PORT` of the API. */
  readonly address: () => string;
}

/** Ids of new objects: random, or reproducible with a seed. */
class IdSource {
  readonly #seed: number | undefined;
  #newId: () => string = randomUUID;

  constructor(seed: number | undefined) {
    this.#seed = seed;
    this.restart();
  }

  /**
   * Restarts the sequence of a seed. Another `beginning` yields other ids, for objects that are added
   * to existing ones.
   */
  restart(beginning = 0): void {
    if (this.#seed !== undefined) this.#newId = seededUuid(this.#seed, beginning);
  }

  next(): string {
    return this.#newId();
  }
}

/** Opens the data folder or shared store, and the certificates. */
export async function openStoreParts(startup: Startup): Promise<StoreParts> {
  const { options, folder, closers, clock, report } = startup;
  const data = await openDataFolder(folder, {
    inMemory: options.data === undefined,
    newSite: options.newSite ?? false,
    adoptImages: options.adoptImages ?? false,
    acceptLoss: options.acceptLoss,
    store: options.store,
    images: options.images,
    log: options.log,
  });
  const { store, coordination } = data;
  closers.push(() => data.close());
  const isPasswordKept = coordination.secrets.keepsPassword(options.admin);
  const password = choosePassword(options, folder, isPasswordKept);
  const hashed = password.isKept ? undefined : hashAhead(store, options.admin, password.password);
  const time = await ServiceTime.begin(store, clock, coordination.findTime());
  closers.push(() => time.note(store, true).catch(report));
  const certificates = await loadCertificates(startup, coordination.secrets);
  const caFile = join(folder, 'ca.pem');
  keepDurably(caFile, certificates.ca, 0o644);
  const steady = () => time.now();
  const opened = { data, store, coordination, time, steady };
  return { ...startup, ...opened, password, hashed, certificates, caFile };
}

async function loadCertificates(
  { options, folder, clock }: Startup,
  secrets: SiteSecrets,
): Promise<ServerCertificates> {
  if (options.tlsCert && options.tlsKey)
    return readGivenCertificates(options.tlsCert, options.tlsKey);
  return loadOwnCertificates(
    join(folder, 'tls'),
    listCertificateNames([options.listen.host, options.imagesListen.host], options),
    clock.now(),
    secrets.authority,
  );
}

/** Checks the image files, and starts the image daemon with the tickets of active transfers. */
export async function startImages(parts: StoreParts, images: PreparedDaemon): Promise<ImageParts> {
  const { options, folder, closers, report, store, coordination } = parts;
  const { isFirst } = coordination;
  const files = new DiskFiles(parts.data.images, store);
  closers.push(() => files.forgetRemoved().catch(report));
  // Other servers may be creating files that no object needs yet.
  if (isFirst) await files.sweep();
  const qemuNbd = QemuNbd.find(join(folder, 'nbd'));
  closers.push(() => qemuNbd?.end());
  const ticketImages = new TicketImages(files, qemuNbd);
  const findings = isFirst ? findImages(store, files) : { lost: [], found: [] };
  const isRestored = isFirst && store.meta('restored') !== undefined;
  // Transfers of a restored backup cannot continue: its clients have other data.
  const continuesTransfers = isFirst && !isRestored;
  const lifetime = coordination.transfers.ticketLifetime;
  const reopening = { images: ticketImages, files, lifetime, report };
  const tickets = continuesTransfers ? await reopenTickets(store, reopening) : [];
  const daemon = await startDaemon(parts, images, tickets);
  closers.push(() => daemon.close());
  const ticketManager = new TicketManager({
    daemon,
    url: getUploadUrl(daemon, options),
    coordination: coordination.transfers,
    images: ticketImages,
    now: parts.steady,
    report,
  });
  return { ...parts, files, findings, isRestored, tickets, ticketManager };
}

function startDaemon(
  { options, folder, dialect, certificates }: StoreParts,
  images: PreparedDaemon,
  tickets: readonly Ticket[],
): ReturnType<PreparedDaemon['start']> {
  const { host, port } = options.imagesListen;
  return images
    .start({
      host,
      port,
      tls: { key: certificates.server.key, cert: certificates.server.certificate },
      ...imageSocket(folder),
      tickets,
      wrapsAlgorithms: dialect.engineAnswers,
      ...(options.imagesControlSocket === undefined
        ? {}
        : { controlSocket: options.imagesControlSocket }),
    })
    .catch((error: unknown) => {
      throw cannotListen(error, options.imagesListen, '--images-listen');
    });
}

/** Unix socket for image transfers of local clients of the same user, if the platform supports it. */
function imageSocket(folder: string): { unixSocket?: string } {
  const path = join(resolve(folder), 'images.sock');
  const possible = process.platform !== 'win32' && Buffer.byteLength(path) <= maxSocketPathLength;
  return possible ? { unixSocket: path } : {};
}

/** Creates the site, which behaviors use. */
export function createSite(parts: ImageParts): SiteParts {
  const { options, folder, files, store } = parts;
  const { server, ca } = parts.certificates;
  const listening = { port: options.listen.port };
  const address = () => `${getUrlHost(options.listen.host)}:${listening.port}`;
  const ids = new IdSource(options.seed);
  const site: Site = {
    behaviors,
    dialect: parts.dialect,
    speed: options.speed,
    now: () => parts.clock.now(),
    steady: parts.steady,
    newId: () => ids.next(),
    random: seededRandom(options.seed ?? randomBytes(4).readUInt32LE()),
    images: files,
    hostArchives: new HostFiles(options.hostFiles ?? join(folder, 'host-files'), files),
    ...(options.sharedStorage === undefined
      ? {}
      : { sharedStorage: new StorageFolder(options.sharedStorage, siteId(store), files) }),
    tickets: parts.ticketManager,
    hypervisor: options.hypervisor?.({
      folder: join(folder, 'vms'),
      isoFolder: join(folder, 'iso'),
      images: files,
      consoles: { host: options.listen.host, key: server.key, certificate: server.certificate },
    }),
    certificates: {
      ca,
      own: server.certificate,
      sign: (data) => sign('sha256', Buffer.from(data), server.key),
    },
    answers: probePort,
    address,
    isoFiles: () => listFiles(join(folder, 'iso')),
  };
  return { ...parts, site, ids, listening, address };
}

/** Id of this site on shared storage. */
function siteId(store: Store): string {
  return parseSiteMark(store.meta('site') ?? '{}').site ?? randomUUID();
}

/** Sorted names of the files in a folder; empty if the folder does not exist. */
function listFiles(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort();
}
