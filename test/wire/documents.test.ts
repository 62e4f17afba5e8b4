/** Documents: order, names, escaping, collections, actions and faults. */
import { describe, expect, test } from 'vitest';
import { services } from '../../src/model/derive/services.ts';
import { types } from '../../src/model/derive/types.ts';
import { dialects } from '../../src/model/dialect.ts';
import {
  addressesObject,
  getTag,
  listAttributes,
  listSubCollections,
  parseKind,
} from '../../src/model/index.ts';
import {
  decodeAction,
  decodeFault,
  decodeList,
  decodeObject,
  encodeAction,
  encodeFault,
  encodeList,
  encodeObject,
  WireError,
} from '../../src/wire/index.ts';

const xml = 'application/xml';
const json = 'application/json';
const { standard, ovirt } = dialects;
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

describe('objects in XML', () => {
  test('write members of the base first, each level in alphabetical order', () => {
    const vm = {
      template: { id: 't', href: '/t' },
      cluster: { href: '/c', id: 'c' },
      nics: [{ name: 'nic1' }],
      status: 'up',
      cpu: { topology: { cores: 2 } },
      os: { boot: { devices: ['hd', 'network'] } },
      memory: 1,
      link: [{ rel: 'nics', href: '/n' }],
      creation_status: 'complete',
      comment: '',
      description: 'd',
      name: 'n',
      actions: { link: [{ href: '/s', rel: 'start' }] },
      id: 'i',
      href: '/v',
    };
    expect(encodeObject(xml, vm, 'vm', standard)).toBe(`${declaration}<vm href="/v" id="i">
    <actions>
        <link href="/s" rel="start"/>
    </actions>
    <name>n</name>
    <description>d</description>
    <comment></comment>
    <creation_status>complete</creation_status>
    <link href="/n" rel="nics"/>
    <cpu>
        <topology>
            <cores>2</cores>
        </topology>
    </cpu>
    <memory>1</memory>
    <os>
        <boot>
            <devices>
                <device>hd</device>
                <device>network</device>
            </devices>
        </boot>
    </os>
    <cluster href="/c" id="c"/>
    <status>up</status>
    <nics>
        <nic>
            <name>nic1</name>
        </nic>
    </nics>
    <template href="/t" id="t"/>
</vm>
`);
  });

  test('omit absent members, but not empty ones', () => {
    const vm = { name: undefined, comment: null, description: '', nics: [], cpu: {} };
    expect(encodeObject(xml, vm, 'vm', standard)).toBe(
      `${declaration}<vm>\n    <description></description>\n    <cpu/>\n    <nics/>\n</vm>\n`,
    );
    expect(encodeObject(xml, {}, 'vm', standard)).toBe(`${declaration}<vm/>\n`);
  });

  test('name lists after the member, and items after the type', () => {
    const lists = {
      numa_nodes: [{ index: 0 }],
      nics: [{ name: 'eth0' }],
      agents: [{ order: 1 }],
      devices: [{ name: 'pci_1' }],
    };
    const body = encodeObject(xml, lists, 'host', standard);
    expect(body.match(/<\w+/g)).toEqual(
      ['host', 'agents', 'agent', 'order', 'devices', 'host_device', 'name']
        .concat(['host_numa_nodes', 'host_numa_node', 'index', 'nics', 'host_nic', 'name'])
        .map((name) => `<${name}`),
    );
    expect(decodeObject(xml, body.replaceAll('host_numa_nodes', 'numa_nodes'), 'host')).toEqual(
      lists,
    );
  });

  test('have exceptions for some element names', () => {
    const root = (type: string) => /<\w+(?=\/>)/.exec(encodeObject(xml, {}, type, standard))?.[0];
    expect(root('gluster_brick')).toBe('<brick');
    expect(root('virtual_numa_node')).toBe('<vm_numa_node');
    expect(encodeList(xml, [], 'operating_system_info', standard)).toBe(
      `${declaration}<operation_systems/>\n`,
    );
    expect(encodeList(xml, [], 'scheduling_policy', standard)).toContain('<scheduling_policies/>');
    expect(encodeList(xml, [], 'katello_erratum', standard)).toContain('<katello_errata/>');
  });

  test('replace characters that XML forbids, and escape those that parsers normalize', () => {
    const value = { id: 'a"\t\n<', name: 'a\u0000\u001b\ud800z\uffff', value: '\r\n\t<&>"\'' };
    expect(encodeObject(xml, value, 'bookmark', standard)).toBe(
      `${declaration}<bookmark id="a&quot;&#9;&#10;&lt;">\n` +
        '    <name>a\ufffd\ufffd\ufffdz\ufffd</name>\n' +
        '    <value>&#13;\n\t&lt;&amp;&gt;"\'</value>\n</bookmark>\n',
    );
  });

  test('include links and actions of the entry point, which has no id', () => {
    const api = {
      actions: { link: [{ rel: 'reloadconfigurations', href: '/r' }] },
      link: [
        { rel: 'vms', href: '/vms' },
        { rel: 'vms/search', href: '/vms?search={query}' },
      ],
      time: '2024-05-31T08:30:00.123Z',
    };
    expect(decodeObject(xml, encodeObject(xml, api, 'api', standard), 'api')).toEqual(api);
    expect(decodeObject(json, encodeObject(json, api, 'api', standard), 'api')).toEqual(api);
  });
});

