/** Small JSON documents as bodies of requests. */

import { HttpError } from '../http/errors.ts';
import type { Exchange } from '../http/exchange.ts';

const BODY_LIMIT = 64 << 10;

/**
 * Reads the whole body as JSON. Numbers of an object that are written with a fraction or an exponent
 * become NaN: sizes are whole, and rounding would turn 4096.0000000000001 into one. Throws 400 for what
 * is no JSON, 413 as soon as it is too long.
 */
export async function readJson(exchange: Exchange): Promise<unknown> {
  const text = await readText(exchange);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new HttpError(400, 'The body must be a JSON object.');
  }
  if (typeof value === 'object' && value !== null) {
    const fields = value as Record<string, unknown>;
    for (const name of inexactMembers(text)) fields[name] = Number.NaN;
  }
  return value;
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

async function readText(exchange: Exchange): Promise<string> {
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
  return Buffer.concat(chunks).toString('utf8');
}
