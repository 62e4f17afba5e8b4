/** Start of a replay: recording, certificates and listener. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Dialect, type DialectName, dialects } from '../../../model/dialect.ts';
import type { Exchange } from '../../../recording/exchange.ts';
import type { CreateServerExtension } from '../../../server/admin/extension.ts';
import { listCertificateNames, listen } from '../../../server/core/listening.ts';
import { createEscapedLog } from '../../../server/core/log.ts';
import { getUrlHost, type ServerOptions } from '../../../server/core/options.ts';
import { makeListener } from '../../../server/http/listener.ts';
import { loadOwnCertificates, readGivenCertificates } from '../../../server/tls/certificates.ts';
import { RecordingError, readRecording } from './read.ts';
import { RecordedScript } from './script.ts';
import { createReplayService } from './service.ts';

export type ReplayOptions = Pick<
  ServerOptions,
  'listen' | 'tlsCert' | 'tlsKey' | 'hostNames' | 'allowOrigins' | 'log'
> & {
  /** Path of the recording. */
  readonly recording: string;
  /** Server extensions of features. */
  readonly extensions: readonly CreateServerExtension[];
};

export interface RunningReplay {
  readonly baseUrl: string;
  readonly apiUrl: string;
  readonly authUrl: string;
  /** File with the certificate authority, PEM. */
  readonly caFile: string;
  /** Recorded user name; every name is accepted. */
  readonly username: string;
  /** Placeholder; every password is accepted. */
  readonly password: string;
  /** Number of different recorded requests. */
  readonly requests: number;
  stop(): Promise<void>;
}

const graceMs = 10_000;

/**
 * Starts a replay; resolves when it listens. Rejects with an error in its settings or its
 * recording.
 */
export async function startReplay(given: ReplayOptions): Promise<RunningReplay> {
  const options = { ...given, log: createEscapedLog(given.log) };
  const { dialect, belonging } = readService(options);
  const folder = mkdtempSync(join(tmpdir(), 'vmctl-replay-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  try {
    const script = new RecordedScript(belonging, `${dialect.appRoot}/api`);
    const { ca, server } = await loadCertificates(options);
    const caFile = join(folder, 'ca.pem');
    writeFileSync(caFile, ca, { mode: 0o644 });
    const extended = { random: Math.random, isFirst: true };
    const extensions = await Promise.all(options.extensions.map((create) => create(extended)));
    let port = options.listen.port;
    const origin = () => `https://${getUrlHost(options.listen.host)}:${port}`;
    const listener = makeListener({
      service: createReplayService({
        dialect,
        script,
        origins: [...new Set(belonging.map(({ request }) => request.origin))],
        origin,
        interceptors: extensions.flatMap(({ interceptor }) => interceptor ?? []),
        ca,
        certificate: server.certificate,
        log: options.log,
      }),
      key: server.key,
      certificate: server.certificate,
      hostNames: [options.listen.host.toLowerCase(), ...(options.hostNames ?? [])],
      isGivenCertificate: options.tlsCert !== undefined,
      allowOrigins: options.allowOrigins ?? [],
    });
    port = await listen(listener.server, options.listen);
    const baseUrl = `${origin()}${dialect.appRoot}`;
    return {
      baseUrl,
      apiUrl: `${baseUrl}/api`,
      authUrl: `${baseUrl}/sso`,
      caFile,
      username: findUsername(belonging) ?? 'admin@internal',
      password: 'replay',
      requests: script.size,
      stop: async () => {
        await listener.close(graceMs);
        removeFolder();
      },
    };
  } catch (error) {
    removeFolder();
    throw error;
  }
}

interface RecordedService {
  readonly dialect: Dialect;
  /** Exchanges with the service. */
  readonly belonging: readonly Exchange[];
}

/** Reads the recording, and logs warnings and the number of ignored exchanges. */
function readService({ recording, log }: ReplayOptions): RecordedService {
  const { exchanges, warnings } = readRecording(recording);
  for (const warning of warnings) log(warning);
  const service = findService(exchanges, recording);
  const foreign = exchanges.length - service.belonging.length;
  if (foreign > 0) {
    const place = service.dialect.appRoot || '/';
    log(`ignored requests to services other than ${place}: ${foreign}`);
  }
  return service;
}

async function loadCertificates(options: ReplayOptions) {
  const { tlsCert, tlsKey, listen: address } = options;
  if (tlsCert && tlsKey) return readGivenCertificates(tlsCert, tlsKey);
  return await loadOwnCertificates(
    undefined,
    listCertificateNames([address.host], options),
    new Date(),
  );
}

/** Dialect of the recorded service, and the exchanges with it. */
function findService(exchanges: readonly Exchange[], file: string): RecordedService {
  const roots = exchanges.map(({ request }) => findRoot(request.path));
  const appRoot = roots.find((root) => root !== undefined);
  if (appRoot === undefined) {
    throw new RecordingError(
      `${file} has no request to a service`,
      'record a command that sends a request: vmctl --record FILE vms list',
    );
  }
  const belonging = exchanges.filter((_, at) => [appRoot, undefined].includes(roots[at]));
  const base = dialects[detectDialect(belonging, appRoot)];
  return { dialect: { ...base, appRoot }, belonging };
}

/** Application root in a path of the API or of the sign-in. */
function findRoot(path: string): string | undefined {
  const [plain = ''] = path.split('?', 1);
  return /^(.*?)\/(?:api(?:[/;]|$)|sso\/oauth\/)/.exec(plain)?.[1];
}

/** Dialect, from the scope of a successful sign-in or from the application root. */
function detectDialect(exchanges: readonly Exchange[], appRoot: string): DialectName {
  const all = Object.values(dialects);
  for (const { request, response } of exchanges) {
    const body = request.body;
    if (response?.status !== 200 || !body || !('text' in body)) continue;
    if (!/\/sso\/oauth\/token/.test(request.path)) continue;
    const scopes = new URLSearchParams(body.text).get('scope')?.split(' ') ?? [];
    const found = all.find(({ scope }) => scopes.includes(scope));
    if (found) return found.name;
  }
  return all.find((one) => one.appRoot === appRoot)?.name ?? 'standard';
}

function findUsername(exchanges: readonly Exchange[]): string | undefined {
  for (const { request } of exchanges) {
    if (!/\/sso\/oauth\/token/.test(request.path) || !request.body) continue;
    const text = 'text' in request.body ? request.body.text : '';
    const username = new URLSearchParams(text).get('username');
    if (username) return username;
  }
  return undefined;
}
