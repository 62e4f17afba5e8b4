/** Options that `upload` and `download` share, and the record of an interrupted run. */
import { join } from 'node:path';
import { siteUrl } from '../../../client/address.ts';
import type { Client } from '../../../client/client.ts';
import { AmbiguousError, NotFoundError, UsageError } from '../../../client/errors.ts';
import { trustServiceAuthority } from '../../../client/service-authority.ts';
import {
  Journal,
  type JournalHeader,
  RateLimit,
  type TransferOptions,
} from '../../../transfer/index.ts';
import { longOf } from '../../args/values.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { parallelOf } from '../../verbs/parallel.ts';
import type { TransferProgress } from './transfer-progress.ts';

export interface TransferFlags {
  readonly parallel?: string;
  readonly verify: boolean;
  readonly resume?: boolean;
  readonly limitRate?: string;
}

/** Enough for a cut of a minute: each pause is twice as long as the one before. */
const usualRetries = 8;
const mostRetries = 20;

/** The part of the options that does not depend on the direction. */
export async function transferOptions(
  cli: CommandContext,
  client: Client,
  flags: TransferFlags,
  progress: TransferProgress,
): Promise<TransferOptions> {
  const limit = limitOf(flags.limitRate);
  // Before the image daemon is asked: its certificate may be signed by another authority than that of the API.
  if (!cli.isDryRun) await trustServiceAuthority(client);
  return {
    client,
    server: siteUrl(await client.site()),
    journals: join(cli.paths.stateDirectory, 'transfers'),
    parallel: parallelOf(flags.parallel),
    verify: flags.verify,
    retries: retriesOf(cli),
    ...(limit ? { limit } : {}),
    signal: cli.signal,
    onEvent: (event) => progress.show(event),
    onNote: (note) => {
      progress.clear();
      cli.warn(note);
    },
  };
}

/** A size on the command line, in bytes; nothing where it was not given. */
export function sizeOf(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined;
  const bytes = Number(longOf(text, 'bytes', flag));
  if (Number.isSafeInteger(bytes) && bytes > 0) return bytes;
  throw new UsageError(`${flag} ${text}: not a size above 0`);
}

/** Slower than this, servers take a connection for dead. */
const slowest = 16 * 2 ** 10;

function limitOf(text: string | undefined): RateLimit | undefined {
  const rate = sizeOf(text?.replace(/\/s$/, ''), '--limit-rate');
  if (rate === undefined) return undefined;
  if (rate >= slowest) return new RateLimit(rate);
  throw new UsageError(`--limit-rate ${text}: transfers need at least 16KiB/s`);
}

/** Repetitions of a request to an image daemon, as `--retries` says. */
export function retriesOf(cli: CommandContext): number {
  const given = cli.setting('retries')?.value;
  if (given === undefined) return usualRetries;
  const count = Number(given);
  if (Number.isInteger(count) && count >= 0 && count <= mostRetries) return count;
  throw new UsageError(`--retries ${given}: not a number from 0 to ${mostRetries}`);
}

/** The one unfinished transfer that fits; several or none are errors. */
export function unfinished(
  folder: string,
  file: string,
  fits: (header: JournalHeader) => boolean,
): Journal {
  const found = Journal.find(folder, fits);
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  for (const journal of found) journal.close();
  if (!only) {
    throw new NotFoundError(`${file}: no interrupted transfer to resume`, {
      code: 'nothing_to_resume',
      hint: 'remove --resume',
    });
  }
  const lines = found.map(({ header }) => `  disks/${header.disk}  ${header.name}`);
  throw new AmbiguousError(
    `${file} belongs to ${found.length} interrupted transfers:\n${lines.join('\n')}`,
    {
      hint: 'select the disk with --disk',
      next: found.map(({ header }) => `disks/${header.disk}`),
    },
  );
}
