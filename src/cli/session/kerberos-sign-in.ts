/** Sign-in with a Kerberos ticket: curl has the GSS-API that Node lacks. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getErrorCode } from '../../caught-errors.ts';
import { type Site, siteUrl } from '../../client/address.ts';
import {
  AuthError,
  ConnectionError,
  TrustError,
  UsageError,
  type VmctlError,
} from '../../client/errors.ts';
import type { Trust } from '../../client/http.ts';
import { parseTokenReply, type StoredToken } from '../../client/session.ts';
import { dialects } from '../../model/dialect.ts';
import type { CommandContext } from './command-context.ts';
import { withoutSecrets } from './credentials.ts';

/** Grant for an authentication by HTTP headers (Negotiate). */
const grant = 'urn:ovirt:params:oauth:grant-type:http';

const ticketHint = 'check the ticket with klist; get one with kinit';

/** Time limit of the request in seconds. */
const maxSeconds = 60;

/** Exit codes of curl. */
const curlCodes = { unsupported: [2, 4], unreachable: [5, 6, 7, 28], untrusted: [35, 51, 58, 60] };

/**
 * Requests a token with the ticket of the user, which curl finds as other programs do (`klist`).
 * Throws `AuthError` if the service refuses it, and `UsageError` without curl.
 */
export async function signInWithKerberos(
  cli: CommandContext,
  site: Site,
  trust: Trust,
): Promise<StoredToken> {
  const folder = mkdtempSync(join(tmpdir(), 'vmctl-kerberos-'));
  try {
    const { code, stdout, stderr } = await runCurl(cli, createArguments(site, trust, folder));
    const what = `sign in with Kerberos at ${siteUrl(site)}`;
    if (code !== 0) throw createCurlError(what, code, stderr.trim());
    const [, body = '', status = '0'] = /^([\s\S]*)\n(\d+)$/.exec(stdout) ?? [];
    const token = Number(status) === 200 ? parseTokenReply(body, site) : undefined;
    if (token) return token;
    throw createRefusal(what, Number(status));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function createArguments(site: Site, { ca, insecure }: Trust, folder: string): readonly string[] {
  const file = join(folder, 'ca.pem');
  if (ca !== undefined) writeFileSync(file, ca);
  const form = new URLSearchParams({ grant_type: grant, scope: dialects[site.dialect].scope });
  return [
    // A file with options of the user could print headers or follow redirections.
    '--disable',
    ...['--silent', '--show-error', '--max-time', String(maxSeconds)],
    ...['--negotiate', '--user', ':', '--proto', '=https'],
    ...(insecure ? ['--insecure'] : ca === undefined ? [] : ['--cacert', file]),
    ...['--header', 'Accept: application/json', '--data', form.toString()],
    ...['--write-out', '\n%{http_code}'],
    `${site.origin}${site.appRoot}/sso/oauth/token-http-auth`,
  ];
}

interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function runCurl({ io, signal }: CommandContext, words: readonly string[]): Promise<Result> {
  const { spawn } = process.getBuiltinModule('node:child_process');
  return await new Promise((resolve, reject) => {
    const child = spawn('curl', words, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: withoutSecrets(io.env),
      signal,
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('error', (error) => {
      if (getErrorCode(error) !== 'ENOENT') reject(signal.aborted ? signal.reason : error);
      else {
        reject(
          new UsageError('the sign-in with Kerberos needs curl, which is not on the PATH', {
            code: 'no_curl',
            hint: 'install curl with support for GSS-API (curl --version lists it)',
          }),
        );
      }
    });
    child.once('close', (code) => resolve({ code: code ?? 1, stdout, stderr }));
  });
}

function createCurlError(what: string, code: number, message: string): VmctlError {
  const reason = message.replace(/^curl: (\(\d+\) )?/, '') || `curl exited with ${code}`;
  if (curlCodes.unsupported.includes(code)) {
    return new UsageError(`${what}: this curl has no GSS-API: ${reason}`, {
      code: 'no_curl',
      hint: 'install curl with support for GSS-API (curl --version lists it)',
    });
  }
  if (curlCodes.unreachable.includes(code)) {
    return new ConnectionError(`${what}: ${reason}`, {
      retryable: true,
      hint: 'check the address and the network',
    });
  }
  if (curlCodes.untrusted.includes(code)) {
    return new TrustError(`${what}: ${reason}`, {
      hint: 'check and trust the certificate with vmctl login, or use --ca-file FILE',
    });
  }
  return new AuthError(`${what}: ${reason}`, { hint: ticketHint });
}

function createRefusal(what: string, status: number): AuthError {
  if (status === 401) {
    return new AuthError(`${what}: the service does not accept the ticket`, {
      status,
      code: 'access_denied',
      hint: ticketHint,
    });
  }
  return new AuthError(`${what}: HTTP status ${status}`, {
    status,
    hint: 'the service may not support Kerberos; use --username',
  });
}
