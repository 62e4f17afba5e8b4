/** Harmful requests: every operation of the model, in every spelling that a server accepts. */
import { describe, expect, it } from 'vitest';
import type { Site } from '../../src/client/address.ts';
import { Client } from '../../src/client/client.ts';
import { doesHarm, isHarmful } from '../../src/client/harm.ts';
import type { Http } from '../../src/client/http.ts';
import { harmlessActions } from '../../src/model/derive/harmless.ts';
import { listAllOperations, type Operation } from '../../src/model/index.ts';
import { parseTarget, route } from '../../src/server/api/request.ts';

const site: Site = { origin: 'https://a.test', appRoot: '/virt-app', dialect: 'standard' };
const root = '/virt-app/api';
const changing = listAllOperations().filter(({ http }) => http !== 'GET' && http !== 'HEAD');
const isUpload = ({ service, name }: Operation) => service === '/imagetransfers' && name === 'add';

const encoded = (word: string) =>
  [...word].map((one) => `%${one.charCodeAt(0).toString(16)}`).join('');
const lastWord = (path: string, change: (word: string) => string) =>
  path.replace(/[^/]+$/, (word) => change(word));

/** Equivalent spellings of a path. */
const spellings: Readonly<Record<string, (path: string) => string>> = {
  plain: (path) => path,
  'a trailing slash': (path) => `${path}/`,
  'two trailing slashes': (path) => `${path}//`,
  'matrix parameters': (path) => `${path};x=y`,
  'matrix parameters of each segment': (path) => path.replaceAll(/[^/]+/g, '$&;a=b;c'),
  'one encoded letter': (path) =>
    lastWord(path, (word) => `${encoded(word[0] ?? '')}${word.slice(1)}`),
  'all letters encoded': (path) => path.replaceAll(/[^/]+/g, encoded),
  'upper-case digits': (path) => lastWord(path, (word) => encoded(word).toUpperCase()),
  'double slashes': (path) => path.replaceAll('/', '//').slice(1),
  'a dot': (path) => lastWord(path, (word) => `./${word}`),
  'an encoded dot': (path) => lastWord(path, (word) => `%2e/${word}`),
  'a way back': (path) => lastWord(path, (word) => `x/../${word}`),
  'an encoded way back': (path) => lastWord(path, (word) => `x/%2E%2e/${word}`),
  'a query': (path) => `${path}?async=false`,
  'a fragment': (path) => `${path}#start`,
  'no slash at first': (path) => path.slice(1),
  'the version': (path) => `${root}/v4${path}`,
  'the root': (path) => `${root}${path}`,
};