describe('objects read from XML', () => {
  test('may have identity members as elements', () => {
    const body = '<vm><id>1</id><href>/v</href><cluster><id>c</id></cluster></vm>';
    expect(decodeObject(xml, body, 'vm')).toEqual({ id: '1', href: '/v', cluster: { id: 'c' } });
  });

  const referring = Object.keys(types).flatMap((type) =>
    Object.entries(listAttributes(type))
      .filter(([, { kind }]) => parseKind(kind).form === 'ref' && !parseKind(kind).list)
      .map(([name]) => [type, name] as const),
  );

  test('ignore identity elements in engines, in each type and each reference', () => {
    expect(referring.length).toBeGreaterThan(200);
    const accepting = referring.filter(([type, name]) => {
      const tag = getTag(type);
      const body = `<${tag}><id>1</id><href>/v</href><${name}><id>2</id></${name}></${tag}>`;
      const read = decodeObject(xml, body, type, { unknown: 'skip-elements' });
      return JSON.stringify(read) !== JSON.stringify({ [name]: {} });
    });
    expect(accepting).toEqual([]);
  });

  test('read an empty element as an empty object, text, or no value', () => {
    const body = '<nic><vnic_profile/><name/><mac></mac><linked/><statistics/></nic>';
    expect(decodeObject(xml, body, 'nic')).toEqual({
      vnic_profile: {},
      name: '',
      mac: {},
      statistics: [],
    });
  });

  test.each([
    ['<vm><foo/></vm>', 'vm.foo: unknown element, Vm has no such member (at 1:5)'],
    [
      '<vm>\n <cpu><foo/></cpu></vm>',
      'vm.cpu.foo: unknown element, Cpu has no such member (at 2:7)',
    ],
    [
      '<vm><nicks href="/api/vms/1/nicks"/></vm>',
      'vm.nicks: unknown element, Vm has no such member (at 1:5)',
    ],
    [
      '<vm><nics><host_nic/></nics></vm>',
      'vm.nics.host_nic: unknown element, expected <nic> (at 1:11)',
    ],
    ['<vm><name>a</name><name>b</name></vm>', 'vm.name: duplicate member (at 1:19)'],
    ['<vm id="1"><id>1</id></vm>', 'vm.id: duplicate member (at 1:12)'],
    ['<vms/>', 'vms: expected the root element <vm> (at 1:1)'],
    ['<vm>a</vm>', 'vm: expected an element, found text (at 1:5)'],
    ['<vm><name><a/></name></vm>', 'vm.name: expected text, found an element (at 1:11)'],
    ['<vm>\n<name>a</nam>', '2:8: expected </name>, found </nam>'],
  ])('%s', (body, message) => {
    expect(() => decodeObject(xml, body, 'vm')).toThrow(
      expect.objectContaining({ message, kind: 'syntax' }),
    );
  });

  test('skip links that clients send back as elements', () => {
    const host =
      '<host id="1"><fence_agents href="/api/hosts/1/fenceagents"/>' +
      '<nics href="/api/hosts/1/nics"/><tags/><hooks href="/api/hosts/1/hooks" rel="x"></hooks></host>';
    expect(decodeObject(xml, host, 'host')).toEqual({ id: '1', tags: [] });
    const filled = '<host><fence_agents href="/a"><agent/></fence_agents></host>';
    expect(() => decodeObject(xml, filled, 'host')).toThrow('unknown element');
  });

  test('skip every link of every type that is sent back as an element', () => {
    const paths = Object.keys(services).filter((path) => addressesObject(path) && path !== '/');
    for (const path of paths) {
      const { type = '' } = services[path] ?? {};
      const names = Object.keys(listAttributes(type));
      for (const rel of listSubCollections(path)) {
        const known = names.find((name) => name.replaceAll('_', '') === rel) ?? rel;
        for (const name of [rel, known]) {
          const body = `<${getTag(type)} id="1"><${name} href="/api/x/1/${rel}"/></${getTag(type)}>`;
          expect(decodeObject(xml, body, type), body).toEqual({ id: '1' });
        }
      }
    }
  });

  test('skip unknown attributes', () => {
    const body =
      '<vm foo="1" id="2" href="/vms/2" rel="self"><name id="1" href="/n" rel="x">a</name>' +
      '<cpu id="1" href="/cpu"/><nics rel="nics"><nic id="3" x="y"/></nics></vm>';
    expect(decodeObject(xml, body, 'vm')).toEqual({
      id: '2',
      href: '/vms/2',
      name: 'a',
      cpu: {},
      nics: [{ id: '3' }],
    });
  });

  test('skip unknown members in clients', () => {
    const body =
      '<vm x="1"><foo a="b">t<b/></foo><status>sleeping</status><name y="">a</name>' +
      '<nics><wrong/><nic id="1"/></nics></vm>';
    expect(decodeObject(xml, body, 'vm', { unknown: 'skip' })).toEqual({
      status: 'sleeping',
      name: 'a',
      nics: [{ id: '1' }],
    });
  });

  test('ignore a list with an address unless it contains items', () => {
    const list = (inner: string) => `<vm><nics href="/api/vms/1/nics">${inner}</nics></vm>`;
    expect(decodeObject(xml, list(''), 'vm')).toEqual({});
    expect(decodeObject(xml, list('<nic id="1"/>'), 'vm')).toEqual({ nics: [{ id: '1' }] });
    expect(decodeObject(xml, '<vm><nics rel="nics"/></vm>', 'vm')).toEqual({ nics: [] });
  });

  test('take the last duplicate in clients, and all links', () => {
    const body =
      '<vm><name>a</name><link rel="a" href="/a"/><nics><nic id="1"/></nics><name>b</name>' +
      '<nics><nic id="2"/></nics><link rel="b" href="/b"/></vm>';
    expect(decodeObject(xml, body, 'vm', { unknown: 'skip' })).toEqual({
      name: 'b',
      nics: [{ id: '2' }],
      link: [
        { rel: 'a', href: '/a' },
        { rel: 'b', href: '/b' },
      ],
    });
  });

  test('refuse more than 64 levels, also of known members', () => {
    const nested = (levels: number) =>
      `<tag>${'<parent>'.repeat(levels)}${'</parent>'.repeat(levels)}</tag>`;
    expect(() => decodeObject(xml, nested(63), 'tag')).not.toThrow();
    expect(() => decodeObject(xml, nested(64), 'tag')).toThrow(
      expect.objectContaining({ kind: 'limit' }),
    );
  });
});

