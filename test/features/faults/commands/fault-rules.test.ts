/** Parsers of fault rules: reasons and positions of errors. */
import { beforeAll, describe, expect, it } from 'vitest';
import { parseFault } from '../../../../src/features/faults/fault-rules.ts';
import { badDocuments } from '../../../support/bad-documents.ts';
import { type RawAnswer, RawApi, send } from '../../../support/raw.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';

let server: TestServer;
let admin: RawApi;
beforeAll(async () => {
  server = await startTestServer();
  admin = await RawApi.signIn(server);
});

function call(method: string, body?: string | Buffer): Promise<RawAnswer> {
  return send(new URL('/_vmctl/faults', server.ready.base_url).href, {
    ...{ method, agent: admin.agent, headers: { Authorization: `Bearer ${admin.token}` } },
    ...(body === undefined ? {} : { body }),
  });
}

describe('POST /_vmctl/faults', () => {
  it.each(badDocuments)('refuses a rule that %s, with its position', async (_what, content) => {
    const answer = await call('POST', content);
    expect(answer.status).toBe(400);
    expect(answer.json()['detail']).toMatch(/^rule:[1-9]\d*:[1-9]\d*: \S/);
  });

  it('adds no refused rule, but the others', async () => {
    expect((await call('GET')).json()).toEqual({ faults: [] });
    const answer = await call(
      'POST',
      '{"operation": "start", "rate": 0.5, "detail": "caf\\u00e9"}',
    );
    expect(answer.status).toBe(201);
    expect(answer.json()).toMatchObject({ operation: 'start', rate: 0.5, detail: 'café' });
  });

  it.each([
    ['{"rate": 9007199254740993}', 'rate is not a number of at least 0'],
    ['{"drop": "yes"}', 'drop is neither true nor false'],
    ['{"path": "/vms"}', '"path" is not one of operation'],
    ['{"operation": "strat"}', 'unknown operation strat; did you mean start?'],
    ['{"operation": "start", "type": "disk"}', 'unknown operation start of disk'],
  ])('refuses the rule %s', async (rule, problem) => {
    const answer = await call('POST', rule);
    expect([answer.status, answer.json()['detail']]).toEqual([
      400,
      expect.stringContaining(problem),
    ]);
  });
});

describe('the short form of a rule', () => {
  it('has the same members', () => {
    expect(parseFault('operation=start, vm=web*,rate=.5,times=1e1,drop')).toEqual({
      ...{ operation: 'start', type: 'vm', name: 'web*', rate: 0.5, times: 10, drop: true },
    });
  });

  it.each([
    ['rate=', 'rate is not a number of at least 0'],
    ['rate=0x1', 'rate is not a number of at least 0'],
    ['delay= ', 'delay is not a number of at least 0'],
    ['times', 'times is not a number of at least 0'],
    ['drop=yes', 'drop is neither true nor false'],
    ['rate=1,rate=0', '"rate" appears twice'],
    ['name=a,vm=b', '"name" appears twice'],
    ['__proto__=a', '"__proto__" is neither operation'],
    ['', '"" is neither operation'],
  ])('refuses "%s"', (text, problem) => {
    expect(() => parseFault(text)).toThrow(problem);
  });
});
