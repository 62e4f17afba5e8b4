/** Bad documents: each reader of a user's file refuses each of them with FILE:LINE:COLUMN, and sends nothing. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { headerLine } from '../../src/recording/exchange.ts';
import { type Result, vmctl } from '../cli/support/run.ts';
import { badDocuments } from '../support/bad-documents.ts';
import { startTlsServer, type TlsServer } from '../support/tls-server.ts';

/** Documents without a mistake in their syntax, which a reader of any JSON or XML accepts. */
const wellFormed = ['is a number', 'is a text', 'is null', 'is a list of nothing'];

/** Readers that take a document of the same form. */
type Form = 'definition' | 'object' | 'recording' | 'state' | 'ticket' | 'cursor' | 'configuration';

/**
 * Invalid documents by format: the problem, and the text with `«` before the member, item or
 * element whose position the message contains.
 */
const meaningless: Readonly<Record<Form | 'manifest', readonly (readonly [string, string])[]>> = {
  definition: [
    ['has an unknown collection', 'vms: []\n«machines: []\n'],
    ['has a collection that is no list', '«vms: { name: a }\n'],
    ['has an item that is no object', 'vms:\n  - name: a\n  - «b\n'],
    ['has an unknown attribute', 'networks:\n  - name: lan\n    «vlam: 5\n'],
    ['has an unknown attribute of a part', 'networks: [{ name: lan,\n  vlan: { «number: 5 } }]'],
    [
      'has an unknown attribute of a child',
      'vms:\n  - name: a\n    nics:\n      - name: nic1\n        «mak: 00:00:00:00:00:01\n',
    ],
    [
      'has an unknown value of an enum',
      '{"vms": [{"name": "a", "type": "server"}, {"name": "b",\n «"type": "toaster"}]}',
    ],
    ['has a text for a number', 'networks: [{ name: lan, vlan: { id: 1 } , «mtu: big }]'],
    ['has a fraction for a number', 'networks: [{ name: lan, «mtu: 1.5 }]'],
    ['has a number that is too large', 'networks: [{ name: lan, «mtu: 99999999999 }]'],
    ['has a size that is none', 'vms:\n- name: a\n  «memory: 4 Gigs\n'],
    ['has a text for a boolean', 'networks: [{ name: lan, «stp: perhaps }]'],
    ['has an object for a text', 'networks: [{ name: lan, «description: { text: a } }]'],
    ['has an object for a number', 'vms: [{ name: a, «memory: { of: 5 } }]'],
    ['has a list for a text', 'networks: [{ «name: [lan, wan] }]'],
    ['has a text for a list', 'networks: [{ name: lan, «usages: vm }]'],
    ['has a wrong item of a list', 'networks: [{ name: lan, usages: [vm, «toast] }]'],
    ['has a secret that is no text', 'vms: [{ name: a, «memory: { secret: a } }]'],
    ['lacks a name', 'networks:\n- name: lan\n- «vlan: { id: 5 }\n'],
    ['lacks a name of a child', 'datacenters:\n- name: a\n  quotas:\n  - «description: b\n'],
    ['has an object twice', 'tags:\n- name: a\n- name: b\n- «name: a\n'],
    ['has a child twice', 'vms:\n- name: a\n  cluster: Default\n  nics: [name: n, «name: n]\n'],
    ['needs itself', 'tags:\n- «{ name: a, parent: b }\n- { name: b, parent: a }\n'],
    [
      'has an unknown member in an aliased object',
      'networks:\n- &a { name: lan, «vlam: 5 }\n- *a\n',
    ],
  ],
  object: [
    ['has an unknown member', 'name: a\n«nam: b\n'],
    ['has an unknown member of a part', 'name: a\ncpu:\n  topology:\n    «cors: 2\n'],
    ['has an unknown member in JSON', '{"name": "a",\n  «"nam": "b"}'],
    ['has an unknown element in XML', '<vm>\n  <name>a</name>\n  «<nam>b</nam></vm>'],
    ['has an unknown value of an enum', 'name: a\n«type: toaster\n'],
    ['has an unknown value of an enum in XML', '<vm>\n «<type>toaster</type></vm>'],
    ['has a text for a number', 'name: a\ncpu: { topology: { «cores: many } }\n'],
    [
      'has a text for a number in XML',
      '<vm><cpu><topology>\n«<cores>many</cores></topology></cpu></vm>',
    ],
    ['has an element for a text in XML', '<vm><name>«<first>a</first></name></vm>'],
    ['has another root in XML', '<!-- a --> «<disk><name>a</name></disk>'],
    ['has a size that is too large', 'name: a\n«memory: 99999999 EiB\n'],
    ['has a size for a number', 'cpu: { topology: { «cores: 4 GiB } }\n'],
    ['has an object for a text', '«name: { first: a }\n'],
    ['has a list for an object', 'name: a\n«cpu: [1]\n'],
    ['has a text for a list', 'name: a\n«numa_nodes: b\n'],
    [
      'has a wrong item of a list',
      'custom_properties:\n- { name: a, value: b }\n- { name: c, «val: d }\n',
    ],
    ['has a wrong wrapper of a list', 'custom_properties:\n  «properties: []\n'],
    ['has a member under two names', 'name: a\nnuma_nodes: []\n«vm_numa_nodes: []\n'],
  ],
  recording: [
    ['has another version', '{"recording": "vmctl", «"version": 9, "program": "9.0.0"}'],
    ['is another file', '«{"recordings": 1}'],
    ['is cut in its first line', '{"recording": «'],
    [
      'has a wrong exchange',
      `${headerLine('t')}{"at": "2030-01-31T12:00:00Z", «"milliseconds": -1}`,
    ],
    [
      'has an exchange without an answer that is one',
      `${headerLine('t')}{"at": "2030-01-31T12:00:00Z", "milliseconds": 1, "request": {"method": "GET", "origin": "https://x", "path": "/", "headers": {}}, "response": {"headers": {}, «"status": 0}}`,
    ],
  ],
  state: [
    ['is another file', '{«"format": "other"}'],
    ['has another version', '{"format": "vmctl-state", «"version": 9}'],
    ['has a line that is no JSON', '{"format":"vmctl-state","version":1}\n{"kind": "vm", «object}'],
    [
      'has an unknown kind',
      '{"format":"vmctl-state","version":1}\n\n{"collection": "/cars", «"kind": "car", "object": {}}',
    ],
    [
      'has no object',
      '{"format":"vmctl-state","version":1}\n{"kind": "vm", "collection": "/vms", «"object": 5}',
    ],
    [
      'has an object without an id',
      '{"format":"vmctl-state","version":1}\n{"kind": "vm", "collection": "/vms", «"object": {}}',
    ],
    [
      'has a counter that is no number',
      '{"format":"vmctl-state","version":1}\n{"counter": "a", «"value": "b"}',
    ],
    ['has a line that is a number', '{"format":"vmctl-state","version":1}\n  «5'],
  ],
  ticket: [
    ['has a wrong operation', '{"uuid": "t", "size": 1, \n «"ops": ["erase"], "url": "file:///a"}'],
    ['has a wrong size', '{"uuid": "t", «"size": "1", "ops": ["read"], "url": "file:///a"}'],
    [
      'has a wrong location',
      '{"uuid": "t", «"url": "ftp://a", "size": 1, "ops": ["read"], "timeout": 5}',
    ],
    ['lacks its id', '«{"size": 1}'],
  ],
  cursor: [
    ['has a wrong event', '{«"floor": "a", "told": []}'],
    ['has a wrong list', '{"floor": 1, «"told": ["a"]}'],
    ['is another file', '«{"a": 1}'],
  ],
  configuration: [
    ['has another version', '{«"version": 9}'],
    ['has contexts that are no object', '{"version": 1,\n «"contexts": []}'],
    ['has a context that is no object', '{"version": 1, "contexts": {\n  «"a": 5}}'],
    [
      'has an incomplete site',
      '{"version": 1, "contexts": {"a": {"url": "u", "username": "n", «"site": {}}}}',
    ],
    ['has a wrong address', '{"version": 1, "contexts": {"a": {"username": "n", «"url": 5}}}'],
  ],
  manifest: [
    ['is another file', '{«"format": "other"}'],
    ['has another version', '{"format": "vmctl-backup", «"version": 2}'],
    [
      'has a wrong disk',
      '{"format": "vmctl-backup", "version": 1, "number": 1, "taken": "2030-01-31T12:00:00Z", "server": "s", "vm": {"id": "a", "name": "b"}, "disks": [\n  {"id": "a", «"file": "../a"}]}',
    ],
  ],
};

