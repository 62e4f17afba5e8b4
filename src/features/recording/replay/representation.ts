/** Conversion of recorded responses to the media type that a client accepts. */
import type { Dialect } from '../../../model/dialect.ts';
import type { Operation } from '../../../model/index.ts';
import type { RecordedResponse } from '../../../recording/exchange.ts';
import { acceptedMedia, contentMedia } from '../../../server/api/request.ts';
import { Refusal } from '../../../server/core/fault.ts';
import {
  decodeAction,
  decodeFault,
  decodeList,
  decodeObject,
  encodeAction,
  encodeFault,
  encodeList,
  encodeObject,
  type MediaType,
  WireError,
} from '../../../wire/index.ts';

const skip = { unknown: 'skip' } as const;

export interface Representation {
  readonly contentType: string | undefined;
  readonly text: string;
}

/**
 * Text of a response: as recorded if the client accepts it, otherwise converted. Throws a `Refusal`
 * with status 406 if no conversion is possible.
 */
export function representResponse(
  { status, headers }: RecordedResponse,
  text: string,
  accept: string | undefined,
  operation: Operation | undefined,
  dialect: Dialect,
): Representation {
  const contentType = headers['content-type'];
  const recorded = contentMedia(contentType);
  const plain = { contentType, text };
  const wanted = acceptedMedia(accept);
  if (recorded === undefined || recorded === wanted || acceptsMedia(accept, recorded)) return plain;
  if (wanted === undefined) {
    throw new Refusal(406, 'Not Acceptable', `This is a replay: the response is ${recorded}.`);
  }
  const converted = convert(text, recorded, wanted, status, operation, dialect);
  if (converted === undefined) {
    throw new Refusal(
      406,
      'Not Acceptable',
      `This is a replay: the response was recorded as ${recorded} and cannot be converted to ${wanted}.`,
    );
  }
  const charset = wanted === 'application/xml' ? ';charset=UTF-8' : '';
  return { contentType: `${wanted}${charset}`, text: converted };
}

/** Whether a client accepts a media type, even with a lower quality. */
function acceptsMedia(accept: string | undefined, media: MediaType): boolean {
  if (accept === undefined || accept.trim() === '') return true;
  return accept.split(',').some((part) => {
    const [range = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase());
    const quality = Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1);
    return [media, 'application/*', '*/*'].includes(range) && quality > 0;
  });
}

function convert(
  text: string,
  from: MediaType,
  to: MediaType,
  status: number,
  operation: Operation | undefined,
  dialect: Dialect,
): string | undefined {
  const ways: readonly (() => string | undefined)[] = [
    () => {
      if (!operation || operation.isAction || status >= 400) return undefined;
      const { type } = operation;
      return operation.name === 'list'
        ? encodeList(to, decodeList(from, text, type, skip), type, dialect)
        : encodeObject(to, decodeObject(from, text, type, skip), type, dialect);
    },
    () => {
      const fault = status >= 400 ? decodeFault(from, text) : undefined;
      // An action contains its fault.
      return fault && !operation?.isAction ? encodeFault(to, fault, dialect) : undefined;
    },
    () => encodeAction(to, decodeAction(from, text, undefined, skip), dialect),
    () => {
      const fault = decodeFault(from, text);
      return fault && encodeFault(to, fault, dialect);
    },
  ];
  for (const way of ways) {
    try {
      const converted = way();
      if (converted !== undefined) return converted;
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
    }
  }
  return undefined;
}
