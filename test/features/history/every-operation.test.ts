/** Undo of every operation of the model: an inverse that the service has, or the reason. */
import { describe, expect, it } from 'vitest';
import type { HistoryStep } from '../../../src/features/history/history-file.ts';
import { listUndoSteps } from '../../../src/features/history/inverse.ts';
import { listAllOperations, listOperations } from '../../../src/model/index.ts';

const changing = listAllOperations().filter(({ http }) => !['GET', 'HEAD'].includes(http));

/** Request of an operation as the history records it. */
function record(service: string, operation: string, http: string): HistoryStep {
  const ids = Object.fromEntries(
    [...service.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, `id of ${name}`]),
  );
  return {
    ...{ method: http, path: service, service, operation, ids, what: `${operation} things/x` },
    ...(operation === 'update' ? { before: { comment: 'a' }, body: { comment: 'b' } } : {}),
    ...(operation === 'remove' ? { before: { name: 'x' } } : {}),
    outcome: { status: 200, ...(operation === 'add' ? { made: { id: 'new', name: 'x' } } : {}) },
  };
}

const cases = changing.map(
  ({ service, name, http }) => [`${http} ${service} ${name}`, service, name, http] as const,
);

describe('undo of one request', () => {
  it('knows all operations', () => expect(cases.length).toBeGreaterThan(400));

  it.each(cases)('%s', (_, service, name, http) => {
    const [step] = listUndoSteps([record(service, name, http)]);
    if (!step) throw new Error('no step');
    const { inverse, why } = step;
    if (!inverse) {
      expect(why).toMatch(/^\S.*\S$/);
      return;
    }
    const sent = inverse.kind === 'action' ? inverse.operation : inverse.kind;
    expect(listOperations(inverse.path).map((one) => one.name)).toContain(sent);
    const placeholders = [...inverse.path.matchAll(/\{(\w+)\}/g)].map(([, one]) => one);
    // The last placeholder is the object, except in a collection.
    const parents = inverse.kind === 'add' ? placeholders : placeholders.slice(0, -1);
    expect(Object.keys(inverse.ids).sort()).toEqual(parents.sort());
  });
});
