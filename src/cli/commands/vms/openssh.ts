/** Programs of OpenSSH: presence, arguments, execution. */
import { spawn } from 'node:child_process';
import { constants as osConstants } from 'node:os';
import { UsageError } from '../../../client/errors.ts';
import { shellQuote } from '../../../client/shell-quote.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { withoutSecrets } from '../../session/credentials.ts';
import { write } from '../../session/io.ts';
import { isOnPath } from '../../session/programs.ts';

type Program = 'ssh' | 'scp';

/** Throws `UsageError` for a user name that OpenSSH would read as an option. */
export function checkUser(user: string | undefined): void {
  if (user !== undefined && !/^[^\s-]\S*$/.test(user)) {
    throw new UsageError(`--user ${user}: not a valid user name`);
  }
}

/** Host of a chain: `host`, `user@host:port`, `[2001:db8::1]:22`, without an option. */
const jumpHost = /^(?:[\w.+-]+@)?(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** Returns the options of a chain of jump hosts. Throws `UsageError` for other texts. */
export function createJumpOptions(jump: string | undefined): readonly string[] {
  if (jump === undefined) return [];
  const isHost = (text: string) =>
    jumpHost.test(text) &&
    !/(?:^|@)-/.test(text) &&
    Number(/:(\d+)$/.exec(text)?.[1] ?? 1) < 65_536;
  if (jump.split(',').every(isHost)) return ['-J', jump];
  throw new UsageError(`--jump ${jump}: not a host, or hosts separated by commas`, {
    hint: 'use --jump HOST, USER@HOST or USER@HOST:PORT',
  });
}

/** Throws `UsageError` if the program is not installed. */
export function requireProgram(cli: CommandContext, program: Program, instead: string): void {
  if (isOnPath(cli.io.env, program)) return;
  throw new UsageError(`${program} is not installed, or not on PATH`, {
    code: 'no_ssh',
    hint: `install an OpenSSH client; ${instead}`,
  });
}

/**
 * Runs a program in the terminal; its exit code, or 128 plus the number of its signal, becomes that
 * of the command. `--dry-run` prints the command line instead.
 */
export async function runProgram(
  cli: CommandContext,
  program: Program,
  words: readonly string[],
): Promise<void> {
  if (cli.isOn('dryRun')) {
    await write(cli.io.stdout, `${[program, ...words].map(shellQuote).join(' ')}\n`);
    return;
  }
  const env = withoutSecrets(cli.io.env);
  const child = spawn(program, words, { stdio: 'inherit', env });
  cli.exitCode = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : (osConstants.signals[signal] ?? 0))),
    );
  });
}
