// URLs of images: all forms, and refused texts.
import { describe, expect, it } from 'vitest';
import {
  formatLocation,
  type ImageLocation,
  parseLocation,
} from '../../../src/images/backends/location.ts';

const file = (path: string): ImageLocation => ({ kind: 'file', path });
const unix = (path: string, exportName = ''): ImageLocation => ({
  kind: 'nbd',
  address: { path },
  exportName,
});
const tcp = (host: string, port: number, exportName = ''): ImageLocation => ({
  kind: 'nbd',
  address: { host, port },
  exportName,
});

describe('parseLocation', () => {
  it.each<[string, ImageLocation]>([
    ['file:///images/a', file('/images/a')],
    ['file:///a%20b', file('/a b')],
    ['file://localhost/a', file('/a')],
    ['nbd:unix:/run/s', unix('/run/s')],
    ['nbd:unix:/run/s:exportname=', unix('/run/s')],
    ['nbd:unix:/run/s:exportname=a:b/c d', unix('/run/s', 'a:b/c d')],
    ['nbd:host:10809', tcp('host', 10_809)],
    ['nbd:127.0.0.1:1:exportname=x', tcp('127.0.0.1', 1, 'x')],
    ['nbd:[::1]:65535', tcp('::1', 65_535)],
    ['nbd://host', tcp('host', 10_809)],
    ['nbd://host/', tcp('host', 10_809)],
    ['nbd://host:99/a%2Fb', tcp('host', 99, 'a/b')],
    ['nbd://[::1]:99/x', tcp('::1', 99, 'x')],
    ['nbd+unix:///x?socket=/run/s', unix('/run/s', 'x')],
    ['nbd+unix://?socket=/run/a%20b', unix('/run/a b')],
  ])('parses %s', (url, place) => {
    expect(parseLocation(url)).toEqual(place);
    expect(parseLocation(formatLocation(place))).toEqual(place);
  });

  it.each([
    '',
    '/images/a',
    'file:',
    'file://elsewhere/a',
    'http://host/images/a',
    'https://host/images/a',
    'nbd',
    'nbd:',
    'nbd:unix:',
    'nbd:unix:relative',
    'nbd:host',
    'nbd:host:0',
    'nbd:host:65536',
    'nbd:host:x',
    'nbd:::1:99',
    'nbd+unix:///x',
    'nbd+unix:///x?socket=relative',
    'nbd://',
    'nbds://host/x',
    `nbd:host:1:exportname=${'x'.repeat(5000)}`,
  ])('refuses %j', (url) => {
    expect(() => parseLocation(url)).toThrow(`url "${url}" is not supported: `);
  });
});