interface Reader {
  /** Supported formats, if not all. */
  readonly form?: Form | 'manifest';
  /** Path of the document, below the folder of the test. */
  readonly file: string;
  readonly words: (file: string) => readonly string[];
  /** The command accepts any JSON or XML. */
  readonly anything?: boolean;
  /** Text before the document. */
  readonly before?: string;
  /** Variables of the environment. */
  readonly env?: (file: string) => Readonly<Record<string, string>>;
}

const serve = ['serve', '--listen', '127.0.0.1:0', '--images-listen', '127.0.0.1:0', '--memory'];

const readers: Readonly<Record<string, Reader>> = {
  apply: { form: 'definition', file: 'a.yaml', words: (file) => ['apply', file] },
  diff: { form: 'definition', file: 'a.yaml', words: (file) => ['diff', file] },
  'vms create -f': {
    form: 'object',
    file: 'vm.yaml',
    words: (file) => ['vms', 'create', '-f', file],
  },
  'networks update -f': {
    file: 'n.json',
    words: (file) => ['networks', 'update', 'lan', '-f', file],
  },
  'vms start -f': { file: 'action.json', words: (file) => ['vms', 'start', 'a', '-f', file] },
  'serve --inventory': {
    form: 'definition',
    file: 'i.yaml',
    words: (file) => [...serve, '--inventory', file],
  },
  'serve --load': {
    form: 'state',
    file: 'state.jsonl',
    words: (file) => [...serve, '--load', file],
  },
  'serve --replay': {
    form: 'recording',
    file: 'r.ndjson',
    words: (file) => ['serve', '--replay', file],
  },
  'images serve --ticket': {
    form: 'ticket',
    file: 'ticket.json',
    words: (file) => ['images', 'serve', '--listen', '127.0.0.1:0', '--ticket', file],
  },
  'events tail --cursor': {
    form: 'cursor',
    file: 'cursor',
    words: (file) => ['events', 'tail', '--cursor', file, '--count', '1'],
  },
  configuration: {
    form: 'configuration',
    file: 'config/vmctl/config.json',
    words: () => ['context', 'list'],
    env: (file) => ({ XDG_CONFIG_HOME: dirname(dirname(file)) }),
  },
  'backups restore': {
    form: 'manifest',
    file: 'backups/20300131T120000Z/backup.json',
    words: (file) => ['backups', 'restore', dirname(file)],
  },
  'api --input': {
    file: 'body',
    anything: true,
    words: (file) => ['api', 'POST', '/vms', '--input', file],
  },
  'api --input of a type': {
    file: 'typed',
    anything: true,
    words: (file) => [
      ...['api', 'POST', '/vms', '--input', file],
      ...['-H', 'content-type: application/vnd.x+json; charset=utf-8'],
    ],
  },
  'vms import-ova': {
    file: 'a.ovf',
    words: (file) => ['vms', 'import-ova', file, '--cluster', 'Default'],
  },
  'templates import-ova': {
    file: 'a.ovf',
    words: (file) => ['templates', 'import-ova', file, '--cluster', 'Default'],
  },
};

