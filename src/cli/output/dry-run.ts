/** `--dry-run` and `--curl`: the requests that a command would send. */
import * as paths from 'node:path';
import type { ApiObject, Client } from '../../client/client.ts';
import type { DryRunRequest, DryRunStop } from '../../client/dry-run.ts';
import type { Trust } from '../../client/http.ts';
import { shellQuote } from '../../client/shell-quote.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { listOperations } from '../../model/index.ts';
import { parseJson } from '../../wire/json-parser.ts';
import type { CommandContext } from '../session/command-context.ts';
import { write } from '../session/io.ts';
import { hidden, masked, maskedBody, maskedHeaders } from '../session/mask-secrets.ts';
import { writePrivate } from '../session/private-file.ts';
import { targetOf } from '../session/target.ts';
import { plainText, valueAt } from './cells.ts';
import { formatOf, printAs } from './print.ts';

/** One attribute that an update would change. */
interface Change {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Prints the requests that were held back; throws what went wrong with the others. */
export async function showDryRun(
  cli: CommandContext,
  { requests, failure }: DryRunStop,
): Promise<void> {
  const format = formatOf(cli);
  const trust = cli.on('curl') ? curlTrust(cli) : undefined;
  const client = await cli.client();
  const items: ApiObject[] = [];
  for (const request of requests) {
    const curl = trust ? curlCommand(request, trust) : undefined;
    const changes = trust ? undefined : await changesOf(client, request);
    if (format === 'json' || format === 'jsonl' || format === 'yaml') {
      items.push(itemOf(request, curl, changes));
    } else {
      await write(cli.io.stdout, curl === undefined ? requestText(request, changes) : `${curl}\n`);
    }
  }
  if (items.length > 0) {
    await printAs(cli, format, { noun: 'requests', items, single: items.length === 1 }, true);
  }
  if (trust) cli.note('nothing sent; set VMCTL_TOKEN to the token');
  if (requests.length === 0) {
    cli.note('DRY RUN, nothing sent: disk contents cannot be shown as a request');
  }
  if (
    trust &&
    requests.some(({ body }) => body !== undefined && maskedBody(body).includes(hidden))
  ) {
    cli.note(`secrets are omitted; replace ${hidden}`);
  }
  if (failure) throw failure;
}

function itemOf(
  request: DryRunRequest,
  curl: string | undefined,
  changes: readonly Change[] | undefined,
): ApiObject {
  const { method, origin, path, headers = {}, body } = request;
  const url = new URL(`${origin}${path}`);
  return {
    dry_run: true,
    method,
    url: url.href,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: maskedHeaders(headers),
    ...(body === undefined ? {} : { body: bodyValue(body) }),
    ...(changes ? { changes } : {}),
    ...(curl === undefined ? {} : { curl }),
  };
}

/** JSON as what it says, everything else as text. */
function bodyValue(body: string | Uint8Array): unknown {
  const text = maskedBody(body);
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function requestText(request: DryRunRequest, changes: readonly Change[] | undefined): string {
  const { method, origin, path, body, call } = request;
  const what = call?.what === undefined ? '' : ` (${call.what})`;
  const lines = [
    `DRY RUN, nothing sent: ${escapeControlChars.line(`${method} ${origin}${path}${what}`)}`,
  ];
  if (body !== undefined) lines.push(escapeControlChars.text(maskedBody(body, 2)).trimEnd());
  if (changes) {
    const rows = changes.map(
      ({ path: name, from, to }) => `  ${name}: ${shown(from)} -> ${shown(to)}`,
    );
    const isNews = rows.length > 0;
    lines.push(isNews ? 'Changes:' : 'No differences.');
    lines.push(...rows.map((row) => escapeControlChars.line(row)));
  }
  return `${lines.join('\n')}\n`;
}

function shown(value: unknown): string {
  return value === undefined ? '(nothing)' : plainText(value) || "''";
}

/** What an update would change of the object as it is now; nothing for other requests. */
async function changesOf(
  client: Client,
  request: DryRunRequest,
): Promise<readonly Change[] | undefined> {
  const call = request.call?.recordedAs ?? request.call;
  if (call?.operation.name !== 'update' || call.body === undefined) return undefined;
  const get = listOperations(call.operation.path).find(({ name }) => name === 'get');
  if (!get) return undefined;
  const now = await client.object({
    operation: get,
    ...(call.ids ? { ids: call.ids } : {}),
    what: 'get the current state',
  });
  return leaves(masked(call.body) as ApiObject, '')
    .map(([path, to]) => ({ path, from: valueAt(now, path), to }))
    .filter(({ from, to }) => to === hidden || plainText(from) !== plainText(to));
}

/** The values of an object with their paths; lists are values. */
function leaves(fields: ApiObject, prefix: string): readonly (readonly [string, unknown])[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? leaves(value as ApiObject, `${path}.`)
      : [[path, value] as const];
  });
}

/**
 * The trust of the command as curl takes it. An authority that was pinned at login is in no file
 * yet: it is put in one, among what is kept between commands.
 */
function curlTrust(cli: CommandContext): CurlTrust {
  const { trust, pinned } = targetOf(cli);
  if (trust.insecure) return { insecure: true };
  const given = cli.setting('caFile')?.value;
  if (given !== undefined) return { caFile: paths.resolve(given) };
  if (trust.ca === undefined) return {};
  const name = (pinned ?? 'ca').replaceAll(':', '').slice(0, 16).toLowerCase();
  const file = paths.join(cli.paths.stateDirectory, 'ca', `${name}.pem`);
  writePrivate(file, trust.ca);
  return { caFile: file };
}

/** How curl is told whom to believe: the file of the authorities, or that it does not matter. */
export type CurlTrust = Pick<Trust, 'insecure'> & { readonly caFile?: string };

/** The command in one line, for a POSIX shell. The token is in VMCTL_TOKEN, never in the line. */
function curlCommand(request: DryRunRequest, trust: CurlTrust): string {
  const { method, origin, path, headers = {}, body } = request;
  const words = ['curl', ...methodWords(method)];
  if (trust.insecure) words.push('--insecure');
  else if (trust.caFile !== undefined) words.push('--cacert', shellQuote(trust.caFile));
  words.push('-H', '"Authorization: Bearer $VMCTL_TOKEN"');
  for (const [name, value] of Object.entries(maskedHeaders(headers))) {
    if (name !== 'authorization') words.push('-H', shellQuote(`${name}: ${value}`));
  }
  if (body !== undefined) words.push('--data-raw', shellQuote(maskedBody(body)));
  words.push(shellQuote(`${origin}${path}`));
  return escapeControlChars.line(words.join(' '));
}

function methodWords(method: string): readonly string[] {
  if (method === 'GET') return [];
  return method === 'HEAD' ? ['--head'] : ['--request', method];
}
