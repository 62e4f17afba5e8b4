/** Malicious documents (E1, E2, E6, E11). */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { decodeAction, decodeObject, WireError } from '../../src/wire/index.ts';
import { type RawAnswer, RawApi } from '../support/raw.ts';
import { type ServerProcess, startServerProcess } from '../support/server.ts';
import { chooseCount, isFullRun, recordResult } from './support/catalogue.ts';
import { residentMiB } from './support/memory.ts';
import { openSocket } from './support/raw-socket.ts';

// The full catalogue needs more time.
if (isFullRun) vi.setConfig({ testTimeout: 20 * 60_000 });

let server: ServerProcess;
let api: RawApi;

beforeAll(async () => {
  server = await startServerProcess(['--speed', '0', '--inventory', 'small']);
  api = await RawApi.signIn(server);
});

afterAll(async () => {
  await server.stop();
});

const post = (media: 'xml' | 'json', path: string, body: string | Buffer): Promise<RawAnswer> =>
  api.call('POST', path, {
    headers: { 'Content-Type': `application/${media}`, Accept: 'application/json' },
    body,
  });

const laughs = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`);
const utf16 = Buffer.from('\ufeff<tag><name>wide</name></tag>', 'utf16le');
const good = '<tag><name>cut</name><description>a &amp; b</description></tag>';

const hostileXml: Readonly<Record<string, string | Buffer>> = {
  'a document type': '<!DOCTYPE tag><tag><name>x</name></tag>',
  'a billion laughs': `<!DOCTYPE l [<!ENTITY l0 "ha">${laughs.join('')}]><tag><name>&l9;</name></tag>`,
  'a quadratic blow-up': `<!DOCTYPE l [<!ENTITY a "${'a'.repeat(50_000)}">]><tag><name>${'&a;'.repeat(5_000)}</name></tag>`,
  'an external entity':
    '<!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/passwd">]><tag><name>&x;</name></tag>',
  'a parameter entity': '<!DOCTYPE l [<!ENTITY % p SYSTEM "http://127.0.0.1:1/"> %p;]><tag/>',
  'an unknown entity': '<tag><name>&nbsp;</name></tag>',
  '100,000 elements inside each other': `${'<tag>'.repeat(100_000)}`,
  'a million attributes, in part': `<tag ${Array.from({ length: 90_000 }, (_, i) => `a${i}=""`).join(' ')}/>`,
  'an attribute of a megabyte': `<tag id="${'x'.repeat(1_000_000)}"/>`,
  'an attribute given twice': '<tag id="a" id="b"/>',
  'a NUL': '<tag><name>\0</name></tag>',
  'a reference to NUL': '<tag><name>&#0;</name></tag>',
  'a reference beyond Unicode': '<tag><name>&#x110000;</name></tag>',
  'bad UTF-8': Buffer.concat([Buffer.from('<tag><name>'), Buffer.from([0xc0, 0xaf, 0xff])]),
  'UTF-16': utf16,
  'another encoding': '<?xml version="1.0" encoding="ISO-8859-1"?><tag><name>x</name></tag>',
  'an encoding that nobody knows': '<?xml version="1.0" encoding="x"?><tag/>',
  'a second root': '<tag/><tag/>',
  'text behind the root': '<tag><name>x</name></tag>x',
  'CDATA without an end': '<tag><name><![CDATA[x</name></tag>',
  'an instruction without an end': '<?x <tag/>',
  'a comment with two dashes': '<tag><!-- -- --></tag>',
  'another root': '<vm><name>x</name></vm>',
  'another name space as a name': '<x:tag xmlns:x="urn:x"><x:name>y</x:name></x:tag>',
  '60,000 empty elements': `<tag><name>x</name>${'<link/>'.repeat(60_000)}</tag>`,
  nothing: '',
};

const hostileJson: Readonly<Record<string, string>> = {
  '200,000 arrays inside each other': '['.repeat(200_000),
  '50,000 objects inside each other': '{"parent":'.repeat(50_000),
  __proto__: '{"name":"p","__proto__":{"administrator":true}}',
  '__proto__ in an escape': '{"name":"p","__pr\\u006fto__":{"a":1}}',
  constructor: '{"name":"p","constructor":{"prototype":{"a":1}}}',
  'a member given twice': '{"name":"a","name":"b"}',
  'half a surrogate pair': '{"name":"\\ud800"}',
  'a number beyond all bounds': '{"name":1e400}',
  infinity: '{"name":Infinity}',
  'a comment': '{"name":"x"/**/}',
  'an array as the document': '[{"name":"x"}]',
  'an unknown member': '{"name":"x","colour":"red"}',
  '60,000 values': `{"name":"x","parent":{"id":[${'0,'.repeat(60_000)}0]}}`,
  'a list of a member that is none': '{"name":["a","b"]}',
  nothing: '',
};

async function refused(media: 'xml' | 'json', body: string | Buffer): Promise<void> {
  const before = residentMiB(server.process.pid ?? 0);
  const answer = await post(media, '/tags', body);
  expect(answer.status).toBe(400);
  const fault = answer.json<{ reason: string; detail: string }>();
  expect(fault.reason).toBeTruthy();
  expect(answer.text).not.toContain('root:');
  expect(answer.bytes.length).toBeLessThan(20_000);
  expect(residentMiB(server.process.pid ?? 0) - before).toBeLessThan(40);
}

describe('E1 - XML', () => {
  it.each(Object.entries(hostileXml))('E1 - %s is 400', (_, body) => refused('xml', body));

  it('E1 - truncated at any byte is 400', async () => {
    for (let end = 0; end < good.length; end++) {
      expect((await post('xml', '/tags', good.slice(0, end))).status, good.slice(0, end)).toBe(400);
    }
  });

  it('E1 control - the complete document is accepted, and its entities are resolved', async () => {
    const { status, text } = await post('xml', '/tags', good);
    expect(status).toBe(201);
    expect(text).toContain('a & b');
  });

  it('E1 - with millions of references costs at most ten times the document', async () => {
    const pid = server.process.pid ?? 0;
    for (const [name, body] of [
      [
        '4 MB of references',
        `<template><name>x</name><comment>${'&amp;'.repeat(800_000)}</comment></template>`,
      ],
      [
        '4 MB of characters',
        `<template><name>x</name><comment>${'&#65;'.repeat(800_000)}</comment></template>`,
      ],
    ] as const) {
      const before = residentMiB(pid);
      const answer = await post('xml', '/templates', body);
      expect(answer.status, name).toBe(400);
      const times = (residentMiB(pid) - before) / (body.length / 2 ** 20);
      expect(times, name).toBeLessThan(15);
      recordResult('E1', `${name}: ${Math.max(0, times).toFixed(1)} times its size in memory`);
    }
  });
});

describe('E2 - JSON', () => {
  it.each(Object.entries(hostileJson))('E2 - %s is 400', (_, body) => refused('json', body));

  it('E2 - does not affect other objects', async () => {
    expect((await post('json', '/tags', '{"name":"clean"}')).text).not.toContain('administrator');
    recordResult('E2', `${Object.keys(hostileJson).length} hostile documents: 400, nothing stored`);
  });
});

describe('E6 - line breaks in names', () => {
  const evil = 'a\r\nX-Injected: yes\r\n\r\n<script>';
  it('E6 - do not reach the headers of a response', async () => {
    const { host } = new URL(server.ready.base_url);
    const created = await api.json('POST', '/tags', { name: 'plain', description: evil });
    expect(created.status).toBe(201);
    const path = String(created.headers['location']).replace(/^.*\/api/, '');
    const ways: [string, string, string[]][] = [
      ['GET', `/virt-app/api${path}`, []],
      ['GET', '/virt-app/api/tags?search=name%3D%0d%0aX-Injected:%20yes', []],
      ['GET', '/virt-app/api/%0d%0aX-Injected:%20yes', []],
      ['GET', '/virt-app/api/tags?correlation_id=%0d%0aX-Injected:%20yes', []],
      ['GET', '/virt-app/api/tags/%0d%0aX-Injected:%20yes', []],
      ['GET', '/virt-app/services/pki-resource?resource=%0d%0aX-Injected:%20yes', []],
      [
        'GET',
        '/virt-app/services/pki-resource?resource=ca-certificate&format=OPENSSH-PUBKEY&alias=%0d%0aX-Injected:%20yes',
        [],
      ],
      ['OPTIONS', '/virt-app/api/tags%0d%0aX-Injected:%20yes', []],
      [
        'GET',
        '/virt-app/api/tags',
        ['Origin: https://x', 'Correlation-Id: a%0d%0aX-Injected: yes'],
      ],
    ];
    for (const [method, target, headers] of ways) {
      const raw = await openSocket(server);
      const lines = [`${method} ${target} HTTP/1.1`, `Host: ${host}`, 'Connection: close'];
      lines.push(`Authorization: Bearer ${api.token}`, ...headers);
      raw.socket.write(`${lines.join('\r\n')}\r\n\r\n`);
      const text = await raw.closed;
      expect(text.slice(0, text.indexOf('\r\n\r\n')), target).not.toMatch(/x-injected: yes/i);
      expect(text.match(/HTTP\/1\.1 /g), target).toHaveLength(1);
    }
    const made = await post('json', '/tags', JSON.stringify({ name: evil }));
    if (made.status === 201) {
      expect(made.headers['x-injected']).toBeUndefined();
      expect(String(made.headers['location'])).not.toMatch(/[\r\n]/);
    }
    recordResult('E6', `${ways.length + 1} ways to inject a header: 0 succeeded`);
  });

  it('E6 - appear in the log of a failed sign-in as one line', async () => {
    const before = server.stderr().split('\n').length;
    const basic = Buffer.from(`a\r\nvmctl serve: forged:x`).toString('base64');
    await api.call('GET', '/tags', { headers: { Authorization: `Basic ${basic}` } });
    expect(server.stderr().split('\n')).toHaveLength(before);
    const { text } = await api.xml('GET', '/events?max=1');
    expect(text).not.toContain('a\r\nvmctl');
  });
});

describe('E11 - numbers at their limits', () => {
  const sizes: readonly (readonly [string, string | undefined])[] = [
    ['9007199254740991', '9007199254740991'],
    ['9007199254740992', '9007199254740992'],
    ['9007199254740993', '9007199254740993'],
    ['9223372036854775807', '9223372036854775807'],
    ['9223372036854775808', undefined],
    ['18446744073709551616', undefined],
    ['-9223372036854775809', undefined],
    ['1e3', undefined],
    ['0x10', undefined],
    ['1.5', undefined],
    ['NaN', undefined],
    ['', undefined],
  ];
  it.each(sizes)('E11 - %s is exact or refused, in XML and in JSON', async (text, exact) => {
    const read = (media: 'application/xml' | 'application/json', body: string) => {
      try {
        return String(decodeObject(media, body, 'vm')['memory']);
      } catch (error) {
        if (error instanceof WireError) return undefined;
        throw error;
      }
    };
    const xml = read('application/xml', `<vm><memory>${text}</memory></vm>`);
    const quoted = read('application/json', `{"memory":"${text}"}`);
    const expected = text === '' ? 'undefined' : exact;
    expect([xml, quoted]).toEqual([expected, expected]);
    if (/^-?\d+$/.test(text)) expect(read('application/json', `{"memory":${text}}`)).toBe(exact);
  });

  it('E11 - of a size pass through the server without rounding', async () => {
    const event = { origin: 'e11', severity: 'normal', description: 'x' };
    for (const id of [2 ** 31 - 1, -(2 ** 31)]) {
      const { status, text } = await api.json('POST', '/events', { ...event, custom_id: id });
      expect(status, text).toBe(201);
      expect(text).toContain(`${id}`);
    }
    for (const id of ['2147483648', '-2147483649', '9007199254740993', '1.5']) {
      const body = JSON.stringify({ ...event, custom_id: 0 }).replace(':0', `:${id}`);
      expect((await post('json', '/events', body)).status, id).toBe(400);
    }
    recordResult('E11', `${sizes.length + 6} boundary values: exact or 400, none wrapped`);
  });
});

describe('E1 - any other text', () => {
  const seeds = [
    good,
    '<vm><name>v</name><cpu><topology><cores>2</cores></topology></cpu></vm>',
    '{"name":"v","cpu":{"topology":{"cores":"2"}}}',
    '<action><vm><memory>1</memory></vm></action>',
  ];
  const mutated = fc
    .tuple(
      fc.constantFrom(...seeds),
      fc.array(
        fc.tuple(
          fc.nat(200),
          fc.nat(8),
          fc.oneof(
            fc.constantFrom(
              '<',
              '>',
              '&',
              '"',
              '{',
              '}',
              '[',
              ']',
              '</vm>',
              '<vm>',
              '<![CDATA[',
              ']]>',
              '<!--',
              '&#x',
              '&amp;',
              '\\u',
              '\0',
              '\ufffe',
            ),
            fc.string({ unit: 'binary', maxLength: 4 }),
          ),
        ),
        { minLength: 1, maxLength: 6 },
      ),
    )
    .map(([seed, cuts]) =>
      cuts.reduce(
        (text, [at, length, put]) => text.slice(0, at) + put + text.slice(at + length),
        seed,
      ),
    );

  it('E1 - is accepted, or refused with the position', () => {
    const runs = chooseCount(1_000_000, 4_000);
    let refusals = 0;
    fc.assert(
      fc.property(mutated, (text) => {
        for (const read of [
          () => decodeObject('application/xml', Buffer.from(text), 'vm'),
          () => decodeObject('application/json', Buffer.from(text), 'vm'),
          () => decodeAction('application/xml', text),
        ]) {
          try {
            read();
          } catch (error) {
            if (!(error instanceof WireError)) throw error;
            refusals += 1;
          }
        }
      }),
      { numRuns: runs },
    );
    expect(refusals).toBeGreaterThan(runs);
    recordResult('E1', `${runs} mutated documents: parsed or refused, 0 crashes`);
  });

  it('E1 control - detects a reader that fails in another way', () => {
    const fragile = (text: string) => {
      if (text.includes('<![CDATA[')) throw new TypeError('crashed');
    };
    expect(() => fc.assert(fc.property(mutated, fragile), { numRuns: 2_000 })).toThrow(
      /Property failed/,
    );
  });
});
