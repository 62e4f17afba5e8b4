/** Detection of requests that proxies may interpret differently (request smuggling). */
import type { IncomingMessage } from 'node:http';

/** Status and explanation of a refusal, after which the connection must close. */
export interface Ambiguity {
  readonly status: 400 | 501;
  readonly detail: string;
}

/** Finds an ambiguous length of the body (RFC 9112, section 6) or an ambiguous host. */
export function findAmbiguity(request: IncomingMessage): Ambiguity | undefined {
  const { headers, httpVersion } = request;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    return { status: 501, detail: 'The only supported transfer coding is chunked.' };
  }
  if (coding !== undefined && httpVersion !== '1.1') {
    return { status: 400, detail: 'Transfer codings require HTTP/1.1.' };
  }
  const hosts = countHosts(request);
  if (hosts > 1) return { status: 400, detail: 'Several Host headers.' };
  if (hosts === 0 && httpVersion !== '1.0') {
    return { status: 400, detail: 'The Host header is missing.' };
  }
  return undefined;
}

/** Number of Host headers. Two of them can bypass proxies that check only one. */
function countHosts({ rawHeaders }: IncomingMessage): number {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}
