/** `vmctl vms ip`: prints the addresses of machines. */

import type { ApiObject } from '../../../client/client.ts';
import { UsageError } from '../../../client/errors.ts';
import { escapeControlChars } from '../../../escape-control-chars.ts';
import { formatOf, print } from '../../output/print.ts';
import { Progress, ProgressBoard } from '../../output/progress.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { write } from '../../session/io.ts';
import { shown } from '../../verbs/change.ts';
import { OperationRunner } from '../../verbs/operation-runner.ts';
import { BulkError, forEach, parallelOf } from '../../verbs/parallel.ts';
import { expandStdin } from '../../verbs/run-verb.ts';
import { waitTimeout } from '../../verbs/wait-for-state.ts';
import { type AddressWait, addressesOf, nameOf } from './addresses.ts';

export interface WaitFlags {
  readonly wait?: boolean;
  readonly waitTimeout?: string;
}

interface IpFlags extends WaitFlags {
  readonly all?: boolean;
  readonly parallel?: string;
}

/** How long somebody waits for an address; nothing where nobody does. */
export function addressWait(flags: WaitFlags, progress: Progress): AddressWait | undefined {
  if (flags.waitTimeout !== undefined && !flags.wait) {
    throw new UsageError('--wait-timeout requires --wait');
  }
  if (!flags.wait) return undefined;
  return { timeout: waitTimeout(flags), progress };
}

/** Prints the addresses of every machine that is named, the most useful first. */
export async function printAddresses(
  cli: CommandContext,
  named: readonly string[],
  flags: IpFlags,
): Promise<void> {
  addressWait(flags, new Progress(cli));
  const limits = { parallel: parallelOf(flags.parallel), failFast: false };
  const words = await expandStdin(cli, named);
  if (words.length === 0) {
    cli.note('no VMs on standard input; nothing to do');
    return;
  }
  const runner = await OperationRunner.begin(cli, {});
  const client = await cli.client();
  const board = words.length > 1 ? new ProgressBoard(cli) : undefined;
  const look = async (word: string): Promise<readonly ApiObject[]> => {
    const vm = await runner.find(word, '/vms');
    const found = await shown(async (progress) => {
      const wait = addressWait(flags, progress);
      return await addressesOf(cli, client, vm, { all: flags.all === true, wait });
    }, new Progress(cli, board));
    return found.map(({ address, version, device }) => ({
      ...{ name: nameOf(vm), address, version, device },
      vm: { id: vm.id },
    }));
  };
  try {
    await printRows(cli, (await forEach(cli, words, limits, look)).flat(), words.length > 1);
  } catch (error) {
    if (!(error instanceof BulkError)) throw error;
    const failure = error as BulkError<readonly ApiObject[]>;
    await printRows(cli, failure.done.flat(), true);
    throw failure.done.length === 0 ? failure.ofAll() : failure;
  }
}

/** One address a line, behind the name of its machine where there are several. */
async function printRows(
  cli: CommandContext,
  items: readonly ApiObject[],
  isNamed: boolean,
): Promise<void> {
  if (items.length === 0) return;
  // Addresses have neither ids nor names: they themselves are what scripts ask for with --quiet.
  const format = formatOf(cli);
  const asksForTable =
    cli.on('noHeaders') ||
    cli.setting('sort') !== undefined ||
    cli.setting('columns') !== undefined;
  const isPlain =
    !cli.on('query') && (['id', 'name'].includes(format) || (format === 'table' && !asksForTable));
  if (!isPlain) {
    const columns = ['name', 'address', 'version', 'device'];
    await print(cli, { noun: 'addresses', items, columns });
    return;
  }
  const lines = items.map(({ name, address }) =>
    isNamed
      ? `${escapeControlChars.line(String(name))}\t${escapeControlChars.line(String(address))}\n`
      : `${escapeControlChars.line(String(address))}\n`,
  );
  await write(cli.io.stdout, lines.join(''));
}
