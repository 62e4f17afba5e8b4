/**
 * Sessions of TLS that are kept between commands, one file per server, for its owner only: the next
 * command need not look at certificates, which is a third of what a short one costs.
 */
import * as fs from 'node:fs';
import { sep } from 'node:path';
import type { Trust } from '../../client/http.ts';
import { parseLifetime, type TlsSessions } from '../../client/tls-sessions.ts';
import type { CommandContext } from './command-context.ts';
import { makePrivateDirectory, readPrivate, replaceFile } from './private-file.ts';

/** Milliseconds after which the certificate is looked at again, however often the session is renewed. */
const longest = 3_600_000;
/** So soon before its end a session is not begun with any more. */
const margin = 5_000;
/** Refusals in a row after which a server is known to go on with no session. */
const enough = 2;
/** Milliseconds for which that is remembered: servers are set up anew. */
const remembered = 86_400_000;

interface Kept {
  readonly origin: string;
  /** What the certificate was verified with. */
  readonly trust: string;
  readonly session?: string;
  /** When the certificate was verified. */
  readonly verified: number;
  /** When it ends. */
  readonly until: number;
  /** How often in a row the server went on with no session. */
  readonly refusals: number;
}

/**
 * The sessions of one server. Those that began with another trust count for nothing. That they cannot be
 * kept is no failure.
 */
export function tlsSessionFile(
  { paths, isDryRun }: Pick<CommandContext, 'paths' | 'isDryRun'>,
  server: string,
  trust: Trust,
): TlsSessions & { readonly forget: () => void } {
  const directory = `${paths.stateDirectory}${sep}tls`;
  const name = server.replace(/^https:\/\//, '').replaceAll(/[^\w.-]/g, '_');
  const file = `${directory}${sep}${name}.json`;
  let fingerprint: string | undefined;
  const trusted = () => (fingerprint ??= fingerprintOf(trust));
  let before: Kept | undefined;
  const read = (origin: string): Kept | undefined => {
    const kept = parse(file);
    const isOurs = kept?.origin === origin && kept.trust === trusted() && kept.until > Date.now();
    return isOurs ? kept : undefined;
  };
  const write = (kept: Kept) => {
    if (isDryRun) return;
    try {
      makePrivateDirectory(directory);
      replaceFile(file, JSON.stringify(kept), 0o600, 'soon');
    } catch {
      // The next command looks at the certificate again.
    }
  };
  return {
    load: (origin) => {
      before = read(origin);
      return before?.session === undefined ? undefined : Buffer.from(before.session, 'base64');
    },
    save: (origin, session, isVerified) => {
      const now = Date.now();
      before ??= read(origin);
      const refusals = isVerified ? (before?.refusals ?? 0) : 0;
      const verified = isVerified ? now : (before?.verified ?? 0);
      if (refusals >= enough) return;
      const until = Math.min(now + parseLifetime(session) * 1_000 - margin, verified + longest);
      if (until <= now) return;
      const text = session.toString('base64');
      write({ origin, trust: trusted(), session: text, verified, until, refusals });
    },
    refuse: (origin) => {
      const now = Date.now();
      const refusals = (before?.refusals ?? 0) + 1;
      before = { origin, trust: trusted(), verified: now, until: now + remembered, refusals };
      write(before);
    },
    forget: () => fs.rmSync(file, { force: true }),
  };
}

function parse(file: string): Kept | undefined {
  try {
    return JSON.parse(readPrivate(file, 'secret') ?? 'null') ?? undefined;
  } catch {
    // It is made anew.
    return undefined;
  }
}

/** What decides whether a certificate is believed, and by whom it is read. */
function fingerprintOf({ ca }: Trust): string {
  const { NODE_EXTRA_CA_CERTS, NODE_OPTIONS, SSL_CERT_FILE, SSL_CERT_DIR } = process.env;
  const environment = [NODE_EXTRA_CA_CERTS, NODE_OPTIONS, SSL_CERT_FILE, SSL_CERT_DIR];
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256')
    .update(JSON.stringify([process.version, ca ?? null, ...environment]))
    .digest('base64');
}
