/**
 * HTTP requests with retries and redirects, buffered and streamed responses, and errors of this
 * program.
 */
import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { Agent, Dispatcher } from 'undici';
import { toError } from '../caught-errors.ts';
import { connectionError } from './connection-errors.ts';
import { type DryRunMode, DryRunStop, isReading } from './dry-run.ts';
import { TrustError, UsageError } from './errors.ts';
import type { HttpRequest, HttpResponse } from './http-message.ts';
import { type EnvironmentVariables, namesProxy } from './proxy-env.ts';
import { maxBodyLength, readBody, withProgress } from './response-body.ts';
import { retryRequest } from './retry.ts';
import type { RequestTimes, Times } from './timing.ts';

/** Trusted certificate authorities. */
export interface Trust {
  /** Certificate authorities in PEM (default: those of Node). */
  readonly ca?: string;
  /** Disables verification. */
  readonly insecure?: boolean;
}

/** Observer of each request, for `--debug`. */
export type RequestObserver = (
  request: HttpRequest,
  outcome: HttpResponse | Error,
  milliseconds: number,
  /** Bytes of a streamed body. */
  streamed?: number,
) => void;

export interface HttpOptions {
  readonly trust: Trust;
  /** Environment variables, which can name a proxy. */
  readonly env?: EnvironmentVariables;
  readonly signal?: AbortSignal;
  readonly observer?: RequestObserver;
  /** Buffers all bodies, so that the observer receives them. */
  readonly wholeBodies?: boolean;
  /** Bytes of a streamed body that the observer receives, in addition to the length. */
  readonly observedBody?: number;
  /** Records the times of connections and responses. */
  readonly times?: Times;
  /** Milliseconds without progress after which a response fails (default one minute). */
  readonly idleTimeout?: number;
  /** Retries of reading requests if the server is busy or closes the connection. */
  readonly retries?: number;
  /** Requests to throw as `DryRunStop` instead of sending them. */
  readonly dryRun?: DryRunMode;
  /** Returns a more specific error for an untrusted server, if any. */
  readonly explainDistrust?: (origin: string) => Promise<TrustError | undefined>;
}

const emptyBody = new Uint8Array();
const defaultIdleTimeout = 60_000;
const maxRedirects = 5;

export class Http {
  readonly #options: HttpOptions;
  /** Connections for requests to the API, opened on first use. */
  #requests: Promise<Agent> | undefined;
  /** Connections for transfers, opened on first use. */
  #transfers: Promise<Agent> | undefined;
  #transferTrust: Trust;

  constructor(options: HttpOptions) {
    this.#options = options;
    this.#transferTrust = options.trust;
    // Each running and queued request adds a listener, which is not a leak.
    if (options.signal) setMaxListeners(0, options.signal);
  }

  /**
   * Separate connections for transfers, which stream request and response bodies and can trust
   * another authority.
   */
  async transferAgent(): Promise<Agent> {
    if (this.isDryRun) throw new DryRunStop([]);
    this.#transfers ??= this.#open(this.#transferTrust);
    return await this.#transfers;
  }