let folder: string;
let server: TlsServer;
let requests: string[] = [];
/** Content types and bodies of requests that have one. */
let bodies: [string | undefined, string][] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-bad-documents-'));
  server = await startTlsServer(async (request, response) => {
    const { method, url, headers } = request;
    requests.push(`${method} ${url}`);
    let body = '';
    for await (const chunk of request) body += String(chunk);
    if (body !== '') bodies.push([headers['content-type'], body]);
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
  bodies = [];
  const result = await vmctl(words(path), { env: { ...server.env, ...env?.(path) } });
  return { ...result, path };
}

describe.each(Object.entries(readers))('%s', (_, reader) => {
  const bad = badDocuments.filter(([what]) => !reader.anything || !wellFormed.includes(what));
  it.each(bad)('refuses a document that %s, with its position', async (_what, content) => {
    const { code, stdout, stderr, path } = await read(reader, content);
    expect([code, stdout], stderr).toEqual([2, '']);
    const [first = ''] = stderr.split('\n');
    const rest = first.replace(/^vmctl(?: serve)?: /, '');
    expect(rest.startsWith(path), first).toBe(true);
    expect(rest.slice(path.length), first).toMatch(/^:[1-9]\d*:[1-9]\d*: \S/);
    expect(stderr).not.toMatch(/bug in vmctl|parseAllDocuments|call stack|Warning:|\(node:/);
    // A command may look up the object first, but must not change anything.
    expect(requests.filter((one) => !/^(?:GET|HEAD) /.test(one))).toEqual([]);
  });

  const { form } = reader;
  if (form === undefined) return;
  it.each(meaningless[form])('refuses a document that %s, there', async (_what, marked) => {
    const before = marked.slice(0, marked.indexOf('«')).split('\n');
    const position = `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
    const { code, stdout, stderr, path } = await read(reader, marked.replace('«', ''));
    expect([code, stdout], stderr).toEqual([2, '']);
    const [first = ''] = stderr.split('\n');
    expect(first).toMatch(/^vmctl(?: serve)?: /);
    expect(first.slice(first.indexOf(': ') + 2)).toMatch(new RegExp(`^${path}:${position}: \\S`));
    expect(stderr).not.toMatch(/bug in vmctl|Warning:|\(node:/);
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
    expect(stderr).toMatch(new RegExp(`${path}:[23]:[12]: `));
  },
);

it.each([
  ['{"name": "a"}', [], 'application/json'],
  [' <vm><name>a</name></vm>', [], 'application/xml'],
  ['{"name', ['-H', 'Content-Type: text/plain'], 'text/plain'],
  ['<vm>', ['-H', 'content-type: application/octet-stream'], 'application/octet-stream'],
])('api --input sends %j %j unchanged as %s', async (content, header, type) => {
  const { code, stderr } = await read(
    { file: 'raw', words: (file) => ['api', 'POST', '/vms', '--input', file, ...header] },
    content,
  );
  expect([code, stderr]).toEqual([0, '']);
  expect(bodies).toEqual([[type, content]]);
});
