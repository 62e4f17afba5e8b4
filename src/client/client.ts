/** Client for the operations of the model. */
import { toError } from '../caught-errors.ts';
import { type Dialect, dialects } from '../model/dialect.ts';
import { getTag, type Operation } from '../model/index.ts';
import type { ActionAnswer } from '../model/resource.ts';
import type { TypeName } from '../model/resources/index.ts';
import { toRecord } from '../records.ts';
import {
  decodeAction,
  decodeList,
  decodeObject,
  encodeAction,
  encodeList,
  encodeObject,
  type MediaType,
  readFault,
  WireError,
} from '../wire/index.ts';
import { absolutePath, type Site } from './address.ts';
import {
  type ApiObject,
  buildPath,
  type Call,
  describeCall,
  getRootNoun,
  type ObjectOf,
} from './call.ts';
import { DryRunStop, isReading } from './dry-run.ts';
import { AuthError, ConflictError, readOnlyError, ServerError } from './errors.ts';
import { doesHarm, type HarmfulRequest } from './harm.ts';
import type { Http } from './http.ts';
import type { HttpResponse } from './http-message.ts';
import { inPieces, ListSplitter } from './list-splitter.ts';
import { maxBodyLength, responseTooLong } from './response-body.ts';
import { errorFromResponse, faultMessage } from './response-errors.ts';
import type { Session, StoredToken } from './session.ts';
import { decodeText, listItems, parseUndecoded } from './undecoded.ts';

export type { ApiObject, Call, ObjectOf, QueryValue } from './call.ts';

export interface RawRequest {
  readonly method: string;
  /** Path below the API root (`/vms`), or absolute path on the same server. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  readonly isPrimary?: boolean;
  readonly isStreamed?: boolean;
  /** Call of the model that produced the request, if any. */
  readonly call?: Call;
}

/**
 * Called before each changing request. The returned function receives the result. Neither may
 * throw.
 */
export type ChangeObserver = (
  client: Client,
  request: RawRequest,
) => Promise<(outcome: HttpResponse | Error) => void>;

export interface ClientOptions {
  readonly http: Http;
  readonly session: Pick<Session, 'current' | 'renew'>;
  /** Refuses all requests except GET and HEAD. */
  readonly readOnly?: boolean;
  /** Major version of the API to request (default 4, specification 9). */
  readonly apiVersion?: string;
  /** Called before each attempt with its description: `start vms/web01`. */
  readonly onStep?: (what: string) => void;
  /** Called before each harmful request. Throws to refuse it. */
  readonly guard?: (request: HarmfulRequest) => Promise<void>;
  readonly onChange?: ChangeObserver;
}

const json: MediaType = 'application/json';
const skip = { unknown: 'skip' } as const;
const defaultApiVersion = '4';

export class Client {
  /** Major version of the API that requests select. */
  readonly apiVersion: string;
  readonly #options: ClientOptions;
  #correlationId: string | undefined;
  /** Ids of objects that this command created. Harmful requests for them need no confirmation. */
  readonly #owned = new Set<string>();

  constructor(options: ClientOptions) {
    this.#options = options;
    this.apiVersion = options.apiVersion ?? defaultApiVersion;
  }

  /** Correlation id of all changes of this client, to find events and jobs. */
  get correlationId(): string {
    this.#correlationId ??= `vmctl-${crypto.randomUUID().slice(0, 13)}`;
    return this.#correlationId;
  }

  /** Uses the correlation id of an earlier command that this command continues. */
  correlateWith(id: string): void {
    this.#correlationId = id;
  }

  /** Exempts an object from confirmation because an earlier command created it for this one. */
  own(id: string): void {
    this.#owned.add(id);
  }

  /** Site of the service. Signs in if the session has no token. */
  async site(): Promise<Site> {
    return (await this.#options.session.current()).site;
  }

  /** Token of the session. After a successful request, it is valid. */
  async token(): Promise<StoredToken> {
    return await this.#options.session.current();
  }

  /** Dialect of the service. */
  async dialect(): Promise<Dialect> {
    return dialects[(await this.site()).dialect];
  }

  /** HTTP layer for image transfers, which are neither calls nor raw requests. */
  get http(): Http {
    return this.#options.http;
  }

  /** Calls an operation that returns a list. */
  async list<T extends TypeName>(call: Call<T>): Promise<ObjectOf<T>[]> {
    const answer = await this.#call(call);
    return this.#read(call, answer, (media, body) => decodeObjects(media, body, call.operation));
  }

  /**
   * Calls an operation that returns a list, and yields objects while they arrive. Memory does not
   * depend on the length of the list.
   */
  stream<T extends TypeName>(call: Call<T>): AsyncGenerator<readonly ObjectOf<T>[]> {
    return this.#pieces(call, (media, body) => decodeObjects(media, body, call.operation));
  }

  /** Same as `stream`, without decoding: see `fetchUndecoded`. */
  streamUndecoded(call: Call): AsyncGenerator<readonly ApiObject[]> {
    return this.#pieces(call, (media, bytes) =>
      media === json ? listItems(bytes) : decodeList(media, bytes, call.operation.type, skip),
    );
  }

