/** First boot data that a hypervisor receives. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FirstBoot } from '../../../../src/server/core/hypervisor.ts';
import { type RawAnswer, RawApi } from '../../../support/raw.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { FakeHypervisor } from '../../support/fake-hypervisor.ts';

const hypervisor = new FakeHypervisor();
let server: TestServer;
let api: RawApi;
let vm: string;
let count = 0;

beforeAll(async () => {
  server = await startTestServer([], { hypervisor: () => hypervisor });
  api = await RawApi.signIn(server);
});
afterAll(() => server.stop());
beforeEach(() => hypervisor.changes.splice(0));

async function create(initialization: object, members: object = {}): Promise<void> {
  count += 1;
  const body = {
    ...{ name: `vm${count}`, cluster: { name: 'Default' }, template: { name: 'Blank' } },
    ...{ initialization, os: { boot: { devices: { device: ['cdrom', 'network'] } } } },
    ...members,
  };
  const answer = await api.json('POST', '/vms', body);
  expect(answer.status, answer.text).toBe(201);
  vm = answer.json<{ id: string }>().id;
}

function post(action: string, body: object = {}): Promise<RawAnswer> {
  return api.json('POST', `/vms/${vm}/${action}`, body);
}

async function run(body: object = {}): Promise<FirstBoot | undefined> {
  const answer = await post('start', body);
  expect(answer.status, answer.text).toBe(200);
  await api.until(`/vms/${vm}`, (found) => found.json()['status'] === 'up');
  const last = hypervisor.changes.at(-1);
  expect((await post('stop')).status).toBe(200);
  await api.until(`/vms/${vm}`, (found) => found.json()['status'] === 'down');
  return last?.change === 'launch' ? last.firstBoot : undefined;
}

function readText(data: FirstBoot | undefined, path: string): string {
  return data?.files.find((one) => one.path === path)?.text ?? '';
}

const windows = { os: { type: 'windows_2022', boot: { devices: { device: ['cdrom', 'hd'] } } } };

describe('the kind of first boot data', () => {
  it('is that of the operating system in the first run, and none in the next one', async () => {
    await create({ host_name: 'web01' });
    expect(await run()).toMatchObject({ kind: 'cloud-init' });
    expect(await run()).toBeUndefined();
    await create({ host_name: 'web01' }, windows);
    expect(await run()).toMatchObject({ kind: 'sysprep' });
  });

  it('is none for a VM without initialization, unless the start requests it', async () => {
    await create({});
    expect(await run()).toBeUndefined();
    expect(await run({ use_cloud_init: true })).toMatchObject({ kind: 'cloud-init' });
    expect(await run({ use_ignition: true })).toMatchObject({ kind: 'ignition' });
    expect(await run({ vm: { initialization: { host_name: 'a' } } })).toBeDefined();
    expect(await run({ use_initialization: true })).toBeDefined();
    expect(await run()).toBeUndefined();
  });

  it('is not chosen twice after a failed start', async () => {
    await create({ host_name: 'web01' });
    hypervisor.failures.set('launch', 'the memory is not sufficient');
    expect((await post('start')).status).toBe(200);
    await api.until('/events', (found) => found.text.includes('the memory is not sufficient'));
    await api.until(`/vms/${vm}`, (found) => found.json()['status'] === 'down');
    expect(await run()).toBeDefined();
  });

  it('belongs to each run of a stateless VM', async () => {
    await create({ host_name: 'web01' }, { stateless: true });
    expect(await run()).toBeDefined();
    expect(await run()).toBeDefined();
  });

  it.each([
    [{ custom_script: 'no JSON' }, { use_ignition: true }, 'no JSON object'],
    [{ root_password: 'plain' }, { use_ignition: true }, 'plain text'],
    [{ dns_servers: '192.0.2.1' }, { use_ignition: true }, 'network settings'],
    [{ domain: 'example.com' }, { use_sysprep: true }, 'domains'],
    [{ dns_servers: '192.0.2.1' }, { use_sysprep: true }, 'network settings'],
  ])('is refused if the guest cannot read it: %j', async (initialization, body, reason) => {
    await create(initialization);
    const answer = await post('start', body);
    expect(answer.status).toBe(409);
    expect(answer.text).toContain(reason);
    expect(hypervisor.changes).toEqual([]);
  });
});

describe('cloud-init', () => {
  it('receives names, account, keys, time zone and addresses', async () => {
    await create({
      ...{ host_name: 'web01.example.com', user_name: 'admin', root_password: 'a "b": #c' },
      ...{ authorized_ssh_keys: 'ssh-rsa A\nssh-rsa B\n', timezone: 'Europe/Berlin' },
      ...{ dns_servers: '192.0.2.53 192.0.2.54', dns_search: 'example.com' },
      nic_configurations: {
        nic_configuration: [
          {
            ...{ name: 'eth0', boot_protocol: 'static', on_boot: true },
            ip: { address: '192.0.2.10', netmask: '255.255.255.0', gateway: '192.0.2.1' },
            ipv6_boot_protocol: 'static',
            ipv6: { address: '2001:db8::10', netmask: '64', gateway: '2001:db8::1' },
          },
          { name: 'eth1', boot_protocol: 'dhcp', on_boot: false },
        ],
      },
    });
    const data = await run();
    expect(readText(data, 'meta-data')).toMatch(
      /^instance-id: "[0-9a-f-]{36}"\nlocal-hostname: "web01.example.com"\n$/,
    );
    expect(readText(data, 'user-data').split('\n')).toEqual([
      ...['#cloud-config', 'hostname: "web01"', 'fqdn: "web01.example.com"'],
      ...['timezone: "Europe/Berlin"', 'user: "admin"', 'disable_root: false'],
      ...['password: "a \\"b\\": #c"', 'chpasswd: {"expire":false}', 'ssh_pwauth: true'],
      ...['ssh_authorized_keys: ["ssh-rsa A","ssh-rsa B"]', ''],
    ]);
    const [version, config = ''] = readText(data, 'network-config').split('\n');
    expect(version).toBe('version: 1');
    expect(JSON.parse(config.replace('config: ', ''))).toEqual([
      {
        ...{ type: 'physical', name: 'eth0' },
        subnets: [
          {
            ...{ type: 'static', address: '192.0.2.10' },
            ...{ netmask: '255.255.255.0', gateway: '192.0.2.1' },
          },
          { type: 'static6', address: '2001:db8::10/64', gateway: '2001:db8::1' },
        ],
      },
      { type: 'physical', name: 'eth1', subnets: [{ type: 'dhcp4', control: 'manual' }] },
      {
        type: 'nameserver',
        address: ['192.0.2.53', '192.0.2.54'],
        search: ['example.com'],
      },
    ]);
  });

  it('receives a custom script, which replaces settings of the same name', async () => {
    await create({
      ...{ host_name: 'web01', user_name: 'admin' },
      custom_script: '#cloud-config\nhostname: other\nruncmd:\n  - [true]\n',
    });
    expect(readText(await run(), 'user-data')).toBe(
      '#cloud-config\nuser: "admin"\ndisable_root: false\nhostname: other\nruncmd:\n  - [true]\n',
    );
  });

  it.each([
    ['# a comment\n---\nruncmd: []\n', '# a comment\nruncmd: []\n'],
    ['write_files: |\n  ---\n', 'write_files: |\n  ---\n'],
    ['#cloud-config\n{"hostname": "other", "runcmd": []}', undefined],
  ])('receives a script as one document: %j', async (script, end) => {
    await create({ host_name: 'web01', custom_script: script });
    const text = readText(await run(), 'user-data');
    if (end !== undefined) expect(text).toBe(`#cloud-config\nhostname: "web01"\n${end}`);
    else expect(text).toBe('#cloud-config\nhostname: "other"\nruncmd: []\n');
  });

  it('receives a shell script as a second part', async () => {
    await create({ host_name: 'web01', custom_script: '#!/bin/sh\ntrue\n' });
    const text = readText(await run(), 'user-data');
    expect(text).toMatch(/^Content-Type: multipart\/mixed; boundary="([\w-]+)"\n/);
    const contents = Array.from(text.matchAll(/\n\n([\w+/=\n]+)\n--/g), ([, content = '']) =>
      Buffer.from(content, 'base64').toString(),
    );
    expect(contents).toEqual(['#cloud-config\nhostname: "web01"\n', '#!/bin/sh\ntrue\n']);
    expect(text).toContain('Content-Type: text/x-shellscript');
  });
});

describe('Sysprep', () => {
  it('receives answers with the values as XML', async () => {
    await create({ host_name: 'WIN1', root_password: '<&>' }, windows);
    const data = await run();
    const text = readText(data, 'unattend.xml');
    expect(readText(data, 'Autounattend.xml')).toBe(text);
    expect(text).toContain('<ComputerName>WIN1</ComputerName>');
    expect(text).toContain('<Value>&lt;&amp;&gt;</Value>');
  });

  it('receives a custom script with the values in place of their names', async () => {
    await create({ host_name: 'WIN1', custom_script: '<a>$ComputerName$ $other$</a>' }, windows);
    expect(readText(await run(), 'unattend.xml')).toBe('<a>WIN1 $other$</a>');
  });
});
