/** Recorded documents: no secrets, otherwise unchanged. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskJson, maskLines, maskParameters, maskXml } from '../../src/recording/mask-text.ts';
import { Redactor } from '../../src/recording/redactor.ts';
import { hidden } from '../../src/recording/secret-names.ts';

describe('masked JSON', () => {
  it.each([
    ['{"password":"geheim"}', `{"password":"${hidden}"}`],
    ['{ "a" : [ {"root_password" : "ge\\"heim" , "b": 1 } ] }', undefined],
    ['{"\\u0070assword":"geheim"}', `{"\\u0070assword":"${hidden}"}`],
    ['{"ticket":{"value":"geheim","expiry":1}}', `{"ticket":{"value":"${hidden}","expiry":1}}`],
    ['{"tickets":[{"value":"geheim"}]}', undefined],
    ['{"property":[{"value":"geheim","name":"password"}]}', undefined],
    ['{"secret":{"deep":["geheim",{"x":"geheim"}]},"b":1}', `{"secret":"${hidden}","b":1}`],
    [
      '{"data":"<?xml version=\\"1.0\\"?><a><VmInit winKey=\\"geheim\\" a=\\"b\\"/><ovf:rootPassword>geheim</ovf:rootPassword></a>"}',
      undefined,
    ],
    ['{"data":"<Envelope customScript=\\"geheim\\">"}', `{"data":"${hidden}"}`],
    ['{"token":12345678901234567890}', `{"token":"${hidden}"}`],
  ])('%s', (text, expected) => {
    const masked = maskJson(text);
    expect(masked).not.toContain('heim');
    if (expected !== undefined) expect(masked).toBe(expected);
    expect(() => JSON.parse(masked ?? '')).not.toThrow();
  });

  it('is otherwise unchanged, including white space and large numbers', () => {
    const text = ' {"a" : 12345678901234567890, "password":null,\n "b":[1, {"value":"x"}]} ';
    expect(maskJson(text)).toBe(text);
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(maskJson(json)).toBe(json);
      }),
    );
  });

  it('is refused if it is not well-formed', () => {
    for (const text of ['{"password":"gehe', '{"a":}', '', 'x']) {
      expect(maskJson(text)).toBeUndefined();
    }
  });
});

describe('masked XML', () => {
  it.each([
    ['<a><password>geheim</password></a>', `<a><password>${hidden}</password></a>`],
    ['<a><password><![CDATA[geheim<]]></password></a>', `<a><password>${hidden}</password></a>`],
    ['<a><password>ge<!-- x -->heim</password></a>', `<a><password>${hidden}</password></a>`],
    ['<o:a xmlns:o="u"><o:password a=">">geheim</o:password></o:a>', undefined],
    ['<a password="geheim" b="c"/>', `<a password="${hidden}" b="c"/>`],
    ['<p><value>geheim</value><name>password</name></p>', undefined],
    ['<p><name>pass&#119;ord</name><value>geheim</value></p>', undefined],
    ['<ticket><x><value>geheim</value></x></ticket>', undefined],
    [
      '<data>&lt;Envelope winKey="geheim"/></data>',
      `<data>&lt;Envelope winKey="${hidden}"/&gt;</data>`,
    ],
    ['<data><![CDATA[<?xml version="1.0"?><winKey>geheim</winKey>]]></data>', undefined],
    ['<data>&lt;Envelope winKey="geheim"></data>', `<data>${hidden}</data>`],
    ['<?xml version="1.0"?><!DOCTYPE a><a><token>\ngeheim\n</token></a>', undefined],
  ])('%s', (text, expected) => {
    const masked = maskXml(text);
    expect(masked).toContain(hidden);
    expect(masked).not.toContain('heim');
    if (expected !== undefined) expect(masked).toBe(expected);
  });

  it('is otherwise unchanged', () => {
    const text =
      '<?xml version="1.0"?>\n<a b="x>y">\n <c/>&lt;<name>x</name><value>y</value></a>\n';
    expect(maskXml(text)).toBe(text);
  });

  it('is refused if it is not well-formed', () => {
    for (const text of ['<a><password>gehe', '<a></b>', '<a>', '<a><password>x</a>', '<']) {
      expect(maskXml(text), text).toBeUndefined();
    }
  });
});

it('masks secrets in forms and lines', () => {
  expect(maskParameters('a=1&password=geheim%2B&b')).toBe(`a=1&password=${hidden}&b`);
  expect(maskParameters('x=geheim&scope=s', undefined, new Set(['scope']))).toBe(
    `x=${hidden}&scope=s`,
  );
  expect(maskLines('[virt-viewer]\npassword=geheim\nhost=h\n')).toBe(
    `[virt-viewer]\npassword=${hidden}\nhost=h\n`,
  );
});

describe('a redactor', () => {
  const json = { 'content-type': 'application/json' };

  it('masks a secret anywhere else, in every notation', () => {
    const redactor = new Redactor();
    redactor.requestHeaders({ Authorization: 'Bearer to/ken&"1"' });
    expect(redactor.target('/x?a=to%2Fken%26%221%22')).toBe(`/x?a=${hidden}`);
    expect(redactor.body('/api/x', json, '{"note":"to/ken&\\"1\\" it is"}')).toEqual({
      text: `{"note":"${hidden} it is"}`,
    });
    const basic = Buffer.from('admin:sesame open').toString('base64');
    redactor.requestHeaders({ authorization: `Basic ${basic}` });
    expect(redactor.text(`${basic} says sesame open`)).toBe(`${hidden} says ${hidden}`);
  });

  it('masks the ticket in the URL of a transfer', () => {
    const redactor = new Redactor();
    redactor.body('/api/x', json, '{"transfer_url":"https://h:54322/images/7ab3-ticket"}');
    expect(redactor.text('GET /images/7ab3-ticket')).toBe(`GET /images/${hidden}`);
  });

  it('masks credentials in addresses, and sign-ins in redirects', () => {
    const redactor = new Redactor();
    expect(redactor.body('/api/x', json, '{"url":"https://me:geheim@h/x?a=b@c"}')).toEqual({
      text: `{"url":"https://${hidden}@h/x?a=b@c"}`,
    });
    const location = (text: string) => redactor.responseHeaders({ Location: text })['location'];
    expect(location('https://h/callback?code=geheim&scope=s')).toBe(
      `https://h/callback?code=${hidden}&scope=s`,
    );
    expect(location('/x/api/vms?search=a')).toBe('/x/api/vms?search=a');
  });

  it('keeps only harmless headers', () => {
    const redactor = new Redactor();
    const given = { Cookie: 'a', 'X-Api-Key': 'b', Accept: 'c', authorization: 'Bearer d' };
    expect(redactor.requestHeaders(given)).toEqual({ accept: 'c' });
    expect(redactor.responseHeaders({ 'set-cookie': 'JSESSIONID=x', location: '/x' })).toEqual({
      location: '/x',
    });
  });

  it('keeps no content that it cannot parse', () => {
    const redactor = new Redactor();
    const omitted = (path: string, headers: Record<string, string>, body: string | Uint8Array) =>
      redactor.body(path, headers, body);
    expect(omitted('/api/x', json, '{"password": "geh')).toMatchObject({ bytes: 17 });
    expect(omitted('/_vmctl/state', {}, 'hash')).toHaveProperty('omitted');
    expect(omitted('/api/x', {}, Buffer.from([0xff, 0xfe]))).toHaveProperty('omitted');
    expect(omitted('/x/sso/oauth/token', {}, 'geheim')).toHaveProperty('omitted');
    expect(omitted('/api/x', { 'Content-Encoding': 'gzip' }, 'x')).toHaveProperty('omitted');
    expect(omitted('/api/x', { 'content-type': 'image/png' }, Buffer.from([0xff]))).toEqual({
      base64: '/w==',
    });
  });
});
