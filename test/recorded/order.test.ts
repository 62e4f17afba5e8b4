/** Order of members: some readers use the first `name` and `status` of a document. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawApi } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type Element, parseDocument } from './support/document.ts';
import { readRecorded } from './support/table.ts';
import { findObjects } from './support/walk.ts';

let server: TestServer;
let api: RawApi;

beforeAll(async () => {
  server = await startTestServer(['--dialect', 'ovirt', '--speed', '0', '--inventory', 'small']);
  api = await RawApi.signIn(server, 'ovirt-app-api');
});
afterAll(() => server.stop());

/** Members that precede all others, in this order. */
const head = ['actions', 'name', 'description', 'comment', 'creation_status', 'link'];

/** Number of types in the inheritance chain of a type, including itself. */
const levels: Readonly<Record<string, number>> = { vm: 2, template: 2, nic: 2, snapshot: 3 };

/** Elements out of order: each level has plain members, then links, both sorted by name. */
function findMisplaced(element: Element): string[] {
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
  return [...wrong, ...element.children.flatMap(findMisplaced)];
}

describe('an XML document', () => {
  it.each([...readRecorded().keys()])('%s has sorted members', async (kind) => {
    const found = await findObjects(api, kind);
    expect(found.flatMap(({ element }) => findMisplaced(element))).toEqual([]);
  });

  it('of a VM has the members of all VMs and templates before its own', async () => {
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

  it('has the name and status of the VM first, regardless of followed links', async () => {
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
