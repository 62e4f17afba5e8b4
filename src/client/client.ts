/** Generic client for the operations of the model. */
import { type Dialect, dialects } from '../model/dialect.ts';
import { tagOf } from '../model/index.ts';
import {
  decodeAction,
  decodeList,
  decodeObject,
  encodeAction,
  encodeList,
  encodeObject,
  type MediaType,
  WireError,
} from '../wire/index.ts';
import { absolutePath, type Site } from './address.ts';
import { type ApiObject, type Call, nounOf, pathOf, whatOf } from './call.ts';
import { DryRunStop, isReading } from './dry-run.ts';
import { AuthError, ConflictError, readOnlyError, ServerError } from './errors.ts';
import { doesHarm } from './harm.ts';
import type { Http } from './http.ts';
import type { HttpResponse } from './http-message.ts';
import { inPieces, ListSplitter } from './list-splitter.ts';
import { maxBodyLength, responseTooLong } from './response-body.ts';
import { errorFromResponse, faultMessage } from './response-errors.ts';
import type { Session } from './session.ts';

export type { ApiObject, Call, QueryValue } from './call.ts';

export interface RawRequest {
  readonly method: string;
  /** Below the API root (`/vms`), or an absolute path of the same server. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  readonly isPrimary?: boolean;
  readonly isStreamed?: boolean;
  /** What the request was made from, where it calls an operation of the model. */
  readonly call?: Call;
}

/**
 * Is told of each request that could change something, before it is sent; what it returns is told what
 * came of it. Neither may throw.
 */
export type ChangeObserver = (
  client: Client,
  request: RawRequest,
) => Promise<(outcome: HttpResponse | Error) => void>;

export interface ClientOptions {
  readonly http: Http;
  readonly session: Pick<Session, 'current' | 'renew'>;
  /** Nothing but GET and HEAD leaves this process. */
  readonly readOnly?: boolean;
  /** Major version of the API that is asked for; 4 by default (specification 9). */
  readonly apiVersion?: string;
  /** Called with what is about to be tried, in words: `start vms/web01`. */
  readonly onStep?: (what: string) => void;
  /** Called before a harmful request is sent, whatever sends it; throws to refuse it. */
  readonly guard?: (request: HarmfulRequest) => Promise<void>;
  readonly onChange?: ChangeObserver;
}

/** A request that stops work or loses data; `what` names the object, if known: `stop vms/web01`. */
export interface HarmfulRequest {
  readonly method: string;
  readonly path: string;
  readonly call?: Pick<Call, 'what'>;
}

const json: MediaType = 'application/json';
const skip = { unknown: 'skip' } as const;
const defaultApiVersion = '4';

export class Client {
  readonly #options: ClientOptions;
  #correlationId: string | undefined;
  /** Ids of the objects that this command has created: harm to them needs no confirmation. */
  readonly #owned = new Set<string>();

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Goes with everything that this client changes: events and jobs can be found by it. */
  get correlationId(): string {
    this.#correlationId ??= `vmctl-${crypto.randomUUID().slice(0, 13)}`;
    return this.#correlationId;
  }

  /** Goes on under the id of an earlier command, whose work this one continues. */
  correlateWith(id: string): void {
    this.#correlationId = id;
  }

  /** Lets this command harm an object that an earlier command created for it, without confirmation. */
  own(id: string): void {
    this.#owned.add(id);
  }

  /** Where the service is; signs in first when nobody has. */
  async site(): Promise<Site> {
    return (await this.#options.session.current()).site;
  }

  /** What is special about the service on the wire. */
  async dialect(): Promise<Dialect> {
    return dialects[(await this.site()).dialect];
  }

  /** The connections, for what is neither a call nor a raw request: image transfers. */
  get http(): Http {
    return this.#options.http;
  }

  /** Calls an operation that returns a list. */
  async list(call: Call): Promise<ApiObject[]> {
    const answer = await this.#call(call);
    return this.#read(call, answer, (media, body) =>
      decodeList(media, body, call.operation.type, skip),
    );
  }

