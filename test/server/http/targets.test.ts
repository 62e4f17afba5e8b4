/**
 * Request targets: versions and ids in paths, in the dialect of an engine and in the standard one.
 */
import { expect, it } from 'vitest';
import { parseTarget } from '../../../src/server/api/request.ts';

const root = '/ovirt-engine/api';

it.each([
  ['0-0-0-0-0', '00000000-0000-0000-0000-000000000000'],
  ['1A-2-3-4-5', '0000001a-0002-0003-0004-000000000005'],
  ['58CA604B-017D-0374-0220-00000000014E', '58CA604B-017D-0374-0220-00000000014E'],
  ['web-01', 'web-01'],
  ['4.7', '4.7'],
])('engines read the id %s as %s', (sent, read) => {
  expect(parseTarget(`${root}/tags/${sent}`, root, true)?.segments).toEqual(['tags', read]);
  expect(parseTarget(`${root}/tags/${sent}`, root)?.segments).toEqual(['tags', sent]);
});

it.each([
  ['/v3', 405],
  ['/v3/vms', 405],
  ['/v5', 400],
  ['/tags/%2e%2e/bookmarks', 404],
  ['/tags/{id}', 400],
])('engines refuse %s with %d', (path, status) => {
  expect(() => parseTarget(root + path, root, true)).toThrow(expect.objectContaining({ status }));
});

it('dots and empty path segments are resolved for engines only', () => {
  expect(parseTarget(`${root}//tags/./x/..`, root, true)?.segments).toEqual(['tags']);
  expect(() => parseTarget(`${root}/tags/..`, root)).toThrow(
    expect.objectContaining({ status: 400 }),
  );
});
