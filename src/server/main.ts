/** Puts a server together: store, rules, certificates, image daemon, listener; and takes it apart. */

import { randomBytes, randomUUID, sign } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { maxSocketPathLength, type PreparedDaemon } from '../images/index.ts';
import { createExtensions, type ExtendedOptions } from './admin/extension.ts';
import { Metrics } from './admin/metrics.ts';
import { RequestJournal } from './admin/request-journal.ts';
import { CallLog } from './api/call-log.ts';
import { EncodedObjects } from './api/encoded-objects.ts';
import { purgeIdempotencyKeys } from './api/idempotency.ts';
import { choosePassword } from './auth/administrator-password.ts';
import { Authenticator } from './auth/authenticate.ts';
import { OAuth } from './auth/oauth.ts';
import {
  hashAhead,
  hasPassword,
  isSamePassword,
  type SaltedHash,
  storedPassword,
  storePassword,
} from './auth/passwords.ts';
import { sessionKey } from './auth/session-key.ts';
import { FrozenSite } from './backup/frozen.ts';
import { noteInterval, ServiceTime, systemClock } from './core/clock.ts';
import { RuleContext } from './core/context.ts';
import { purgeJobs } from './core/jobs.ts';
import { cannotListen, certificateNames, listen, uploadUrl } from './core/listening.ts';
import { escapedLog, reporter } from './core/log.ts';
import { dialectOf, type ServerOptions, urlHost } from './core/options.ts';
import { Peers, requireAlone } from './core/peers.ts';
import { answers } from './core/port-probe.ts';
import type { Site } from './core/ports.ts';
import { seededRandom, seededUuid } from './core/random.ts';
import { TaskRunner } from './core/task-runner.ts';
import { keepDurably } from './files/durable-file.ts';
import { openDataFolder } from './folder/data-folder.ts';
import { siteMarkIn } from './folder/marks.ts';
import { journaled } from './http/journaled-service.ts';
import { makeListener } from './http/listener.ts';
import { storeService } from './http/pipeline.ts';
import { DiskFiles } from './images/disk-files.ts';
import { HostFiles } from './images/host-files.ts';
import { endTransfers, findImages, followImages } from './images/lost-images.ts';
import { QemuNbd, TicketImages } from './images/qemu-nbd.ts';
import { StorageFolder } from './images/shared-storage.ts';
import { TicketManager } from './images/ticket-manager.ts';
import { ticketsUnderWay } from './images/transfer-tickets.ts';
import { markNonResponsive } from './resources/host/non-responsive.ts';
import { behaviors } from './resources/index.ts';
import { reviewClaims } from './resources/storage/shared.ts';
import { sampleUsers } from './seed/samples.ts';
import { readBeginning } from './seed/seed.ts';
import { copyPassword } from './store/credentials.ts';
import { lastEventId } from './store/event-ids.ts';
import { clearState, replaceState } from './store/state.ts';
import type { Store } from './store/store.ts';
import { type AuthorityKeeper, givenCertificates, ownCertificates } from './tls/certificates.ts';

export interface RunningServer {
  /** `https://HOST:PORT/virt-app` */
  readonly baseUrl: string;
  readonly apiUrl: string;
  readonly authUrl: string;
  readonly uploadUrl: string;
  /** File with the certificate authority, PEM. */
  readonly caFile: string;
  readonly username: string;
  readonly password: string;
  /** File with the password, and whether it was made up just now. */
  readonly passwordFile: string | undefined;
  readonly passwordIsNew: boolean;
  /** Finishes what is in flight, and stops. */
  stop(): Promise<void>;
}

const grace = 10_000;

/**
 * Starts a server with its image daemon in that thread; resolves when it answers. Rejects with what is
 * wrong with its settings.
 */
export async function startServer(
  options: ExtendedOptions,
  images: PreparedDaemon,
): Promise<RunningServer> {
  // The image daemon takes absolute paths alone.
  const folder = resolve(
    options.data ?? options.scratch ?? mkdtempSync(join(tmpdir(), 'vmctl-serve-')),
  );
  const closers: (() => unknown)[] = [() => images.close()];
  if (options.data === undefined) {
    closers.push(() => rmSync(folder, { recursive: true, force: true }));
  }
  try {
    const escaped = { ...options, log: escapedLog(options.log) };
    return await start(escaped, folder, images, closers);
  } catch (error) {
    for (const close of closers.reverse()) await close();
    throw error;
  }
}

/** The socket through which clients of the same user move images, where there can be one. */
function shortWay(folder: string): { unixSocket?: string } {
  const path = join(resolve(folder), 'images.sock');
  const possible = process.platform !== 'win32' && Buffer.byteLength(path) <= maxSocketPathLength;
  return possible ? { unixSocket: path } : {};
}

