/** Certificate authority to pin at sign-in, with a prompt at the terminal. */

import type { Address } from '../../client/address.ts';
import { DeclinedError, TrustError, UsageError } from '../../client/errors.ts';
import { fetchPresentedCa, normalizeFingerprint, type PresentedCa } from '../../client/trust.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import type { CommandContext } from './command-context.ts';
import { formatCommandLine } from './command-line.ts';
import type { Context } from './config-file.ts';
import { canPrompt, confirm } from './prompt.ts';
import { readCa } from './server-target.ts';

type PinnedCa = NonNullable<Context['ca']>;

/**
 * Returns the authority to pin, or `undefined` if Node's own list is sufficient or `--insecure` is
 * given. A new authority needs a file, a fingerprint, an earlier pin or a yes at the terminal;
 * `--yes` does not answer this question. Throws `TrustError` if the presented authority is another
 * one than expected or pinned.
 */
export async function promptForCa(
  cli: CommandContext,
  address: Address,
  expected: string | undefined,
  pinnedBefore: PinnedCa | undefined,
): Promise<PinnedCa | undefined> {
  const file = cli.setting('caFile')?.value;
  if (file !== undefined) return await fromFile(file, expected);
  if (cli.isOn('insecure')) return undefined;
  const presented = await fetchPresentedCa(address.origin, cli.io.env, cli.signal);
  const { host } = new URL(address.origin);
  if (expected !== undefined) {
    const wanted = parseFingerprint(expected);
    if (wanted === presented.fingerprint) return pin(presented);
    throw new TrustError(
      `${host} presents an unexpected certificate authority:\n` +
        `  expected:  ${wanted}\n  presented: ${presented.fingerprint}`,
      { code: 'pin_mismatch', hint: 'check the fingerprint with the administrator of the service' },
    );
  }
  if (pinnedBefore?.fingerprint === presented.fingerprint) return pinnedBefore;
  if (pinnedBefore?.fingerprint !== undefined)
    throw pinMismatchError(cli, host, pinnedBefore.fingerprint, presented, address);
  if (presented.publiclyTrusted) return undefined;
  return await confirmAuthority(cli, host, address, presented);
}

async function fromFile(path: string, expected: string | undefined): Promise<PinnedCa> {
  const { X509Certificate } = process.getBuiltinModule('node:crypto');
  const pem = readCa(path);
  const certificates =
    pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const [only] = certificates;
  const fingerprint =
    only !== undefined && certificates.length === 1
      ? new X509Certificate(only).fingerprint256
      : undefined;
  if (expected !== undefined && parseFingerprint(expected) !== fingerprint) {
    throw new TrustError(`${path} has another certificate than --ca-fingerprint`, {
      code: 'pin_mismatch',
      hint: `openssl x509 -in ${path} -noout -fingerprint -sha256`,
    });
  }
  return fingerprint === undefined ? { pem } : { pem, fingerprint };
}

function parseFingerprint(text: string): string {
  const fingerprint = normalizeFingerprint(text);
  if (fingerprint) return fingerprint;
  throw new UsageError(`--ca-fingerprint ${text}: not a SHA-256 fingerprint`, {
    hint: 'use 64 hexadecimal digits, with or without colons',
  });
}

function pin({ pem, fingerprint }: PresentedCa): PinnedCa {
  return { pem, fingerprint };
}

/** Command line that signs in with the same flags, and trusts the presented authority. */
function formatTrustingLogin(
  cli: CommandContext,
  { origin, appRoot = '' }: Address,
  { fingerprint }: PresentedCa,
): string {
  return formatCommandLine(cli, ['login', `${origin}${appRoot}`, '--ca-fingerprint', fingerprint]);
}

function pinMismatchError(
  cli: CommandContext,
  host: string,
  before: string,
  presented: PresentedCa,
  address: Address,
): TrustError {
  return new TrustError(
    `${host} presents a new certificate authority:\n` +
      `  pinned:    ${before}\n  presented: ${presented.fingerprint}`,
    {
      code: 'pin_mismatch',
      hint: `check the fingerprint with the administrator of the service, then: ${formatTrustingLogin(cli, address, presented)}`,
    },
  );
}

async function confirmAuthority(
  cli: CommandContext,
  host: string,
  address: Address,
  presented: PresentedCa,
): Promise<PinnedCa> {
  const what = presented.selfSigned ? 'certificate authority' : 'issuing certificate';
  const description =
    `${host} presents this unknown ${what}:\n` +
    `  subject:     ${presented.subject}\n` +
    `  valid:       ${presented.validFrom} to ${presented.validTo}\n` +
    `  fingerprint: SHA256 ${presented.fingerprint}`;
  if (!canPrompt(cli.io, cli.isOn('noInput'))) {
    throw new TrustError(description, {
      code: 'unknown_ca',
      hint:
        'compare the fingerprint with that of the service, then: ' +
        formatTrustingLogin(cli, address, presented),
    });
  }
  cli.io.stderr.write(`${escapeControlChars.message(description)}\n`);
  if (await confirm(cli.io, 'Trust this fingerprint?', cli.signal)) {
    return pin(presented);
  }
  throw new DeclinedError(`${host} is not trusted`, {
    hint: 'get the fingerprint of its certificate authority from the administrator of the service',
  });
}
