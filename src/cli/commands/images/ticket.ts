/** The URL of a ticket, and requests to the image daemon behind it. */

import { isReading } from '../../../client/dry-run.ts';
import { AuthError, UsageError, VmctlError } from '../../../client/errors.ts';
import type { Http } from '../../../client/http.ts';
import type { HttpRequest, HttpResponse } from '../../../client/http-message.ts';
import { daemonError } from '../../../transfer/index.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { openHttp } from '../../session/connect.ts';
import { ticketGuard } from '../../session/protected-contexts.ts';
import { readCa, type Target, targetOf } from '../../session/target.ts';

type TicketRequest = Omit<HttpRequest, 'origin' | 'path' | 'isPrimary'> & {
  /** What follows the path of the image: a sub-resource, a query. */
  readonly suffix?: string;
  /** Another path at the same place. */
  readonly path?: string;
  /** It changes no byte of the image. */
  readonly isHarmless?: boolean;
  /** Answers that are none of the failures. */
  readonly accepts?: readonly number[];
};

/** An image behind a ticket; whoever knows its path may use it, so errors do not tell it. */
export class TicketUrl {
  readonly #http: Http;
  readonly #origin: string;
  readonly #path: string;
  readonly #guard: ReturnType<typeof ticketGuard>;

  private constructor(
    http: Http,
    { origin, pathname }: URL,
    guard: ReturnType<typeof ticketGuard>,
  ) {
    this.#guard = guard;
    this.#http = http;
    this.#origin = origin;
    this.#path = pathname.replace(/\/$/, '');
  }

  /** Runs some work with connections for a URL. Throws usage errors. */
  static async use<T>(
    cli: CommandContext,
    text: string,
    work: (url: TicketUrl) => Promise<T>,
  ): Promise<T> {
    const url = parsed(text);
    const http = await openHttp(cli, trusting(cli, url.origin));
    try {
      return await work(new TicketUrl(http, url, ticketGuard(cli, url.origin)));
    } finally {
      await http.close();
    }
  }

  /** Sends a request. Throws for every status that is no success and not accepted; `what` was tried. */
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
    // The path is a secret.
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
    throw daemonError(what, status, textOf(answer));
  }

  /** The same for an answer in JSON. */
  async json(what: string, request: TicketRequest): Promise<unknown> {
    const answer = await this.send(what, request);
    try {
      return JSON.parse(textOf(answer));
    } catch {
      throw new VmctlError(`${what}: the image daemon does not send JSON`, { code: 'bad_answer' });
    }
  }
}

function textOf({ body }: HttpResponse): string {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
}

function parsed(text: string): URL {
  let url: URL | undefined;
  try {
    url = new URL(text);
  } catch {
    // Said below.
  }
  if (url && /^https?:$/.test(url.protocol) && /^\/images\/[^/]+\/?$/.test(url.pathname))
    return url;
  throw new UsageError('not the URL of an image', {
    hint: 'use https://host:54322/images/TICKET; vmctl imagetransfers get ID shows it as transfer_url',
  });
}

/** The trust that the settings name, for the daemon. A server need not be known for it. */
function trusting(cli: CommandContext, origin: string): Target {
  const place = { address: { origin }, url: origin, username: undefined };
  try {
    const { trust } = targetOf(cli);
    return { ...place, trust };
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    const caFile = cli.setting('caFile')?.value;
    const insecure = cli.on('insecure');
    return { ...place, trust: { ...(caFile ? { ca: readCa(caFile) } : {}), insecure } };
  }
}