async function start(
  options: ExtendedOptions,
  folder: string,
  images: PreparedDaemon,
  closers: (() => unknown)[],
): Promise<RunningServer> {
  const dialect = dialectOf(options);
  const clock = options.clock ?? systemClock;
  const now = () => clock.now();
  const report = reporter(options.log, () => clock.monotonic());

  const data = await openDataFolder(folder, {
    inMemory: options.data === undefined,
    newSite: options.newSite ?? false,
    adoptImages: options.adoptImages ?? false,
    acceptLoss: options.acceptLoss,
    store: options.store,
    images: options.images,
    log: options.log,
  });
  const { store } = data;
  closers.push(() => data.close());
  const { isFirst } = data;
  const hasPasswordAlready = store.isShared && store.read((tx) => hasPassword(tx, options.admin));
  const password = choosePassword(options, folder, hasPasswordAlready);
  const hashed = password.isKept ? undefined : hashAhead(store, options.admin, password.password);
  const time = await ServiceTime.begin(store, clock);
  const steady = () => time.now();
  closers.push(() => time.note(store, true).catch(report));
  const certificates =
    options.tlsCert && options.tlsKey
      ? givenCertificates(options.tlsCert, options.tlsKey)
      : await ownCertificates(
          join(folder, 'tls'),
          certificateNames([options.listen.host, options.imagesListen.host], options),
          now(),
          store.isShared ? authorityIn(store) : undefined,
        );
  const caFile = join(folder, 'ca.pem');
  keepDurably(caFile, certificates.ca, 0o644);

  const files = new DiskFiles(data.images, store);
  closers.push(() => files.forgetRemoved().catch(report));
  // What others are making is not yet needed by anything.
  if (isFirst) await files.sweep();
  const qemuNbd = QemuNbd.find(join(folder, 'nbd'));
  closers.push(() => qemuNbd?.end());
  const ticketImages = new TicketImages(files, qemuNbd);
  const findings = isFirst ? findImages(store, files) : { lost: [], found: [] };
  const isRestored = isFirst && store.meta('restored') !== undefined;
  // What clients were about to send or fetch when a backup was made is not what they have now.
  const isUnderWay = isFirst && !isRestored;
  const tickets = isUnderWay ? await ticketsUnderWay(store, ticketImages, files, report) : [];
  const daemon = await images
    .start({
      host: options.imagesListen.host,
      port: options.imagesListen.port,
      tls: { key: certificates.server.key, cert: certificates.server.certificate },
      ...shortWay(folder),
      tickets,
      wrapsAlgorithms: dialect.engineAnswers,
      ...(options.imagesControlSocket === undefined
        ? {}
        : { controlSocket: options.imagesControlSocket }),
    })
    .catch((error: unknown) => {
      throw cannotListen(error, options.imagesListen, '--images-listen');
    });
  closers.push(() => daemon.close());
  const server = store.isShared ? randomUUID() : undefined;
  const desk = new TicketManager({
    daemon,
    url: uploadUrl(daemon, options),
    server,
    images: ticketImages,
    now: steady,
    report,
  });
  let port = options.listen.port;
  const address = () => `${urlHost(options.listen.host)}:${port}`;
  let newId: () => string = randomUUID;
  // What is made anew with the same seed gets the same ids; what comes to objects that are there, others.
  const startIds = (beginning = 0) => {
    if (options.seed !== undefined) newId = seededUuid(options.seed, beginning);
  };
  startIds();
  const site: Site = {
    behaviors,
    dialect,
    speed: options.speed,
    now,
    steady,
    newId: () => newId(),
    random: seededRandom(options.seed ?? randomBytes(4).readUInt32LE()),
    images: files,
    hostArchives: new HostFiles(options.hostFiles ?? join(folder, 'host-files'), files),
    ...(options.sharedStorage === undefined
      ? {}
      : { sharedStorage: new StorageFolder(options.sharedStorage, siteId(store), files) }),
    tickets: desk,
    certificates: {
      ca: certificates.ca,
      own: certificates.server.certificate,
      sign: (data) => sign('sha256', Buffer.from(data), certificates.server.key),
    },
    answers,
    address,
    isoFiles: () => filesIn(join(folder, 'iso')),
  };
  const isNew = await fillStore(store, site, options);
  if (!isNew || options.load !== undefined) startIds(store.read(lastEventId));
  // What was loaded may have brought a password, and its salt.
  const isLoaded = isNew && !password.isKept && store.read((tx) => hasPassword(tx, options.admin));
  const rehashed = isLoaded ? hashAhead(store, options.admin, password.password) : hashed;
  await beginService(store, site, options.admin, await rehashed);
  await followImages(store, site, findings);
  if (isRestored) await endTransfers(store, site);

  const authenticator = new Authenticator(store, site, sessionKey(store, options.data));
  const oauth = new OAuth(store, site, authenticator, {
    scope: dialect.scope,
    tokenLifetime: options.tokenLifetime * 1000,
    asEngine: dialect.engineAnswers,
  });
  const runner = new TaskRunner(store, site, report);
  closers.push(() => runner.stop());
  const extensions = await createExtensions(options, { store, random: site.random, isFirst });
  const journal = new RequestJournal(options.logsRequests ? options.log : undefined);
  const service = storeService({
    admin: {
      store,
      authenticator,
      extensions,
      metrics: new Metrics(),
      journal,
      page: { appRoot: dialect.appRoot, scope: dialect.scope },
      steady,
      backup: async () => {
        if (store.isShared) requireAlone(store);
        return (await FrozenSite.freeze(data.frozen, store, files)).read();
      },
      lose: async (name) => {
        const found = await store.write((tx) => {
          const host = tx.get('host', name) ?? tx.byName('host', name);
          if (host?.id) markNonResponsive(RuleContext.system(tx, site), host.id);
          return host !== undefined;
        });
        runner.wake();
        return found;
      },
      restart: async (state) => {
        const begin = state === undefined ? await readBeginning(options) : undefined;
        startIds();
        await store.write((tx) => {
          if (begin) {
            clearState(tx);
            begin(tx, site);
          } else {
            replaceState(tx, state ?? '', steady());
            startIds(lastEventId(tx));
          }
          reviewClaims(RuleContext.system(tx, site));
        });
        await desk.closeAll();
        if (isFirst) await files.sweep();
        runner.wake();
      },
    },
    api: {
      interceptors: extensions.flatMap(({ interceptor }) => interceptor ?? []),
      calls: options.callLog === undefined ? undefined : new CallLog(options.callLog),
      store,
      site,
      dialect,
      authenticator,
      encoded: options.cachesObjects === false ? undefined : new EncodedObjects(),
      committed: () => runner.wake(),
      report,
    },
    oauth,
    ca: certificates.ca,
    certificate: certificates.server.certificate,
  });
  const listener = makeListener({
    service: journaled(service, journal, () => clock.now().getTime()),
    key: certificates.server.key,
    certificate: certificates.server.certificate,
    hostNames: [options.listen.host.toLowerCase(), ...(options.hostNames ?? [])],
    isGivenCertificate: options.tlsCert !== undefined,
    allowOrigins: options.allowOrigins ?? [],
  });
  if (server !== undefined) {
    const peers = new Peers({ store, time, id: server, report, signed: () => runner.renew() });
    peers.begin(desk.url, isFirst);
    closers.push(() => peers.end());
  }
  await desk.begin(store, site, isFirst ? tickets : undefined);
  closers.push(() => desk.end());
  port = await listen(listener.server, options.listen);
  closers.push(() => listener.close(grace));
  if (isFirst) await runner.recover();
  else runner.wake();
  data.started();
  const purging = setInterval(() => {
    const now = steady();
    Promise.all([
      purgeJobs(store, now),
      purgeIdempotencyKeys(store, now),
      authenticator.purgeSessions(),
      files.forgetRemoved(),
      time.note(store),
    ]).catch(report);
  }, noteInterval);
  purging.unref();
  closers.push(() => clearInterval(purging));

  const baseUrl = `https://${address()}${dialect.appRoot}`;
  let stopping: Promise<void> | undefined;
  return {
    baseUrl,
    apiUrl: `${baseUrl}/api`,
    authUrl: `${baseUrl}/sso`,
    uploadUrl: desk.url,
    caFile,
    username: options.admin,
    password: password.password,
    passwordFile: password.file,
    passwordIsNew: password.isNew,
    stop() {
      stopping ??= (async () => {
        for (const close of closers.reverse()) await close();
      })();
      return stopping;
    },
  };
}

