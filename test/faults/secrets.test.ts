/**
 * Secrets of the model: a canary in every secret attribute, in every request that takes one, is in no
 * answer, event, log, journal, export, history or recording.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addressesObject,
  getTag,
  listAllOperations,
  listAttributes,
  type Operation,
  parseKind,
} from '../../src/model/index.ts';
import { actionParameters, type Parameter } from '../../src/model/notation/parameters.ts';
import { Speaker } from '../operations/support/speaker.ts';
import { type Home, makeHome } from '../support/command.ts';
import { RawApi, send } from '../support/raw.ts';
import { type ServerProcess, startServerProcess } from '../support/server.ts';
import { followable, Objects, type Thing } from '../write-back/support/objects.ts';
import { enrich } from '../write-back/support/rich-site.ts';

const mark = 'c4n4ry';

/** A body of a type in which every secret attribute, at any depth, has a canary that names it. */
function canaries(type: string, format: 'XML' | 'JSON', within: readonly string[] = []): Thing {
  const object: Thing = {};
  for (const [name, { kind, secret }] of Object.entries(listAttributes(type))) {
    const { form, of, list } = parseKind(kind);
    if (secret) object[name] = `${mark}.${type}.${name}`;
    if (form !== 'struct' || within.includes(of)) continue;
    const part = canaries(of, format, [...within, type]);
    if (Object.keys(part).length > 0) object[name] = list ? { [getTag(of)]: [part] } : part;
  }
  return object;
}

/** The body of an action with canaries in its parameters. */
function actionWithCanaries({ body }: Operation, format: 'XML' | 'JSON'): Thing {
  const action: Thing = {};
  for (const name of body) {
    const { kind, secret }: Parameter = actionParameters[name as keyof typeof actionParameters];
    const { form, of, list } = parseKind(kind);
    if (secret) action[name] = `${mark}.action.${name}`;
    if (form !== 'struct') continue;
    const part = canaries(of, format);
    if (Object.keys(part).length > 0) action[name] = list ? { [getTag(of)]: [part] } : part;
  }
  return action;
}

/** Adds the missing members of another body, with replaced secrets. */
function merged(body: Thing, more: Thing): Thing {
  const result: Thing = { ...body };
  for (const [name, value] of Object.entries(more)) {
    const own = result[name];
    if (typeof own !== 'object' || typeof value !== 'object') result[name] = value;
    else result[name] = merged(own as Thing, value as Thing);
  }
  return result;
}

const isScalar = ([, value]: [string, unknown]) => typeof value === 'string';

let server: ServerProcess;
let api: RawApi;
let home: Home;
let objects: Objects;
const speakers: Speaker[] = [];

/** Fails if a text contains a canary; the message names the attribute. */
function expectNone(text: string, where: string): void {
  const at = text.indexOf(mark);
  if (at >= 0)
    throw new Error(`${where} has a secret: ${text.slice(Math.max(at - 60, 0), at + 60)}`);
}

beforeAll(async () => {
  server = await startServerProcess(['--inventory', 'small', '--speed', '0', '--log', 'requests']);
  api = await RawApi.signIn(server);
  speakers.push(new Speaker(api, 'JSON'), new Speaker(api, 'XML'));
  home = makeHome(server);
  // Each body with all canaries; after a refusal, without canaries that require other members.
  await enrich(api, 'JSON', async (speaker, path, document) => {
    const [[tag = '', plain] = []] = Object.entries(document) as [string, Thing][];
    const all = canaries(typeAt(path) ?? tag, 'JSON');
    const own = { ...Object.fromEntries(Object.entries(all).filter(isScalar)) };
    const inside = { ...own, ...pick(all, Object.keys(plain ?? {})) };
    for (const more of [all, inside, own, {}]) {
      const answer = await speaker.post(path, { [tag]: merged(plain ?? {}, more) });
      expectNone(answer.text, `POST ${path}`);
      if (answer.status < 300) return answer;
    }
    return speaker.post(path, document);
  });
  const [json] = speakers;
  await json?.add('/hosts', {
    host: {
      name: 'canary',
      address: 'h9.example.com',
      cluster: { name: 'Default' },
      ...pick(canaries('host', 'JSON'), ['root_password']),
    },
  });
  objects = new Objects(api, { absent: true });
}, 120_000);
afterAll(async () => {
  home.remove();
  await server.stop();
});

function pick(from: Thing, names: readonly string[]): Thing {
  return Object.fromEntries(names.flatMap((name) => (name in from ? [[name, from[name]]] : [])));
}

/** Returns the type at a path. */
function typeAt(path: string): string | undefined {
  const segments = (path.split('?')[0] ?? '').split('/');
  const match = listAllOperations().find(({ name, service }) => {
    const words = service.split('/');
    return (
      name === 'add' &&
      words.length === segments.length &&
      words.every((word, index) => word.startsWith('{') || word === segments[index])
    );
  });
  return match?.type;
}

