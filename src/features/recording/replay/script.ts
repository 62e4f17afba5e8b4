/** Responses of a recording: each request receives its responses in the recorded order. */
import type { Exchange } from '../../../recording/exchange.ts';
import { acceptedMedia } from '../../../server/api/request.ts';
import { Refusal } from '../../../server/core/fault.ts';
import { describeRequest, type NormalizedRequest, normalizeRequest } from './request-key.ts';

interface ScriptLine {
  readonly exchange: Exchange;
  readonly media: string;
  isUsed: boolean;
}

/** Failures that a client sees as a closed connection without a response. */
const silentFailures: ReadonlySet<string> = new Set(['connection_lost', 'timeout']);

/** Number of similar requests in the error for an unknown request. */
const shownNear = 5;

export class RecordedScript {
  readonly #lines = new Map<string, ScriptLine[]>();
  readonly #requests: readonly NormalizedRequest[];

  /** @param apiRoot path of the API root: `/virt-app/api` */
  constructor(exchanges: readonly Exchange[], apiRoot: string) {
    const requests = new Map<string, NormalizedRequest>();
    for (const exchange of exchanges) {
      const { request, response, failure } = exchange;
      if (!response && !silentFailures.has(failure?.code ?? '')) continue;
      const text = request.body && 'text' in request.body ? request.body.text : '';
      const compared = normalizeIfValid(request, text, apiRoot);
      if (!compared) continue;
      const key = requestKey(compared);
      const media = response?.headers['content-type'] ?? '';
      const lines = this.#lines.get(key) ?? [];
      lines.push({ exchange, media, isUsed: false });
      this.#lines.set(key, lines);
      requests.set(describeRequest(compared), compared);
    }
    this.#requests = [...requests.values()];
  }

  /** Number of different requests. */
  get size(): number {
    return this.#lines.size;
  }

  /** Restarts with the first response of each request. */
  rewind(): void {
    for (const lines of this.#lines.values()) for (const line of lines) line.isUsed = false;
  }

  /**
   * Next response to a request. Read requests repeat the last response. Prefers responses in the
   * media type that the client accepts. Throws a `Refusal` if nothing is recorded.
   */
  next(request: NormalizedRequest, accept: string | undefined): Exchange {
    const reads = ['GET', 'HEAD', 'OPTIONS'].includes(request.method);
    const all =
      this.#lines.get(requestKey(request)) ??
      (request.method === 'HEAD'
        ? this.#lines.get(requestKey({ ...request, method: 'GET' }))
        : []) ??
      [];
    if (all.length === 0) throw this.#unknown(request);
    const wanted = acceptedMedia(accept) ?? '';
    const fitting = all.filter(({ media }) => wanted !== '' && media.startsWith(wanted));
    const lines = fitting.length > 0 ? fitting : all;
    const line = lines.find(({ isUsed }) => !isUsed) ?? (reads ? lines.at(-1) : undefined);
    if (!line) {
      const times = all.length === 1 ? 'once' : `${all.length} times`;
      throw notRecorded(
        `${describeRequest(request)} was recorded ${times}; all responses were used. ` +
          'POST /_vmctl/reset restarts the recording.',
      );
    }
    line.isUsed = true;
    return line.exchange;
  }

  #unknown(request: NormalizedRequest): Refusal {
    const text = describeRequest(request);
    const same = this.#requests.some((one) => describeRequest(one) === text);
    if (same) return notRecorded(`${text} was recorded with another body.`);
    const near = this.#requests
      .map((one) => ({ text: describeRequest(one), distance: computeDistance(one, request) }))
      .sort((one, other) => one.distance - other.distance)
      .slice(0, shownNear)
      .map((one) => one.text);
    const known =
      near.length > 0 ? `Similar requests: ${near.join(', ')}.` : 'The recording is empty.';
    return notRecorded(`${text} was not recorded. ${known}`);
  }
}

/** Status 501, which differs from all errors of the recorded service. */
function notRecorded(sentence: string): Refusal {
  return new Refusal(501, 'Not Recorded', `This is a replay: ${sentence}`);
}

function requestKey({ method, path, query, body }: NormalizedRequest): string {
  return JSON.stringify([method, path, query, body]);
}

function normalizeIfValid(
  request: Exchange['request'],
  text: string,
  apiRoot: string,
): NormalizedRequest | undefined {
  try {
    return normalizeRequest(request, text, apiRoot);
  } catch (error) {
    // The listener refuses these requests again without the recording.
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** Distance of two requests: path segments weigh more than parameters. */
function computeDistance(one: NormalizedRequest, other: NormalizedRequest): number {
  const words = (text: string) => new Set(text.split(/[/&]/).filter((word) => word !== ''));
  const apart = (a: Set<string>, b: Set<string>) =>
    [...a].filter((word) => !b.has(word)).length + [...b].filter((word) => !a.has(word)).length;
  return (
    4 * apart(words(one.path), words(other.path)) +
    apart(words(one.query), words(other.query)) +
    (one.method === other.method ? 0 : 2)
  );
}
