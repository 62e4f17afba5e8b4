/** Small JSON documents as bodies of requests. */
import { jsonPosition, type Step } from '../../source-place.ts';
import { bodyText, WireError } from '../../wire/body.ts';
import { parseJsonDocument } from '../../wire/json-parser.ts';
import { HttpError } from '../http/errors.ts';
import type { Exchange } from '../http/exchange.ts';

const BODY_LIMIT = 64 << 10;

export interface JsonBody {
  readonly value: unknown;
  /** `LINE:COLUMN` of the value at a path, or of its deepest parent that the body has. */
  readonly position: (steps: readonly Step[]) => string;
}

/**
 * Reads the complete body as JSON. Numbers of an object that are written with a fraction or an exponent
 * become NaN: sizes are whole, and rounding would turn 4096.0000000000001 into one. Throws 400 with the position
 * for syntax errors, duplicate members and forbidden characters, 413 if the body is longer than 64 KiB.
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

/** The members of the outermost object without bigints, which no size can be, and without rounded numbers. */
function withPlainNumbers(value: unknown, text: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields = value as Record<string, unknown>;
  for (const [name, member] of Object.entries(fields)) {
    if (typeof member === 'bigint') fields[name] = Number(member);
  }
  for (const name of inexactMembers(text)) fields[name] = Number.NaN;
  return fields;
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/** Names of the members of the outermost object whose values are numbers, but not plain integers. */
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
      names.push(JSON.parse(key) as string);
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
