/** `vmctl vms ip`: the addresses of VMs. */

import { UsageError } from '../../../client/errors.ts';
import { escapeControlChars } from '../../../escape-control-chars.ts';
import { getFormat, printView } from '../../output/print.ts';
import { Progress, ProgressBoard } from '../../output/progress.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { write } from '../../session/io.ts';
import { runWithProgress } from '../../verbs/change.ts';
import { OperationRunner } from '../../verbs/operation-runner.ts';
import { parseParallel, processAll } from '../../verbs/parallel.ts';
import { expandStdin } from '../../verbs/run-verb.ts';
import { parseWaitTimeout } from '../../verbs/wait-for-state.ts';
import { type AddressWait, findAddresses, type GuestAddress, getVmName } from './addresses.ts';

export interface WaitFlags {
  readonly wait?: boolean;
  readonly waitTimeout?: string;
}

interface IpFlags extends WaitFlags {
  readonly all?: boolean;
  readonly parallel?: string;
}

/** Parses `--wait` and `--wait-timeout`; undefined without `--wait`. */
export function parseAddressWait(flags: WaitFlags, progress: Progress): AddressWait | undefined {
  if (flags.waitTimeout !== undefined && !flags.wait) {
    throw new UsageError('--wait-timeout requires --wait');
  }
  if (!flags.wait) return undefined;
  return { timeout: parseWaitTimeout(flags), progress };
}

/** Prints the addresses of the named VMs, most useful first. */
export async function printAddresses(
  cli: CommandContext,
  named: readonly string[],
  flags: IpFlags,
): Promise<void> {
  parseAddressWait(flags, new Progress(cli));
  const limits = { parallel: parseParallel(flags.parallel), failFast: false };
  const words = await expandStdin(cli, named);
  if (words.length === 0) {
    cli.note('no VMs on standard input; nothing to do');
    return;
  }
  const runner = await OperationRunner.create(cli, {});
  const client = await cli.client();
  const board = words.length > 1 ? new ProgressBoard(cli) : undefined;
  const look = async (word: string): Promise<readonly AddressRow[]> => {
    const vm = await runner.find(word, '/vms');
    const found = await runWithProgress(async (progress) => {
      const wait = parseAddressWait(flags, progress);
      return await findAddresses(cli, client, vm, { all: flags.all === true, wait });
    }, new Progress(cli, board));
    return found.map(({ address, version, device }) => ({
      ...{ name: getVmName(vm), address, version, device },
      vm: { id: vm.id },
    }));
  };
  const { done, failure } = await processAll(cli, words, limits, look);
  await printRows(cli, done.flat(), words.length > 1);
  if (failure) throw failure.done.length === 0 ? failure.toAllFailedError() : failure;
}

type AddressRow = Omit<GuestAddress, 'isReachable'> & {
  readonly name: string;
  readonly vm: { readonly id: string };
};

/** Prints one address per line, after the name if several VMs are named. */
async function printRows(
  cli: CommandContext,
  items: readonly AddressRow[],
  isNamed: boolean,
): Promise<void> {
  if (items.length === 0) return;
  // Addresses have no ids or names, so --quiet prints the addresses themselves.
  const format = getFormat(cli);
  const asksForTable =
    cli.isOn('noHeaders') ||
    cli.setting('sort') !== undefined ||
    cli.setting('columns') !== undefined;
  const isPlain =
    !cli.isOn('query') &&
    (['id', 'name'].includes(format) || (format === 'table' && !asksForTable));
  if (!isPlain) {
    const columns = ['name', 'address', 'version', 'device'];
    await printView(cli, { noun: 'addresses', items, columns });
    return;
  }
  const lines = items.map(({ name, address }) =>
    isNamed
      ? `${escapeControlChars.line(name)}\t${escapeControlChars.line(address)}\n`
      : `${escapeControlChars.line(address)}\n`,
  );
  await write(cli.io.stdout, lines.join(''));
}
