/** PATCH: zeroes a range, or flushes. */

import { isRecord } from '../../records.ts';
import { HttpError, outOfBounds } from '../http/errors.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Operation } from '../tickets/ticket.ts';
import { readJson } from './json-body.ts';
import type { Services } from './services.ts';

/** Bytes to zero between two checks of the ticket. */
const ZERO_STEP = 256 * 2 ** 20;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Runs the operation in the body and answers with 200. Checks the ticket before the body, so that
 * unauthorized clients learn nothing. Throws 400, 403, 413, 416, 500, 507.
 */
export async function patchImage(
  exchange: Exchange,
  services: Services,
  id: string,
): Promise<void> {
  const live = services.tickets.find(id);
  live.check('write');
  exchange.authorised(live);
  const fields = requireFields((await readJson(exchange)).value);
  const operation = live.begin('write');
  try {
    if (fields['op'] === 'zero') await zero(operation, fields);
    else if (fields['op'] === 'flush') await operation.flush();
    else throw new HttpError(400, "Field op must be 'zero' or 'flush'.");
  } finally {
    operation.finish();
  }
  await exchange.answer(200, {});
}

async function zero(operation: Operation, fields: Fields): Promise<void> {
  const offset = count(fields, 'offset', 0);
  const size = count(fields, 'size');
  const flush = Object.hasOwn(fields, 'flush') ? fields['flush'] : false;
  if (typeof flush !== 'boolean') throw new HttpError(400, 'Field flush must be true or false.');
  const end = offset + size;
  if (end > operation.ticket.size) throw outOfBounds(operation.ticket.size, 'The range');
  const backend = await operation.backend();
  const change = operation.live.writtenDigests.begin(offset, end);
  try {
    for (let start = offset; start < end; start += ZERO_STEP) {
      operation.check();
      const length = Math.min(ZERO_STEP, end - start);
      await backend.zero(start, length);
      operation.transferred(start, start + length);
    }
  } finally {
    change.end();
  }
  if (flush) await operation.flush();
}

/** Reads a nonnegative integer. The field is mandatory if the default is `undefined`. */
function count(fields: Fields, name: string, byDefault?: number): number {
  const value = Object.hasOwn(fields, name) ? fields[name] : byDefault;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) {
    throw new HttpError(400, `Field ${name} must be an integer that is not negative.`);
  }
  return value;
}

function requireFields(value: unknown): Fields {
  if (!isRecord(value)) throw new HttpError(400, 'The body must be a JSON object.');
  return value;
}
