/** What a new machine does at its first start: cloud-init, keys, host name, user. */
import { UsageError } from '../../../../client/errors.ts';
import type { CommandContext } from '../../../session/command-context.ts';
import { readInput } from '../../../verbs/documents.ts';

export interface InitializationFlags {
  readonly cloudInit?: string;
  readonly sshKey?: readonly string[];
  readonly hostname?: string;
  readonly guestUser?: string;
  readonly guestPasswordFile?: string;
}

type Body = Readonly<Record<string, unknown>>;

/** A line of `authorized_keys`: options, if any, the kind of the key, the key (sshd(8)). */
const publicKey =
  /^(?:\S.*\s)?(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-\S+|sk-\S+@openssh\.com)\s+[A-Za-z0-9+/]+=*(?:\s.*)?$/;

/** A label of a host name (RFC 1123). */
const label = /^(?!-)[A-Za-z0-9-]{1,63}(?<!-)$/;

/** Reads what the flags name; nothing where none is given. Throws `UsageError` for what cannot be meant. */
export async function initializationOf(
  cli: CommandContext,
  flags: InitializationFlags,
): Promise<Body | undefined> {
  const { cloudInit, sshKey = [], hostname, guestUser, guestPasswordFile } = flags;
  const fromStdin = [cloudInit, guestPasswordFile, ...sshKey].filter((file) => file === '-');
  if (fromStdin.length > 1) throw new UsageError('only one file can be standard input');
  if (hostname !== undefined) checkHostname(hostname);
  const keys: string[] = [];
  for (const file of sshKey) keys.push(...keysIn(await readInput(cli, file, '--ssh-key'), file));
  const script =
    cloudInit === undefined ? undefined : await readInput(cli, cloudInit, '--cloud-init');
  if (script?.trim() === '') throw new UsageError(`--cloud-init ${cloudInit}: the file is empty`);
  const password =
    guestPasswordFile === undefined
      ? undefined
      : await passwordIn(cli, guestPasswordFile, '--guest-password-file');
  const body = {
    ...(script === undefined ? {} : { custom_script: script }),
    ...(keys.length === 0 ? {} : { authorized_ssh_keys: keys.join('\n') }),
    ...(hostname === undefined ? {} : { host_name: hostname }),
    ...(guestUser === undefined ? {} : { user_name: guestUser }),
    ...(password === undefined ? {} : { root_password: password }),
  };
  return Object.keys(body).length > 0 ? body : undefined;
}

function checkHostname(name: string): void {
  if (name.length <= 253 && name.split('.').every((one) => label.test(one))) return;
  throw new UsageError(`--hostname ${name}: not a valid host name`, {
    hint: 'use letters, digits and hyphens, at most 63 characters between two dots',
  });
}

function keysIn(text: string, file: string): readonly string[] {
  // The other half of the pair must not leave this machine.
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

async function passwordIn(cli: CommandContext, file: string, flag: string): Promise<string> {
  const [line = ''] = (await readInput(cli, file, flag)).split(/\r?\n/, 1);
  if (line !== '') return line;
  throw new UsageError(`${flag} ${file}: its first line is empty`);
}

/** The initialization of one of several machines: its host name has the number of the machine. */
export function numbered(initialization: Body, suffix: string): Body {
  const { host_name: name } = initialization;
  if (typeof name !== 'string' || suffix === '') return initialization;
  const [first = '', ...domain] = name.split('.');
  return { ...initialization, host_name: [`${first}${suffix}`, ...domain].join('.') };
}

/** How a start hands the initialization to the guest; nothing where there is none. */
export function startBody(initialization: Body | undefined, osType: unknown): Body {
  const { configuration: _document, ...words } = initialization ?? {};
  if (Object.keys(words).length === 0) return {};
  return String(osType ?? '').startsWith('windows')
    ? { use_sysprep: true }
    : { use_cloud_init: true };
}
