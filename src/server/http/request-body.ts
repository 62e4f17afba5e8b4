/** Request bodies: limits of size and time, and decoding. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  announcesBody,
  awaitsContinue,
  discardBody,
  lingerMs,
  onBodyFailure,
  sendContinue,
} from '../../http-listener/request-body.ts';
import type { Dialect } from '../../model/dialect.ts';
import type { Operation } from '../../model/index.ts';
import {
  type DecodeOptions,
  decodeAction,
  decodeList,
  decodeObject,
  type MediaType,
} from '../../wire/index.ts';
import { type ApiRequest, contentMedia } from '../api/request.ts';
import { requireAllowedDocument } from '../core/allowed-text.ts';
import { Refusal } from '../core/fault.ts';
import type { StoredObject } from '../store/kinds.ts';
import { ClientGone } from './send.ts';

export interface BodyLimits {
  /** Bytes of all bodies in memory, and of those from one address. */
  readonly total: number;
  readonly perAddress: number;
  /** Bytes of the total that are reserved for bodies of at most `small` bytes. */
  readonly reserve: number;
  readonly small: number;
  /** Milliseconds without a byte. */
  readonly silence: number;
  /** Minimum average bytes per second after the first `grace` milliseconds. */
  readonly slowest: number;
  readonly grace: number;
  /** Simultaneous bodies from one address that may take longer than a second. */
  readonly slowPerAddress: number;
}

const mebibyte = 2 ** 20;

export const defaultBodyLimits: BodyLimits = {
  total: 64 * mebibyte,
  perAddress: 32 * mebibyte,
  reserve: 16 * mebibyte,
  small: 64 * 2 ** 10,
  silence: 7_000,
  slowest: 256,
  grace: 7_000,
  slowPerAddress: 64,
};

/** Milliseconds between checks of incomplete bodies. */
const sweepInterval = 1_000;

interface Reading {
  readonly address: string;
  readonly began: number;
  last: number;
  received: number;
  readonly fail: (error: Error) => void;
}

/** Bodies that the server reads. */
export class RequestBodies {
  readonly #limits: BodyLimits;
  readonly #now: () => number;
  readonly #readings = new Set<Reading>();
  readonly #inMemoryOf = new Map<string, number>();
  #inMemory = 0;
  #sweep: NodeJS.Timeout | undefined;

