/** Confirmation of harmful requests in a protected context, with the name of the context. */
import { DeclinedError } from '../../client/errors.ts';
import type { CommandContext } from './command-context.ts';
import { ask, canAsk } from './prompt.ts';

interface HarmfulRequest {
  readonly method: string;
  readonly path: string;
}

/** Asks once in a command, before the first harmful request. */
export function protectedContextGuard(
  cli: CommandContext,
): (request: HarmfulRequest) => Promise<void> {
  let agreed: Promise<void> | undefined;
  return async (request) => {
    agreed ??= agree(cli, request);
    await agreed;
  };
}

async function agree(cli: CommandContext, { method, path }: HarmfulRequest): Promise<void> {
  const name = cli.contextName() ?? '';
  const given = cli.setting('confirm')?.value;
  if (given === name) return;
  const what = `the context ${name} is protected, and ${method} ${path} does harm there`;
  if (given === undefined && canAsk(cli.io, cli.on('noInput'))) {
    const answer = await ask(cli.io, `${what}.\nType its name to go on: `, cli.signal);
    if (answer.trim() === name) return;
    throw new DeclinedError(`that is not ${name}; nothing was done`);
  }
  throw new DeclinedError(what, {
    code: 'protected',
    hint: `--confirm ${name} confirms it; vmctl context set ${name} --no-protected ends the protection`,
  });
}
