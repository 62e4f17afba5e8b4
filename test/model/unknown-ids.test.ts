/** The table of answers about unknown ids: each of its operations is one of the model. */
import { expect, it } from 'vitest';
import { allOperations } from '../../src/model/index.ts';
import { namedOperations, unknownIdAnswerOf } from '../../src/model/unknown-ids.ts';

it('names operations of the model', () => {
  const known = new Set(allOperations().map(({ http, path }) => `${http} ${path}`));
  expect(namedOperations.filter((operation) => !known.has(operation))).toEqual([]);
});

it.each([
  ['GET', '/vms/{vm}/nics', 'list', false, 'empty'],
  ['GET', '/vms/{vm}/permissions', 'list', false, 'system'],
  ['GET', '/vms/{vm}', 'get', false, 'gone'],
  ['DELETE', '/vms/{vm}', 'remove', false, 'gone'],
  ['POST', '/vms/{vm}/start', 'start', true, 'refused'],
  ['POST', '/imagetransfers/{imagetransfer}/cancel', 'cancel', true, 'done'],
])('%s %s', (http, path, name, isAction, answer) => {
  expect(unknownIdAnswerOf({ http, path, name, isAction })).toBe(answer);
});