  /**
   * Calls an operation that returns a list, and hands out its objects as they come: a list of any
   * length takes no more memory than a piece of it.
   */
  stream(call: Call): AsyncGenerator<readonly ApiObject[]> {
    return this.#pieces(call, (media, bytes) =>
      decodeList(media, bytes, call.operation.type, skip),
    );
  }

  /** The objects of a list as they come, and as they are on the wire: see `fetchUndecoded`. */
  streamUndecoded(call: Call): AsyncGenerator<readonly ApiObject[]> {
    return this.#pieces(call, (media, bytes) =>
      media === json ? listItems(bytes) : decodeList(media, bytes, call.operation.type, skip),
    );
  }

  async *#pieces(
    call: Call,
    decode: (media: MediaType, bytes: Uint8Array) => readonly ApiObject[],
  ): AsyncGenerator<readonly ApiObject[]> {
    const answer = await this.#call(call, true);
    const whole = (body: Uint8Array) => this.#read(call, answer, decode, body);
    const splitter = new ListSplitter(tagOf(call.operation.type));
    const isXml = /xml/i.test(answer.headers['content-type'] ?? '');
    const gathered: Uint8Array[] = [];
    let isList = false;
    let size = 0;
    for await (const { bytes: piece, isAll } of inPieces(answer.stream ?? [answer.body])) {
      isList ||= !isXml && gathered.length === 0 && piece[0] === 0x7b;
      const all = isList && isAll ? readable(() => whole(piece)) : undefined;
      if (all) {
        if (all.length > 0) yield all;
        return;
      }
      const items = isList ? splitter.push(piece) : undefined;
      if (!isList) size += piece.length;
      if (size > maxBodyLength) throw responseTooLong(maxBodyLength);
      if (!isList) gathered.push(piece);
      else if (items) yield whole(items);
    }
    if (!isList) yield whole(Buffer.concat(gathered));
    else if (!splitter.isComplete) whole(splitter.left);
  }

  /** The body that answers a reading operation, byte for byte, in pieces. */
  async *bytes(call: Call): AsyncGenerator<Uint8Array> {
    const answer = await this.#call(call, true);
    yield* answer.stream ?? [answer.body];
  }

  /** The answer of a reading operation as the server writes it in XML, in pieces. */
  async *xml(call: Call): AsyncGenerator<string> {
    const headers = { ...call.headers, accept: 'application/xml' };
    const answer = await this.#call({ ...call, headers }, true);
    const type = answer.headers['content-type'] ?? '';
    if (!/xml/i.test(type)) {
      throw new ServerError(
        `${whatOf(call)}: the service answers with ${type || 'no content type'} instead of XML`,
        {
          code: 'bad_answer',
          status: answer.status,
          hint: 'remove -o xml',
        },
      );
    }
    const decoder = new TextDecoder();
    for await (const chunk of answer.stream ?? [answer.body]) {
      yield decoder.decode(chunk, { stream: true });
    }
    yield decoder.decode();
  }

  /**
   * The objects that a reading operation returns, as they are on the wire: enough for ids and
   * names, and quicker than reading everything else about them.
   */
  async fetchUndecoded(call: Call): Promise<readonly ApiObject[]> {
    const answer = await this.#call(call);
    if (/xml/i.test(answer.headers['content-type'] ?? '')) {
      const isList = call.operation.name === 'list';
      return this.#read(call, answer, (media, body) => {
        const { type } = call.operation;
        return isList
          ? decodeList(media, body, type, skip)
          : [decodeObject(media, body, type, skip)];
      });
    }
    if (call.operation.name === 'list') return listItems(answer.body);
    return [JSON.parse(textOf(answer.body)) as ApiObject];
  }

  /** Calls an operation that returns an object, or nothing: then the object is empty. */
  async object(call: Call): Promise<ApiObject> {
    const answer = await this.#call(call);
    if (answer.body.length === 0) return {};
    return this.#read(call, answer, (media, body) =>
      decodeObject(media, body, call.operation.type, skip),
    );
  }

  /** Runs an action, or removes an object: returns the action document of the answer. */
  async action(call: Call): Promise<ApiObject> {
    const answer = await this.#call(call);
    const done = this.#read(call, answer, (media, body) =>
      decodeAction(media, body, undefined, skip),
    );
    const fault = done['fault'] as { reason?: string; detail?: string } | undefined;
    if (fault !== undefined || done['status'] === 'failed') {
      throw new ConflictError(
        `${whatOf(call)}: ${faultMessage(fault) ?? 'the operation failed without a reason'}`,
        {
          code: 'action_failed',
          status: answer.status,
          request: { method: call.operation.http, path: pathOf(call) },
          ...(fault ? { fault } : {}),
          hint: 'vmctl events list',
        },
      );
    }
    return done;
  }

  /** Sends any request with the token; the answer is returned whatever its status is. */
  async raw(request: RawRequest): Promise<HttpResponse> {
    const { http, readOnly, guard, onChange } = this.#options;
    if (readOnly && !isReading(request.method) && !http.isDryRun) {
      throw readOnlyError(request);
    }
    if (isReading(request.method) || http.isDryRun) return await this.#send(request);
    if (guard && doesHarm(request, await this.site(), this.#owned)) await guard(request);
    const observed = await onChange?.(this, request);
    try {
      const answer = await this.#send(request);
      if (guard && request.method === 'POST') this.#ownCreated(request, answer);
      observed?.(answer);
      return answer;
    } catch (error) {
      observed?.(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
  }

  /** Remembers the object that a request has created; an id in the request names one that existed before. */
  #ownCreated(request: RawRequest, { status, body }: HttpResponse): void {
    if (status !== 201 && status !== 202) return;
    const { id } = readable(() => JSON.parse(textOf(body)) as ApiObject) ?? {};
    const sent = Buffer.from(request.body ?? '').toString('utf8');
    if (typeof id === 'string' && !sent.includes(id)) this.#owned.add(id);
  }

  async #send(request: RawRequest): Promise<HttpResponse> {
    const { session, http, apiVersion } = this.#options;
    let kept = await session.current();
    for (let repeated = false; ; repeated = true) {
      const answer = await http.send({
        method: request.method,
        origin: kept.site.origin,
        path: absolutePath(kept.site, request.path),
        headers: {
          ...(apiVersion === undefined ? {} : { version: apiVersion }),
          ...request.headers,
          authorization: `Bearer ${kept.token}`,
        },
        ...(request.body === undefined ? {} : { body: request.body }),
        ...(request.signal ? { signal: request.signal } : {}),
        ...(request.isPrimary ? { isPrimary: true } : {}),
        ...(request.isStreamed ? { isStreamed: true } : {}),
      });
      // Nothing was done for a refused token, so that even a POST may be sent once more.
      if (answer.status !== 401 || repeated || answer.foreignOrigin !== undefined) return answer;
      kept = await session.renew(kept.token);
    }
  }

  async #call(call: Call, isStreamed = false): Promise<HttpResponse> {
    const { operation } = call;
    const path = pathOf(call);
    this.#options.onStep?.(whatOf(call));
    const request = { ...(await this.#requestOf(call)), isStreamed };
    const answer = await this.raw(request).catch((error: unknown) => {
      if (!(error instanceof DryRunStop)) throw error;
      throw new DryRunStop(error.requests.map((request) => ({ ...request, call })));
    });
    if (answer.status >= 200 && answer.status < 300) return answer;
    const error = errorFromResponse(answer, {
      request: { method: operation.http, origin: '', path },
      what: whatOf(call),
      ...nounOf(operation),
      isAction: operation.isAction || operation.name === 'remove',
    });
    if (error instanceof AuthError && answer.foreignOrigin !== undefined) {
      throw new AuthError(`the server redirects to ${answer.foreignOrigin} for sign-in`, {
        hint: `vmctl login ${answer.foreignOrigin}`,
      });
    }
    throw error;
  }

  async #requestOf(call: Call): Promise<RawRequest> {
    const body = await this.#encode(call);
    return {
      method: call.operation.http,
      path: pathOf(call),
      headers: {
        accept: json,
        version: this.#options.apiVersion ?? defaultApiVersion,
        ...(body === undefined ? {} : { 'content-type': json }),
        ...(call.operation.http === 'GET' ? {} : { 'correlation-id': this.correlationId }),
        ...call.headers,
      },
      ...(body === undefined ? {} : { body }),
      ...(call.signal ? { signal: call.signal } : {}),
      ...(call.isPrimary ? { isPrimary: true } : {}),
      call,
    };
  }

  async #encode({ operation, body }: Call): Promise<string | undefined> {
    if (operation.isAction) return encodeAction(json, body ?? {}, await this.dialect());
    if (body === undefined) return undefined;
    if (operation.http === 'DELETE') return encodeAction(json, body, await this.dialect());
    if (Array.isArray(body)) {
      return encodeList(json, body, operation.type, await this.dialect());
    }
    return encodeObject(json, body, operation.type, await this.dialect());
  }

  #read<T>(
    call: Call,
    answer: HttpResponse,
    decode: (media: MediaType, body: Uint8Array) => T,
    body = answer.body,
  ): T {
    const type = answer.headers['content-type'] ?? '';
    try {
      return decode(/xml/i.test(type) ? 'application/xml' : json, body);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      throw new ServerError(`${whatOf(call)}: cannot read the response: ${error.message}`, {
        code: 'bad_answer',
        status: answer.status,
        request: { method: call.operation.http, path: pathOf(call) },
        hint: 'check that the address is the service, not a proxy or web page: vmctl api GET /',
        cause: error,
      });
    }
  }
}

/** What is made of an answer; undefined where it is none as a whole, so that what is whole in it comes first. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function textOf(body: Uint8Array): string {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
}

/** The list in a JSON document, whatever it is called. */
function listItems(body: Uint8Array): readonly ApiObject[] {
  const parsed = JSON.parse(textOf(body)) as ApiObject;
  const list = Object.values(parsed).find((value) => Array.isArray(value));
  return (list ?? []) as readonly ApiObject[];
}