describe('objects in JSON', () => {
  test('write lists with the item as the only key', () => {
    const value = {
      id: 'i',
      nics: [{ name: 'n' }],
      os: { boot: { devices: ['hd'] } },
      link: [{ rel: 'r', href: '/h' }],
      actions: { link: [] },
      numa_nodes: [],
    };
    expect(JSON.parse(encodeObject(json, value, 'vm', standard))).toEqual({
      id: 'i',
      nics: { nic: [{ name: 'n' }] },
      os: { boot: { devices: { device: ['hd'] } } },
      link: [{ rel: 'r', href: '/h' }],
      actions: { link: [] },
      host_numa_nodes: { host_numa_node: [] },
    });
  });

  test('replace an unpaired surrogate', () => {
    expect(encodeObject(json, { name: '\ud800\\ud' }, 'vm', standard)).toBe(
      '{"name":"\ufffd\\\\ud"}',
    );
  });
});

describe('collections', () => {
  test('in XML', () => {
    const body =
      '<vms><actions><link href="/a" rel="a"/></actions><size>1</size><total>2</total>' +
      '<active>1</active><link rel="x" href="/x"/><vm id="1"/><vm id="2"/></vms>';
    expect(decodeList(xml, body, 'vm')).toEqual([{ id: '1' }, { id: '2' }]);
    expect(decodeList(xml, '<vms/>', 'vm')).toEqual([]);
    expect(decodeList(xml, '<operation_systems/>', 'operating_system_info')).toEqual([]);
    expect(() => decodeList(xml, '<vm/>', 'vm')).toThrow('expected the root element <vms>');
    expect(() => decodeList(xml, '<vms><host/></vms>', 'vm')).toThrow('vms.host: unknown element');
    expect(decodeList(xml, '<vms><host/><vm/></vms>', 'vm', { unknown: 'skip' })).toEqual([{}]);
  });

  test('in JSON', () => {
    const body = '{"actions":{},"size":"1","total":1,"active":0,"link":[],"vm":[{"id":"1"}]}';
    expect(decodeList(json, body, 'vm')).toEqual([{ id: '1' }]);
    expect(decodeList(json, '{}', 'vm')).toEqual([]);
    expect(decodeList(json, '{"vm":[]}', 'vm')).toEqual([]);
    expect(decodeList(json, '{"vm":{"id":"1"}}', 'vm', { unknown: 'skip' })).toEqual([{ id: '1' }]);
    expect(() => decodeList(json, '{"vm":{"id":"1"}}', 'vm')).toThrow('expected an array');
    expect(() => decodeList(json, '{"host":[]}', 'vm')).toThrow('unknown member host; expected vm');
    expect(() => decodeList(json, '[]', 'vm')).toThrow(WireError);
    expect(encodeList(json, [], 'gluster_brick', standard)).toBe('{"brick":[]}');
    expect(encodeList(json, [], 'gluster_brick', ovirt)).toBe('{}');
  });

  test('with actions', () => {
    const actions = { link: [{ rel: 'stopmigrate', href: '/b/stopmigrate' }] };
    expect(encodeList(xml, [], 'gluster_brick', standard, { actions })).toBe(`${declaration}<bricks>
    <actions>
        <link href="/b/stopmigrate" rel="stopmigrate"/>
    </actions>
</bricks>
`);
    const body = encodeList(json, [{ id: '1' }], 'gluster_brick', standard, { actions });
    expect(JSON.parse(body)).toEqual({ actions, brick: [{ id: '1' }] });
  });

  test('with links and actions before the items', () => {
    const link = [{ href: '/x', rel: 'x' }];
    const actions = { link: [{ href: '/a', rel: 'a' }] };
    expect(
      encodeList(xml, [{ id: '1' }], 'vm', standard, { actions, link }),
    ).toBe(`${declaration}<vms>
    <actions>
        <link href="/a" rel="a"/>
    </actions>
    <link href="/x" rel="x"/>
    <vm id="1"/>
</vms>
`);
    expect(encodeList(json, [{ id: '1' }, {}], 'vm', standard, { link })).toBe(
      '{"link":[{"href":"/x","rel":"x"}],"vm":[{"id":"1"},{}]}',
    );
    expect(encodeList(json, [], 'vm', standard, { link })).toBe(
      '{"link":[{"href":"/x","rel":"x"}],"vm":[]}',
    );
  });
});

