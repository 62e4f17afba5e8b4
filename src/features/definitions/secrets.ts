/** Secrets for the placeholders of a definition: from files, environment variables or a prompt. */

import * as fs from 'node:fs';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { askSecret, canPrompt } from '../../cli/session/prompt.ts';
import { findCloseMatches } from '../../cli/text/did-you-mean.ts';
import { matchesGlob } from '../../cli/text/glob.ts';
import { UsageError } from '../../client/errors.ts';
import { systemReason } from '../../system-errors.ts';

/** Prefix of environment variables for placeholders. */
const variablePrefix = 'VMCTL_SECRET_';

/**
 * Environment variable for a placeholder: `VMCTL_SECRET_HOSTS_H1_ROOT_PASSWORD` for
 * `hosts/h1/root_password`.
 */
export function secretVariable(name: string): string {
  return variablePrefix + name.toUpperCase().replace(/[^\p{L}\p{N}]+/gu, '_');
}

interface SecretFlag {
  /** A name, or a glob pattern for names: `hosts/*`. */
  readonly name: string;
  readonly file: string;
}

/** Secrets by name. `all` are the placeholders of the definition, `needed` those to be sent. */
export async function collectSecrets(
  cli: CommandContext,
  flags: readonly string[],
  all: readonly string[],
  needed: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const given = flags.map(parseFlag);
  for (const { name } of given) requireKnown(name, all);
  const found = new Map<string, string>();
  for (const name of new Set(needed)) {
    const flag = given.findLast((one) => one.name === name || matchesGlob(name, one.name));
    const value = flag ? readSecretFile(flag.file) : readVariable(cli, name, all);
    if (value !== undefined) found.set(name, value);
  }
  const missing = [...new Set(needed)].filter((name) => !found.has(name));
  if (missing.length === 0) return found;
  if (!canPrompt(cli.io, cli.isOn('noInput'))) throw missingSecrets(missing);
  for (const name of missing) found.set(name, await askSecret(cli.io, `${name}: `, cli.signal));
  return found;
}

function missingSecrets(missing: readonly string[]): UsageError {
  const [first = ''] = missing;
  const lines = missing.map((name) => `  ${name}`).join('\n');
  const count = missing.length === 1 ? '1 secret is' : `${missing.length} secrets are`;
  return new UsageError(`${count} missing; nothing was sent:\n${lines}`, {
    code: 'missing_secrets',
    hint: `use --secret '${first}=@FILE' for each (* matches any text), or set ${secretVariable(first)}`,
    next: missing,
  });
}

function parseFlag(flag: string): SecretFlag {
  const at = flag.lastIndexOf('=@');
  const given = { name: flag.slice(0, at), file: flag.slice(at + 2) };
  if (at > 0 && given.file !== '') return given;
  throw new UsageError('--secret: not in the form NAME=@FILE', {
    hint: 'use a file; other users can see the command line',
  });
}

function requireKnown(name: string, all: readonly string[]): void {
  if (all.some((one) => one === name || matchesGlob(one, name))) return;
  const near = findCloseMatches(name, all);
  throw new UsageError(`--secret ${name}: the definition has no such placeholder`, {
    hint:
      near.length > 0
        ? `did you mean ${near.join(' or ')}?`
        : `placeholders: ${all.length > 0 ? all.slice(0, 3).join(', ') : 'none'}`,
  });
}

/** Text of a file without the final line break, which editors add. */
function readSecretFile(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new UsageError(`--secret: cannot read "${file}": ${systemReason(error)}`, {
      cause: error,
    });
  }
}

function readVariable(
  { io }: CommandContext,
  name: string,
  all: readonly string[],
): string | undefined {
  const variable = secretVariable(name);
  const value = io.env[variable];
  if (value === undefined) return undefined;
  const others = all.filter((one) => one !== name && secretVariable(one) === variable);
  if (others.length === 0) return value;
  throw new UsageError(`${variable} matches ${name} and ${others.join(' and ')}`, {
    hint: `use --secret '${name}=@FILE'`,
  });
}
