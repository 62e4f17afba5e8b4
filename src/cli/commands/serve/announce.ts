/** Announcement of a running server: ready file, shell exports and messages. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { UsageError } from '../../../client/errors.ts';
import { shellQuote } from '../../../client/shell-quote.ts';
import type { RunningServer } from '../../../server/main.ts';
import { type Environment, type Output, write } from '../../session/io.ts';
import { writeReadyFile } from '../../session/private-file.ts';
import type { ServeFlags } from './options.ts';

/** Running server; a server of recordings has no image daemon. */
export interface AnnouncedServer extends Omit<RunningServer, 'uploadUrl'> {
  readonly uploadUrl: string | undefined;
  /** Whether the server has no data and refuses changes. */
  readonly isReadOnly?: boolean;
  /** Description in one line for people. */
  readonly nature: string;
}

/** Environment variables of other servers, which do not apply to this one. */
export const otherServerVariables = [
  'VMCTL_TOKEN',
  'VMCTL_PASSWORD_FILE',
  'VMCTL_CONTEXT',
  'VMCTL_INSECURE',
] as const;

/**
 * Writes the ready file if requested. It contains the path of the password file, not the password.
 */
export function writeReady(server: AnnouncedServer, flags: ServeFlags): void {
  if (flags.readyFile === undefined) return;
  const ready = {
    base_url: server.baseUrl,
    api_url: server.apiUrl,
    auth_url: server.authUrl,
    upload_url: server.uploadUrl ?? null,
    ca_file: server.caFile,
    ca_fingerprint: readFingerprint(server.caFile),
    username: server.username,
    password_file: flags.passwordFile ?? server.passwordFile ?? null,
    pid: process.pid,
  };
  writeReadyFile(flags.readyFile, ready, 0o644);
}

/** Variables that the shell exports set. */
export const exportedNames = [
  'VMCTL_URL',
  'VMCTL_USERNAME',
  'VMCTL_PASSWORD',
  'VMCTL_CA_FILE',
  'VMCTL_SERVE_PID',
] as const;

type ClientVariable = Exclude<(typeof exportedNames)[number], 'VMCTL_SERVE_PID'>;

/**
 * Returns the variables with which a client finds the server and signs in. Throws `UsageError` if
 * the password of the site is unknown.
 */
export function createEnvironment(server: AnnouncedServer): Record<ClientVariable, string> {
  if (server.password === '') {
    throw new UsageError(`the password of ${server.username} is that of the site, unknown here`, {
      hint: 'use --password-file FILE',
    });
  }
  return {
    VMCTL_URL: server.baseUrl,
    VMCTL_USERNAME: server.username,
    VMCTL_PASSWORD: server.password,
    VMCTL_CA_FILE: server.caFile,
  };
}

/** Prints shell exports for clients, and unsets variables of other servers. */
export async function writeExports(
  stdout: Output,
  variables: Readonly<Record<string, string>>,
  pid: number,
  env: Environment,
): Promise<void> {
  const misleading = otherServerVariables.filter((name) => env[name]);
  const lines = [
    ...(misleading.length > 0 ? [`unset ${misleading.join(' ')}`] : []),
    ...Object.entries(variables).map(([name, value]) => `export ${name}=${shellQuote(value)}`),
    `export VMCTL_SERVE_PID=${pid}`,
  ];
  await write(stdout, `${lines.join('\n')}\n`);
}

/** Fingerprint of the certificate authority, in the form of `vmctl login`. */
function readFingerprint(caFile: string): string {
  return new X509Certificate(readFileSync(caFile)).fingerprint256;
}

/** Formats the addresses of the server, `lines` of features, and a new password. */
export function formatAnnouncement(
  server: AnnouncedServer,
  lines: readonly string[],
): readonly string[] {
  return [
    `API: ${server.apiUrl}`,
    ...(server.uploadUrl === undefined ? [] : [`image daemon: ${server.uploadUrl}`]),
    `certificate authority: ${server.caFile}`,
    `fingerprint: SHA256 ${readFingerprint(server.caFile)}`,
    ...(server.uploadUrl === undefined ? [] : [...lines, `administrator: ${server.username}`]),
    ...(server.passwordIsNew
      ? [`password: ${server.password} (stored in ${server.passwordFile})`]
      : server.password === ''
        ? ['password: that of the site']
        : []),
    server.nature,
  ];
}

/** Prints lines on stderr with a prefix. */
export async function printLines(stderr: Output, lines: readonly string[]): Promise<void> {
  await write(stderr, lines.map((line) => `vmctl serve: ${line}\n`).join(''));
}
