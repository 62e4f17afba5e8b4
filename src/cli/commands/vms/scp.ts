/** `vmctl vms scp`: copies of files between this computer and VMs. */
import { UsageError } from '../../../client/errors.ts';
import { Progress } from '../../output/progress.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { OperationRunner } from '../../verbs/operation-runner.ts';
import { parseAddressWait, type WaitFlags } from './ip.ts';
import { checkUser, createJumpOptions, requireProgram, runProgram } from './openssh.ts';
import { findSshAddress } from './ssh.ts';

interface ScpFlags extends WaitFlags {
  readonly user?: string;
  readonly address?: string;
  readonly jump?: string;
  readonly recursive?: boolean;
}

/** File of a VM, or a local one. */
interface Operand {
  readonly vm?: string;
  readonly path: string;
}

/** Runs scp with the addresses of the VMs. Its exit code becomes that of the command. */
export async function runScp(
  cli: CommandContext,
  files: readonly string[],
  flags: ScpFlags,
): Promise<void> {
  const wait = parseAddressWait(flags, new Progress(cli));
  checkUser(flags.user);
  const jump = createJumpOptions(flags.jump);
  const operands = files.map(parseOperand);
  const target = operands.at(-1);
  if (!target || operands.length < 2) {
    throw new UsageError('the target is missing', {
      hint: 'vmctl vms scp web01:/etc/hosts . copies to this computer',
    });
  }
  const names = new Set(operands.flatMap(({ vm }) => vm ?? []));
  if (names.size === 0) {
    throw new UsageError('no VM given: all files are local', {
      hint: 'use VM:PATH for a file of a VM: web01:/tmp/',
    });
  }
  if (flags.address !== undefined && names.size > 1) {
    throw new UsageError('--address and several VMs exclude each other');
  }
  if (!cli.isOn('dryRun')) {
    requireProgram(cli, 'scp', 'vmctl vms ip prints the address for other programs');
  }
  const runner = await OperationRunner.create(cli, {});
  const addresses = new Map<string, string>();
  for (const name of names) {
    addresses.set(name, await findSshAddress(cli, runner, name, { address: flags.address, wait }));
  }
  const isThroughHere = target.vm !== undefined && operands.slice(0, -1).some(({ vm }) => vm);
  await runProgram(cli, 'scp', [
    ...(flags.recursive ? ['-r'] : []),
    // The VMs may not reach each other.
    ...(isThroughHere ? ['-3'] : []),
    ...jump,
    ...(flags.user === undefined ? [] : ['-o', `User=${flags.user}`]),
    '--',
    ...operands.map((operand) => formatOperand(operand, addresses)),
  ]);
}

/**
 * Parses `web01:/tmp/` and `vms/web01:/tmp/`. As for scp, a slash before the colon makes a path
 * local: `./a:b`.
 */
function parseOperand(word: string): Operand {
  if (word === '') {
    throw new UsageError('the name of a file is empty', {
      hint: 'quote the name, and check that the variable in it is set',
    });
  }
  const [, vm, path] = /^((?:vms\/)?[^/:]*):(.*)$/s.exec(word) ?? [];
  if (vm === undefined || path === undefined) return { path: word };
  if (vm === '' || vm === 'vms/') {
    throw new UsageError(`${word}: the name of the VM is empty`, {
      hint: `use VM:PATH, or ./${word} for a local file`,
    });
  }
  if (vm.includes('@')) {
    throw new UsageError(`${word}: the user is part of the name of the VM`, {
      hint: `use --user ${vm.slice(0, vm.lastIndexOf('@'))} for the user`,
    });
  }
  return { vm, path };
}

function formatOperand({ vm, path }: Operand, addresses: ReadonlyMap<string, string>): string {
  if (vm === undefined) return path.startsWith('-') ? `./${path}` : path;
  const address = addresses.get(vm) ?? '';
  return `${address.includes(':') ? `[${address}]` : address}:${path}`;
}
