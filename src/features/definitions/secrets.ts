/** Secrets for the placeholders of a definition: from files, the environment or the person at the terminal. */

import * as fs from 'node:fs';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { askSecret, canAsk } from '../../cli/session/prompt.ts';
import { closeMatches } from '../../cli/text/did-you-mean.ts';
import { matchesGlob } from '../../cli/text/glob.ts';
import { UsageError } from '../../client/errors.ts';
import { systemReason } from '../../system-errors.ts';

/** Variables whose name begins so fill a placeholder; the rest is its name in capitals. */
const prefix = 'VMCTL_SECRET_';

/** The variable of a placeholder: that of `hosts/h1/root_password` is `VMCTL_SECRET_HOSTS_H1_ROOT_PASSWORD`. */
export function variableOf(name: string): string {
  return prefix + name.toUpperCase().replace(/[^\p{L}\p{N}]+/gu, '_');
}

interface Given {
  /** A name, or a pattern for names: `hosts/*`. */
  readonly name: string;
  readonly file: string;
}

/** Secrets by name. `all` are the placeholders of the definition, `needed` those that will be sent. */
export async function secretsFor(
  cli: CommandContext,
  flags: readonly string[],
  all: readonly string[],
  needed: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const given = flags.map(parsed);
  for (const { name } of given) requireKnown(name, all);
  const found = new Map<string, string>();
  for (const name of new Set(needed)) {
    const flag = given.findLast((one) => one.name === name || matchesGlob(name, one.name));
    const value = flag ? textOf(flag.file) : fromEnvironment(cli, name, all);
    if (value !== undefined) found.set(name, value);
  }
  const missing = [...new Set(needed)].filter((name) => !found.has(name));
  if (missing.length === 0) return found;
  if (!canAsk(cli.io, cli.on('noInput'))) throw notGiven(missing);
  for (const name of missing) found.set(name, await askSecret(cli.io, `${name}: `, cli.signal));
  return found;
}

function notGiven(missing: readonly string[]): UsageError {
  const [first = ''] = missing;
  const lines = missing.map((name) => `  ${name}`).join('\n');
  const count = missing.length === 1 ? '1 secret is' : `${missing.length} secrets are`;
  return new UsageError(`${count} missing; nothing was sent:\n${lines}`, {
    code: 'missing_secrets',
    hint: `use --secret '${first}=@FILE' for each (* matches any text), or set ${variableOf(first)}`,
    next: missing,
  });
}

function parsed(flag: string): Given {
  const at = flag.lastIndexOf('=@');
  const given = { name: flag.slice(0, at), file: flag.slice(at + 2) };
  if (at > 0 && given.file !== '') return given;
  throw new UsageError('--secret: not in the form NAME=@FILE', {
    hint: 'use a file; other users can see the command line',
  });
}

function requireKnown(name: string, all: readonly string[]): void {
  if (all.some((one) => one === name || matchesGlob(one, name))) return;
  const near = closeMatches(name, all);
  throw new UsageError(`--secret ${name}: the definition has no such placeholder`, {
    hint:
      near.length > 0
        ? `did you mean ${near.join(' or ')}?`
        : `placeholders: ${all.length > 0 ? all.slice(0, 3).join(', ') : 'none'}`,
  });
}

/** Without the end of the line that editors put there. */
function textOf(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new UsageError(`--secret: cannot read "${file}": ${systemReason(error)}`, {
      cause: error,
    });
  }
}

function fromEnvironment(
  { io }: CommandContext,
  name: string,
  all: readonly string[],
): string | undefined {
  const variable = variableOf(name);
  const value = io.env[variable];
  if (value === undefined) return undefined;
  const others = all.filter((one) => one !== name && variableOf(one) === variable);
  if (others.length === 0) return value;
  throw new UsageError(`${variable} matches ${name} and ${others.join(' and ')}`, {
    hint: `use --secret '${name}=@FILE'`,
  });
}
