/** Announcement of a server that answers: as a file, as shell exports, and in words. */
import { UsageError } from '../../../client/errors.ts';
import { shellQuote } from '../../../client/shell-quote.ts';
import type { RunningServer } from '../../../server/main.ts';
import { type Environment, type Output, write } from '../../session/io.ts';
import { writeReadyFile } from '../../session/private-file.ts';
import type { ServeFlags } from './options.ts';

/** A server of either kind: one that answers from a recording has no image daemon. */
export interface AnnouncedServer extends Omit<RunningServer, 'uploadUrl'> {
  readonly uploadUrl: string | undefined;
  /** It has no data of its own, and changes nothing. */
  readonly isReadOnly?: boolean;
  /** What it is, in a line for people. */
  readonly nature: string;
}

/** What of a command's environment is about another server, and means nothing for this one. */
export const otherServers = [
  'VMCTL_TOKEN',
  'VMCTL_PASSWORD_FILE',
  'VMCTL_CONTEXT',
  'VMCTL_INSECURE',
] as const;

/** Writes the ready file, where one is asked for. It tells where the password is, not the password. */
export function writeReady(server: AnnouncedServer, flags: ServeFlags): void {
  if (flags.readyFile === undefined) return;
  const ready = {
    base_url: server.baseUrl,
    api_url: server.apiUrl,
    auth_url: server.authUrl,
    upload_url: server.uploadUrl ?? null,
    ca_file: server.caFile,
    username: server.username,
    password_file: flags.passwordFile ?? server.passwordFile ?? null,
    pid: process.pid,
  };
  writeReadyFile(flags.readyFile, ready, 0o644);
}

/** Names of all that shell exports set. */
export const exportedNames = [
  'VMCTL_URL',
  'VMCTL_USERNAME',
  'VMCTL_PASSWORD',
  'VMCTL_CA_FILE',
  'VMCTL_SERVE_PID',
] as const;

type ClientVariable = Exclude<(typeof exportedNames)[number], 'VMCTL_SERVE_PID'>;

/**
 * The variables with which a client finds the server and signs in there. Refuses where the password of the
 * site is not known here.
 */
export function environmentOf(server: AnnouncedServer): Record<ClientVariable, string> {
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

/** Prints shell exports for clients; what is set for another server is taken back. */
export async function writeExports(
  stdout: Output,
  variables: Readonly<Record<string, string>>,
  pid: number,
  env: Environment,
): Promise<void> {
  const misleading = otherServers.filter((name) => env[name]);
  const lines = [
    ...(misleading.length > 0 ? [`unset ${misleading.join(' ')}`] : []),
    ...Object.entries(variables).map(([name, value]) => `export ${name}=${shellQuote(value)}`),
    `export VMCTL_SERVE_PID=${pid}`,
  ];
  await write(stdout, `${lines.join('\n')}\n`);
}

/** Lines with the addresses of the server, `lines` of features, and a password that is new. */
export function announcement(server: AnnouncedServer, lines: readonly string[]): readonly string[] {
  return [
    `API: ${server.apiUrl}`,
    ...(server.uploadUrl === undefined ? [] : [`image daemon: ${server.uploadUrl}`]),
    `certificate authority: ${server.caFile}`,
    ...(server.uploadUrl === undefined ? [] : [...lines, `administrator: ${server.username}`]),
    ...(server.passwordIsNew
      ? [`password: ${server.password} (stored in ${server.passwordFile})`]
      : server.password === ''
        ? ['password: that of the site']
        : []),
    server.nature,
  ];
}

/** Writes such lines for people. */
export async function say(stderr: Output, lines: readonly string[]): Promise<void> {
  await write(stderr, lines.map((line) => `vmctl serve: ${line}\n`).join(''));
}
