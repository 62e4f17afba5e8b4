/** Masking of secrets in requests and responses, in every notation. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hidden, maskBody, maskHeaders, maskValue } from '../../../src/cli/session/mask-secrets.ts';
import { types } from '../../../src/model/derive/types.ts';
import { listAttributes } from '../../../src/model/index.ts';
import { actionParameters } from '../../../src/model/notation/parameters.ts';

const names = [
  ...new Set([
    ...Object.keys(types).flatMap((type) => Object.keys(listAttributes(type))),
    ...Object.keys(actionParameters),
  ]),
].filter((name) => /(password|passphrase|secret|license_key)$/.test(name));

describe('secrets', () => {
  it('of the model are all known, in JSON, in XML and in forms', () => {
    expect(names.length).toBeGreaterThan(2);
    for (const name of names) {
      expect(maskBody(`{"a":{"${name}":"geheim"}}`)).toBe(`{"a":{"${name}":"${hidden}"}}`);
      expect(maskBody(`<a><${name}>geheim</${name}></a>`)).toBe(
        `<a><${name}>${hidden}</${name}></a>`,
      );
      expect(maskBody(`x=1&${name}=geheim&y=2`)).toBe(`x=1&${name}=${hidden}&y=2`);
    }
  });

  it.each([
    ['{"ticket":{"value":"geheim","expiry":1}}'],
    ['{"proxy_ticket":{"value":"geheim"}}'],
    ['{"openstack_volume_authentication_key":[{"uuid":"x","value":"geheim"}]}'],
    ['{"property":[{"name":"password","value":"geheim"}]}'],
    ['{"property":[{"value":"geheim","name":"ssh_password"}]}'],
    ['{"remote_viewer_connection_file":"[virt-viewer]\\npassword=geheim\\n"}'],
    ['{"password": "geheim", '],
    ['{"password": "ge\\"heim'],
    ['<action><ticket><value>geheim</value></ticket></action>'],
    ['<a><proxy_ticket>\n <expiry>1</expiry><value>geheim</value></proxy_ticket></a>'],
    ['<p><name>password</name>\n<value>geheim</value></p>'],
    ['<p><value>geheim</value><name>password</name></p>'],
    ['<?xml version="1.0"?><a><password type="x">geheim</password></a>'],
    ['grant_type=password&password=geheim'],
  ])('are masked in %s', (body) => {
    const text = maskBody(body);
    expect(text).toContain(hidden);
    expect(text).not.toContain('heim');
    expect(maskBody(Buffer.from(body))).toBe(text);
  });

  it('are not confused with similar names', () => {
    for (const body of [
      '{"value":"x","name":"y"}',
      '<a><name>x</name><value>y</value></a>',
      'plain',
    ]) {
      expect(maskBody(body)).toBe(body);
    }
  });

  it('are masked at every depth, without other changes', () => {
    const plain = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(plain, fc.constantFrom(...names), (value, name) => {
        const safe = maskValue(value);
        expect(maskValue({ a: [value, { [name]: value ?? 'x' }] })).toEqual({
          a: [safe, { [name]: hidden }],
        });
      }),
    );
  });

  it('are masked in headers', () => {
    expect(maskHeaders({ Authorization: 'Bearer x', 'Set-Cookie': 'x', accept: 'y' })).toEqual({
      Authorization: hidden,
      'Set-Cookie': hidden,
      accept: 'y',
    });
  });
});
