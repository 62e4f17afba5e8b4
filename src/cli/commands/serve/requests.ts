/** `vmctl serve requests`: the last requests of a server, and those that come. */
import { ForbiddenError, NotFoundError, UsageError } from '../../../client/errors.ts';
import { formatOf, printAs } from '../../output/print.ts';
import type { Item } from '../../output/view.ts';
import { type CommandContext, wholeNumber } from '../../session/command-context.ts';

interface RequestsFlags {
  readonly follow?: boolean;
  readonly limit?: string;
  readonly method?: string;
  readonly status?: string;
  readonly path?: string;
  readonly count?: string;
}

/** What the server answers. */
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

const usualLimit = 20;

/** The server answers after so many milliseconds, whether somebody has asked it something or not. */
const wait = 20_000;

/** Prints them; throws where the server keeps none. */
export async function showRequests(cli: CommandContext, flags: RequestsFlags): Promise<void> {
  const limit = wholeNumber(flags.limit, '--limit');
  const count = wholeNumber(flags.count, '--count') ?? Infinity;
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
  const format = formatOf(cli);
  const { method, status, path } = flags;
  const chosen = { method, status, path };
  if (!flags.follow) {
    const { requests } = await journal(cli, { ...chosen, limit: limit ?? usualLimit });
    await printAs(
      cli,
      format,
      { noun: 'requests', items: requests, columns },
      !cli.on('noHeaders'),
    );
    return;
  }
  let { requests, last } = await journal(cli, { ...chosen, limit: limit ?? 1 });
  if (limit === undefined) requests = [];
  const isJson = format === 'json' || format === 'jsonl';
  for (let shown = 0, isFirst = true; ; ) {
    const items = requests.slice(0, count - shown);
    if (items.length > 0) {
      const view = { noun: 'requests', items, columns };
      await printAs(cli, isJson ? 'jsonl' : format, view, isFirst && !cli.on('noHeaders'));
      isFirst = false;
    }
    shown += items.length;
    if (shown >= count) return;
    cli.signal.throwIfAborted();
    ({ requests, last } = await journal(cli, { ...chosen, since: last, wait }));
  }
}

type Query = Readonly<Record<string, string | number | undefined>>;

async function journal(cli: CommandContext, query: Query): Promise<Journal> {
  const client = await cli.client();
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  const path = `/_vmctl/requests?${new URLSearchParams(given).toString()}`;
  const { status, body } = await client.raw({ method: 'GET', path });
  if (status === 403) {
    throw new ForbiddenError('only the administrator of the server can read its requests');
  }
  const answer = status === 200 ? parsed(body.toString()) : undefined;
  if (answer) return answer;
  throw new NotFoundError(`the server records no requests: status ${status}`, {
    code: 'no_journal',
    hint: 'only vmctl serve records requests; for other servers use --record',
  });
}

function parsed(text: string): Journal | undefined {
  try {
    const value = JSON.parse(text) as Partial<Journal>;
    return Array.isArray(value.requests) && typeof value.last === 'number'
      ? { requests: value.requests, last: value.last }
      : undefined;
  } catch {
    return undefined;
  }
}
