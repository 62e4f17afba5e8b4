/** Output of `--dry-run` and `--curl`: the requests that a command would send. */

import * as paths from 'node:path';
import type { ApiObject, Client } from '../../client/client.ts';
import { type DryRunRequest, type DryRunStop, placeholderPrefix } from '../../client/dry-run.ts';
import type { Trust } from '../../client/http.ts';
import { shellQuote } from '../../client/shell-quote.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { listOperations } from '../../model/index.ts';
import { isRecord } from '../../records.ts';
import { parseJson } from '../../wire/json-parser.ts';
import type { CommandContext } from '../session/command-context.ts';
import { write } from '../session/io.ts';
import { hidden, maskBody, maskHeaders, maskObject } from '../session/mask-secrets.ts';
import { writePrivate } from '../session/private-file.ts';
import { resolveServer } from '../session/server-target.ts';
import { longFlag, type SettingName, settings } from '../session/settings.ts';
import { formatPlain, getValue } from './cells.ts';
import { getFormat, printAs } from './print.ts';

/** Change of one attribute by an update. */
interface Change {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Prints the unsent requests. Throws the failure of other work, if any. */
export async function showDryRun(
  cli: CommandContext,
  { requests, failure }: DryRunStop,
): Promise<void> {
  const format = getFormat(cli);
  const trust = cli.isOn('curl') ? getCurlTrust(cli) : undefined;
  const token = formatTokenExpression(cli);
  const client = await cli.client();
  const items: ApiObject[] = [];
  for (const request of requests) {
    const curl = trust ? formatCurlCommand(request, trust, token) : undefined;
    const changes = trust ? undefined : await findChanges(client, request);
    if (format === 'json' || format === 'jsonl' || format === 'yaml') {
      items.push(createItem(request, curl, changes));
    } else {
      await write(
        cli.io.stdout,
        curl === undefined ? formatRequest(request, changes) : `${curl}\n`,
      );
    }
  }
  if (items.length > 0) {
    await printAs(cli, format, { noun: 'requests', items, single: items.length === 1 }, true);
  }
  if (trust) cli.note('nothing sent; the curl command contains no token');
  if (requests.length === 0) {
    cli.note('DRY RUN, nothing sent: disk contents cannot be shown as a request');
  }
  if (trust && requests.some(({ body }) => body !== undefined && maskBody(body).includes(hidden))) {
    cli.note(`secrets are omitted; replace ${hidden}`);
  }
  if (failure) throw failure;
}

function createItem(
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
    headers: maskHeaders(headers),
    ...(body === undefined ? {} : { body: parseBody(body) }),
    ...(changes ? { changes } : {}),
    ...(curl === undefined ? {} : { curl }),
  };
}

/** Parses a JSON body; other bodies remain text. */
function parseBody(body: string | Uint8Array): unknown {
  const text = maskBody(body);
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function formatRequest(request: DryRunRequest, changes: readonly Change[] | undefined): string {
  const { method, origin, path, body, call } = request;
  const what = call?.what === undefined ? '' : ` (${call.what})`;
  const lines = [
    `DRY RUN, nothing sent: ${escapeControlChars.line(`${method} ${origin}${path}${what}`)}`,
  ];
  if (body !== undefined) lines.push(escapeControlChars.text(maskBody(body, 2)).trimEnd());
  if (changes) {
    const rows = changes.map(
      ({ path: name, from, to }) => `  ${name}: ${formatValue(from)} -> ${formatValue(to)}`,
    );
    const isNews = rows.length > 0;
    lines.push(isNews ? 'Changes:' : 'No differences.');
    lines.push(...rows.map((row) => escapeControlChars.line(row)));
  }
  return `${lines.join('\n')}\n`;
}

function formatValue(value: unknown): string {
  return value === undefined ? '(nothing)' : formatPlain(value) || "''";
}

/** Compares an update with the current object; undefined for other requests. */
async function findChanges(
  client: Client,
  request: DryRunRequest,
): Promise<readonly Change[] | undefined> {
  const call = request.call?.recordedAs ?? request.call;
  if (call?.operation.name !== 'update' || call.body === undefined) return undefined;
  const get = listOperations(call.operation.path).find(({ name }) => name === 'get');
  // An object that an earlier request of the dry run creates has no state.
  const isNew = Object.values(call.ids ?? {}).some((id) => id.startsWith(placeholderPrefix));
  if (!get || isNew) return undefined;
  const now = await client.object({
    operation: get,
    ...(call.ids ? { ids: call.ids } : {}),
    what: 'get the current state',
  });
  return listLeaves(maskObject(call.body), '')
    .map(([path, to]) => ({ path, from: getValue(now, path), to }))
    .filter(({ from, to }) => to === hidden || formatPlain(from) !== formatPlain(to));
}

/** Lists the values of an object with their paths; lists count as values. */
function listLeaves(fields: ApiObject, prefix: string): readonly (readonly [string, unknown])[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    return isRecord(value) ? listLeaves(value, `${path}.`) : [[path, value] as const];
  });
}

/**
 * Returns the trust options for curl. Writes an authority that was pinned at sign-in to a file in
 * the state directory.
 */
function getCurlTrust(cli: CommandContext): CurlTrust {
  const { trust, pinned } = resolveServer(cli);
  if (trust.insecure) return { insecure: true };
  const given = cli.setting('caFile')?.value;
  if (given !== undefined) return { caFile: paths.resolve(given) };
  if (trust.ca === undefined) return {};
  const name = (pinned ?? 'ca').replaceAll(':', '').slice(0, 16).toLowerCase();
  const file = paths.join(cli.paths.stateDirectory, 'ca', `${name}.pem`);
  writePrivate(file, trust.ca);
  return { caFile: file };
}

/** Trust options for curl. */
export type CurlTrust = Pick<Trust, 'insecure'> & { readonly caFile?: string };

/** Flags that select the service and the user, for the command that prints the token. */
const connectionFlags = [
  'context',
  'url',
  'username',
  'passwordFile',
  'caFile',
] as const satisfies readonly SettingName[];

/** Shell expression for the token: its variable, or the command that prints it. */
function formatTokenExpression(cli: CommandContext): string {
  if (cli.isOn('token')) return '$VMCTL_TOKEN';
  const words = connectionFlags.flatMap((name) => {
    const given = cli.setting(name);
    const flag = longFlag(settings[name]);
    return given?.origin === 'flag' && flag !== undefined ? [flag, shellQuote(given.value)] : [];
  });
  if (cli.isOn('insecure')) words.push('--insecure');
  return `$(${['vmctl auth token', ...words].join(' ')})`;
}

/** Formats a curl command in one line, for a POSIX shell. The line never contains the token. */
function formatCurlCommand(request: DryRunRequest, trust: CurlTrust, token: string): string {
  const { method, origin, path, headers = {}, body } = request;
  const words = ['curl', ...getMethodFlags(method)];
  if (trust.insecure) words.push('--insecure');
  else if (trust.caFile !== undefined) words.push('--cacert', shellQuote(trust.caFile));
  words.push('-H', `"Authorization: Bearer ${token}"`);
  for (const [name, value] of Object.entries(maskHeaders(headers))) {
    if (name !== 'authorization') words.push('-H', shellQuote(`${name}: ${value}`));
  }
  if (body !== undefined) words.push('--data-raw', shellQuote(maskBody(body)));
  words.push(shellQuote(`${origin}${path}`));
  return escapeControlChars.line(words.join(' '));
}

function getMethodFlags(method: string): readonly string[] {
  if (method === 'GET') return [];
  return method === 'HEAD' ? ['--head'] : ['--request', method];
}