  async #open(trust: Trust): Promise<Agent> {
    const { env, times, idleTimeout = defaultIdleTimeout } = this.#options;
    const { openAgent } = await import('./agent.ts');
    return openAgent({
      ...{ tls: tlsOptions(trust), idleTimeout },
      ...(env ? { env } : {}),
      ...(times ? { times } : {}),
    });
  }

  /** Trust for transfers that open connections themselves. */
  get trust(): ConnectionOptions {
    if (this.isDryRun) throw new DryRunStop([]);
    return tlsOptions(this.#transferTrust);
  }

  /** Opens a connection through a proxy. `undefined` if no proxy applies to the server. */
  async connectThroughProxy(origin: string): Promise<Socket | undefined> {
    const { env } = this.#options;
    if (!env || !namesProxy(env)) return undefined;
    return await (await import('./proxy-tunnel.ts')).connectThroughProxy(origin, env);
  }

  /** Trusts an additional authority, in PEM, in later transfers. */
  trustForTransfers(pem: string): void {
    const { ca = defaultAuthorities(this.#options.env) } = this.#options.trust;
    this.#transferTrust = { ...this.#options.trust, ca: `${ca}\n${pem}` };
  }

  /** Whether changing requests are not sent. */
  get isDryRun(): boolean {
    return this.#options.dryRun !== undefined;
  }

  #isWithheld({ method, isPrimary, isSession }: HttpRequest): boolean {
    const { dryRun } = this.#options;
    if (dryRun === undefined || isSession) return false;
    return !isReading(method) || (dryRun === 'primary' && isPrimary === true);
  }

  /**
   * Sends a request, with retries. Follows redirects of reading requests. Throws `DryRunStop` for requests that a dry run does not send.
   */
  async send(request: HttpRequest): Promise<HttpResponse> {
    refuseConnectionHeaders(request.headers);
    if (this.#isWithheld(request)) throw new DryRunStop([request]);
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    const { retries, signal } = this.#options;
    const isSession = request.isSession === true;
    return await retryRequest({ isReading, isSession, retries, signal }, () =>
      this.#follow(request, isReading),
    );
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
    // Load the clock module only for an observer.
    const began = observer ? performance.now() : 0;
    const signal = request.signal ?? this.#options.signal;
    const requestTimes = times?.begin(request.method, request.path);
    try {
      signal?.throwIfAborted();
      this.#requests ??= this.#open(this.#options.trust);
      const { statusCode, headers, body } = await (await this.#requests).request({
        ...{ origin: request.origin, path: request.path, method: request.method },
        ...{ headers: request.headers ?? {}, body: request.body ?? null, signal: signal ?? null },
        // By default undici closes the connection after HEAD, and opens one for each later request.
        reset: false,
      });
      const head = { status: statusCode, headers: joinHeaders(headers) };
      if (requestTimes && times) requestTimes.firstByte = times.now();
      if (request.isStreamed && !wholeBodies && head.status >= 200 && head.status < 300) {
        return {
          ...head,
          body: emptyBody,
          stream: this.#streamed(request, head, body, began, requestTimes),
        };
      }
      const answer: HttpResponse = { ...head, body: await readBody(body, this.#bounds) };
      await afterResponse();
      if (requestTimes) this.#recordEnd(requestTimes, answer.body.length);
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
    requestTimes: RequestTimes | undefined,
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
      if (requestTimes) this.#recordEnd(requestTimes, length);
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
      await afterResponse();
      end();
    } catch (error) {
      isOpen = false;
      throw await this.#failed(request, error, began);
    } finally {
      if (isOpen) {
        // If the reader stops early, the observer still receives its part of the body.
        const rest = async () => {
          while (length < observedBody && (await next()) !== undefined);
        };
        const isKnown = await rest().then(
          () => true,
          // The reader does not need this part.
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

  #recordEnd(requestTimes: RequestTimes, bytes: number): void {
    const { times } = this.#options;
    if (times) Object.assign(requestTimes, { to: times.now(), bytes });
  }

  async #failed(request: HttpRequest, error: unknown, began: number): Promise<unknown> {
    const { observer } = this.#options;
    const signal = request.signal ?? this.#options.signal;
    const failure: unknown = signal?.aborted ? signal.reason : await this.#explain(error, request);
    if (observer) observer(request, toError(failure), performance.now() - began);
    return failure;
  }

  async #explain(error: unknown, request: HttpRequest): Promise<unknown> {
    const failure = connectionError(error, request);
    if (!(failure instanceof TrustError)) return failure;
    return (await this.#options.explainDistrust?.(request.origin)) ?? failure;
  }

  /** Closes the connections, which would otherwise keep the process running. */
  async close(): Promise<void> {
    for (const agent of [this.#requests, this.#transfers]) await (await agent)?.destroy();
  }
}

/** undici reuses a connection one turn of the event loop after the end of the response. */
async function afterResponse(): Promise<void> {
  await new Promise(setImmediate);
}

/** Joins the values of repeated headers. Values may be UTF-8, which undici decodes as Latin-1. */
function joinHeaders(
  headers: Dispatcher.ResponseData['headers'],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const text = Array.isArray(value) ? value.join(', ') : (value ?? '');
      const isAscii = !/[\x80-\xff]/.test(text);
      return [name, isAscii ? text : Buffer.from(text, 'latin1').toString('utf8')];
    }),
  );
}

/** Refuses headers that contradict the body or control the connection. */
function refuseConnectionHeaders(headers: Readonly<Record<string, string>> = {}): void {
  for (const name of Object.keys(headers)) {
    if (/^(?:content-length|transfer-encoding|connection|keep-alive|upgrade|expect)$/i.test(name)) {
      throw new UsageError(`invalid ${name} header: it controls the connection`, {
        hint: 'remove the header; vmctl sets the length of the body',
      });
    }
  }
}

/** Default authorities of Node. */
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
    // The user can pin an intermediate certificate.
    ...(ca === undefined ? {} : { ca, allowPartialTrustChain: true }),
  };
}

/** Creates the redirected request. Credentials are never sent to another host. */
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