const withSecrets = listAllOperations().filter((operation) => {
  const { isAction, http, type } = operation;
  if (isAction) return Object.keys(actionWithCanaries(operation, 'JSON')).length > 0;
  return (http === 'POST' || http === 'PUT') && Object.keys(canaries(type, 'JSON')).length > 0;
});

/** Output of the server itself. */
function internal(what: string) {
  return send(new URL(`/_vmctl/${what}`, server.ready.base_url).href, {
    ca: server.ca,
    headers: { Authorization: `Bearer ${api.token}` },
  });
}

describe('the secrets of the model', () => {
  it('are in no response of an operation that takes one', async () => {
    let sent = 0;
    for (const operation of withSecrets) {
      const { http, path, service, type, isAction } = operation;
      for (const here of (await objects.of(service)).slice(0, 3)) {
        const target = isAction ? here + path.slice(service.length) : here;
        for (const speaker of speakers) {
          const body = isAction
            ? { action: actionWithCanaries(operation, speaker.format) }
            : { [getTag(type)]: canaries(type, speaker.format) };
          const answer = await speaker.send(http, target, body);
          expect(answer.status, `${http} ${target}: ${answer.text}`).toBeLessThan(500);
          expectNone(answer.text, `${http} ${target}`);
          sent += 1;
        }
      }
    }
    expect(withSecrets.length).toBeGreaterThan(80);
    expect(sent).toBeGreaterThan(300);
  }, 120_000);

  it('are stored, and part of a saved state', async () => {
    const { text } = await internal('state');
    expect(new Set(text.match(/c4n4ry[\w.]*/g)).size).toBeGreaterThanOrEqual(15);
  });

  it('are in no list, object, event or followed link', async () => {
    const reads = listAllOperations().filter(({ http }) => http === 'GET');
    let read = 0;
    for (const { service, type } of reads) {
      for (const path of (await objects.of(service)).slice(0, 2)) {
        const plain = await api.json('GET', path);
        expectNone(plain.text, path);
        const ways = ['?all_content=true', '?next_run=true', '?all_content=true&ovf_as_ova=true'];
        if (plain.status === 200 && addressesObject(service)) {
          ways.push(...followable(type, plain.json()).map((link) => `?follow=${link}`));
        }
        for (const way of ways) {
          for (const speaker of speakers)
            expectNone((await speaker.get(path + way)).text, path + way);
        }
        read += 1;
      }
    }
    expect(read).toBeGreaterThan(300);
  }, 300_000);

  it('are in no log and not in the journal', async () => {
    expectNone(server.stderr(), 'the log');
    const { text } = await internal('requests');
    expect(text).toContain('(hidden)');
    expectNone(text, 'the journal');
  });

  it('are in no export, history or recording of the tool', async () => {
    const recording = join(home.folder, 'session.ndjson');
    const initialization = canaries('initialization', 'JSON');
    const document = join(home.folder, 'document.json');
    writeFileSync(document, JSON.stringify({ initialization, comment: 'first' }));
    const password = join(home.folder, 'password.txt');
    writeFileSync(password, `${mark}.password`);
    const ova = join(home.folder, 'site.ova');
    const vms = await speakers[0]?.find('/vms', 'write-back');
    const commands: readonly (readonly string[])[] = [
      ['vms', 'update', 'write-back', '-f', document],
      ['vms', 'update', 'write-back', '--set', `initialization.windows_license_key=${mark}.set`],
      [
        'vms',
        'update',
        'write-back',
        '--set-json',
        `initialization=${JSON.stringify(initialization)}`,
      ],
      ['api', 'PUT', `/vms/${vms?.id}`, '--input', document],
      ['vms', 'create', 'other', '--cluster', 'Default', '--template', 'Blank', '-f', document],
      [
        'hosts',
        'create',
        'secret',
        '--address',
        'h8.example.com',
        '--no-wait',
        '--root-password-file',
        password,
      ],
      ['vms', 'get', 'write-back', '--all-content', '-o', 'json'],
      ['snapshots', 'create', '--vm', 'write-back', '--description', 'one'],
      ['snapshots', 'list', '--vm', 'write-back', '--all-content', '-o', 'json'],
      ['vms', 'export-ova', 'write-back', ova],
      ['export', '-o', 'yaml'],
      ['events', 'list', '-o', 'json'],
    ];
    for (const words of commands) {
      const { code, stdout, stderr } = await home.run([
        '--record',
        recording,
        ...words,
        '--debug=http,body',
      ]);
      expect(code, `${words.join(' ')}: ${stderr.slice(-2000)}`).toBe(0);
      expectNone(stdout + stderr, words.join(' '));
    }
    const history = await home.run(['history', '-o', 'json']);
    expect(history.stdout).toContain('(hidden)');
    expectNone(history.stdout, 'history');
    const files = readdirSync(home.folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(home.folder, name))
      .filter((path) => statSync(path).isFile() && path !== document && path !== password);
    expect(files).toContain(recording);
    expect(files.some((path) => path.includes('history'))).toBe(true);
    for (const path of files) expectNone(readFileSync(path, 'latin1'), path);
  }, 120_000);
});
