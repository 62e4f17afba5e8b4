/** The start of a replay: recording, certificates, listener; and its end. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Dialect, type DialectName, dialects } from '../../../model/dialect.ts';
import type { Exchange } from '../../../recording/exchange.ts';
import type { CreateServerExtension } from '../../../server/admin/extension.ts';
import { certificateNames, listen } from '../../../server/core/listening.ts';
import { escapedLog } from '../../../server/core/log.ts';
import { type ServerOptions, urlHost } from '../../../server/core/options.ts';
import { makeListener } from '../../../server/http/listener.ts';
import { givenCertificates, ownCertificates } from '../../../server/tls/certificates.ts';
import { RecordingError, readRecording } from './read.ts';
import { Script } from './script.ts';
import { replayService } from './service.ts';

export type ReplayOptions = Pick<
  ServerOptions,
  'listen' | 'tlsCert' | 'tlsKey' | 'hostNames' | 'allowOrigins' | 'log'
> & {
  /** File of the recording. */
  readonly recording: string;
  /** Server parts of features. */
  readonly extensions: readonly CreateServerExtension[];
};

export interface RunningReplay {
  readonly baseUrl: string;
  readonly apiUrl: string;
  readonly authUrl: string;
  /** File with the certificate authority, PEM. */
  readonly caFile: string;
  /** Who signed in when it was recorded; anybody may. */
  readonly username: string;
  /** One that is as good as any other. */
  readonly password: string;
  /** How many different requests it can answer. */
  readonly requests: number;
  stop(): Promise<void>;
}

const grace = 10_000;

/** Starts a replay; resolves when it answers. Rejects with what is wrong with its settings or its file. */
export async function startReplay(given: ReplayOptions): Promise<RunningReplay> {
  const options = { ...given, log: escapedLog(given.log) };
  const { exchanges, warnings } = readRecording(options.recording);
  for (const warning of warnings) options.log(warning);
  const { dialect, belonging } = placeOf(exchanges, options.recording);
  const foreign = exchanges.length - belonging.length;
  if (foreign > 0) {
    const place = dialect.appRoot || '/';
    options.log(`ignored requests to services other than ${place}: ${foreign}`);
  }
  const folder = mkdtempSync(join(tmpdir(), 'vmctl-replay-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  try {
    const script = new Script(belonging, `${dialect.appRoot}/api`);
    const { ca, server } =
      options.tlsCert && options.tlsKey
        ? givenCertificates(options.tlsCert, options.tlsKey)
        : await ownCertificates(
            undefined,
            certificateNames([options.listen.host], options),
            new Date(),
          );
    const caFile = join(folder, 'ca.pem');
    writeFileSync(caFile, ca, { mode: 0o644 });
    const extended = { random: Math.random, isFirst: true };
    const extensions = await Promise.all(options.extensions.map((create) => create(extended)));
    let port = options.listen.port;
    const origin = () => `https://${urlHost(options.listen.host)}:${port}`;
    const listener = makeListener({
      service: replayService({
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
      username: usernameIn(belonging) ?? 'admin@internal',
      password: 'replay',
      requests: script.size,
      stop: async () => {
        await listener.close(grace);
        removeFolder();
      },
    };
  } catch (error) {
    removeFolder();
    throw error;
  }
}

/** Where the recorded service was, in which dialect, and what belongs to it. */
function placeOf(
  exchanges: readonly Exchange[],
  file: string,
): { readonly dialect: Dialect; readonly belonging: readonly Exchange[] } {
  const roots = exchanges.map(({ request }) => rootOf(request.path));
  const appRoot = roots.find((root) => root !== undefined);
  if (appRoot === undefined) {
    throw new RecordingError(
      `${file} has no request to a service`,
      'record a command that sends a request: vmctl --record FILE vms list',
    );
  }
  const belonging = exchanges.filter((_, at) => [appRoot, undefined].includes(roots[at]));
  const base = dialects[dialectIn(belonging, appRoot)];
  return { dialect: { ...base, appRoot }, belonging };
}

/** The application root of a path to API or sign-in. */
function rootOf(path: string): string | undefined {
  const [plain = ''] = path.split('?', 1);
  return /^(.*?)\/(?:api(?:[/;]|$)|sso\/oauth\/)/.exec(plain)?.[1];
}

/** The dialect: by the scope of a sign-in that succeeded, or by the application root. */
function dialectIn(exchanges: readonly Exchange[], appRoot: string): DialectName {
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

function usernameIn(exchanges: readonly Exchange[]): string | undefined {
  for (const { request } of exchanges) {
    if (!/\/sso\/oauth\/token/.test(request.path) || !request.body) continue;
    const text = 'text' in request.body ? request.body.text : '';
    const username = new URLSearchParams(text).get('username');
    if (username) return username;
  }
  return undefined;
}
