/** Server of a command: address, user and trusted authority. */

import * as fs from 'node:fs';
import { type Address, parseAddress, type Site } from '../../client/address.ts';
import { AuthError, UsageError } from '../../client/errors.ts';
import type { Trust } from '../../client/http.ts';
import { systemReason } from '../../system-errors.ts';
import type { CommandContext } from './command-context.ts';
import type { Context } from './config-file.ts';

/** Server settings that exist before the first request. */
export interface ServerTarget {
  readonly address: Address | Site;
  readonly url: string;
  readonly username: string | undefined;
  readonly trust: Trust;
  /** Fingerprint of the pinned authority. */
  readonly pinned?: string;
  /** Context of this server, if one exists. */
  readonly context?: Context;
}

/**
 * Resolves the server from flags, environment and configuration. Throws `AuthError` if none is
 * configured.
 */
export function resolveServer(cli: CommandContext): ServerTarget {
  const context = cli.context();
  const given = cli.setting('url');
  const named = given && given.origin !== 'context' ? parseAddress(given.value) : undefined;
  if (!named && !context) {
    throw new AuthError('no service given', {
      hint: 'sign in with vmctl login https://host, or set VMCTL_URL, VMCTL_USERNAME and VMCTL_PASSWORD',
    });
  }
  // User, authority and credentials of one server must never reach another.
  const same = context && (!named || isSameSite(named, context.site)) ? context : undefined;
  const address = same?.site ?? named ?? parseAddress('');
  const caFile = cli.setting('caFile')?.value;
  const insecure = cli.setting('insecure') !== undefined;
  const ca = caFile === undefined ? same?.ca?.pem : readCa(caFile);
  const pinned = caFile === undefined ? same?.ca?.fingerprint : undefined;
  const username = cli.setting('username');
  return {
    address,
    url: `${address.origin}${address.appRoot ?? ''}`,
    username: username && (same || username.origin !== 'context') ? username.value : same?.username,
    trust: { ...(ca === undefined ? {} : { ca }), ...(insecure ? { insecure } : {}) },
    ...(pinned === undefined ? {} : { pinned }),
    ...(same ? { context: same } : {}),
  };
}

/** Whether flags, variables or a context name a server. */
export function hasServer(cli: CommandContext): boolean {
  try {
    resolveServer(cli);
    return true;
  } catch (error) {
    if (error instanceof AuthError) return false;
    throw error;
  }
}

function isSameSite(address: Address, site: Site): boolean {
  return (
    address.origin === site.origin &&
    (address.appRoot === undefined || address.appRoot === site.appRoot)
  );
}

/** Reads a file of PEM certificates. `flag` names its setting in messages. */
export function readCa(path: string, flag = '--ca-file and VMCTL_CA_FILE'): string {
  let text: string;
  try {
    text = fs.readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read CA file "${path}": ${systemReason(error)}`, {
      hint: `check ${flag}`,
      cause: error,
    });
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw new UsageError(`CA file ${path} has no PEM certificate`, {
      hint: 'PEM files have lines like -----BEGIN CERTIFICATE-----',
    });
  }
  return text;
}
