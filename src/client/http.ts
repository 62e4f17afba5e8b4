/**
 * HTTP: requests with retries and redirects, responses in memory or streamed, failures as errors of this
 * program. Requests go over the HTTP of Node; undici, which transfers need, is loaded for them alone.
 */
import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { Dispatcher } from 'undici';
import { connectionError } from './connection-errors.ts';
import { Connections } from './connections.ts';
import { type DryRunMode, DryRunStop, isReading } from './dry-run.ts';
import { TrustError, UsageError } from './errors.ts';
import type { HttpRequest, HttpResponse } from './http-message.ts';
import { type EnvironmentVariables, namesProxy } from './proxy-env.ts';
import { maxBodyLength, readBody, withProgress } from './response-body.ts';
import { delayAfter, pause } from './retry.ts';
import type { RequestTimes, Times } from './timing.ts';
import type { TlsSessions } from './tls-sessions.ts';

/** Whom to believe that it is the server. */
export interface Trust {
  /** Certificate authorities in PEM; without them those that Node comes with. */
  readonly ca?: string;
  /** Believe anybody. */
  readonly insecure?: boolean;
}

/** What is told about each request, for `--debug`. */
export type RequestObserver = (
  request: HttpRequest,
  outcome: HttpResponse | Error,
  milliseconds: number,
  /** Bytes of a body that was handed out as it came. */
  streamed?: number,
) => void;

export interface HttpOptions {
  readonly trust: Trust;
  /** Environment that may name a proxy. */
  readonly env?: EnvironmentVariables;
  readonly signal?: AbortSignal;
  readonly observer?: RequestObserver;
  /** The observer wants to see bodies: none is handed out before it is there. */
  readonly wholeBodies?: boolean;
  /** Bytes of a body that is handed out as it comes, which the observer is given beside their number. */
  readonly observedBody?: number;
  /** Where it is noted when connections and answers came. */
  readonly times?: Times;
  /** Milliseconds without progress after which an answer is given up; a minute by default. */
  readonly idleTimeout?: number;
  /** Repetitions of reading requests when the server is busy or drops the connection. */
  readonly retries?: number;
  /** Sessions of TLS of earlier processes, and for later ones. Heeded only where somebody is believed. */
  readonly sessions?: TlsSessions;
  /** What is thrown as `DryRunStop` instead of being sent. */
  readonly dryRun?: DryRunMode;
  /** A better explanation than that the server is not trusted, if there is one. */
  readonly explainDistrust?: (origin: string) => Promise<TrustError | undefined>;
}

