/** Responses from cached texts are equal to responses without cache: for each caller, form and change. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { EncodedObjects } from '../../../src/server/api/encoded-objects.ts';
import { seededRandom } from '../../../src/server/core/random.ts';
import { type RawAnswer, RawApi, requestToken } from '../../support/raw.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const rounds = 60;
/** Reads after each change. */
const reads = 6;

const random = seededRandom(20_261);
const below = (limit: number) => Math.floor(random() * limit);
function pickOne<T>(some: readonly T[]): T {
  const found = some[below(some.length)];
  if (found === undefined) throw new Error('There is nothing to choose from.');
  return found;
}

let server: TestServer;
const people: RawApi[] = [];
let admin: RawApi;

beforeAll(async () => {
  server = await startTestServer(['--speed', '0', '--seed', '5', '--inventory', 'small']);
  admin = await RawApi.signIn(server);
  people.push(admin, admin);
  for (const username of ['jane@internal', 'olaf@internal']) {
    const other = { ...server, ready: { ...server.ready, username } };
    people.push(new RawApi(server, String((await requestToken(other)).json()['access_token'])));
  }
});

afterAll(async () => {
  vi.restoreAllMocks();
  await server.stop();
});

const texts = [
  'plain',
  '',
  '<b> & "quoted" \\ \u2028 \t\n end',
  'ž 中 😀 é',
  '","id":"x"}',
  '\\"',
  `${'long '.repeat(500)}`,
];

interface Link {
  readonly rel: string;
  readonly href: string;
}

/** Contents of a response with one object or a list, in JSON. */
interface Found {
  readonly id?: string;
  readonly href?: string;
  readonly link?: readonly Link[];
}

const apiRoot = () => new URL(server.ready.api_url).pathname;
const toPath = (href: string) => href.slice(apiRoot().length);

async function listItems(path: string): Promise<Found[]> {
  const answer = await admin.json('GET', path);
  if (answer.status !== 200) return [];
  const [list] = Object.values(answer.json<Record<string, unknown>>());
  return Array.isArray(list) ? (list as Found[]) : [];
}

/** The paths of all collections that the entry point links to. */
async function collections(): Promise<string[]> {
  const { link = [] } = (await admin.json('GET', '')).json<Found>();
  return link.map(({ href }) => toPath(href).split('?')[0] ?? '').filter((path) => path !== '');
}

/** Follows random links and returns the path of the last collection or object. */
async function somewhere(tops: readonly string[]): Promise<string> {
  let path = random() < 0.4 ? pickOne(['/vms', '/hosts', '/disks', '/templates']) : pickOne(tops);
  for (let step = below(4); step > 0; step--) {
    const items = await listItems(path);
    if (items.length === 0) return path;
    const { href, link = [] } = pickOne(items);
    if (href === undefined) return path;
    if (step === 1 || link.length === 0) return toPath(href);
    path = toPath(pickOne(link).href);
  }
  return path;
}

const follows: Readonly<Record<string, string>> = {
  '/vms': 'nics,disk_attachments.disk,cluster',
  '/hosts': 'cluster,nics',
  '/disks': 'disk_profile',
};

