/**
 * Who names what: an administrator of one half of a site sends references to what is in the other
 * half. With `filter=true` the answer is the same as to references to what is not there.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  allOperations,
  attributesOf,
  type Operation,
  parseKind,
  tagOf,
} from '../../src/model/index.ts';
import { actionParameters } from '../../src/model/parameters.ts';
import { figure } from './support/catalogue.ts';
import { answerTo, type Halves, makeHalves, sampled } from './support/sides.ts';
import { all } from './support/worlds.ts';

let halves: Halves;

beforeAll(async () => {
  halves = await makeHalves();
  const { worlds } = halves;
  const user = (await all(worlds.admin, '/users?search=usrname%3Djane'))[0]?.id;
  const permission = { role: { name: 'DataCenterAdmin' }, user: { id: user } };
  const path = `/datacenters/${worlds.west}/permissions`;
  const given = await worlds.admin.json('POST', path, permission);
  expect(given.status, given.text).toBe(201);
});

afterAll(async () => {
  await halves.worlds.stop();
});

interface Reference {
  readonly operation: Operation;
  readonly attribute: string;
  readonly type: string;
  readonly list: boolean;
}

/** All references that the bodies of operations can hold. */
const references: readonly Reference[] = allOperations()
  .filter(({ http }) => http === 'POST' || http === 'PUT')
  .flatMap((operation) =>
    Object.entries(operation.isAction ? actionParameters : attributesOf(operation.type))
      .filter(([name]) => !operation.isAction || operation.body.includes(name))
      .flatMap(([attribute, { kind }]) => {
        const { form, of, list } = parseKind(kind);
        if (form !== 'ref' && form !== 'links') return [];
        return [{ operation, attribute, type: of, list: list || form === 'links' }];
      }),
  );

/** Ways to say which object is meant. */
const forms: Readonly<Record<string, (id: string, name: string) => object>> = {
  'by id': (id) => ({ id }),
  'by name': (_, name) => ({ name }),
  'by name with an empty id': (_, name) => ({ id: '', name }),
  'by name and more': (_, name) => ({ name, description: 'more' }),
};

/** Names of what is made come once: another of that name would be refused. */
let probes = 0;
const absent = { id: '11111111-2222-4333-8444-555555555555', name: 'no-such-thing' };

/** Jane's answer to a request with a reference, the words that were sent made the same. */
async function answered(reference: Reference, form: string, meant: typeof absent) {
  const { operation, attribute, type, list } = reference;
  const [jane] = halves.sides;
  const path = jane.own.path(operation.path);
  if (path === undefined) return undefined;
  probes += 1;
  const probe = `probe-${probes}`;
  const said = forms[form]?.(meant.id, meant.name);
  const body = {
    ...(operation.name === 'add' ? { name: probe } : {}),
    [attribute]: list ? { [tagOf(type)]: [said] } : said,
  };
  const sent = [meant.id, meant.name, probe];
  const answer = await answerTo(halves, jane.api, operation, `${path}?filter=true`, sent, body);
  // What is made is something else each time.
  return /^20[12] /.test(answer) ? 'made' : answer;
}

/** An object of the other half of some type. */
function hiddenOf(type: string): typeof absent | undefined {
  const [jane] = halves.sides;
  const ofType = halves.state.filter(({ kind }) => kind === type);
  const known = new Set(
    ofType.flatMap(({ object }) => (jane.othersIds.has(object.id) ? [] : [object['name']])),
  );
  const found = ofType.find(({ object }) => {
    const { id, name } = object;
    return jane.othersIds.has(id) && typeof name === 'string' && !known.has(name);
  });
  return found && { id: found.object.id, name: String(found.object['name']) };
}

it('F4 who sees what: a body that names something hidden is answered as one that names nothing', async () => {
  const different: string[] = [];
  let asked = 0;
  const cases = references.flatMap((one) => Object.keys(forms).map((form) => ({ one, form })));
  const kindOf = ({ one, form }: (typeof cases)[number]) => `${one.type} ${form}`;
  for (const { one, form } of sampled(cases, 15, kindOf)) {
    const hidden = hiddenOf(one.type);
    if (!hidden) continue;
    const there = await answered(one, form, hidden);
    if (there === undefined) continue;
    const gone = await answered(one, form, absent);
    asked += 1;
    const { http, path } = one.operation;
    if (there !== gone)
      different.push(`${http} ${path} ${one.attribute} ${form}: ${there} | ${gone}`);
  }
  expect(different).toEqual([]);
  expect(asked).toBeGreaterThan(30);
  figure('F4', `0 of ${asked} bodies tell a hidden object from one that is not there`);
});
