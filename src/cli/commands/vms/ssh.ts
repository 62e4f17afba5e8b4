/** `vmctl vms ssh`: an SSH session at the address of a VM. */
import { NotFoundError } from '../../../client/errors.ts';
import { Progress } from '../../output/progress.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { OperationRunner } from '../../verbs/operation-runner.ts';
import { type AddressWait, findAddresses, type GuestAddress } from './addresses.ts';
import { parseAddressWait, type WaitFlags } from './ip.ts';
import { checkUser, createJumpOptions, requireProgram, runProgram } from './openssh.ts';

interface SshFlags extends WaitFlags {
  readonly user?: string;
  readonly address?: string;
  readonly jump?: string;
}

/** Runs ssh with the address of a VM. Its exit code becomes that of the command. */
export async function runSsh(
  cli: CommandContext,
  word: string,
  rest: readonly string[],
  flags: SshFlags,
): Promise<void> {
  const wait = parseAddressWait(flags, new Progress(cli));
  checkUser(flags.user);
  const jump = createJumpOptions(flags.jump);
  if (!cli.isOn('dryRun')) {
    requireProgram(cli, 'ssh', 'vmctl vms ip prints the address for other programs');
  }
  const runner = await OperationRunner.create(cli, {});
  const address = await findSshAddress(cli, runner, word, { address: flags.address, wait });
  const user = flags.user === undefined ? [] : ['-l', flags.user];
  await runProgram(cli, 'ssh', [...jump, ...user, address, ...rest]);
}

/** Finds a VM, and returns the requested address of its guest, or the first one. */
export async function findSshAddress(
  cli: CommandContext,
  runner: OperationRunner,
  word: string,
  {
    address,
    wait,
  }: { readonly address: string | undefined; readonly wait: AddressWait | undefined },
): Promise<string> {
  const vm = await runner.find(word, '/vms');
  const all = address !== undefined;
  const addresses = await findAddresses(cli, await cli.client(), vm, { all, wait });
  return selectAddress(addresses, address, vm.label).address;
}

/** Returns the requested address, or the first one. */
function selectAddress(
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
