/** Confirmation of harmful requests in protected contexts. */
import { AuthError, DeclinedError, readOnlyError } from '../../client/errors.ts';
import type { HarmfulRequest } from '../../client/harm.ts';
import type { CommandContext } from './command-context.ts';
import type { Context } from './config-file.ts';
import { askLine, canPrompt } from './prompt.ts';
import { resolveServer } from './server-target.ts';

/** Creates a guard that asks once a command, before the first harmful request. */
export function createContextGuard(
  cli: CommandContext,
): (request: HarmfulRequest) => Promise<void> {
  let agreed: Promise<void> | undefined;
  return async (request) => {
    agreed ??= requireConfirmation(cli, request, cli.contextName() ?? '');
    await agreed;
  };
}

/**
 * Creates the guard of requests to an image daemon that use a ticket instead of a session.
 * The address is that of any host, so the context of the command counts, and each context whose
 * service has the same host name. The guard throws if one of them, or the command, is read-only. It
 * asks once for each protected context.
 */
export function createTicketGuard(
  cli: CommandContext,
  origin: string,
): (request: HarmfulRequest & { readonly isHarmless: boolean }) => Promise<void> {
  const agreed = new Map<string, Promise<void>>();
  return async (request) => {
    if (cli.dryRunMode) return;
    const contexts = findContexts(cli, origin);
    const isReadOnly = cli.isOn('readOnly') || contexts.some(([, { readOnly }]) => readOnly);
    if (isReadOnly) throw readOnlyError(request);
    if (request.isHarmless) return;
    for (const [name, context] of contexts) {
      if (!context.protected) continue;
      const agreement = agreed.get(name) ?? requireConfirmation(cli, request, name);
      agreed.set(name, agreement);
      await agreement;
    }
  };
}

/** Contexts, by name, that may contain an image daemon. */
function findContexts(cli: CommandContext, origin: string): readonly [string, Context][] {
  const { hostname } = new URL(origin);
  const current = findCurrentContext(cli);
  return Object.entries(cli.configuration.contexts).filter(
    ([, context]) => context === current || new URL(context.site.origin).hostname === hostname,
  );
}

/** Context of the command; undefined if the command uses another server, or none. */
function findCurrentContext(cli: CommandContext): Context | undefined {
  try {
    return resolveServer(cli).context;
  } catch (error) {
    if (error instanceof AuthError) return undefined;
    throw error;
  }
}

async function requireConfirmation(
  cli: CommandContext,
  { method, path, call }: HarmfulRequest,
  name: string,
): Promise<void> {
  const given = cli.setting('confirm')?.value;
  if (given === name) return;
  const what = call?.what ?? `${method} ${path}`;
  if (given === undefined && canPrompt(cli.io, cli.isOn('noInput'))) {
    const question = `${name} is protected. To ${what}, type the context name (${name}): `;
    const answer = await askLine(cli.io, question, cli.signal);
    if (answer.trim() === name) return;
    throw new DeclinedError(`that is not ${name}; nothing changed`);
  }
  throw new DeclinedError(`${name} is protected: cannot ${what} without confirmation`, {
    code: 'protected',
    hint: `confirm with --confirm ${name}, or remove the protection: vmctl context set ${name} --no-protected`,
  });
}
