/** `vmctl api`: any request with the token of the session, and a look at the entry point. */
import { UsageError } from '../../client/errors.ts';
import type { HttpResponse } from '../../client/http-message.ts';
import { errorFromResponse } from '../../client/response-errors.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { listOperations } from '../../model/index.ts';
import { parseJson } from '../../wire/json-parser.ts';
import { command, noun } from '../args/command.ts';
import { argument, flag } from '../args/parameters.ts';
import { refuseOutputFlags } from '../output/output-flags.ts';
import { formatOf, print } from '../output/print.ts';
import type { CommandContext } from '../session/command-context.ts';
import { entryPoint } from '../session/connect.ts';
import { write } from '../session/io.ts';
import { jsonText } from '../text/json.ts';
import { callOf } from '../verbs/verb-command.ts';
import { bodyFrom, mediaOf } from './api/input.ts';
import { type Fields, fieldsOf, readPages, withFields } from './api/request.ts';

interface ApiOptions extends Fields {
  readonly input?: string;
  readonly paginate?: boolean;
  readonly xml?: boolean;
  readonly header?: readonly string[];
  readonly include?: boolean;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'];

async function api(
  cli: CommandContext,
  word: string,
  path: string | undefined,
  options: ApiOptions,
): Promise<void> {
  if (word === 'info' || word === 'ping') {
    if (path !== undefined) throw new UsageError(`api ${word} takes no path`);
    await (word === 'info' ? info(cli) : ping(cli));
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
  const isXml = wantsXml(cli, options.xml === true);
  const whole = withFields(method, path, options);
  if (options.paginate) {
    if (method !== 'GET' || isXml) {
      throw new UsageError('--paginate reads lists as JSON', {
        hint: 'use GET, without --xml',
      });
    }
    const merged = await readPages(whole, (page) => send(cli, method, page, options));
    await printDocument(cli, merged, jsonText(merged));
    return;
  }
  const answer = await send(cli, method, whole, { ...options, xml: isXml });
  if (options.include) await write(cli.io.stdout, head(answer));
  if (answer.status >= 200 && answer.status < 300) {
    await writeBody(cli, answer, isXml);
    return;
  }
  throw errorFromResponse(answer, { request: { method, origin: '', path } });
}

async function send(
  cli: CommandContext,
  method: string,
  path: string,
  options: ApiOptions,
): Promise<HttpResponse> {
  const { input, xml } = options;
  const fields = method === 'GET' ? undefined : fieldsOf(options);
  if (input !== undefined && fields) {
    throw new UsageError('--input and --field exclude each other');
  }
  // An action needs a body even where it has nothing to say (specification 2.3).
  const own = fields ? JSON.stringify(fields) : method === 'POST' ? '{}' : undefined;
  const headers = headersOf(options.header ?? []);
  const body =
    input === undefined
      ? own && { text: own, contentType: mediaOf(own) }
      : await bodyFrom(cli, input, headers['content-type']);
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

function headersOf(lines: readonly string[]): Record<string, string> {
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

function head({ status, headers }: HttpResponse): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${[`HTTP ${status}`, ...lines].map((line) => escapeControlChars.line(line)).join('\n')}\n\n`;
}

/** Formats of an answer; those of tables need a --query. */
const documentFormats = ['json', 'jsonl', 'yaml', 'xml', 'raw'];

/** Whether the answer is to be XML. Refuses what cannot be done with an answer. */
function wantsXml(cli: CommandContext, flag: boolean): boolean {
  refuseOutputFlags(cli, 'api');
  const found = cli.setting('output');
  const format = found?.origin === 'flag' ? formatOf(cli) : undefined;
  const isXml = flag || format === 'xml';
  if (isXml && (cli.on('query') || (format !== undefined && format !== 'xml'))) {
    throw new UsageError('--query and formats other than xml need a JSON response', {
      hint: 'remove --xml or -o xml',
    });
  }
  if (format !== undefined && !documentFormats.includes(format) && !cli.on('query')) {
    throw new UsageError(`api -o ${format}: not supported`, {
      hint: `use ${documentFormats.join(', ')}, or --query for tables`,
    });
  }
  return isXml;
}

/** Prints a JSON document as `--query` and `-o` say; as it is in `text` where they say nothing. */
async function printDocument(cli: CommandContext, value: unknown, text: string): Promise<void> {
  const found = cli.setting('output');
  const query = cli.setting('query')?.value;
  if (query !== undefined) {
    const { printQueried } = await import('../output/query.ts');
    await printQueried(cli, formatOf(cli), { noun: 'api' }, value, query, !cli.on('noHeaders'));
  } else if (found?.origin === 'flag' && formatOf(cli) === 'yaml') {
    await write(cli.io.stdout, await (await import('../output/yaml.ts')).yamlText(value));
  } else if (found?.origin === 'flag' && formatOf(cli) === 'jsonl') {
    const items = Object.values(value as object).find((one) => Array.isArray(one)) ?? [value];
    for (const item of items as unknown[]) await write(cli.io.stdout, `${jsonText(item)}\n`);
  } else await write(cli.io.stdout, text.replace(/\n?$/, '\n'));
}

async function writeBody(
  cli: CommandContext,
  { body }: HttpResponse,
  isXml: boolean,
): Promise<void> {
  const { stdout } = cli.io;
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  const format = cli.setting('output')?.origin === 'flag' ? formatOf(cli) : undefined;
  if (!isXml && (cli.on('query') || format === 'yaml' || format === 'jsonl')) {
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

async function info(cli: CommandContext): Promise<void> {
  const item = await entryPoint(await cli.client());
  await print(cli, { noun: 'api', type: 'api', items: [item], single: true });
}

async function ping(cli: CommandContext): Promise<void> {
  const client = await cli.client();
  const began = performance.now();
  const answer = await client.raw({ method: 'HEAD', path: '/' });
  if (answer.status !== 200) {
    throw errorFromResponse(answer, { request: { method: 'HEAD', origin: '', path: '/' } });
  }
  const milliseconds = Math.round(performance.now() - began);
  await print(cli, {
    noun: 'api',
    items: [{ status: 'ok', milliseconds }],
    columns: ['status', 'milliseconds'],
    single: true,
  });
}

const repeatable = { repeatable: true } as const;

export default noun({
  name: 'api',
  doc: 'Send a raw API request',
  position: 60,
  section: 'Integrate',
  commands: [
    command({
      arguments: [
        argument(
          '<method>',
          'HTTP method; or info for the entry point, or ping to test the connection',
        ),
        argument('[path]', 'path below the API root: /vms, /vms/{id}/start; an href works as well'),
      ],
      flags: [
        flag('--input <file>', 'the body, well-formed JSON or XML; - is stdin'),
        flag(
          '-F, --field <path=value>',
          'member of the body or query parameter; numbers, true, false and null are typed',
          repeatable,
        ),
        flag('-f, --raw-field <path=value>', 'like --field, always as a string', repeatable),
        flag('--paginate', 'read a list page by page and print it as one'),
        flag('--xml', 'request XML instead of JSON'),
        flag('-H, --header <name: value>', 'additional header (may be repeated)', repeatable),
        flag('-i, --include', 'print status and headers as well'),
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
      // The entry point belongs to no collection.
      calls: () => listOperations('/').map((operation) => callOf(operation)),
      prints: ([word]) => (word === 'info' || word === 'ping' ? 'object' : 'objects'),
      run: (cli, [method, path], options) => api(cli, method, path, options),
    }),
  ],
});
