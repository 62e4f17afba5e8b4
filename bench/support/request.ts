/** One request over TLS, with the complete response. */
import { type Agent, type RequestOptions, request } from 'node:https';

export interface Answer {
  readonly contentType: string;
  readonly body: Buffer;
}

/** Sends a request. Throws unless it succeeds. */
export function ask(
  agent: Agent,
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<Answer> {
  const more =
    body === undefined
      ? {}
      : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) };
  const options: RequestOptions = { agent, method, headers: { ...headers, ...more } };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        const all = Buffer.concat(pieces);
        const status = response.statusCode ?? 0;
        if (status >= 200 && status < 300) {
          resolve({ contentType: response.headers['content-type'] ?? '', body: all });
        } else reject(new Error(`${method} ${url}: ${status} ${all.toString().slice(0, 500)}`));
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
