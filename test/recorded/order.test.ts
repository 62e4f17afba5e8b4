/** The order in which members are written: readers take the first `name` and `status` they meet. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawApi } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type Element, parseDocument } from './support/document.ts';
import { readRecorded } from './support/table.ts';
import { objectsOf } from './support/walk.ts';

let server: TestServer;
let api: RawApi;

beforeAll(async () => {
  server = await startTestServer(['--dialect', 'ovirt', '--speed', '0', '--inventory', 'small']);
  api = await RawApi.signIn(server, 'ovirt-app-api');
});
afterAll(() => server.stop());

/** What comes before everything else, in this order. */
const head = ['actions', 'name', 'description', 'comment', 'creation_status', 'link'];

/** How many types a type builds on, itself among them. */
const levels: Readonly<Record<string, number>> = { vm: 2, template: 2, nic: 2, snapshot: 3 };

/** Elements that make an order: each level is plain members, then links, both by the alphabet. */
function misplaced(element: Element): string[] {
  const tags = element.children.map(({ tag }) => tag).filter((tag, at, all) => tag !== all[at - 1]);
  const known = tags.filter((tag) => head.includes(tag));
  const inOrder = head.filter((tag) => known.includes(tag));
  const rest = tags.filter((tag) => !head.includes(tag));
  const falls = rest.filter((tag, at) => at > 0 && tag < (rest[at - 1] ?? ''));
  const identified = element.attributes['id'] !== undefined;
  const allowed = 2 * (levels[element.tag] ?? 1) - 1;
  const wrong = [
    ...(identified && known.join() !== inOrder.join() ? [`${known} in ${element.tag}`] : []),
    ...(identified && tags.slice(0, known.length).join() !== known.join() ? [`${tags}`] : []),
    ...(identified && falls.length > allowed ? [`${rest} in ${element.tag}`] : []),
  ];
  return [...wrong, ...element.children.flatMap(misplaced)];
}

describe('an XML document', () => {
  it.each([...readRecorded().keys()])(
    '%s has its members in the order of the alphabet',
    async (kind) => {
      const found = await objectsOf(api, kind);
      expect(found.flatMap(({ element }) => misplaced(element))).toEqual([]);
    },
  );

  it('of a machine tells what all machines and templates have before what it alone has', async () => {
    const [vm] = parseDocument((await api.xml('GET', '/vms')).text).children;
    const tags = vm?.children.map(({ tag }) => tag) ?? [];
    const expected = [
      'name',
      'link',
      'bios',
      'usb',
      'cluster',
      'quota',
      'run_once',
      'status',
      'host',
    ];
    expect(tags.filter((tag) => expected.includes(tag) && tag !== 'link')).toEqual(
      expected.filter((tag) => tag !== 'link'),
    );
  });

  it('has the name and status of the machine first, whatever is followed', async () => {
    const follow = 'cluster,template,host,nics,disk_attachments.disk,snapshots,permissions';
    const { text } = await api.xml('GET', `/vms?follow=${follow}`);
    const machines = text.split('<vm ').slice(1);
    const own = parseDocument(text).children;
    for (const [at, machine] of own.entries()) {
      const [first = ''] = machines.filter((one) =>
        one.includes(`id="${machine.attributes['id']}"`),
      );
      const value = (tag: string) => machine.children.find((one) => one.tag === tag)?.text;
      expect(/<name>([^<]*)/.exec(first)?.[1], String(at)).toBe(value('name'));
      expect(/<status>([^<]*)/.exec(first)?.[1], String(at)).toBe(value('status'));
    }
  });
});