  async *#pieces<O>(
    call: Call,
    decode: (media: MediaType, bytes: Uint8Array) => readonly O[],
  ): AsyncGenerator<readonly O[]> {
    const answer = await this.#call(call, true);
    const whole = (body: Uint8Array) => this.#read(call, answer, decode, body);
    const splitter = new ListSplitter(getTag(call.operation.type));
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
    else if (!splitter.isComplete) whole(splitter.remainder);
  }

  /** Response body of a reading operation, verbatim, in chunks. */
  async *bytes(call: Call): AsyncGenerator<Uint8Array> {
    const answer = await this.#call(call, true);
    yield* answer.stream ?? [answer.body];
  }

  /** XML response of a reading operation, verbatim, in chunks. */
  async *xml(call: Call): AsyncGenerator<string> {
    const headers = { ...call.headers, accept: 'application/xml' };
    const answer = await this.#call({ ...call, headers }, true);
    const type = answer.headers['content-type'] ?? '';
    if (!/xml/i.test(type)) {
      throw new ServerError(
        `${describeCall(call)}: the service answers with ${type || 'no content type'} instead of XML`,
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

  /** Objects of a reading operation without decoding. Sufficient for ids and names, and faster. */
  async fetchUndecoded(call: Call): Promise<readonly ApiObject[]> {
    const answer = await this.#call(call);
    const { name, type } = call.operation;
    return this.#read(call, answer, (media, body) => {
      if (media === json) return name === 'list' ? listItems(body) : [parseUndecoded(body)];
      return name === 'list'
        ? decodeList(media, body, type, skip)
        : [decodeObject(media, body, type, skip)];
    });
  }

  /** Calls an operation that returns an object. Returns an empty object for an empty response. */
  async object<T extends TypeName>(call: Call<T>): Promise<ObjectOf<T>> {
    const answer = await this.#call(call);
    const { type } = call.operation;
    return this.#read(call, answer, (media, body) => {
      // The decoder validates all values by the type.
      return (body.length === 0 ? {} : decodeObject(media, body, type, skip)) as ObjectOf<T>;
    });
  }

  /** Runs an action or removes an object. Returns the action document of the response. */
  async action(call: Call): Promise<ActionAnswer> {
    const answer = await this.#call(call);
    const done: ActionAnswer = this.#read(call, answer, (media, body) =>
      decodeAction(media, body, undefined, skip),
    );
    const fault = done.fault === undefined ? undefined : (readFault(done.fault) ?? {});
    if (fault !== undefined || done.status === 'failed') {
      throw new ConflictError(
        `${describeCall(call)}: ${faultMessage(fault) ?? 'the operation failed without a reason'}`,
        {
          code: 'action_failed',
          status: answer.status,
          request: { method: call.operation.http, path: buildPath(call) },
          ...(fault ? { fault } : {}),
          hint: 'vmctl events list',
        },
      );
    }
    return done;
  }

  /** Sends any request with the token. Returns responses of any status. */
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
      observed?.(toError(error));
      throw error;
    }
  }

  /** Records the id of a created object. An id in the request names an existing object. */
  #ownCreated(request: RawRequest, { status, body }: HttpResponse): void {
    if (status !== 201 && status !== 202) return;
    const { id } = toRecord(readable((): unknown => JSON.parse(decodeText(body))));
    const sent = Buffer.from(request.body ?? '').toString('utf8');
    if (typeof id === 'string' && !sent.includes(id)) this.#owned.add(id);
  }

  async #send(request: RawRequest): Promise<HttpResponse> {
    const { session, http, apiVersion } = this.#options;
    let stored = await session.current();
    for (let repeated = false; ; repeated = true) {
      const answer = await http.send({
        method: request.method,
        origin: stored.site.origin,
        path: absolutePath(stored.site, request.path),
        headers: {
          ...(apiVersion === undefined ? {} : { version: apiVersion }),
          ...request.headers,
          authorization: `Bearer ${stored.token}`,
        },
        ...(request.body === undefined ? {} : { body: request.body }),
        ...(request.signal ? { signal: request.signal } : {}),
        ...(request.isPrimary ? { isPrimary: true } : {}),
        ...(request.isStreamed ? { isStreamed: true } : {}),
      });
      // A refused token changed nothing, so even a POST can be sent again.
      if (answer.status !== 401 || repeated || answer.foreignOrigin !== undefined) return answer;
      stored = await session.renew(stored.token);
    }
  }

  async #call(call: Call, isStreamed = false): Promise<HttpResponse> {
    const { operation } = call;
    const path = buildPath(call);
    this.#options.onStep?.(describeCall(call));
    const request = { ...(await this.#buildRequest(call)), isStreamed };
    const answer = await this.raw(request).catch((error: unknown) => {
      if (!(error instanceof DryRunStop)) throw error;
      throw new DryRunStop(error.requests.map((request) => ({ ...request, call })));
    });
    if (answer.status >= 200 && answer.status < 300) return answer;
    const error = errorFromResponse(answer, {
      request: { method: operation.http, origin: '', path },
      what: describeCall(call),
      ...getRootNoun(operation),
      isAction: operation.isAction || operation.name === 'remove',
    });
    if (error instanceof AuthError && answer.foreignOrigin !== undefined) {
      throw new AuthError(`the server redirects to ${answer.foreignOrigin} for sign-in`, {
        hint: `vmctl login ${answer.foreignOrigin}`,
      });
    }
    throw error;
  }

  async #buildRequest(call: Call): Promise<RawRequest> {
    const body = await this.#encode(call);
    return {
      method: call.operation.http,
      path: buildPath(call),
      headers: {
        accept: json,
        version: this.apiVersion,
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
      throw new ServerError(`${describeCall(call)}: cannot read the response: ${error.message}`, {
        code: 'bad_answer',
        status: answer.status,
        request: { method: call.operation.http, path: buildPath(call) },
        hint: 'check that the address is the service, not a proxy or web page: vmctl api GET /',
        cause: error,
      });
    }
  }
}

function decodeObjects<T extends TypeName>(
  media: MediaType,
  body: Uint8Array,
  { type }: Operation<T>,
): ObjectOf<T>[] {
  // The decoder validates all values by the type.
  return decodeList(media, body, type, skip) as ObjectOf<T>[];
}

/**
 * Result of a reader, or `undefined` if the body is incomplete: its complete objects are processed
 * first.
 */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
