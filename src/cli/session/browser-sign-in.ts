/** Sign-in in the browser: a loopback server that receives the authorization code. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Site } from '../../client/address.ts';
import {
  type CodeAttempt,
  createCodeAttempt,
  exchangeCode,
  type OAuthClient,
} from '../../client/authorization-code.ts';
import { AuthError } from '../../client/errors.ts';
import type { Http } from '../../client/http.ts';
import type { StoredToken } from '../../client/session.ts';
import type { CommandContext } from './command-context.ts';
import { openBrowser } from './open-browser.ts';

/** Time limit for the user in milliseconds. */
const patience = 5 * 60_000;

interface BrowserOptions {
  readonly site: Site;
  readonly client: OAuthClient;
  /** Only prints the URL. */
  readonly noBrowser: boolean;
}

/** Signs in with the browser of the user. Throws `AuthError` if the service or the user refuses. */
export async function signInWithBrowser(
  cli: CommandContext,
  http: Http,
  { site, client, noBrowser }: BrowserOptions,
): Promise<StoredToken> {
  // Loaded on use: the start of other commands must not load it.
  const { createServer } = process.getBuiltinModule('node:http');
  const server = createServer();
  const port = await listen(server);
  try {
    const attempt = createCodeAttempt(site, client, `http://127.0.0.1:${port}/callback`);
    const received = receiveCode(server, attempt, cli.signal);
    if (noBrowser) cli.note(`open this page on this computer to sign in: ${attempt.url}`);
    else {
      cli.note(`waiting for the sign-in in the browser (Ctrl-C cancels): ${attempt.url}`);
      openBrowser(cli, attempt.url);
    }
    return await exchangeCode(http, site, client, { code: await received, attempt });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/**
 * Waits for the redirection with the code. Requests with another state do not end the wait: any page
 * can send them.
 */
async function receiveCode(
  server: Server,
  attempt: CodeAttempt,
  signal: AbortSignal,
): Promise<string> {
  signal.throwIfAborted();
  const limit = AbortSignal.timeout(patience);
  return await new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    limit.addEventListener('abort', () =>
      reject(
        new AuthError('the sign-in in the browser took longer than 5 minutes', {
          code: 'sign_in_timeout',
          hint: 'run vmctl login --web again',
        }),
      ),
    );
    server.on('request', (request, response) => {
      const answer = readAnswer(request, attempt);
      if (answer === undefined) {
        respond(response, 400, 'This is not the answer to the sign-in of vmctl.');
        return;
      }
      if ('code' in answer) respond(response, 200, 'Signed in. You can close this page.');
      else respond(response, 200, 'Not signed in. The terminal shows the reason.');
      // The response has to leave before the server closes its connections.
      response.once('close', () =>
        'code' in answer ? resolve(answer.code) : reject(answer.error),
      );
    });
  });
}

/** Code or error in a redirection; undefined for other requests. */
function readAnswer(
  { method, url = '', headers }: IncomingMessage,
  { state, redirect }: CodeAttempt,
): { readonly code: string } | { readonly error: AuthError } | undefined {
  const expected = new URL(redirect);
  // Another host name points to this server only in an attack (DNS rebinding).
  if (method !== 'GET' || headers.host !== expected.host || !url.startsWith('/')) return undefined;
  const { pathname, searchParams } = new URL(`${expected.origin}${url}`);
  if (pathname !== expected.pathname || searchParams.get('state') !== state) return undefined;
  const code = searchParams.get('code');
  if (code) return { code };
  // An engine uses other names for its errors.
  const reason =
    searchParams.get('error_description') ??
    searchParams.get('error') ??
    searchParams.get('error_code');
  if (reason === null) return undefined;
  return {
    error: new AuthError(`the service refused the sign-in: ${reason}`, {
      code: 'access_denied',
      hint: 'run vmctl login --web again',
    }),
  };
}

function respond(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'Cache-Control': 'no-store',
    Connection: 'close',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Content-Type': 'text/html;charset=UTF-8',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(
    `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>vmctl</title>\n<p>${text}</p>\n</html>\n`,
  );
}