/** The authority that all servers of a store have. */
function authorityIn(store: Store): AuthorityKeeper {
  const key = 'authority';
  return { read: () => store.meta(key), write: (text) => store.setMeta(key, text) };
}

/** Fills a store that is new; returns whether it was. */
async function fillStore(store: Store, site: Site, options: ServerOptions): Promise<boolean> {
  if (store.meta('filled') !== undefined) return false;
  const begin = await readBeginning(options);
  await store.fill((tx) => {
    begin(tx, site);
    store.setMeta('filled', options.load ?? options.inventory);
  });
  return true;
}

/** Sets the administrator's password where it is another one than before, and notes the start. */
async function beginService(
  store: Store,
  site: Site,
  admin: string,
  password: SaltedHash | undefined,
): Promise<void> {
  await store.write((tx) => {
    if (password && !isSamePassword(storedPassword(tx, admin), password.hash)) {
      storePassword(tx, admin, password);
      for (const user of sampleUsers) copyPassword(tx, admin, user);
    }
    const ctx = RuleContext.system(tx, site);
    reviewClaims(ctx);
    ctx.event('SERVICE_STARTED', {}, { Product: site.dialect.product.name });
  });
}

/** The id by which other sites know this one. */
function siteId(store: Store): string {
  return siteMarkIn(store.meta('site') ?? '{}').site ?? randomUUID();
}

/** Names of the files of a folder; none where there is no such folder. */
function filesIn(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort();
}