/** A request for a path in one of several forms. */
interface Question {
  readonly who: RawApi;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

function questionFor(path: string): Question {
  const headers: Record<string, string> = {
    Accept: pickOne(['application/xml', 'application/json']),
  };
  if (random() < 0.2) headers['All-Content'] = 'true';
  if (random() < 0.2) headers['Filter'] = 'true';
  const query: string[] = [];
  const follow = follows[path];
  if (follow && random() < 0.3) query.push(`follow=${follow}`);
  if (random() < 0.2) query.push(`max=${1 + below(4)}`);
  if (random() < 0.1) query.push('all_content=true');
  if (random() < 0.1) query.push('next_run=true');
  if (random() < 0.1) query.push('current=true');
  const version = random() < 0.2 ? '/v4' : '';
  const suffix = query.length > 0 ? `?${query.join('&')}` : '';
  return { who: pickOne(people), path: `${version}${path}${suffix}`, headers };
}

/** A random change. Refused changes are as good for the test as others. */
async function change(tops: readonly string[]): Promise<void> {
  const first = async (path: string) => pickOne([{}, ...(await listItems(path))]).href ?? '/none';
  const text = pickOne(texts);
  const number = below(1_000_000);
  const vm = toPath(await first('/vms'));
  const [cluster] = await listItems('/clusters');
  const [template] = await listItems('/templates');
  const [domain] = await listItems('/storagedomains');
  const disk = {
    ...{ alias: `disk-${number}`, provisioned_size: 2 ** 20, format: 'cow' },
    storage_domains: { storage_domain: [{ id: domain?.id }] },
  };
  const works: readonly (() => Promise<RawAnswer>)[] = [
    async () => admin.json('PUT', await somewhere(tops), { description: text }),
    async () => admin.json('PUT', await somewhere(tops), { comment: text }),
    async () => admin.json('PUT', await somewhere(tops), { name: `name-${number}` }),
    async () => admin.json('DELETE', await somewhere(tops)),
    () => admin.json('PUT', vm, { description: text, memory: 2 ** 30 + number * 2 ** 20 }),
    () => admin.json('PUT', vm, { display: { type: 'vnc', copy_paste_enabled: random() < 0.5 } }),
    () => admin.json('PUT', vm, { os: { type: pickOne(['rhel_9x64', 'windows_11', 'other']) } }),
    () => people[2]?.json('PUT', vm, { comment: text }) ?? Promise.reject(),
    () => admin.json('POST', `${vm}/${pickOne(['start', 'stop', 'suspend', 'reboot'])}`, {}),
    () => admin.json('POST', `${vm}/nics`, { name: `nic-${number}` }),
    () => admin.json('POST', `${vm}/tags`, { name: pickOne(['one', 'two']) }),
    () => admin.json('POST', `${vm}/snapshots`, { description: text }),
    () => admin.json('POST', '/tags', { name: pickOne(['one', 'two']), description: text }),
    () => admin.json('POST', '/disks', disk),
    () => admin.json('POST', `${vm}/diskattachments`, { interface: 'virtio', disk }),
    () => admin.json('POST', '/vms', { name: `vm-${number}`, cluster, template, comment: text }),
    () => admin.json('POST', '/bookmarks', { name: `mark-${number}`, value: 'vms: name=a' }),
    () => admin.json('POST', '/macpools', { name: `pool-${number}`, description: text }),
    () => admin.json('POST', `/clusters/${cluster?.id}/affinitygroups`, { name: `g-${number}` }),
    async () => {
      const [, user] = await listItems('/users');
      const role = pickOne(await listItems('/roles'));
      return admin.json('POST', `${vm}/permissions`, { user, role: { id: role.id } });
    },
    async () => {
      const permission = pickOne([{}, ...(await listItems(`${vm}/permissions`))]);
      return admin.json('DELETE', `${vm}/permissions/${permission.id}`);
    },
    async () => admin.json('POST', `${toPath(await first('/hosts'))}/deactivate`, {}),
    async () => admin.json('POST', `${toPath(await first('/hosts'))}/activate`, {}),
  ];
  const answer = await pickOne(works)();
  expect(answer.status, answer.text).not.toBe(500);
}

it('equals the response without cache, after random changes', { timeout: 300_000 }, async () => {
  const encoderFor = EncodedObjects.prototype.encoderFor;
  const cachedKinds = new Set<string>();
  let compared = 0;
  let isCached = false;
  vi.spyOn(EncodedObjects.prototype, 'encoderFor').mockImplementation(function (
    this: EncodedObjects,
    ...[view, ref]
  ) {
    const encoder = isCached ? encoderFor.call(this, view, ref) : undefined;
    if (encoder) cachedKinds.add(ref.kind);
    return encoder;
  });
  const ask = async ({ who, path, headers }: Question, cached: boolean) => {
    isCached = cached;
    const { status, text } = await who.call('GET', path, { headers });
    return `${status} ${text}`;
  };
  const tops = await collections();
  for (let round = 0; round < rounds; round++) {
    for (let number = 0; number < reads; number++) {
      const question = questionFor(await somewhere(tops));
      const before = await ask(question, false);
      const answers = [await ask(question, true), await ask(question, true)];
      // Statistics change between requests.
      if (before !== (await ask(question, false))) continue;
      compared += 1;
      const said = `${question.path} ${JSON.stringify(question.headers)}`;
      for (const answer of answers) expect(answer, said).toBe(before);
    }
    await change(tops);
  }
  expect(compared).toBeGreaterThan((rounds * reads) / 2);
  expect(cachedKinds.size).toBeGreaterThan(25);
});
