/** Links of references: every referenced object has an address. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Speaker } from '../operations/support/speaker.ts';
import { RawApi } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type Element, parseDocument } from './support/document.ts';
import { makeByRequests } from './support/made.ts';

let server: TestServer;
let api: RawApi;

beforeAll(async () => {
  server = await startTestServer(['--dialect', 'ovirt', '--speed', '0', '--inventory', 'small']);
  api = await RawApi.signIn(server, 'ovirt-app-api');
  await makeByRequests(new Speaker(api, 'XML'), 'xml');
});
afterAll(() => server.stop());

/** Objects with an id but without an address. */
const objectsWithoutAddress: readonly (readonly [path: RegExp, why: string])[] = [
  [/\/(vlan|method|product|vendor)$/, 'The id is a number or a word, not that of an object.'],
  [/\/migration\/policy$/, 'Policies of migration are known by their ids alone.'],
  [/\/logical_unit$/, 'Units of a storage network have no collection.'],
  [/(vm|template)\/quota$/, 'Engines do not look up the data center of a quota.'],
  [/disk_snapshot\/snapshot$/, 'Engines show the snapshot of a disk snapshot by its id alone.'],
  [/snapshot\/vm(\/\w+)*$/, 'The VM in a snapshot is what it was, and no object.'],
  [/cluster_level\/permits\/permit$/, 'Permits are found below the roles that have them.'],
  [/^statistics\/statistic$/, 'Engines add the statistics of huge pages, which have no address.'],
  [/^permissions\/permission$/, 'Engines list roles of users on a MAC pool without an address.'],
  [
    /^(filter|weight|balance)s\/\w+$/,
    'Engines list the parts of a scheduling policy without addresses.',
  ],
  [/^events?\/(event\/)?user$/, 'The service itself is no user.'],
  [
    /^(link_layer_discovery_protocol_elements|host_cpu_units)\/\w+$/,
    'Items that can only be listed have no address.',
  ],
];

/** Lists of objects without an address, and without links of references. */
const listsWithoutAddress = /\/snapshots\/[^/]+\/(cdroms|disks|nics)$/;

/** Paths of nested elements with an id but without an address. */
function findMissingAddresses(element: Element, path: string): string[] {
  return element.children.flatMap((child) => {
    const own = `${path}/${child.tag}`;
    const { id, href } = child.attributes;
    const lacks =
      id !== undefined &&
      href === undefined &&
      !objectsWithoutAddress.some(([one]) => one.test(own));
    return [...(lacks ? [own] : []), ...findMissingAddresses(child, own)];
  });
}

it('no reference has only an id', async () => {
  const root = new URL(server.ready.api_url).pathname;
  const todo = [root];
  const seen = new Set(todo);
  const found = new Map<string, string>();
  for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
    const { status, text } = await api.xml('GET', at.slice(root.length));
    if (status !== 200 || listsWithoutAddress.test(at)) continue;
    const document = parseDocument(text);
    for (const path of findMissingAddresses(document, document.tag)) {
      if (!found.has(path)) found.set(path, at.replace(root, ''));
    }
    for (const [, href = ''] of text.matchAll(/ href="([^"]*)"/g)) {
      if (href.includes('{') || seen.has(href)) continue;
      seen.add(href);
      todo.push(href);
    }
  }
  expect([...found].map((one) => one.join(' at '))).toEqual([]);
});
