/** Initialization of a new VM at its first start: cloud-init, keys, host name, user, addresses. */
import { UsageError } from '../../../../client/errors.ts';
import type { CommandContext } from '../../../session/command-context.ts';
import { readInput } from '../../../verbs/documents.ts';
import { type AddressFlags, createAddressConfiguration } from './static-address.ts';

export interface InitializationFlags extends AddressFlags {
  readonly cloudInit?: string;
  readonly sshKey?: readonly string[];
  readonly hostname?: string;
  readonly guestUser?: string;
  readonly guestPasswordFile?: string;
}

type Body = Readonly<Record<string, unknown>>;

/** Line of `authorized_keys`: optional options, type and key (sshd(8)). */
const publicKey =
  /^(?:\S.*\s)?(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-\S+|sk-\S+@openssh\.com)\s+[A-Za-z0-9+/]+=*(?:\s.*)?$/;

/** Label of a host name (RFC 1123). */
const label = /^(?!-)[A-Za-z0-9-]{1,63}(?<!-)$/;

/**
 * Builds the initialization from the flags; undefined without such flags. Throws `UsageError` for
 * invalid values.
 */
export async function createInitialization(
  cli: CommandContext,
  flags: InitializationFlags,
): Promise<Body | undefined> {
  const { cloudInit, sshKey = [], hostname, guestUser, guestPasswordFile } = flags;
  const fromStdin = [cloudInit, guestPasswordFile, ...sshKey].filter((file) => file === '-');
  if (fromStdin.length > 1) throw new UsageError('only one file can be standard input');
  if (hostname !== undefined) checkHostname(hostname);
  const addresses = createAddressConfiguration(flags);
  const keys: string[] = [];
  for (const file of sshKey) keys.push(...parseKeys(await readInput(cli, file, '--ssh-key'), file));
  const script =
    cloudInit === undefined ? undefined : await readInput(cli, cloudInit, '--cloud-init');
  if (script?.trim() === '') throw new UsageError(`--cloud-init ${cloudInit}: the file is empty`);
  const password =
    guestPasswordFile === undefined
      ? undefined
      : await readGuestPassword(cli, guestPasswordFile, '--guest-password-file');
  const body = {
    ...(script === undefined ? {} : { custom_script: script }),
    ...(keys.length === 0 ? {} : { authorized_ssh_keys: keys.join('\n') }),
    ...(hostname === undefined ? {} : { host_name: hostname }),
    ...(guestUser === undefined ? {} : { user_name: guestUser }),
    ...(password === undefined ? {} : { root_password: password }),
    ...addresses,
  };
  return Object.keys(body).length > 0 ? body : undefined;
}

function checkHostname(name: string): void {
  if (name.length <= 253 && name.split('.').every((one) => label.test(one))) return;
  throw new UsageError(`--hostname ${name}: not a valid host name`, {
    hint: 'use letters, digits and hyphens, at most 63 characters between two dots',
  });
}

function parseKeys(text: string, file: string): readonly string[] {
  // A private key must never leave this computer.
  if (/-----BEGIN .*PRIVATE KEY-----/.test(text)) {
    throw new UsageError(`--ssh-key ${file}: this is a private key`, {
      hint: 'use the public key, usually the file with the extension .pub',
    });
  }
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (lines.length > 0 && lines.every((line) => publicKey.test(line))) return lines;
  throw new UsageError(`--ssh-key ${file}: not a public key in OpenSSH format`, {
    hint: 'ssh-keygen creates keys; ssh-keygen -i -f FILE converts others',
  });
}

async function readGuestPassword(cli: CommandContext, file: string, flag: string): Promise<string> {
  const [line = ''] = (await readInput(cli, file, flag)).split(/\r?\n/, 1);
  if (line !== '') return line;
  throw new UsageError(`${flag} ${file}: its first line is empty`);
}

/** Adds the number of the VM to the host name of an initialization. */
export function addNumber(initialization: Body, suffix: string): Body {
  const { host_name: name } = initialization;
  if (typeof name !== 'string' || suffix === '') return initialization;
  const [first = '', ...domain] = name.split('.');
  return { ...initialization, host_name: [`${first}${suffix}`, ...domain].join('.') };
}

/** Returns the body of a start that applies the initialization; empty without one. */
export function createStartBody(initialization: Body | undefined, osType: unknown): Body {
  const { configuration: _document, ...words } = initialization ?? {};
  if (Object.keys(words).length === 0) return {};
  return String(osType ?? '').startsWith('windows')
    ? { use_sysprep: true }
    : { use_cloud_init: true };
}
