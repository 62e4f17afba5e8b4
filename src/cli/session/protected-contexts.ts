/** Protected contexts: what does harm there has to be confirmed with the name of the context. */
import { DeclinedError } from '../../client/errors.ts';
import type { CommandContext } from './command-context.ts';
import { ask, canAsk } from './prompt.ts';

/** Last words of the paths of actions that stop work or lose data. */
const harmful: ReadonlySet<string> = new Set([
  ...['stop', 'shutdown', 'reboot', 'reset', 'suspend', 'detach', 'fence', 'deactivate'],
  ...['install', 'upgrade', 'restore', 'commitsnapshot', 'undosnapshot', 'previewsnapshot'],
  ...['migrate', 'reduceluns', 'resetalloptions', 'resetemulatedmachine', 'setupnetworks'],
]);

interface Request {
  readonly method: string;
  readonly path: string;
}

/** Asks once in a command, before the first request that does harm. */
export function protectedContextGuard(cli: CommandContext): (request: Request) => Promise<void> {
  let agreed: Promise<void> | undefined;
  return async (request) => {
    if (!doesHarm(request)) return;
    agreed ??= agree(cli, request);
    await agreed;
  };
}

/** Whether a request stops work or loses data. The path may be a template of the model. */
export function doesHarm({ method, path }: Request): boolean {
  const [word = ''] = path.split('?', 1);
  return (
    method === 'DELETE' || (method === 'POST' && harmful.has(word.slice(word.lastIndexOf('/') + 1)))
  );
}

async function agree(cli: CommandContext, { method, path }: Request): Promise<void> {
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
