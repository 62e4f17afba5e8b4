/** Start and stop of a server: store, certificates, image daemon, site, service and listener. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { PreparedDaemon } from '../images/index.ts';
import type { ExtendedOptions } from './admin/extension.ts';
import { purgeIdempotencyKeys } from './api/idempotency.ts';
import { recordIntervalMs, systemClock } from './core/clock.ts';
import { purgeJobs } from './core/jobs.ts';
import { listen } from './core/listening.ts';
import { createErrorReporter, createEscapedLog } from './core/log.ts';
import { resolveDialect } from './core/options.ts';
import { makeListener } from './http/listener.ts';
import { createHypervisorListener } from './resources/hypervisor/listener.ts';
import {
  createSite,
  openStoreParts,
  type SiteParts,
  type Startup,
  startImages,
} from './server-parts.ts';
import { createSiteService, fillSite, type SiteService } from './site-service.ts';

export interface RunningServer {
  /** `https://HOST:PORT/virt-app` */
  readonly baseUrl: string;
  readonly apiUrl: string;
  readonly authUrl: string;
  readonly uploadUrl: string;
  /** Path of the certificate authority, PEM. */
  readonly caFile: string;
  readonly username: string;
  readonly password: string;
  /** Path of the password file, and whether the password was generated at this start. */
  readonly passwordFile: string | undefined;
  readonly passwordIsNew: boolean;
  /** Finishes requests and stops the server. */
  stop(): Promise<void>;
}

/** Milliseconds for running requests at the stop. */
const grace = 10_000;

/**
 * Starts a server with its image daemon in a thread. Resolves after it listens. Rejects with a
 * message about invalid settings.
 */
export async function startServer(
  options: ExtendedOptions,
  images: PreparedDaemon,
): Promise<RunningServer> {
  // The image daemon requires absolute paths.
  const folder = resolve(
    options.data ?? options.scratch ?? mkdtempSync(join(tmpdir(), 'vmctl-serve-')),
  );
  const closers: (() => unknown)[] = [() => images.close()];
  if (options.data === undefined) {
    closers.push(() => rmSync(folder, { recursive: true, force: true }));
  }
  try {
    const escaped = { ...options, log: createEscapedLog(options.log) };
    return await start(escaped, folder, images, closers);
  } catch (error) {
    for (const close of closers.reverse()) await close();
    throw error;
  }
}

async function start(
  options: ExtendedOptions,
  folder: string,
  images: PreparedDaemon,
  closers: (() => unknown)[],
): Promise<RunningServer> {
  const clock = options.clock ?? systemClock;
  const report = createErrorReporter(options.log, () => clock.monotonic());
  const dialect = resolveDialect(options);
  const startup: Startup = { options, dialect, folder, clock, report, closers };
  const parts = createSite(await startImages(await openStoreParts(startup), images));
  await fillSite(parts);
  const service = await createSiteService(parts);
  await startListening(parts, service);
  await startHypervisor(parts, service);
  startPurging(parts, service);
  return describeServer(parts);
}

/** Starts to serve requests and to run tasks. */
async function startListening(parts: SiteParts, { service, runner }: SiteService): Promise<void> {
  const { options, closers, report, store, coordination, site, time, ticketManager } = parts;
  const { isFirst } = coordination;
  const { key, certificate } = parts.certificates.server;
  const listener = makeListener({
    service,
    key,
    certificate,
    hostNames: [options.listen.host.toLowerCase(), ...(options.hostNames ?? [])],
    isGivenCertificate: options.tlsCert !== undefined,
    allowOrigins: options.allowOrigins ?? [],
  });
  coordination.begin({
    ...{ time, imagesUrl: ticketManager.url, report },
    ...{ listWork: () => runner.listWork(), wake: () => runner.wake() },
  });
  closers.push(() => coordination.end());
  await ticketManager.begin(store, site, isFirst ? parts.tickets : undefined);
  closers.push(() => ticketManager.end());
  parts.listening.port = await listen(listener.server, options.listen);
  closers.push(() => listener.close(grace));
  if (isFirst) await runner.recover();
  else runner.wake();
  coordination.started();
}

/** Finds the VMs of the hypervisor again, if the site has one. */
async function startHypervisor(parts: SiteParts, { runner }: SiteService): Promise<void> {
  const { site, store, report, closers } = parts;
  if (!site.hypervisor) return;
  closers.push(() => site.hypervisor?.end());
  const wake = () => runner.wake();
  await site.hypervisor.begin(createHypervisorListener({ store, site, report, wake }));
}

/** Removes expired data and records the service time periodically. */
function startPurging(parts: SiteParts, { authenticator }: SiteService): void {
  const { closers, report, store, steady, time, files } = parts;
  const purging = setInterval(() => {
    const now = steady();
    Promise.all([
      purgeJobs(store, now),
      purgeIdempotencyKeys(store, now),
      authenticator.purgeSessions(),
      files.forgetRemoved(),
      time.note(store),
    ]).catch(report);
  }, recordIntervalMs);
  purging.unref();
  closers.push(() => clearInterval(purging));
}

function describeServer(parts: SiteParts): RunningServer {
  const { options, password, closers } = parts;
  const baseUrl = `https://${parts.address()}${parts.dialect.appRoot}`;
  let stopping: Promise<void> | undefined;
  return {
    baseUrl,
    apiUrl: `${baseUrl}/api`,
    authUrl: `${baseUrl}/sso`,
    uploadUrl: parts.ticketManager.url,
    caFile: parts.caFile,
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
