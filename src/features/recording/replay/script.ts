/** The answers of a recording: each request gets its own in the order in which they were recorded. */
import type { Exchange } from '../../../recording/exchange.ts';
import { acceptedMedia } from '../../../server/api/request.ts';
import { Refusal } from '../../../server/core/fault.ts';
import { type ComparedRequest, comparedRequest, described } from './request-key.ts';

interface Line {
  readonly exchange: Exchange;
  readonly media: string;
  isUsed: boolean;
}

/** Failures that a client sees as a connection that ends without an answer. */
const silent: ReadonlySet<string> = new Set(['connection_lost', 'timeout']);

/** Recorded requests that are named to whoever asks for another one. */
const shownNear = 5;

export class Script {
  readonly #lines = new Map<string, Line[]>();
  readonly #requests: readonly ComparedRequest[];

  /** @param apiRoot path of the API root: `/virt-app/api` */
  constructor(exchanges: readonly Exchange[], apiRoot: string) {
    const requests = new Map<string, ComparedRequest>();
    for (const exchange of exchanges) {
      const { request, response, failure } = exchange;
      if (!response && !silent.has(failure?.code ?? '')) continue;
      const text = request.body && 'text' in request.body ? request.body.text : '';
      const compared = compareSafely(request, text, apiRoot);
      if (!compared) continue;
      const key = keyOf(compared);
      const media = response?.headers['content-type'] ?? '';
      const lines = this.#lines.get(key) ?? [];
      lines.push({ exchange, media, isUsed: false });
      this.#lines.set(key, lines);
      requests.set(described(compared), compared);
    }
    this.#requests = [...requests.values()];
  }

  /** How many different requests it knows. */
  get size(): number {
    return this.#lines.size;
  }

  /** Begins anew with the first answer of each request. */
  rewind(): void {
    for (const lines of this.#lines.values()) for (const line of lines) line.isUsed = false;
  }

  /**
   * The next answer of a request, the last one again for those that only read. One in the representation
   * that the client asks for comes before others. Throws a `Refusal` where nothing is recorded.
   */
  next(request: ComparedRequest, accept: string | undefined): Exchange {
    const reads = ['GET', 'HEAD', 'OPTIONS'].includes(request.method);
    const all =
      this.#lines.get(keyOf(request)) ??
      (request.method === 'HEAD' ? this.#lines.get(keyOf({ ...request, method: 'GET' })) : []) ??
      [];
    if (all.length === 0) throw this.#unknown(request);
    const wanted = acceptedMedia(accept) ?? '';
    const fitting = all.filter(({ media }) => wanted !== '' && media.startsWith(wanted));
    const lines = fitting.length > 0 ? fitting : all;
    const line = lines.find(({ isUsed }) => !isUsed) ?? (reads ? lines.at(-1) : undefined);
    if (!line) {
      const times = all.length === 1 ? 'once' : `${all.length} times`;
      throw notRecorded(
        `${described(request)} was recorded ${times}; all responses were used. ` +
          'POST /_vmctl/reset restarts the recording.',
      );
    }
    line.isUsed = true;
    return line.exchange;
  }

  #unknown(request: ComparedRequest): Refusal {
    const text = described(request);
    const same = this.#requests.some((one) => described(one) === text);
    if (same) return notRecorded(`${text} was recorded with another body.`);
    const near = this.#requests
      .map((one) => ({ text: described(one), distance: distanceOf(one, request) }))
      .sort((one, other) => one.distance - other.distance)
      .slice(0, shownNear)
      .map((one) => one.text);
    const known =
      near.length > 0 ? `Similar requests: ${near.join(', ')}.` : 'The recording is empty.';
    return notRecorded(`${text} was not recorded. ${known}`);
  }
}

/** 501: it is no failure of the request, and nothing that could be missing. */
function notRecorded(sentence: string): Refusal {
  return new Refusal(501, 'Not Recorded', `This is a replay: ${sentence}`);
}

function keyOf({ method, path, query, body }: ComparedRequest): string {
  return JSON.stringify([method, path, query, body]);
}

function compareSafely(
  request: Exchange['request'],
  text: string,
  apiRoot: string,
): ComparedRequest | undefined {
  try {
    return comparedRequest(request, text, apiRoot);
  } catch (error) {
    // What was refused when it was recorded is refused again, without the recording.
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** How different two requests are: words of the path weigh more than parameters. */
function distanceOf(one: ComparedRequest, other: ComparedRequest): number {
  const words = (text: string) => new Set(text.split(/[/&]/).filter((word) => word !== ''));
  const apart = (a: Set<string>, b: Set<string>) =>
    [...a].filter((word) => !b.has(word)).length + [...b].filter((word) => !a.has(word)).length;
  return (
    4 * apart(words(one.path), words(other.path)) +
    apart(words(one.query), words(other.query)) +
    (one.method === other.method ? 0 : 2)
  );
}
