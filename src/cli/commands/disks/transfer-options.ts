/** Common options of `upload` and `download`, and journals of interrupted transfers. */
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
import { parseLong } from '../../args/values.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { parseParallel } from '../../verbs/parallel.ts';
import type { TransferProgress } from './transfer-progress.ts';

export interface TransferFlags {
  readonly parallel?: string;
  readonly verify: boolean;
  readonly resume?: boolean;
  readonly limitRate?: string;
}

/** Sufficient for an interruption of one minute: each delay is twice the previous one. */
const defaultRetries = 8;
const maxRetries = 20;

/** Returns the transfer options that do not depend on the direction. */
export async function createTransferOptions(
  cli: CommandContext,
  client: Client,
  flags: TransferFlags,
  progress: TransferProgress,
): Promise<TransferOptions> {
  const limit = parseRateLimit(flags.limitRate);
  // The certificate of the image daemon may have another authority than that of the API.
  if (!cli.isDryRun) await trustServiceAuthority(client);
  return {
    client,
    server: siteUrl(await client.site()),
    journals: join(cli.paths.stateDirectory, 'transfers'),
    parallel: parseParallel(flags.parallel),
    verify: flags.verify,
    retries: parseTransferRetries(cli),
    ...(limit ? { limit } : {}),
    signal: cli.signal,
    onEvent: (event) => progress.show(event),
    onNote: (note) => {
      progress.clear();
      cli.warn(note);
    },
  };
}

/** Parses a size in bytes; undefined if absent. */
export function parseByteSize(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined;
  const bytes = Number(parseLong(text, 'bytes', flag));
  if (Number.isSafeInteger(bytes) && bytes > 0) return bytes;
  throw new UsageError(`${flag} ${text}: not a size above 0`);
}

/** Servers close slower connections. */
const minRate = 16 * 2 ** 10;

function parseRateLimit(text: string | undefined): RateLimit | undefined {
  const rate = parseByteSize(text?.replace(/\/s$/, ''), '--limit-rate');
  if (rate === undefined) return undefined;
  if (rate >= minRate) return new RateLimit(rate);
  throw new UsageError(`--limit-rate ${text}: transfers need at least 16KiB/s`);
}

/** Returns the number of retries for requests to an image daemon (`--retries`). */
export function parseTransferRetries(cli: CommandContext): number {
  const given = cli.setting('retries')?.value;
  if (given === undefined) return defaultRetries;
  const count = Number(given);
  if (Number.isInteger(count) && count >= 0 && count <= maxRetries) return count;
  throw new UsageError(`--retries ${given}: not a number from 0 to ${maxRetries}`);
}

/** Finds the matching unfinished transfer. Throws if none or several match. */
export function findJournal(
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
