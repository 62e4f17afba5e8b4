/** HTTP service of a site: its initial contents, sign-in, administration and background tasks. */

import type { Administration } from './admin/endpoints.ts';
import { createExtensions } from './admin/extension.ts';
import { Metrics } from './admin/metrics.ts';
import { RequestJournal } from './admin/request-journal.ts';
import { CallLog } from './api/call-log.ts';
import { EncodedObjects } from './api/encoded-objects.ts';
import { Authenticator } from './auth/authenticate.ts';
import { OAuthEndpoints } from './auth/oauth.ts';
import {
  hashAhead,
  hasPassword,
  isSamePassword,
  type SaltedHash,
  storedPassword,
  storePassword,
} from './auth/passwords.ts';
import { loadSessionKey } from './auth/session-key.ts';
import { FrozenSite } from './backup/frozen-site.ts';
import { RuleContext } from './core/context.ts';
import { refused } from './core/fault.ts';
import type { Site } from './core/ports.ts';
import { TaskRunner } from './core/task-runner.ts';
import { journaled } from './http/journaled-service.ts';
import { storeService } from './http/pipeline.ts';
import type { HttpService } from './http/service.ts';
import { applyImageFindings, endTransfers } from './images/lost-images.ts';
import { isRunning, type Vm } from './inventory/vm.ts';
import { markNonResponsive } from './resources/host/non-responsive.ts';
import { reviewClaims } from './resources/storage/shared.ts';
import { sampleUsers } from './seed/samples.ts';
import { readBeginning } from './seed/seed.ts';
import type { SiteParts } from './server-parts.ts';
import { copyPassword } from './store/credentials.ts';
import { lastEventId } from './store/event-ids.ts';
import { clearState, replaceState } from './store/state.ts';
import type { Store } from './store/store.ts';

/** A service, and the parts of it that run in the background. */
export interface SiteService {
  readonly service: HttpService;
  readonly authenticator: Authenticator;
  readonly runner: TaskRunner;
}

/** Fills a new store, and updates the state to the password and image files of this start. */
export async function fillSite(parts: SiteParts): Promise<void> {
  const { store, site, options, password } = parts;
  const isNew = await fillStore(parts);
  if (!isNew || options.load !== undefined) parts.ids.restart(store.read(lastEventId));
  // A loaded state may contain a password with another salt.
  const isLoaded = isNew && !password.isKept && store.read((tx) => hasPassword(tx, options.admin));
  const hashed = isLoaded ? hashAhead(store, options.admin, password.password) : parts.hashed;
  await recordStart(parts, await hashed);
  await applyImageFindings(store, site, parts.findings);
  if (parts.isRestored) await endTransfers(store, site);
}

/** Fills a new store. Returns whether it was new. */
async function fillStore({ store, site, options }: SiteParts): Promise<boolean> {
  if (store.meta('filled') !== undefined) return false;
  const begin = await readBeginning(options);
  await store.fill((tx) => {
    begin(tx, site);
    store.setMeta('filled', options.load ?? options.inventory);
  });
  return true;
}

/** Stores a changed password of the administrator, and writes the event of the start. */
async function recordStart(
  { store, site, options: { admin } }: SiteParts,
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

/** Creates the service. Its task runner does not start tasks yet. */
export async function createSiteService(parts: SiteParts): Promise<SiteService> {
  const { options, dialect, clock, report, closers, store, coordination, site } = parts;
  const { ca, server } = parts.certificates;
  const authenticator = new Authenticator(store, site, {
    key: coordination.secrets.readSessionKey() ?? loadSessionKey(options.data),
    coordination: coordination.sessions,
  });
  const oauth = new OAuthEndpoints(store, site, authenticator, {
    scope: dialect.scope,
    tokenLifetime: options.tokenLifetime * 1000,
    asEngine: dialect.engineAnswers,
  });
  const runner = new TaskRunner(store, site, report, coordination.work);
  closers.push(() => runner.stop());
  const { isFirst } = coordination;
  const extensions = await createExtensions(options, { store, random: site.random, isFirst });
  const journal = new RequestJournal(options.logsRequests ? options.log : undefined);
  const service = storeService({
    admin: {
      ...createAdministration(parts, runner),
      authenticator,
      extensions,
      metrics: new Metrics(),
      journal,
    },
    api: {
      interceptors: extensions.flatMap(({ interceptor }) => interceptor ?? []),
      calls: options.callLog === undefined ? undefined : new CallLog(options.callLog),
      store,
      coordination,
      site,
      dialect,
      authenticator,
      encoded: options.cachesObjects === false ? undefined : new EncodedObjects(),
      committed: () => runner.wake(),
      report,
    },
    oauth,
    ca,
    certificate: server.certificate,
  });
  return {
    service: journaled(service, journal, () => clock.now().getTime()),
    authenticator,
    runner,
  };
}

type SiteAdministration = Pick<
  Administration,
  'store' | 'page' | 'steady' | 'backup' | 'lose' | 'restart'
>;

/** Administrative operations on the store and the image files. */
function createAdministration(parts: SiteParts, runner: TaskRunner): SiteAdministration {
  const { dialect, store, coordination, site, steady, files } = parts;
  return {
    store,
    page: { appRoot: dialect.appRoot, scope: dialect.scope },
    steady,
    backup: async () => {
      coordination.requireSingleServer();
      requireStoppedVms(store, site);
      return (await FrozenSite.freeze(parts.data.frozen, store, files)).read();
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
      await replaceContents(parts, state);
      await parts.ticketManager.closeAll();
      if (coordination.isFirst) await files.sweep();
      await site.hypervisor?.reconcile();
      runner.wake();
    },
  };
}

/** Refuses a backup while a hypervisor writes to disks, and without the memory of suspended VMs. */
function requireStoppedVms(store: Store, { hypervisor }: Site): void {
  const isOn = (vm: Vm) => isRunning(vm) || vm.status === 'suspended';
  if (!hypervisor || !store.read((tx) => tx.list('vm').some(isOn))) return;
  throw refused('NOT_SUPPORTED_BY_HYPERVISOR', {
    ...{ action: 'back up', type: 'site', hypervisor: hypervisor.name },
    condition: ' while VMs run or are suspended; stop them first',
  });
}

/** Replaces the contents of the store with a saved state, or with the initial contents. */
async function replaceContents(
  { store, site, options, ids, steady }: SiteParts,
  state: string | undefined,
): Promise<void> {
  const begin = state === undefined ? await readBeginning(options) : undefined;
  ids.restart();
  await store.write((tx) => {
    if (begin) {
      clearState(tx);
      begin(tx, site);
    } else {
      replaceState(tx, state ?? '', steady());
      ids.restart(lastEventId(tx));
    }
    reviewClaims(RuleContext.system(tx, site));
  });
}
