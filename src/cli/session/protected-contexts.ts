/** Confirmation of harmful requests in a protected context, with the name of the context. */
import type { HarmfulRequest } from '../../client/client.ts';
import { AuthError, DeclinedError, readOnlyError } from '../../client/errors.ts';
import type { CommandContext } from './command-context.ts';
import type { Context } from './config-file.ts';
import { ask, canAsk } from './prompt.ts';
import { targetOf } from './target.ts';

/** Asks once in a command, before the first harmful request. */
export function protectedContextGuard(
  cli: CommandContext,
): (request: HarmfulRequest) => Promise<void> {
  let agreed: Promise<void> | undefined;
  return async (request) => {
    agreed ??= agree(cli, request, cli.contextName() ?? '');
    await agreed;
  };
}

/**
 * Guard of requests to an image daemon that carry a ticket instead of a session. The address is that of any
 * host, so all of them belong to the context that the command uses; those to the host of a known service
 * belong to its context as well. Throws if one of these contexts, or the command, is read-only; asks once for
 * each that is protected.
 */
export function ticketGuard(
  cli: CommandContext,
  origin: string,
): (request: HarmfulRequest & { readonly isHarmless: boolean }) => Promise<void> {
  const agreed = new Map<string, Promise<void>>();
  return async (request) => {
    if (cli.dryRunMode) return;
    const contexts = contextsBehind(cli, origin);
    const isReadOnly = cli.on('readOnly') || contexts.some(([, { readOnly }]) => readOnly);
    if (isReadOnly) throw readOnlyError(request);
    if (request.isHarmless) return;
    for (const [name, context] of contexts) {
      if (!context.protected) continue;
      const agreement = agreed.get(name) ?? agree(cli, request, name);
      agreed.set(name, agreement);
      await agreement;
    }
  };
}

/** Contexts, by name, to which an address of an image daemon may belong. */
function contextsBehind(cli: CommandContext, origin: string): readonly [string, Context][] {
  const { hostname } = new URL(origin);
  const current = contextInUse(cli);
  return Object.entries(cli.configuration.contexts).filter(
    ([, context]) => context === current || new URL(context.site.origin).hostname === hostname,
  );
}

/** The context of the command; undefined if it names another server, or none. */
function contextInUse(cli: CommandContext): Context | undefined {
  try {
    return targetOf(cli).context;
  } catch (error) {
    if (error instanceof AuthError) return undefined;
    throw error;
  }
}

async function agree(
  cli: CommandContext,
  { method, path, call }: HarmfulRequest,
  name: string,
): Promise<void> {
  const given = cli.setting('confirm')?.value;
  if (given === name) return;
  const what = call?.what ?? `${method} ${path}`;
  if (given === undefined && canAsk(cli.io, cli.on('noInput'))) {
    const question = `${name} is protected. To ${what}, type the context name (${name}): `;
    const answer = await ask(cli.io, question, cli.signal);
    if (answer.trim() === name) return;
    throw new DeclinedError(`that is not ${name}; nothing changed`);
  }
  throw new DeclinedError(`${name} is protected: cannot ${what} without confirmation`, {
    code: 'protected',
    hint: `confirm with --confirm ${name}, or remove the protection: vmctl context set ${name} --no-protected`,
  });
}
