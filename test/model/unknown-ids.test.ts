/** Responses to unknown ids: one operation of each kind. */
import { expect, it } from 'vitest';
import { getUnknownIdAnswer } from '../../src/model/unknown-ids.ts';

it.each([
  ['GET', '/vms/{vm}/nics', 'list', false, 'empty'],
  ['GET', '/vms/{vm}/permissions', 'list', false, 'listed'],
  ['GET', '/users/{user}/roles', 'list', false, 'listed'],
  ['GET', '/vms/{vm}', 'get', false, 'gone'],
  ['DELETE', '/vms/{vm}', 'remove', false, 'gone'],
  ['POST', '/vms/{vm}/start', 'start', true, 'refused'],
  ['POST', '/imagetransfers/{imagetransfer}/cancel', 'cancel', true, 'done'],
])('%s %s', (http, path, name, isAction, answer) => {
  expect(getUnknownIdAnswer({ http, path, name, isAction })).toBe(answer);
});
