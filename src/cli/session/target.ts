/** Target of a command: the address of the server, the user, and the trusted authority. */

import * as fs from 'node:fs';
import { type Address, parseAddress, type Site } from '../../client/address.ts';
import { AuthError, UsageError } from '../../client/errors.ts';
import type { Trust } from '../../client/http.ts';
import { systemReason } from '../../system-errors.ts';
import type { CommandContext } from './command-context.ts';
import type { Context } from './config-file.ts';

/** Everything that is known about the server before the first request. */
export interface Target {
  readonly address: Address | Site;
  readonly url: string;
  readonly username: string | undefined;
  readonly trust: Trust;
  /** Fingerprint of the pinned authority. */
  readonly pinned?: string;
  /** The remembered server, when it is the one that is meant. */
  readonly context?: Context;
}

/** Reads flags, environment and configuration. Throws when no server is named anywhere. */
export function targetOf(cli: CommandContext): Target {
  const context = cli.context();
  const given = cli.setting('url');
  const named = given && given.origin !== 'context' ? parseAddress(given.value) : undefined;
  if (!named && !context) {
    throw new AuthError('no service given', {
      hint: 'sign in with vmctl login https://host, or set VMCTL_URL, VMCTL_USERNAME and VMCTL_PASSWORD',
    });
  }
  // What is known about one server must not be used, let alone sent, to another.
  const same = context && (!named || isSame(named, context.site)) ? context : undefined;
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

function isSame(address: Address, site: Site): boolean {
  return (
    address.origin === site.origin &&
    (address.appRoot === undefined || address.appRoot === site.appRoot)
  );
}

/** The certificates of a file, which the flag named. */
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
