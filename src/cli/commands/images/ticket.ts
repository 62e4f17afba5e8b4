/** Requests to an image daemon with the URL of a ticket. */

import { isReading } from '../../../client/dry-run.ts';
import { AuthError, UsageError, VmctlError } from '../../../client/errors.ts';
import type { Http } from '../../../client/http.ts';
import type { HttpRequest, HttpResponse } from '../../../client/http-message.ts';
import { daemonError } from '../../../transfer/index.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { openHttp } from '../../session/connect.ts';
import { createTicketGuard } from '../../session/protected-contexts.ts';
import { readCa, resolveServer, type ServerTarget } from '../../session/server-target.ts';

type TicketRequest = Omit<HttpRequest, 'origin' | 'path' | 'isPrimary'> & {
  /** Suffix of the image's path: a sub-resource or query. */
  readonly suffix?: string;
  /** Other path on the same server. */
  readonly path?: string;
  /** Whether the request leaves the bytes of the image unchanged. */
  readonly isHarmless?: boolean;
  /** Statuses that are not failures. */
  readonly accepts?: readonly number[];
};

/** Image of a ticket. Its path grants access, so errors omit it. */
export class TicketUrl {
  readonly #http: Http;
  readonly #origin: string;
  readonly #path: string;
  readonly #guard: ReturnType<typeof createTicketGuard>;

  private constructor(
    http: Http,
    { origin, pathname }: URL,
    guard: ReturnType<typeof createTicketGuard>,
  ) {
    this.#guard = guard;
    this.#http = http;
    this.#origin = origin;
    this.#path = pathname.replace(/\/$/, '');
  }

  /** Runs `work` with connections for a URL. Throws `UsageError` for invalid URLs. */
  static async use<T>(
    cli: CommandContext,
    text: string,
    work: (url: TicketUrl) => Promise<T>,
  ): Promise<T> {
    const url = parseTicketUrl(text);
    const http = await openHttp(cli, resolveTrust(cli, url.origin));
    try {
      return await work(new TicketUrl(http, url, createTicketGuard(cli, url.origin)));
    } finally {
      await http.close();
    }
  }

  /**
   * Sends a request. Throws for statuses that are neither successful nor accepted; `what` describes
   * the request in the message.
   */
  async send(
    what: string,
    { suffix = '', path, accepts = [], isHarmless = false, ...rest }: TicketRequest,
  ): Promise<HttpResponse> {
    const request: HttpRequest = {
      ...rest,
      origin: this.#origin,
      path: path ?? `${this.#path}${suffix}`,
      isPrimary: true,
    };
    const { method } = request;
    if (!isReading(method)) await this.#guard({ method, path: '/images', isHarmless });
    let answer: HttpResponse;
    try {
      answer = await this.#http.send(request);
    } catch (error) {
      if (error instanceof VmctlError && error.request) {
        throw Object.assign(error, { request: { method: request.method, path: '/images' } });
      }
      throw error;
    }
    const { status } = answer;
    if ((status >= 200 && status < 300) || accepts.includes(status)) return answer;
    throw daemonError(what, status, decodeBody(answer));
  }

  /** Sends a request and parses the JSON response. */
  async json(what: string, request: TicketRequest): Promise<unknown> {
    const answer = await this.send(what, request);
    try {
      return JSON.parse(decodeBody(answer));
    } catch {
      throw new VmctlError(`${what}: the image daemon does not send JSON`, { code: 'bad_answer' });
    }
  }
}

function decodeBody({ body }: HttpResponse): string {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
}

function parseTicketUrl(text: string): URL {
  let url: URL | undefined;
  try {
    url = new URL(text);
  } catch {
    // Reported below.
  }
  if (url && /^https?:$/.test(url.protocol) && /^\/images\/[^/]+\/?$/.test(url.pathname))
    return url;
  throw new UsageError('not the URL of an image', {
    hint: 'use https://host:54322/images/TICKET; vmctl imagetransfers get ID shows it as transfer_url',
  });
}

/** Returns the trust settings for the daemon; no server has to be configured. */
function resolveTrust(cli: CommandContext, origin: string): ServerTarget {
  const place = { address: { origin }, url: origin, username: undefined };
  try {
    const { trust } = resolveServer(cli);
    return { ...place, trust };
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    const caFile = cli.setting('caFile')?.value;
    const insecure = cli.isOn('insecure');
    return { ...place, trust: { ...(caFile ? { ca: readCa(caFile) } : {}), insecure } };
  }
}