  /** @param now milliseconds of a monotonic clock */
  constructor(limits: BodyLimits = defaultBodyLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Bytes of bodies in memory. */
  get inMemory(): number {
    return this.#inMemory;
  }

  /**
   * Reads the body of a request, and sends 100 Continue if the client waits for it. Refuses with
   * 408 (too slow), 413 (too large), 415 (compressed) or 503 (too many bodies). Throws
   * `ClientGone` if the client closes the connection.
   */
  async read(
    request: IncomingMessage,
    response: ServerResponse,
    maximum: number,
  ): Promise<Uint8Array> {
    if (!announcesBody(request)) return new Uint8Array();
    if (Number(request.headers['content-length'] ?? 0) > maximum) throw tooLarge(maximum);
    refuseCompressed(request);
    sendContinue(request, response);
    return this.#gather(request, maximum);
  }

  #gather(request: IncomingMessage, maximum: number): Promise<Uint8Array> {
    const address = request.socket.remoteAddress ?? '';
    const began = this.#now();
    // The state of a site can exceed the total, and only its administrator may send one.
    const isCounted = maximum <= this.#limits.perAddress;
    return new Promise<Uint8Array>((resolve, reject) => {
      const pieces: Uint8Array[] = [];
      let stopListening = () => {};
      const settle = () => {
        this.#readings.delete(reading);
        if (isCounted) this.#count(address, -reading.received);
        request.off('data', take).off('end', done).off('close', gone).off('error', gone);
        stopListening();
      };
      const fail = (error: Error) => {
        settle();
        request.pause();
        reject(error);
      };
      const reading: Reading = { address, began, last: began, received: 0, fail };
      const take = (piece: Uint8Array) => {
        if (reading.received + piece.length > maximum) return fail(tooLarge(maximum));
        if (isCounted && !this.#fits(reading, piece.length)) return fail(tooMuchAtOnce());
        reading.received += piece.length;
        reading.last = this.#now();
        if (isCounted) this.#count(address, piece.length);
        pieces.push(piece);
      };
      const done = () => {
        settle();
        resolve(pieces.length === 1 ? (pieces[0] ?? new Uint8Array()) : Buffer.concat(pieces));
      };
      const gone = () => fail(new ClientGone(address));
      this.#readings.add(reading);
      this.#watch();
      request.on('data', take).once('end', done).once('close', gone).once('error', gone);
      stopListening = onBodyFailure(request, (failure) => {
        if (failure === 'ended') gone();
        else fail(malformed());
      });
    });
  }

  #fits({ address, received }: Reading, more: number): boolean {
    const { total, perAddress, reserve, small } = this.#limits;
    const isSmall = received + more <= small;
    const ofAddress = (this.#inMemoryOf.get(address) ?? 0) + more;
    if (this.#inMemory + more > (isSmall ? total : total - reserve)) return false;
    return isSmall || ofAddress <= perAddress;
  }

  #count(address: string, bytes: number): void {
    this.#inMemory += bytes;
    const left = (this.#inMemoryOf.get(address) ?? 0) + bytes;
    if (left > 0) this.#inMemoryOf.set(address, left);
    else this.#inMemoryOf.delete(address);
  }

  #watch(): void {
    this.#sweep ??= setInterval(() => this.sweep(), sweepInterval).unref();
  }

  /** Refuses bodies that are too slow. Runs once per second while bodies are incomplete. */
  sweep(): void {
    if (this.#readings.size === 0) {
      clearInterval(this.#sweep);
      this.#sweep = undefined;
      return;
    }
    const now = this.#now();
    const { silence, slowest, grace, slowPerAddress } = this.#limits;
    const slow = new Map<string, Reading[]>();
    for (const reading of this.#readings) {
      const age = now - reading.began;
      if (age < sweepInterval) continue;
      const crawls = age > grace && reading.received / age < slowest / 1_000;
      if (now - reading.last > silence || crawls) {
        reading.fail(tooSlow());
        continue;
      }
      const same = slow.get(reading.address);
      if (same) same.push(reading);
      else slow.set(reading.address, [reading]);
    }
    for (const readings of slow.values()) {
      if (readings.length <= slowPerAddress) continue;
      // Bodies with progress continue.
      const rate = ({ received, began }: Reading) => received / (now - began);
      readings.sort((a, b) => rate(b) - rate(a));
      for (const reading of readings.slice(slowPerAddress)) reading.fail(tooSlow());
    }
  }
}

/** Milliseconds to wait for the remainder of a short unused body before the response. */
const shortWait = 100;
/**
 * Handles an unread body. A short one is read and dropped, so that the connection stays open.
 * Otherwise the connection closes after the response, and the result is a function to await before
 * that.
 */
export async function passOver(
  request: IncomingMessage,
  response: ServerResponse,
  small = defaultBodyLimits.small,
): Promise<(() => Promise<void>) | undefined> {
  if (request.complete || !announcesBody(request)) return undefined;
  const waits = awaitsContinue(request);
  const announced = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  if (!waits && announced <= small && (await discardBody(request, shortWait))) return undefined;
  response.setHeader('Connection', 'close');
  return waits ? undefined : async () => void (await discardBody(request, lingerMs));
}

function refuseCompressed({ headers }: IncomingMessage): void {
  const coding = headers['content-encoding']?.trim().toLowerCase();
  if (coding === undefined || coding === '' || coding === 'identity') return;
  throw new Refusal(
    415,
    'Unsupported Media Type',
    'Compressed request bodies are not supported; send it without Content-Encoding.',
  );
}

function malformed(): Refusal {
  return new Refusal(400, 'Request syntactically incorrect.', 'The body is not valid HTTP.');
}

function tooLarge(maximum: number): Refusal {
  return new Refusal(
    413,
    'Request Entity Too Large',
    `The body is larger than the limit of ${maximum} bytes.`,
  );
}

function tooMuchAtOnce(): Refusal {
  return new Refusal(
    503,
    'Service Unavailable',
    'Too many large request bodies are in progress. Try again later.',
    { headers: { 'Retry-After': '1' } },
  );
}

function tooSlow(): Refusal {
  return new Refusal(408, 'Request Timeout', 'Timeout while reading the request body.');
}

/** Limit of most documents, which have a few KiB. */
const defaultLimit = mebibyte;
/** Limit of documents with scripts, icons or OVF configurations, and of actions. */
const largeLimit = 4 * mebibyte;
const large: ReadonlySet<string> = new Set([
  'vm',
  'template',
  'instance_type',
  'vm_pool',
  'snapshot',
  'icon',
]);

/** Maximum bytes of the body of an operation. */
function largestBody({ isAction, type }: Operation): number {
  return isAction || large.has(type) ? largeLimit : defaultLimit;
}

/** Whether an operation uses a body. */
export function takesBody({ http, body }: Operation): boolean {
  return http === 'POST' || http === 'PUT' || body.length > 0;
}

/**
 * Reads and decodes the body of a request. Refuses with 400, 413 or 415. An action without
 * parameters needs neither a body nor a content type.
 */
export async function readDocument(
  request: ApiRequest,
  operation: Operation,
  { engineRefusals }: Dialect,
): Promise<StoredObject | StoredObject[]> {
  const contentType = request.header('content-type');
  const media = contentMedia(contentType);
  const mayBeEmpty = (operation.isAction && !engineRefusals) || operation.http === 'DELETE';
  // An unknown type is refused even without a body: pages of other sites can send such requests
  // without a CORS preflight.
  if (!media && (!mayBeEmpty || contentType !== undefined)) throw unknownType();
  if (engineRefusals && isTextXml(contentType)) throw unknownType();
  const body = await request.readBody(largestBody(operation));
  if (body.length === 0 && mayBeEmpty) return {};
  if (!media) throw unknownType();
  const document = decode(media, body, operation, engineRefusals ? engineReading : {});
  requireAllowedDocument(document);
  return document;
}

/** An engine ignores unknown elements. */
const engineReading: DecodeOptions = { unknown: 'skip-elements' };

function decode(
  media: MediaType,
  body: Uint8Array,
  { http, isAction, listBody, type, body: members }: Operation,
  options: DecodeOptions,
): StoredObject | StoredObject[] {
  if (http === 'DELETE' && isList(media, body, type)) {
    // The objects to remove can be sent without an action.
    const [member = ''] = members;
    return { [member]: decodeList(media, body, type, options) };
  }
  if (isAction || http === 'DELETE') return decodeAction(media, body, undefined, options);
  if (listBody && isList(media, body, type)) return decodeList(media, body, type, options);
  return decodeObject(media, body, type, options);
}

/** Bricks can be sent as a list or as a single object. */
function isList(media: MediaType, body: Uint8Array, type: string): boolean {
  try {
    decodeList(media, body, type);
    return true;
  } catch {
    return false;
  }
}

function isTextXml(contentType: string | undefined): boolean {
  return contentType?.split(';')[0]?.trim().toLowerCase() === 'text/xml';
}

function unknownType(): Refusal {
  return new Refusal(
    415,
    'Unsupported Media Type',
    'The Content-Type must be application/xml or application/json.',
  );
}
