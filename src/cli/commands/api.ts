/**
 * `vmctl api`: raw API requests with the token of the session, and information about the entry
 * point.
 */

import { UsageError } from '../../client/errors.ts';
import type { HttpResponse } from '../../client/http-message.ts';
import { errorFromResponse } from '../../client/response-errors.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { listOperations } from '../../model/index.ts';
import { isRecord } from '../../records.ts';
import { parseJson } from '../../wire/json-parser.ts';
import { defineCommand, defineNoun } from '../args/command.ts';
import { defineArgument, defineFlag } from '../args/parameters.ts';
import { refuseOutputFlags } from '../output/output-flags.ts';
import { getFormat, printView } from '../output/print.ts';
import type { CommandContext } from '../session/command-context.ts';
import { fetchEntryPoint } from '../session/connect.ts';
import { write } from '../session/io.ts';
import { formatJson } from '../text/json.ts';
import { summarizeRequest } from '../verbs/verb-command.ts';
import { detectContentType, readBody } from './api/input.ts';
import { addQueryFields, type FieldFlags, parseFields, readPages } from './api/request.ts';

interface ApiOptions extends FieldFlags {
  readonly input?: string;
  readonly paginate?: boolean;
  readonly xml?: boolean;
  readonly header?: readonly string[];
  readonly include?: boolean;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'];

async function runApi(
  cli: CommandContext,
  word: string,
  path: string | undefined,
  options: ApiOptions,
): Promise<void> {
  if (word === 'info' || word === 'ping') {
    if (path !== undefined) throw new UsageError(`api ${word} takes no path`);
    await (word === 'info' ? printInfo(cli) : printPing(cli));
    return;
  }
  const method = word.toUpperCase();
  if (!methods.includes(method)) {
    throw new UsageError(`unknown HTTP method "${word}"`, {
      hint: `use one of ${methods.join(', ')}`,
    });
  }
  if (path === undefined || path.trim() === '') {
    throw new UsageError('api needs a path', { hint: `vmctl api ${method} /vms` });
  }
  const isXml = isXmlRequested(cli, options.xml === true);
  const whole = addQueryFields(method, path, options);
  if (options.paginate) {
    if (method !== 'GET' || isXml) {
      throw new UsageError('--paginate reads lists as JSON', {
        hint: 'use GET, without --xml',
      });
    }
    const merged = await readPages(whole, (page) => sendRequest(cli, method, page, options));
    await printDocument(cli, merged, formatJson(merged));
    return;
  }
  const answer = await sendRequest(cli, method, whole, { ...options, xml: isXml });
  if (options.include) await write(cli.io.stdout, formatHead(answer));
  if (answer.status >= 200 && answer.status < 300) {
    await writeBody(cli, answer, isXml);
    return;
  }
  throw errorFromResponse(answer, { request: { method, origin: '', path } });
}

async function sendRequest(
  cli: CommandContext,
  method: string,
  path: string,
  options: ApiOptions,
): Promise<HttpResponse> {
  const { input, xml } = options;
  const fields = method === 'GET' ? undefined : parseFields(options);
  if (input !== undefined && fields) {
    throw new UsageError('--input and --field exclude each other');
  }
  // An action needs a body even without parameters (specification 2.3).
  const own = fields ? JSON.stringify(fields) : method === 'POST' ? '{}' : undefined;
  const headers = parseHeaders(options.header ?? []);
  const body =
    input === undefined
      ? own && { text: own, contentType: detectContentType(own) }
      : await readBody(cli, input, headers['content-type']);
  const client = await cli.client();
  return await client.raw({
    method,
    path,
    headers: {
      accept: xml ? 'application/xml' : 'application/json',
      ...(body ? { 'content-type': body.contentType } : {}),
      ...headers,
    },
    ...(body ? { body: body.text } : {}),
    isPrimary: true,
  });
}

function parseHeaders(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const at = line.indexOf(':');
    const name = line.slice(0, at).trim().toLowerCase();
    if (at < 1 || !/^[\w-]+$/.test(name)) {
      throw new UsageError(`-H ${line}: not a header`, { hint: "write -H 'Name: value'" });
    }
    headers[name] = line.slice(at + 1).trim();
  }
  return headers;
}

