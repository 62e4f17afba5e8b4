/** `vmctl vms ssh`: finds the address of a machine and hands over to ssh. */
import { spawn } from 'node:child_process';
import { constants as osConstants } from 'node:os';
import { NotFoundError, UsageError } from '../../../client/errors.ts';
import { shellQuote } from '../../../client/shell-quote.ts';
import { Progress } from '../../output/progress.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { write } from '../../session/io.ts';
import { isOnPath } from '../../session/programs.ts';
import { OperationRunner } from '../../verbs/operation-runner.ts';
import { addressesOf, type GuestAddress } from './addresses.ts';
import { addressWait, type WaitFlags } from './ip.ts';

interface SshFlags extends WaitFlags {
  readonly user?: string;
  readonly address?: string;
}

const program = 'ssh';

/** Secrets of this command, which no other program needs. */
const secrets: ReadonlySet<string> = new Set(['VMCTL_PASSWORD', 'VMCTL_TOKEN']);

/** Runs ssh with the address of a machine; its exit code becomes that of the command. */
export async function runSsh(
  cli: CommandContext,
  word: string,
  rest: readonly string[],
  flags: SshFlags,
): Promise<void> {
  const progress = new Progress(cli);
  const wait = addressWait(flags, progress);
  if (flags.user !== undefined && !/^[^\s-]\S*$/.test(flags.user)) {
    throw new UsageError(`--user ${flags.user}: not a valid user name`);
  }
  const isShown = cli.on('dryRun');
  if (!isShown) requireSsh(cli, 'vmctl vms ip prints the address for other programs');
  const runner = await OperationRunner.begin(cli, {});
  const vm = await runner.find(word, '/vms');
  const all = flags.address !== undefined;
  const addresses = await addressesOf(cli, await cli.client(), vm, { all, wait });
  const { address } = chosen(addresses, flags.address, vm.label);
  const words = [...(flags.user === undefined ? [] : ['-l', flags.user]), address, ...rest];
  if (isShown) {
    await write(cli.io.stdout, sshLine(words));
    return;
  }
  cli.exitCode = await handOver(cli, words);
}

/** The address that was asked for, else the first. */
function chosen(
  addresses: readonly GuestAddress[],
  wanted: string | undefined,
  label: string,
): GuestAddress {
  const found =
    wanted === undefined ? addresses[0] : addresses.find(({ address }) => address === wanted);
  if (found) return found;
  throw new NotFoundError(`${label} does not report the address ${String(wanted)}`, {
    hint: `available: ${addresses.map(({ address }) => address).join(', ')}`,
  });
}

/** Refuses where there is no ssh. */
export function requireSsh(cli: CommandContext, instead: string): void {
  if (isOnPath(cli.io.env, program)) return;
  throw new UsageError(`${program} is not installed, or not on PATH`, {
    code: 'no_ssh',
    hint: `install an OpenSSH client; ${instead}`,
  });
}

/** The command as somebody would type it. */
export function sshLine(words: readonly string[]): string {
  return `${[program, ...words].map(shellQuote).join(' ')}\n`;
}

/** Gives the terminal to ssh until it ends. Returns its exit code, 128 and the signal if that ended it. */
export async function handOver(cli: CommandContext, words: readonly string[]): Promise<number> {
  const env = Object.fromEntries(Object.entries(cli.io.env).filter(([name]) => !secrets.has(name)));
  const child = spawn(program, words, { stdio: 'inherit', env });
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : (osConstants.signals[signal] ?? 0))),
    );
  });
}
