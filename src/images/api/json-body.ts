/** Small JSON request bodies. */
import { isRecord } from '../../records.ts';
import { jsonPosition, type Step } from '../../source-place.ts';
import { bodyText, WireError } from '../../wire/body.ts';
import { parseJsonDocument } from '../../wire/json-parser.ts';
import { HttpError } from '../http/errors.ts';
import type { Exchange } from '../http/exchange.ts';

const BODY_LIMIT = 64 << 10;

export interface JsonBody {
  readonly value: unknown;
  /** `LINE:COLUMN` of the value at a path, or of its deepest existing parent. */
  readonly position: (steps: readonly Step[]) => string;
}

/**
 * Reads and parses the complete body. In an object, numbers with a fraction or exponent become NaN,
 * because sizes are integers and rounding would turn 4096.0000000000001 into one. Throws 400 with
 * the position for syntax errors, duplicate members and forbidden characters, and 413 for a body of
 * more than 64 KiB.
 */
export async function readJson(exchange: Exchange): Promise<JsonBody> {
  const bytes = await readBytes(exchange);
  try {
    const text = bodyText(bytes);
    const value = withPlainNumbers(parseJsonDocument(text), text);
    return { value, position: (steps) => jsonPosition(text, steps) };
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new HttpError(400, `The body is not valid JSON: ${error.message}.`);
  }
}

/**
 * Top-level members without bigints, which are too large for sizes, and without rounded numbers.
 */
function withPlainNumbers(value: unknown, text: string): unknown {
  if (!isRecord(value)) return value;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === 'bigint') value[name] = Number(member);
  }
  for (const name of inexactMembers(text)) value[name] = Number.NaN;
  return value;
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/** Names of top-level members with numbers other than plain integers. */
function inexactMembers(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  let key = '';
  let before = '';
  for (const [word] of text.matchAll(token)) {
    if (word === '{' || word === '[') depth += 1;
    else if (word === '}' || word === ']') depth -= 1;
    else if (depth === 1 && word === ':') key = before;
    else if (depth === 1 && /^-?\d/.test(word) && /[.eE]/.test(word)) {
      names.push(String(JSON.parse(key)));
    }
    before = word;
  }
  return names;
}

async function readBytes(exchange: Exchange): Promise<Buffer> {
  const { request } = exchange;
  const tooLarge = new HttpError(413, `The body is larger than ${BODY_LIMIT} bytes.`);
  if (Number(request.headers['content-length'] ?? 0) > BODY_LIMIT) throw tooLarge;
  const chunks: Buffer[] = [];
  let length = 0;
  await exchange.receive<void>((resolve, reject) => {
    request.once('end', resolve);
    request.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length <= BODY_LIMIT) return;
      request.pause();
      reject(tooLarge);
    });
  });
  return Buffer.concat(chunks);
}