function formatHead({ status, headers }: HttpResponse): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${[`HTTP ${status}`, ...lines].map((line) => escapeControlChars.line(line)).join('\n')}\n\n`;
}

/** Formats of a response; table formats need --query. */
const documentFormats = ['json', 'jsonl', 'yaml', 'xml', 'raw'];

/** Whether to request XML. Throws `UsageError` for output flags that do not apply to responses. */
function isXmlRequested(cli: CommandContext, flag: boolean): boolean {
  refuseOutputFlags(cli, 'api');
  const found = cli.setting('output');
  const format = found?.origin === 'flag' ? getFormat(cli) : undefined;
  const isXml = flag || format === 'xml';
  if (isXml && (cli.isOn('query') || (format !== undefined && format !== 'xml'))) {
    throw new UsageError('--query and formats other than xml need a JSON response', {
      hint: 'remove --xml or -o xml',
    });
  }
  if (format !== undefined && !documentFormats.includes(format) && !cli.isOn('query')) {
    throw new UsageError(`api -o ${format}: not supported`, {
      hint: `use ${documentFormats.join(', ')}, or --query for tables`,
    });
  }
  return isXml;
}

/** Prints a JSON document according to `--query` and `-o`, or `text` unchanged. */
async function printDocument(cli: CommandContext, value: unknown, text: string): Promise<void> {
  const found = cli.setting('output');
  const query = cli.setting('query')?.value;
  if (query !== undefined) {
    const { printQueryResult } = await import('../output/query.ts');
    await printQueryResult(
      cli,
      getFormat(cli),
      { noun: 'api' },
      value,
      query,
      !cli.isOn('noHeaders'),
    );
  } else if (found?.origin === 'flag' && getFormat(cli) === 'yaml') {
    await write(cli.io.stdout, await (await import('../output/yaml.ts')).formatYaml(value));
  } else if (found?.origin === 'flag' && getFormat(cli) === 'jsonl') {
    const members: readonly unknown[] = isRecord(value) ? Object.values(value) : [];
    const items = members.find((one) => Array.isArray(one)) ?? [value];
    for (const item of items) await write(cli.io.stdout, `${formatJson(item)}\n`);
  } else await write(cli.io.stdout, text.replace(/\n?$/, '\n'));
}

async function writeBody(
  cli: CommandContext,
  { body }: HttpResponse,
  isXml: boolean,
): Promise<void> {
  const { stdout } = cli.io;
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  const format = cli.setting('output')?.origin === 'flag' ? getFormat(cli) : undefined;
  if (!isXml && (cli.isOn('query') || format === 'yaml' || format === 'jsonl')) {
    let value: unknown;
    try {
      value = body.length === 0 ? null : parseJson(text);
    } catch {
      throw new UsageError('the response is not JSON, so --query and -o do not apply', {
        hint: 'remove them',
      });
    }
    await printDocument(cli, value, text);
    return;
  }
  if (body.length === 0) return;
  if (stdout.isTTY) await write(stdout, `${escapeControlChars.text(text).replace(/\n?$/, '\n')}`);
  else await write(stdout, text);
}

async function printInfo(cli: CommandContext): Promise<void> {
  const item = await fetchEntryPoint(await cli.client());
  await printView(cli, { noun: 'api', type: 'api', items: [item], single: true });
}

async function printPing(cli: CommandContext): Promise<void> {
  const client = await cli.client();
  const began = performance.now();
  const answer = await client.raw({ method: 'HEAD', path: '/' });
  if (answer.status !== 200) {
    throw errorFromResponse(answer, { request: { method: 'HEAD', origin: '', path: '/' } });
  }
  const milliseconds = Math.round(performance.now() - began);
  await printView(cli, {
    noun: 'api',
    items: [{ status: 'ok', milliseconds }],
    columns: ['status', 'milliseconds'],
    single: true,
  });
}

const repeatable = { repeatable: true } as const;

export default defineNoun({
  name: 'api',
  doc: 'Send a raw API request',
  position: 60,
  section: 'Integrate',
  commands: [
    defineCommand({
      arguments: [
        defineArgument(
          '<method>',
          'HTTP method; or info for the entry point, or ping to test the connection',
        ),
        defineArgument(
          '[path]',
          'path below the API root: /vms, /vms/{id}/start; an href works as well',
        ),
      ],
      flags: [
        defineFlag('--input <file>', 'the body, well-formed JSON or XML; - is stdin'),
        defineFlag(
          '-F, --field <path=value>',
          'member of the body or query parameter; numbers, true, false and null are typed',
          repeatable,
        ),
        defineFlag('-f, --raw-field <path=value>', 'like --field, always as a string', repeatable),
        defineFlag('--paginate', 'read a list page by page and print it as one'),
        defineFlag('--xml', 'request XML instead of JSON'),
        defineFlag('-H, --header <name: value>', 'additional header (may be repeated)', repeatable),
        defineFlag('-i, --include', 'print status and headers as well'),
      ],
      notes: `vmctl checks the syntax of the --input file before it sends the request: as XML if the text begins
with a tag, as JSON otherwise. A Content-Type header (-H) decides instead; a file of another type than
JSON and XML is sent unchecked: -H 'Content-Type: text/plain'.`,
      examples: [
        'vmctl api GET /vms',
        'vmctl api GET /vms -F search=status=up -F max=5 -F follow=nics',
        "vmctl api POST /bookmarks -F name=stopped -F 'value=Vms: status=down'",
        'vmctl api GET /events --paginate',
        'vmctl api info -o json',
      ],
      // The entry point has no collection.
      calls: () => listOperations('/').map((operation) => summarizeRequest(operation)),
      prints: ([word]) => (word === 'info' || word === 'ping' ? 'object' : 'objects'),
      run: (cli, [method, path], options) => runApi(cli, method, path, options),
    }),
  ],
});
