/** `vmctl serve requests`: recent and new requests of a server. */

import { ForbiddenError, NotFoundError, UsageError } from '../../../client/errors.ts';
import { isRecord } from '../../../records.ts';
import { getFormat, printAs } from '../../output/print.ts';
import type { Item } from '../../output/view.ts';
import { type CommandContext, parseCount } from '../../session/command-context.ts';

interface RequestsFlags {
  readonly follow?: boolean;
  readonly limit?: string;
  readonly method?: string;
  readonly status?: string;
  readonly path?: string;
  readonly count?: string;
}

/** Response of the server. */
interface Journal {
  readonly requests: readonly Item[];
  readonly last: number;
}

const columns = [
  'at',
  'method',
  'path',
  'status',
  'milliseconds',
  'fault.detail',
  'correlation_id',
];

const defaultLimit = 20;

/** Milliseconds after which the server responds without a new request. */
const waitMs = 20_000;

/** Prints the requests. Throws `NotFoundError` if the server does not record them. */
export async function showRequests(cli: CommandContext, flags: RequestsFlags): Promise<void> {
  const limit = parseCount(flags.limit, '--limit');
  const count = parseCount(flags.count, '--count') ?? Infinity;
  if (flags.count !== undefined && !flags.follow) {
    throw new UsageError('--count requires --follow', {
      hint: '--limit sets the number of requests',
    });
  }
  if (flags.status !== undefined && !/^[1-5](\d\d|xx)$/i.test(flags.status)) {
    throw new UsageError(`--status ${flags.status}: not a status or class of statuses`, {
      hint: 'write 409, or 4xx',
    });
  }
  const format = getFormat(cli);
  const { method, status, path } = flags;
  const chosen = { method, status, path };
  if (!flags.follow) {
    const { requests } = await fetchJournal(cli, { ...chosen, limit: limit ?? defaultLimit });
    await printAs(
      cli,
      format,
      { noun: 'requests', items: requests, columns },
      !cli.isOn('noHeaders'),
    );
    return;
  }
  let { requests, last } = await fetchJournal(cli, { ...chosen, limit: limit ?? 1 });
  if (limit === undefined) requests = [];
  const isJson = format === 'json' || format === 'jsonl';
  for (let shown = 0, isFirst = true; ; ) {
    const items = requests.slice(0, count - shown);
    if (items.length > 0) {
      const view = { noun: 'requests', items, columns };
      await printAs(cli, isJson ? 'jsonl' : format, view, isFirst && !cli.isOn('noHeaders'));
      isFirst = false;
    }
    shown += items.length;
    if (shown >= count) return;
    cli.signal.throwIfAborted();
    ({ requests, last } = await fetchJournal(cli, { ...chosen, since: last, wait: waitMs }));
  }
}

type Query = Readonly<Record<string, string | number | undefined>>;

async function fetchJournal(cli: CommandContext, query: Query): Promise<Journal> {
  const client = await cli.client();
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const path = `/_vmctl/requests?${new URLSearchParams(given).toString()}`;
  const { status, body } = await client.raw({ method: 'GET', path });
  if (status === 403) {
    throw new ForbiddenError('only the administrator of the server can read its requests');
  }
  const answer = status === 200 ? parseJournal(body.toString()) : undefined;
  if (answer) return answer;
  throw new NotFoundError(`the server records no requests: status ${status}`, {
    code: 'no_journal',
    hint: 'only vmctl serve records requests; for other servers use --record',
  });
}

function parseJournal(text: string): Journal | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value)) return undefined;
    const { requests, last } = value;
    return Array.isArray(requests) && typeof last === 'number'
      ? { requests: requests.filter(isRecord), last }
      : undefined;
  } catch {
    return undefined;
  }
}
