/** `export` from services that cannot follow all links: the client reads the lists separately. */
import { expect, it } from 'vitest';
import type { OperationRunner } from '../../../src/cli/verbs/operation-runner.ts';
import { FaultError, NotFoundError, ServerError } from '../../../src/client/errors.ts';
import { CachedService } from '../../../src/features/definitions/cached-service.ts';

/** A runner of a service with one user; a list with links to follow is refused with the error. */
function refusing(error: Error, asked: string[]): OperationRunner {
  const list = async ({ path, follow }: { path: string; follow?: string | undefined }) => {
    asked.push(follow === undefined ? path : `${path}?follow=${follow}`);
    if (follow !== undefined) throw error;
    return path === '/users' ? [{ id: '1', user_name: 'jane' }] : [{ id: '2', event: 'vm_down' }];
  };
  return { list } as unknown as OperationRunner;
}

it.each([
  ['500 without a fault, as engines answer', new ServerError('users: failed', { status: 500 })],
  ['a fault', new FaultError('users: no such link', { status: 400 })],
])('reads a list separately if it cannot be followed: %s', async (_, error) => {
  const asked: string[] = [];
  const site = new CachedService(refusing(error, asked));
  expect(await site.list('/users')).toEqual([{ id: '1', user_name: 'jane' }]);
  expect(await site.list('/users/{user}/eventsubscriptions', { user: '1' })).toHaveLength(1);
  expect(asked[0]).toContain('/users?follow=');
  expect(asked).toContain('/users/{user}/eventsubscriptions');
});

it.each([
  new ServerError('users: not available', { status: 503 }),
  new NotFoundError('users: not found', { status: 404 }),
])('any other error ends the export: %s', async (error) => {
  await expect(new CachedService(refusing(error, [])).list('/users')).rejects.toBe(error);
});