describe('actions', () => {
  test.each([
    [xml, ''],
    [xml, ' \n'],
    [xml, '<action/>'],
    [xml, '<action></action>'],
    [json, ''],
    [json, '{}'],
  ] as const)('%s %j has no parameters', (media, body) => {
    expect(decodeAction(media, body, [])).toEqual({});
  });

  test('have named and common parameters', () => {
    const body =
      '<action><async>true</async><grace_period><expiry>10</expiry></grace_period>' +
      '<reason>r</reason><correlation_id>c</correlation_id><host><name>h</name></host></action>';
    const value = {
      async: true,
      grace_period: { expiry: 10 },
      reason: 'r',
      correlation_id: 'c',
      host: { name: 'h' },
    };
    expect(decodeAction(xml, body, ['host'])).toEqual(value);
    expect(decodeAction(xml, body)).toEqual(value);
    expect(() => decodeAction(xml, body, ['force'])).toThrow(
      'action.host: unknown element, Action has no such member',
    );
    expect(() => decodeAction(json, '{"action":{}}', [])).toThrow('action.action: unknown member');
    expect(decodeAction(xml, body, [], { unknown: 'skip' })).toMatchObject({ async: true });
    expect(() => decodeAction(json, '{}', ['no_such'])).toThrow(
      'The model has no action parameter',
    );
  });

  test('have lists of objects', () => {
    const body = '<action><bricks><brick><server_id>1</server_id></brick></bricks></action>';
    expect(decodeAction(xml, body, ['bricks'])).toEqual({ bricks: [{ server_id: '1' }] });
  });

  test('have a response', () => {
    const answer = {
      id: '1,2',
      href: '/vms/1/start/1,2',
      async: true,
      status: 'failed',
      job: { id: 'j', href: '/j' },
      fault: { reason: 'Operation Failed', detail: '[no]' },
      link: [{ rel: 'parent', href: '/vms/1' }],
      is_attached: true,
    };
    expect(
      encodeAction(xml, answer, standard),
    ).toBe(`${declaration}<action href="/vms/1/start/1,2" id="1,2">
    <link href="/vms/1" rel="parent"/>
    <async>true</async>
    <fault>
        <detail>[no]</detail>
        <reason>Operation Failed</reason>
    </fault>
    <is_attached>true</is_attached>
    <job href="/j" id="j"/>
    <status>failed</status>
</action>
`);
    expect(decodeAction(json, encodeAction(json, answer, ovirt))).toEqual(answer);
    expect(encodeAction(json, {}, ovirt)).toBe('{}');
  });

  test('have the status of a creation', () => {
    const state = { id: '1', status: 'complete' };
    expect(encodeAction(xml, state, standard, 'creation')).toBe(
      `${declaration}<creation id="1">\n    <status>complete</status>\n</creation>\n`,
    );
    expect(encodeAction(json, state, standard, 'creation')).toBe('{"status":"complete","id":"1"}');
  });
});

