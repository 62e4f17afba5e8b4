// Small JSON documents as bodies of requests.
import type { Exchange } from '../http/exchange.ts';
import { HttpError } from '../http/http-error.ts';

const BODY_LIMIT = 64 << 10;

/** Reads the whole body as JSON. Throws 400 for what is none, 413 as soon as it is too long. */
export async function readJson(exchange: Exchange): Promise<unknown> {
  const text = await readText(exchange);
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, 'The body must be a JSON object.');
  }
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
