/** Bad documents: each reader of a user's file refuses each of them with FILE:LINE:COLUMN, and sends nothing. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { headerLine } from '../../src/recording/exchange.ts';
import { type Result, vmctl } from '../cli/support/run.ts';
import { startTlsServer, type TlsServer } from '../support/tls-server.ts';

/** What is wrong with a document, and its text; each is bad as YAML, JSON, XML and lines of JSON. */
const documents: readonly (readonly [string, string | Buffer])[] = [
  ['is empty', ''],
  ['has nothing but blanks', ' \n \n'],
  ['is deeply nested', '['.repeat(20_000)],
  ['is nested beyond the limit', `{"a": ${'['.repeat(120)}1${']'.repeat(120)}}`],
  ['has an alias of what contains it', 'vms: &a\n  - *a\n'],
  ['has an alias in its member', '{"vms": &a [*a]}'],
  ['has several documents', 'name: a\n---\nname: b\n'],
  ['has several values', '{"a": 1}{"b": 2}'],
  ['has a name without a value', 'vms:\n  - name: ~\n'],
  ['has __proto__', '{"__proto__": {"name": "a"}}'],
  ['has __proto__ below', '{"vms": [{"name": "a", "__proto__": {"id": "b"}}]}'],
  ['has a member twice', '{"name": "a", "name": "b"}'],
  ['is truncated', '{"name": "a", "vms": [{"name"'],
  ['is truncated in a text', '{"name": "a'],
  ['is binary', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0xff, 0xfe, 0x80])],
  ['is UTF-16', Buffer.from('\uFEFF{"name": "a"}', 'utf16le')],
  ['has a byte order mark before a mistake', '\uFEFF{"name": '],
  ['has U+0000', '{"name": "a\0b"}'],
  ['has U+0000 outside of texts', 'name\0: [a'],
  ['is XML that ends early', '<vm><name>a</name>'],
  ['is a number', '42'],
  ['is a text', '"vms"'],
  ['is null', 'null'],
  ['is a list of nothing', '[]'],
];

interface Reader {
  /** Where the document is, below the folder of the test. */
  readonly file: string;
  readonly words: (file: string) => readonly string[];
  /** Text before the document. */
  readonly before?: string;
  /** Variables of the environment. */
  readonly env?: (file: string) => Readonly<Record<string, string>>;
}

const serve = ['serve', '--listen', '127.0.0.1:0', '--images-listen', '127.0.0.1:0', '--memory'];

const readers: Readonly<Record<string, Reader>> = {
  apply: { file: 'a.yaml', words: (file) => ['apply', file] },
  diff: { file: 'a.yaml', words: (file) => ['diff', file] },
  'vms create -f': { file: 'vm.yaml', words: (file) => ['vms', 'create', '-f', file] },
  'networks update -f': {
    file: 'n.json',
    words: (file) => ['networks', 'update', 'lan', '-f', file],
  },
  'vms start -f': { file: 'action.json', words: (file) => ['vms', 'start', 'a', '-f', file] },
  'serve --inventory': { file: 'i.yaml', words: (file) => [...serve, '--inventory', file] },
  'serve --load': { file: 'state.jsonl', words: (file) => [...serve, '--load', file] },
  'serve --replay': { file: 'r.ndjson', words: (file) => ['serve', '--replay', file] },
  'images serve --ticket': {
    file: 'ticket.json',
    words: (file) => ['images', 'serve', '--listen', '127.0.0.1:0', '--ticket', file],
  },
  'events tail --cursor': {
    file: 'cursor',
    words: (file) => ['events', 'tail', '--cursor', file, '--count', '1'],
  },
  configuration: {
    file: 'config/vmctl/config.json',
    words: () => ['context', 'list'],
    env: (file) => ({ XDG_CONFIG_HOME: dirname(dirname(file)) }),
  },
  'backups restore': {
    file: 'backups/20300131T120000Z/backup.json',
    words: (file) => ['backups', 'restore', dirname(file)],
  },
  'vms import-ova': {
    file: 'a.ovf',
    words: (file) => ['vms', 'import-ova', file, '--cluster', 'Default'],
  },
};

let folder: string;
let server: TlsServer;
let requests: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-bad-documents-'));
  server = await startTlsServer(({ method, url }, response) => {
    requests.push(`${method} ${url}`);
    response.setHeader('content-type', 'application/json');
    response.end('{}');
  });
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  server.close();
});

async function read(
  { file, words, before = '', env }: Reader,
  content: string | Buffer,
): Promise<Result & { readonly path: string }> {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, Buffer.concat([Buffer.from(before), Buffer.from(content)]), { mode: 0o600 });
  chmodSync(path, 0o600);
  requests = [];
  const result = await vmctl(words(path), { env: { ...server.env, ...env?.(path) } });
  return { ...result, path };
}

describe.each(Object.entries(readers))('%s', (_, reader) => {
  it.each(documents)('refuses a document that %s, with its position', async (_what, content) => {
    const { code, stdout, stderr, path } = await read(reader, content);
    expect([code, stdout], stderr).toEqual([2, '']);
    const [first = ''] = stderr.split('\n');
    const rest = first.replace(/^vmctl(?: serve)?: /, '');
    expect(rest.startsWith(path), first).toBe(true);
    expect(rest.slice(path.length), first).toMatch(/^:[1-9]\d*:[1-9]\d*: \S/);
    expect(stderr).not.toMatch(/bug in vmctl|parseAllDocuments|call stack|Warning:|\(node:/);
    // What only reads may look up the object first; nothing is changed.
    expect(requests.filter((one) => !/^(?:GET|HEAD) /.test(one))).toEqual([]);
  });
});

it.each(['{"at": "2', '7', '[]', '{"__proto__": 1}'])(
  'a recording names the line of the exchange %s',
  async (line) => {
    const good = `${headerLine('test')}`;
    const { stderr, path, code } = await read(
      { file: 'r.ndjson', words: (file) => ['serve', '--replay', file], before: good },
      `${line}\n{"at": 1}\n`,
    );
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`${path}:[23]:1: `));
  },
);