describe('faults', () => {
  const fault = { reason: 'Operation Failed', detail: '[it & "that"]' };

  test('are written', () => {
    expect(encodeFault(xml, fault, standard)).toBe(
      `${declaration}<fault>\n    <detail>[it &amp; "that"]</detail>\n    <reason>Operation Failed</reason>\n</fault>\n`,
    );
    expect(JSON.parse(encodeFault(json, fault, ovirt))).toEqual({ ...fault, fault });
    expect(encodeFault(json, { reason: 'r' }, ovirt)).toBe('{"reason":"r","fault":{"reason":"r"}}');
  });

  test.each([
    ['a fault', xml, '<fault><detail>d</detail><reason>r</reason></fault>'],
    [
      'a fault with additional members',
      xml,
      '<fault><reason>r</reason><code>5</code><detail>d</detail></fault>',
    ],
    [
      'a failed action',
      xml,
      '<action><async>x</async><fault><reason>r</reason><detail>d</detail></fault></action>',
    ],
    ['bare', json, '{"reason":"r","detail":"d"}'],
    ['nested', json, '{"fault":{"reason":"r","detail":"d"}}'],
    ['both', json, '{"reason":"r","detail":"d","fault":{"reason":"r","detail":"d"}}'],
    ['a failed action in JSON', json, '{"reason":"mine","fault":{"reason":"r","detail":"d"}}'],
    [
      'XML with the media type of JSON',
      json,
      ' <fault><reason>r</reason><detail>d</detail></fault>',
    ],
    ['JSON with the media type of XML', xml, '{"reason":"r","detail":"d"}'],
  ] as const)('are read from %s', (_, media, body) => {
    expect(decodeFault(media, body)).toEqual({ reason: 'r', detail: 'd' });
    expect(decodeFault(media, Buffer.from(body))).toEqual({ reason: 'r', detail: 'd' });
  });

  test.each([
    ['a reason', { reason: 'r' }],
    ['a detail', { detail: 'd' }],
  ])('are read with only %s', (_, some) => {
    for (const media of [xml, json] as const) {
      expect(decodeFault(media, encodeFault(media, some, standard))).toEqual(some);
    }
    expect(decodeFault(json, JSON.stringify(some))).toEqual(some);
    expect(decodeFault(json, JSON.stringify({ fault: some }))).toEqual(some);
  });

  test.each([
    ['HTML', xml, '<html><body><h1>Unauthorized</h1></body></html>'],
    ['HTML with a document type', xml, '<!DOCTYPE html><html><body></html>'],
    ['text', xml, 'Service Unavailable'],
    ['text as JSON', json, 'Service Unavailable'],
    ['nothing', xml, ''],
    ['bytes', json, new Uint8Array([0xff, 0xfe, 0])],
    ['another object', json, '{"error":"access_denied"}'],
    ['an array', json, '[]'],
    ['a successful action', xml, '<action><status>complete</status></action>'],
    ['a truncated fault', xml, '<fault><reason>r</reason>'],
  ] as const)('are absent in %s', (_, media, body) => {
    expect(decodeFault(media, body)).toBeUndefined();
  });

  test('may be empty', () => {
    expect(decodeFault(xml, '<fault/>')).toEqual({});
    expect(decodeFault(xml, '<action><fault/></action>')).toEqual({});
    expect(decodeFault(json, '{"fault":{}}')).toEqual({});
  });
});
