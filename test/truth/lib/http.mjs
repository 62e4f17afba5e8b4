// HTTP connection to the server: sequential requests, with cookies and tokens only on request of a
// step.
import http from 'node:http';
import https from 'node:https';
import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';

const unpack = (bytes, encoding) => {
  if (encoding === 'gzip') return gunzipSync(bytes);
  if (encoding === 'deflate')
    return (bytes[0] & 0x0f) === 8 ? inflateSync(bytes) : inflateRawSync(bytes);
  return bytes;
};

export class Connection {
  /**
   * `serverName` is the name in the server certificate, if it differs from the host in `origin`.
   */
  constructor(origin, { ca, serverName } = {}) {
    this.origin = new URL(origin);
    this.module = this.origin.protocol === 'http:' ? http : https;
    const isAddress = /^[\d.]+$|^\[/.test(this.origin.hostname);
    this.agent = new this.module.Agent({
      keepAlive: true,
      maxSockets: 1,
      ca,
      servername: serverName ?? (isAddress ? '' : this.origin.hostname),
    });
  }

  /** Sends one request; resolves to {status, reason, headers, body} or {error}; never rejects. */
  send({ method, path, headers = {}, body, timeout = 60_000 }) {
    return new Promise((resolve) => {
      const bytes = body === undefined ? undefined : Buffer.from(body, 'utf8');
      const sent = {
        ...headers,
        ...(bytes && !('content-length' in headers)
          ? { 'content-length': String(bytes.length) }
          : {}),
      };
      const request = this.module.request(
        {
          host: this.origin.hostname.replace(/^\[|\]$/g, ''),
          port: this.origin.port || undefined,
          agent: this.agent,
          method,
          path,
          headers: sent,
          timeout,
        },
        (response) => {
          const parts = [];
          response.on('data', (part) => parts.push(part));
          response.on('error', (problem) => resolve({ error: problem.code ?? problem.message }));
          response.on('end', () => {
            let text;
            try {
              text = unpack(Buffer.concat(parts), response.headers['content-encoding']).toString(
                'utf8',
              );
            } catch (problem) {
              text = `(content-encoding ${response.headers['content-encoding']} cannot be undone: ${problem.message})`;
            }
            resolve({
              status: response.statusCode,
              reason: response.statusMessage,
              headers: response.headers,
              body: text,
            });
          });
        },
      );
      request.on('timeout', () => request.destroy(new Error('timeout')));
      request.on('error', (problem) => resolve({ error: problem.code ?? problem.message }));
      if (bytes) request.write(bytes);
      request.end();
    });
  }

  close() {
    this.agent.destroy();
  }
}

/** Requests a token with the OAuth password grant. */
export async function signIn(connection, { app, user, password, scope }) {
  const answer = await connection.send({
    method: 'POST',
    path: `${app}/sso/oauth/token`,
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'password',
      scope,
      username: user,
      password,
    }).toString(),
  });
  if (answer.error) throw new Error(`cannot reach ${connection.origin.href}: ${answer.error}`);
  try {
    const token = JSON.parse(answer.body).access_token;
    if (token) return token;
  } catch {
    /* reported below */
  }
  throw new Error(`no token: ${answer.status} ${answer.reason} ${answer.body.slice(0, 300)}`);
}