const emptyBody = new Uint8Array();
const defaultIdleTimeout = 60_000;
const maxRedirects = 5;
const retryableStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export class Http {
  readonly #connections: Connections;
  readonly #options: HttpOptions;
  /** Connections for transfers, once there is one. */
  #dispatcher: Promise<Dispatcher> | undefined;
  #transferTrust: Trust;

  private constructor(connections: Connections, options: HttpOptions) {
    this.#connections = connections;
    this.#options = options;
    this.#transferTrust = options.trust;
  }

  /** Prepares connections for a trust. */
  static async open(options: HttpOptions): Promise<Http> {
    const { env, times, trust, sessions, signal, idleTimeout = defaultIdleTimeout } = options;
    // Each request under way listens to it, and each that waits for its turn: that is no leak.
    if (signal) setMaxListeners(0, signal);
    const connections = await Connections.open({
      tls: tlsOptions(trust),
      idleTimeout,
      ...(env ? { env } : {}),
      ...(times ? { times } : {}),
      ...(sessions && !trust.insecure ? { sessions } : {}),
    });
    return new Http(connections, options);
  }

  /** For transfers, which stream their bodies: connections of their own. */
  async dispatcher(): Promise<Dispatcher> {
    if (this.isDryRun) throw new DryRunStop([]);
    this.#dispatcher ??= import('./undici.ts').then(({ openAgent }) =>
      openAgent({
        tls: tlsOptions(this.#transferTrust),
        idleTimeout: this.#options.idleTimeout ?? defaultIdleTimeout,
        ...(this.#options.env ? { env: this.#options.env } : {}),
        ...(this.#options.times ? { times: this.#options.times } : {}),
      }),
    );
    return await this.#dispatcher;
  }

  /** What they trust, for transfers that open connections of their own. */
  get trust(): ConnectionOptions {
    if (this.isDryRun) throw new DryRunStop([]);
    return tlsOptions(this.#transferTrust);
  }

  /** Trusts an authority, in PEM, for transfers that begin after this, beside those that are trusted already. */
  trustForTransfers(pem: string): void {
    const { ca = defaultAuthorities(this.#options.env) } = this.#options.trust;
    this.#transferTrust = { ...this.#options.trust, ca: `${ca}\n${pem}` };
  }

  /** A connection of the same kind by way of a proxy; none where there is no proxy for the server. */
  async connectThroughProxy(origin: string): Promise<Socket | undefined> {
    const { env } = this.#options;
    if (!env || !namesProxy(env)) return undefined;
    return await (await import('./proxy-tunnel.ts')).connectThroughProxy(origin, env);
  }

  /** Whether requests that could change something are held back. */
  get isDryRun(): boolean {
    return this.#options.dryRun !== undefined;
  }

  #isHeld({ method, isPrimary, isSession }: HttpRequest): boolean {
    const { dryRun } = this.#options;
    if (dryRun === undefined || isSession) return false;
    return !isReading(method) || (dryRun === 'primary' && isPrimary === true);
  }

  /**
   * Sends a request; follows redirects of reading requests, and repeats them while it helps, and a sign-in
   * whose connection was cut.
   * Throws `DryRunStop` for what is not to be sent.
   */
  async send(request: HttpRequest): Promise<HttpResponse> {
    if (this.#isHeld(request)) throw new DryRunStop([request]);
    const reading = request.method === 'GET' || request.method === 'HEAD';
    // Whoever signs in twice has a second token.
    const isRepeatable = reading || request.isSession === true;
    const attempts = 1 + (this.#options.retries ?? 2);
    for (let attempt = 1; ; attempt += 1) {
      const last = attempt >= attempts;
      try {
        const answer = await this.#follow(request, reading);
        if (last || !retryableStatuses.has(answer.status) || !(reading || answer.status === 429))
          return answer;
        await pause(delayAfter(attempt, answer.headers['retry-after']), this.#options.signal);
      } catch (error) {
        if (last || !isRepeatable || !isDropped(error)) throw error;
        await pause(delayAfter(attempt), this.#options.signal);
      }
    }
  }

  async #follow(request: HttpRequest, reading: boolean): Promise<HttpResponse> {
    let current = request;
    for (let hops = 0; ; hops += 1) {
      const answer = await this.#once(current);
      const location = answer.headers['location'];
      const redirects = reading && answer.status >= 301 && answer.status <= 308;
      const foreign = current.origin === request.origin ? {} : { foreignOrigin: current.origin };
      if (!redirects || location === undefined || hops === maxRedirects) {
        return { ...answer, ...foreign };
      }
      current = redirected(current, location);
    }
  }

  async #once(request: HttpRequest): Promise<HttpResponse> {
    const { observer, wholeBodies, times } = this.#options;
    // Asked for only where somebody listens: the clock is a module of its own.
    const began = observer ? performance.now() : 0;
    const signal = request.signal ?? this.#options.signal;
    const noted = times?.begin(request.method, request.path);
    try {
      signal?.throwIfAborted();
      const { body, ...head } = await this.#connections.request({
        ...request,
        ...(signal ? { signal } : {}),
      });
      if (noted && times) noted.firstByte = times.now();
      if (request.isStreamed && !wholeBodies && head.status >= 200 && head.status < 300) {
        return {
          ...head,
          body: emptyBody,
          stream: this.#streamed(request, head, body, began, noted),
        };
      }
      const answer: HttpResponse = { ...head, body: await readBody(body, this.#bounds) };
      if (noted) this.#noteEnd(noted, answer.body.length);
      if (observer) observer(request, answer, performance.now() - began);
      return answer;
    } catch (error) {
      throw await this.#failed(request, error, began);
    }
  }

  async *#streamed(
    request: HttpRequest,
    head: Pick<HttpResponse, 'status' | 'headers'>,
    body: AsyncIterable<Uint8Array>,
    began: number,
    noted: RequestTimes | undefined,
  ): AsyncGenerator<Uint8Array> {
    const { observer, observedBody = 0 } = this.#options;
    let observed: Uint8Array[] = [];
    let length = 0;
    const chunks = withProgress(body, this.#bounds);
    const next = async () => {
      const { value, done } = await chunks.next();
      if (done) return undefined;
      length += value.length;
      if (length > observedBody) observed = [];
      else observed.push(value);
      return value;
    };
    const end = () => {
      if (noted) this.#noteEnd(noted, length);
      observer?.(
        request,
        { ...head, body: Buffer.concat(observed) },
        performance.now() - began,
        length,
      );
    };
    let isOpen = true;
    try {
      for (let chunk = await next(); chunk; chunk = await next()) yield chunk;
      isOpen = false;
      end();
    } catch (error) {
      isOpen = false;
      throw await this.#failed(request, error, began);
    } finally {
      if (isOpen) {
        // Whoever has seen enough reads no further; the observer is given what fits all the same.
        const rest = async () => {
          while (length < observedBody && (await next()) !== undefined);
        };
        const isKnown = await rest().then(
          () => true,
          // It was not for the reader.
          () => false,
        );
        await chunks.return(undefined);
        if (isKnown) end();
      }
    }
  }

  get #bounds() {
    return {
      idleTimeout: this.#options.idleTimeout ?? defaultIdleTimeout,
      maxLength: maxBodyLength,
    };
  }

  #noteEnd(noted: RequestTimes, bytes: number): void {
    const { times } = this.#options;
    if (times) Object.assign(noted, { to: times.now(), bytes });
  }

  async #failed(request: HttpRequest, error: unknown, began: number): Promise<unknown> {
    const { observer } = this.#options;
    const signal = request.signal ?? this.#options.signal;
    const failure: unknown = signal?.aborted ? signal.reason : await this.#explain(error, request);
    if (observer) observer(request, failure as Error, performance.now() - began);
    return failure;
  }

  async #explain(error: unknown, request: HttpRequest): Promise<unknown> {
    const failure = connectionError(error, request);
    if (!(failure instanceof TrustError)) return failure;
    return (await this.#options.explainDistrust?.(request.origin)) ?? failure;
  }

  /** Gives the connections back; without this the process would not end. */
  async close(): Promise<void> {
    this.#connections.close();
    await (await this.#dispatcher)?.destroy();
  }
}

/** Whom Node trusts where nobody is named. */
function defaultAuthorities(env: EnvironmentVariables = {}): string {
  const tls: typeof import('node:tls') & {
    getCACertificates?: (type: string) => readonly string[];
  } = process.getBuiltinModule('node:tls');
  if (tls.getCACertificates) return tls.getCACertificates('default').join('\n');
  const extra = env['NODE_EXTRA_CA_CERTS'];
  return [...tls.rootCertificates, ...(extra ? [readFileSync(extra, 'utf8')] : [])].join('\n');
}

function tlsOptions({ ca, insecure }: Trust) {
  return {
    rejectUnauthorized: insecure !== true,
    minVersion: 'TLSv1.2' as const,
    // What was agreed to may be a certificate in the middle of its chain.
    ...(ca === undefined ? {} : { ca, allowPartialTrustChain: true }),
  };
}

/** The request at its new place. Credentials never follow to another host. */
function redirected(request: HttpRequest, location: string): HttpRequest {
  const target = new URL(location, `${request.origin}${request.path}`);
  if (target.protocol !== 'https:') {
    throw new UsageError(
      `${request.origin} redirects to ${target.origin}, which is not encrypted`,
      {
        hint: 'use the https address of the service',
      },
    );
  }
  const headers = { ...request.headers };
  if (target.origin !== request.origin) {
    for (const name of Object.keys(headers)) {
      if (/^(authorization|cookie)$/i.test(name)) delete headers[name];
    }
  }
  return { ...request, origin: target.origin, path: `${target.pathname}${target.search}`, headers };
}

/** The server hung up before it answered: nothing is known, asking again does no harm. */
function isDropped(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'connection_lost';
}
