/** Log of calls: it contains members that rules read, and omits copied ones. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listOperations } from '../../../src/model/index.ts';
import { CallLog, type LoggedCall, unwatched, watched } from '../../../src/server/api/call-log.ts';

describe('a watched object', () => {
  it('records members that are read, and omits copied and written ones', () => {
    const read: string[] = [];
    const object = watched({ a: 1, b: 2, c: 3 }, (name) => read.push(name));
    expect({ ...object, d: 4 }).toEqual({ a: 1, b: 2, c: 3, d: 4 });
    expect(JSON.parse(JSON.stringify(unwatched(object)))).toEqual({ a: 1, b: 2, c: 3 });
    expect(read).toEqual([]);
    expect(object['b']).toBe(2);
    expect(object['missing']).toBeUndefined();
    expect(read).toEqual(['b', 'missing']);
  });
});

describe('a log of calls', () => {
  it('has a line for each call with new information', () => {
    const folder = mkdtempSync(join(tmpdir(), 'vmctl-calls-'));
    try {
      const log = new CallLog(folder);
      const start = listOperations('/vms/{vm}').find(({ name }) => name === 'start');
      if (!start) throw new Error('Machines are started.');
      const request = {
        method: 'POST',
        segments: ['vms', '1', 'start'],
        parameters: new Map([['async', 'true']]),
        apiPath: '/api',
        header: () => 'somebody',
        readBody: async () => new Uint8Array(),
        address: '',
        connection: { isClosed: false, onClose: () => () => {} },
      };
      for (const reads of [['pause'], ['pause'], ['pause', 'vm']]) {
        const call = log.observe(start, request, { pause: true });
        for (const name of reads) void (call.body as Record<string, unknown>)[name];
        const { body } = call.answered({ status: 200, headers: {}, body: ['one', 'two'] });
        // The line is written after the response is complete.
        expect([...(body as Iterable<string>)]).toEqual(['one', 'two']);
      }
      const [file = ''] = readdirSync(folder);
      const lines = readFileSync(join(folder, file), 'utf8').trim().split('\n');
      const calls = lines.map((line) => JSON.parse(line) as LoggedCall);
      expect(calls.map(({ body }) => body)).toEqual([['pause'], ['pause', 'vm']]);
      expect(calls[0]).toMatchObject({ operation: 'POST /vms/{vm}/start', agent: 'somebody' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
