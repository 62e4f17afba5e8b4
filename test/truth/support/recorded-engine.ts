/** Recorded engine as a service: each GET request gets the response of the recorded session. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { operationAt, segmentsBelow } from '../../../src/client/harm.ts';
import { dialects } from '../../../src/model/dialect.ts';
import type { Operation } from '../../../src/model/index.ts';
import {
  decodeList,
  decodeObject,
  encodeList,
  encodeObject,
  type MediaType,
} from '../../../src/wire/index.ts';

/** A recorded step with a request. */
export interface RecordedStep {
  readonly name: string;
  readonly method: string;
  /** Path with the query, from the root of the origin. */
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: string | null;
}

export const recordedBase = '/ovirt-engine/api';

/** Unknown id in the steps of the session. */
export const recordedUnknownId = '99999999-2222-3333-4444-555555555555';

/** All recorded requests with a response, in order. */
export function recordedSteps(): readonly RecordedStep[] {
  const file = new URL('../engine.jsonl.gz', import.meta.url);
  const [, ...lines] = gunzipSync(readFileSync(file)).toString().trim().split('\n');
  return lines
    .map((line) => JSON.parse(line) as RecordedStep)
    .filter(({ url, status }) => url !== undefined && status > 0);
}

/** Content type of a response without its parameters. */
export function typeOfStep({ headers }: RecordedStep): string {
  const [type] = [headers['content-type'] ?? ''].flat();
  return (type ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

export interface RecordedObjects {
  readonly operation: Operation;
  /** Whether the response is one object instead of a list. */
  readonly single: boolean;
  readonly items: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Objects of a successful read, as the tool decodes them; `undefined` for other steps. Throws a
 * `WireError` if the tool cannot read the response.
 */
export function decodeObjects(step: RecordedStep): RecordedObjects | undefined {
  const media = typeOfStep(step);
  // The recording omits the longest responses, and masks an element name in one.
  const body = step.body ?? '';
  if (step.method !== 'GET' || step.status !== 200 || body === '' || body.includes('<***>'))
    return undefined;
  if (media !== 'application/json' && media !== 'application/xml') return undefined;
  const site = { ...dialects.ovirt, origin: 'http://recorded', dialect: 'ovirt' } as const;
  const segments = segmentsBelow(site, step.url);
  const operation = segments && operationAt('GET', segments);
  if (!operation) return undefined;
  const read = { unknown: 'skip' } as const;
  return operation.name === 'list'
    ? { operation, single: false, items: decodeList(media, body, operation.type, read) }
    : { operation, single: true, items: [decodeObject(media, body, operation.type, read)] };
}

/** Last response of the recorded engine to each GET. */
export class RecordedEngine {
  readonly #answers = new Map<string, RecordedStep>();

  constructor(steps: readonly RecordedStep[]) {
    for (const step of steps) {
      if (step.method === 'GET' && step.status < 500 && (step.status !== 200 || step.body))
        this.#answers.set(step.url, step);
    }
  }

  /**
   * Status, content type and body for a path below the API root, in a format; `undefined` if the
   * session never read the path. Objects recorded in the other format are converted.
   */
  answer(
    path: string,
    media: MediaType,
  ): { status: number; type: string; body: string } | undefined {
    const step = this.#answers.get(recordedBase + (path === '/' ? '' : path));
    if (!step) return undefined;
    const [type, body, { status }] = [typeOfStep(step), step.body ?? '', step];
    const read = type === media ? undefined : decodeObjects(step);
    if (!read) return { status, type, body };
    const { operation, single, items } = read;
    const text = single
      ? encodeObject(media, items[0] ?? {}, operation.type, dialects.ovirt)
      : encodeList(media, items, operation.type, dialects.ovirt);
    return { status, type: media, body: text };
  }
}
