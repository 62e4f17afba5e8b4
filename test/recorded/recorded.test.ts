/**
 * Comparison with recorded engines: an object has all members of the recorded ones, however it was
 * created.
 */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Speaker } from '../operations/support/speaker.ts';
import { RawApi } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { listFacts } from './support/document.ts';
import { type Exception, exceptions } from './support/exceptions.ts';
import { makeByRequests } from './support/made.ts';
import { hasForm, readRecorded } from './support/table.ts';
import { findObjects } from './support/walk.ts';

const table = readRecorded();
const examples = fileURLToPath(new URL('../data/examples.yaml', import.meta.url));
const used = new Set<Exception>();

interface Way {
  readonly name: string;
  readonly inventory: string;
  readonly make?: (api: RawApi) => Promise<void>;
}

const ways: readonly Way[] = [
  { name: 'the small inventory', inventory: 'small' },
  {
    name: 'a generated inventory',
    inventory: 'datacenters=2,clusters=2,hosts=4,storagedomains=2,networks=3,vms=6,disks=4',
  },
  { name: 'an inventory from a file', inventory: examples },
  ...(['XML', 'JSON'] as const).map((format) => ({
    name: `requests in ${format}`,
    inventory: 'small',
    make: (api: RawApi) => makeByRequests(new Speaker(api, format), format.toLowerCase()),
  })),
];

function isMeant(
  { what, where }: Exception,
  difference: string,
  facts: ReadonlyMap<string, readonly string[]>,
): boolean {
  const [member = '', value] = where ?? [];
  return what.test(difference) && (!where || facts.get(member)?.[0] === value);
}

/** Members that an object lacks or has in another form. */
function differences(kind: string, facts: ReadonlyMap<string, readonly string[]>): string[] {
  const recorded = table.get(kind)?.members ?? new Map();
  const found: string[] = [];
  for (const [path, { percent, forms }] of recorded) {
    const what = `${kind} ${path}`;
    const values = facts.get(path);
    const wrong = values?.find((value) => forms.length > 0 && !hasForm(value, forms));
    const difference =
      values === undefined && percent === 100
        ? `${what} is absent`
        : wrong === undefined
          ? undefined
          : `${what} is "${wrong}", not ${forms.join(' or ')}`;
    if (difference === undefined) continue;
    const exception = exceptions.find((one) => isMeant(one, difference, facts));
    if (exception) used.add(exception);
    else found.push(difference);
  }
  return found;
}

describe.each(ways)('created by $name', ({ inventory, make }) => {
  let server: TestServer;
  let api: RawApi;

  beforeAll(async () => {
    server = await startTestServer([
      '--dialect',
      'ovirt',
      '--speed',
      '0',
      '--inventory',
      inventory,
    ]);
    api = await RawApi.signIn(server, 'ovirt-app-api');
    await make?.(api);
  });
  afterAll(() => server.stop());

  it.each([...table.keys()])('%s has the members of recorded engines', async (kind) => {
    const lacking = new Map<string, string>();
    for (const { where, element } of await findObjects(api, kind)) {
      for (const difference of differences(kind, listFacts(element))) {
        if (!lacking.has(difference)) lacking.set(difference, where);
      }
    }
    expect([...lacking].map(([difference, where]) => `${difference} (${where})`)).toEqual([]);
  });
});

it('each exception still applies', () => {
  expect(exceptions.filter((one) => !used.has(one)).map(({ why }) => why)).toEqual([]);
});