describe('doesHarm', () => {
  it.each(Object.entries(spellings))('has the same result for %s', (_name, spell) => {
    const wrong = changing.filter((operation) => {
      const path = spell(operation.path.replaceAll(/\{\w+\}/g, '123'));
      const expected = isHarmful(operation) || isUpload(operation);
      return doesHarm({ method: operation.http, path }, site) !== expected;
    });
    expect(wrong.map(({ http, path }) => `${http} ${path}`)).toEqual([]);
  });

  it('finds all harmful operations that the router of the server finds', () => {
    const found = new Set<string>();
    for (const operation of changing) {
      for (const spell of Object.values(spellings)) {
        const path = spell(operation.path.replaceAll(/\{\w+\}/g, '123'));
        const full = path.startsWith(root)
          ? path
          : `${root}${path.startsWith('/') ? '' : '/'}${path}`;
        const match = ignoreErrors(() => route(parseTarget(full, root)?.segments ?? ['none']));
        const served = match?.operations.get(operation.http);
        if (!served || !isHarmful(served)) continue;
        found.add(served.path);
        expect(doesHarm({ method: operation.http, path }, site), full).toBe(true);
      }
    }
    expect(found.size).toBe(new Set(changing.filter(isHarmful).map(({ path }) => path)).size);
  });

  it.each([
    ['POST', '/vms/1/unknown'],
    ['POST', '/vms/1/STOP'],
    ['POST', '/vms/1/%2573top'],
    ['POST', '/vms/1%2Fstop'],
    ['POST', '/vms/1/stop%3Bx'],
    ['POST', '/vms/1/start\\..\\stop'],
    ['POST', '/vms/1/%zz'],
    ['POST', '/_vmctl/faults'],
    ['POST', '//virt-app/api/vms/1/start'],
    ['PATCH', '/vms/1'],
    ['PUT', '/nothing/1'],
    ['POST', '/virt-app/other'],
  ])('treats %s %s, which is no operation, as harmful', (method, path) => {
    expect(doesHarm({ method, path }, site)).toBe(true);
  });

  const json = { 'Content-Type': 'application/json' };
  const xml = { 'content-type': 'application/xml' };

  it.each([
    [true, '/imagetransfers', json, '{"disk":{"id":"d"},"direction":"upload"}'],
    [true, '/imagetransfers', json, '{"disk":{"id":"d"}}'],
    [true, '/imagetransfers', json, '{"direction":"download","disk"'],
    [true, '/imagetransfers', xml, '<image_transfer><image id="d"/></image_transfer>'],
    [false, '/imagetransfers', json, '{"disk":{"id":"d"},"direction":"download"}'],
    [
      false,
      '/imagetransfers',
      xml,
      '<image_transfer><direction>download</direction></image_transfer>',
    ],
    [true, '/storagedomains', json, '{"name":"a","storage":{"override_luns":true}}'],
    [false, '/storagedomains', json, '{"name":"a","storage":{"override_luns":false}}'],
    [true, '/vms/1/export', xml, '<action><exclusive>&#116;rue</exclusive></action>'],
    [true, '/storagedomains/1/vms/2/import', json, '{"exclusive":"true"}'],
    [false, '/vms/1/export', json, '{}'],
    [true, '/clusters/1/glustervolumes?force=true', json, '{"name":"v"}'],
    [true, '/clusters/1/glustervolumes?x=1&%66orce', json, '{"name":"v"}'],
    [true, '/clusters/1/glustervolumes;force=true', json, '{"name":"v"}'],
    [false, '/clusters/1/glustervolumes?force=false', json, '{"name":"v"}'],
  ])('%s: POST %s %j %s, depending on overwriting in the body', (harm, path, headers, body) => {
    expect(doesHarm({ method: 'POST', path, headers, body }, site)).toBe(harm);
  });

  it('exempts objects that the same command created', () => {
    const owned = new Set(['d']);
    const upload = (disk: string) => ({
      method: 'POST',
      path: '/imagetransfers',
      headers: json,
      body: JSON.stringify({ disk: { id: disk } }),
    });
    expect(doesHarm(upload('d'), site, owned)).toBe(false);
    expect(doesHarm(upload('e'), site, owned)).toBe(true);
    expect(doesHarm({ method: 'DELETE', path: '/disks/d' }, site, owned)).toBe(false);
    expect(doesHarm({ method: 'DELETE', path: '/disks/e' }, site, owned)).toBe(true);
    expect(doesHarm({ method: 'POST', path: '/imagetransfers/d/cancel' }, site, owned)).toBe(false);
    expect(doesHarm({ method: 'DELETE', path: '/vms/d/nics/e' }, site, owned)).toBe(true);
  });

  it('lists only actions of the model as harmless', () => {
    const actions = new Set(
      listAllOperations()
        .filter(({ isAction }) => isAction)
        .map(({ type, name }) => `${type} ${name}`),
    );
    const marked = Object.entries(harmlessActions).flatMap(([type, names]) =>
      names.map((name) => `${type} ${name}`),
    );
    expect(marked.filter((one) => !actions.has(one))).toEqual([]);
  });
});

describe('the guard of a client', () => {
  function guarded(answers: Readonly<Record<string, string>> = {}) {
    const asked: string[] = [];
    const send = async ({ method, path }: { method: string; path: string }) => ({
      status: method === 'POST' && answers[path] !== undefined ? 201 : 200,
      headers: {},
      body: Buffer.from(answers[path] ?? ''),
    });
    const current = async () => ({ site, token: 't' });
    const client = new Client({
      http: { send } as unknown as Http,
      session: { current, renew: current },
      guard: async ({ method, path }) => void asked.push(`${method} ${path}`),
    });
    return { client, asked };
  }

  it('runs for every harmful request, in any spelling of its path', async () => {
    const { client, asked } = guarded();
    const expected: string[] = [];
    for (const operation of changing) {
      for (const spell of Object.values(spellings)) {
        const path = spell(operation.path.replaceAll(/\{\w+\}/g, '123'));
        await client.raw({ method: operation.http, path });
        if (isHarmful(operation) || isUpload(operation)) expected.push(`${operation.http} ${path}`);
      }
    }
    expect(asked).toEqual(expected);
  });

  it('does not run for objects of the same command', async () => {
    const { client, asked } = guarded({
      [`${root}/disks`]: '{"id":"new"}',
      [`${root}/vms/1/diskattachments`]: '{"id":"old"}',
    });
    const body = '{"disk":{"id":"old"}}';
    await client.raw({ method: 'POST', path: '/disks', body: '{}' });
    await client.raw({ method: 'POST', path: '/vms/1/diskattachments', body });
    await client.raw({ method: 'DELETE', path: '/disks/new' });
    await client.raw({ method: 'DELETE', path: '/disks/old' });
    expect(asked).toEqual(['DELETE /disks/old']);
  });
});

function ignoreErrors<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
