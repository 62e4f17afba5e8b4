/** Definitions: export, comparison, application, and start of a server. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { useSignedInCommand } from '../../../commands/support/signed-in-command.ts';
import { type Home, makeHome } from '../../../support/command.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';

const desk = useSignedInCommand();

const site = `
clusters:
  - { name: web, data_center: Default, cpu: { type: Intel Nehalem Family }, networks: [front] }
networks:
  - { name: front, data_center: Default, mtu: 9000 }
vms:
  - name: web01
    cluster: web
    memory: 2 GiB
    cpu: { topology: { cores: 2 } }
    nics: [{ name: nic1, vnic_profile: front }]
    diskattachments:
      - bootable: true
        active: true
        interface: virtio
        disk: { name: web01_root, provisioned_size: 1 GiB, format: cow, sparse: true, storage_domains: [data1] }
    permissions:
      - { role: UserRole, user: jane@internal-authz }
`;

function file(text: string): string {
  const path = join(desk.home().folder, 'site.yaml');
  writeFileSync(path, text);
  return path;
}

describe('a single object', () => {
  it.each([[['vms/vm-02']], [['vms', 'vm-02']], [['clusters', 'vm/vm-02']]])(
    'cannot be exported with %j; the hint names the commands for it',
    async (words) => {
      const { code, stderr } = await desk.run(['export', ...words]);
      expect(code).toBe(2);
      expect(stderr).toContain(
        'hint: to print one object: vmctl vms get vm-02 -o yaml; to change it: vmctl vms edit vm-02\n',
      );
    },
  );

  it('has the list of collections as hint for an unknown word', async () => {
    const { stderr } = await desk.run(['export', 'vm-02']);
    expect(stderr).toContain('hint: use one of macpools, ');
  });

  it.each(['apply', 'diff'])('is refused by %s with the commands that change it', async (verb) => {
    for (const format of ['yaml', 'json']) {
      const path = file(await desk.must('vms', 'get', 'vm-02', '-o', format));
      const { code, stderr } = await desk.run([verb, path]);
      expect([code, stderr]).toEqual([
        2,
        `vmctl: ${path} contains the object vms/vm-02, not a definition\n` +
          `hint: to change it: vmctl vms update vm-02 -f ${path}, or vmctl vms edit vm-02\n`,
      ]);
      await desk.must('vms', 'update', 'vm-02', '-f', path);
    }
  });

  it('is refused in a list, in a nested collection, and on standard input', async () => {
    const list = await desk.run(['diff', file(await desk.must('vms', 'list', '-o', 'yaml'))]);
    expect(list.stderr).toContain('contains a list of vms, not a definition\nhint: vmctl export');
    const [nic] = await desk.json('nics', 'list', '--vm', 'vm-02');
    const nested = await desk.run(['diff', file(JSON.stringify(nic))]);
    expect(nested.stderr).toContain('object nics/nic1, not a definition\nhint: vmctl export');
    const stdin = await desk.run(
      ['diff', '-'],
      await desk.must('tags', 'get', 'root', '-o', 'yaml'),
    );
    expect(stdin.stderr).toContain('stdin contains the object tags/root');
    expect(stdin.stderr).toContain('vmctl tags update root -f FILE');
  });
});

describe('vmctl apply', () => {
  it('shows the plan, and changes nothing without confirmation', async () => {
    const { code, stdout, stderr } = await desk.run(['apply', file(site)]);
    expect([code, stdout.trim().split('\n')]).toEqual([
      12,
      [
        '+ create clusters/web',
        '+ create networks/front',
        '+ attach clusters/web/networks/front',
        '+ create vms/web01',
        '+ create vms/web01/nics/nic1',
        '+ create vms/web01/diskattachments/web01_root',
        '+ create vms/web01/permissions/0',
      ],
    ]);
    expect(stderr).toContain('apply needs confirmation: 6 to create, 1 to attach');
    expect(await desk.must('apply', file(site), '--dry-run')).toBe(stdout);
    expect((await desk.run(['vms', 'get', 'web01'])).code).toBe(3);
  });

  it('creates missing objects in dependency order; a second run finds no difference', async () => {
    const applied = await desk.run(['apply', file(site), '--yes']);
    expect(applied.code, applied.stderr).toBe(0);
    expect(applied.stderr).toContain('networks/front: created\n');
    const vm = await desk.json<Record<string, unknown>>('vms', 'get', 'web01');
    expect(vm).toMatchObject({ memory: 2 * 2 ** 30, cpu: { topology: { cores: 2 } } });
    const [nic] = await desk.json('nics', 'list', '--vm', 'web01');
    expect(nic).toMatchObject({ name: 'nic1', vnic_profile: { id: expect.any(String) } });
    const { code, stderr } = await desk.run(['apply', file(site)]);
    expect([code, stderr]).toEqual([0, 'no differences\n']);
    expect((await desk.run(['diff', file(site)])).code).toBe(0);
  });

  it('updates different attributes, one by one', async () => {
    const other = site.replace('2 GiB', '3 GiB').replace('mtu: 9000', 'mtu: 1500');
    const { code, stdout } = await desk.run(['diff', file(other)]);
    expect([code, stdout.trim().split('\n')]).toEqual([
      11,
      [
        '~ update networks/front',
        '    mtu: 9000 -> 1500',
        '~ update vms/web01',
        '    memory: 2 GiB -> 3 GiB',
      ],
    ]);
    const plan = await desk.run(['diff', file(other), '-o', 'json']);
    expect(JSON.parse(plan.stdout)).toContainEqual({
      action: 'update',
      label: 'networks/front',
      differences: [{ path: 'mtu', from: '9000', to: '1500' }],
    });
    await desk.must('apply', file(other), '--yes');
    expect((await desk.run(['diff', file(other)])).code).toBe(0);
  });

  it('starts VMs with status up, and reports attributes that cannot be changed', async () => {
    await desk.must('networks', 'attach', 'front', '--cluster', 'Default');
    const up = site.replace('    cluster: web\n', '    cluster: Default\n    status: up\n');
    await desk.must('apply', file(up), '--yes');
    expect(await desk.json('vms', 'get', 'web01')).toMatchObject({ status: 'up' });
    const local = 'datacenters: [{ name: Default, local: false, storagedomains: [data1] }]\n';
    expect((await desk.run(['diff', file(local)])).code).toBe(0);
    const fixed = 'storagedomains: [{ name: data1, storage: { type: glusterfs } }]\n';
    const { code, stdout } = await desk.run(['diff', file(fixed)]);
    expect([code, stdout]).toEqual([
      11,
      '! storagedomains/data1: storage.type is nfs, not glusterfs; cannot be changed on an existing object\n',
    ]);
  });

  it('matches nameless parts by their attributes', async () => {
    const parts = (options: string) => `
hosts:
  - name: host1
    fenceagents:
      - { address: 10.0.0.9, type: ipmilan, username: root, password: secret, order: 1${options} }
vms:
  - name: web01
    cdroms: [{ file: { id: debian-12.7.0-amd64-netinst.iso } }]
    watchdogs: [{ model: i6300esb, action: reset }]
`;
    await desk.run(['vms', 'stop', 'web01']);
    await desk.must('apply', file(parts('')), '--yes');
    expect((await desk.run(['diff', file(parts(''))])).stderr).toBe('no differences\n');
    const { code, stdout } = await desk.run(['diff', file(parts(', encrypt_options: true'))]);
    expect([code, stdout]).toEqual([11, expect.stringContaining('encrypt_options: ')]);
    expect(stdout).toMatch(/^~ update hosts\/host1\/fenceagents\//);
  });

  it('creates templates from VMs, and VMs from templates', async () => {
    const made = `
vms:
  - { name: made-of, cluster: Default, template: of-base }
  - { name: base, cluster: Default }
templates: [{ name: of-base, vm: base }]
`;
    await desk.must('apply', file(made), '--yes');
    expect((await desk.run(['apply', file(made)])).stderr).toBe('no differences\n');
    await desk.must('vms', 'delete', 'base', '--yes');
  });

  it('reports the result of a failed run, completes the rest, and can run again', async () => {
    const broken = `
tags: [{ name: one }]
vms:
  - { name: half, cluster: Default, nics: [{ name: nic1, mac: { address: nonsense } }] }
`;
    const { code, stderr } = await desk.run(['apply', file(broken), '--yes']);
    expect(code).toBe(9);
    expect(stderr).toContain('"nonsense" is not a MAC address');
    expect(stderr).toContain(
      '2 of 3 done, 1 failed\nhint: fix the errors above and run the command again',
    );
    await desk.must('apply', file(broken.replace('nonsense', '56:6f:1a:16:00:77')), '--yes');
  });

  it.each([
    ['vms: [{ nam: x }]', 2, 'vms[0]: vm has no attribute or collection "nam"'],
    ['vms: {}', 2, 'vms must be a list'],
    ['vmz: []', 2, '"vmz" is not a collection of the API'],
    ['vms: [{ memory: 1 }]', 2, 'vms[0]: name missing'],
    ['vms: [{ name: x, memory: 3 XB }]', 2, '"3 XB" is not a number or a size; write 4 GiB'],
    ['vms: [{ name: x, cluster: nowhere }]', 3, 'vms[0].cluster: clusters/nowhere'],
    ['{', 2, 'site.yaml'],
    [
      'storagedomains: [{ name: iso1, files: [x.iso] }]',
      2,
      'the API cannot create files; only vmctl serve --inventory can',
    ],
  ])('reports the position of %s', async (text, code, message) => {
    const result = await desk.run(['apply', file(text), '--yes']);
    expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(message)]);
  });
});

describe('a bond of a host', () => {
  const host = ['hosts', 'setup-networks', 'host2', '--commit'];
  const definition = (mode: string) => `
hosts:
  - name: host2
    nics:
      - { name: bond0, bonding: { options: [{ name: mode, value: '${mode}' }], slaves: [eth1, eth2] } }
    networkattachments:
      - { network: replicas, host_nic: bond0 }
`;

  it('is created, attached, changed, and exported', async () => {
    const center = ['--data-center', 'Default'];
    await desk.must('networks', 'create', 'replicas', ...center);
    const optional = ['--cluster', 'Default', '--set', 'required=false'];
    await desk.must('networks', 'attach', 'replicas', ...optional);
    await desk.must('apply', file(definition('4')), '--yes');
    expect((await desk.run(['diff', file(definition('4'))])).code).toBe(0);
    const { stdout } = await desk.run(['diff', file(definition('1'))]);
    expect(stdout).toContain('~ update hosts/host2/hostnics/bond0\n');
    await desk.must('apply', file(definition('1')), '--yes');
    const { hosts } = parse(await desk.must('export', 'hosts')) as {
      hosts: Record<string, unknown>[];
    };
    expect(hosts.find(({ name }) => name === 'host2')).toMatchObject({
      nics: [
        {
          name: 'bond0',
          bonding: { options: [{ name: 'mode', value: '1' }], slaves: ['eth1', 'eth2'] },
        },
      ],
      networkattachments: expect.arrayContaining([
        expect.objectContaining({ network: 'replicas', host_nic: 'bond0' }),
      ]),
    });
    await desk.must(...host, '--detach', 'replicas', '--unbond', 'bond0');
    await desk.must('networks', 'delete', 'replicas', '--yes');
  });
});

describe('two data centers with networks of the same name', () => {
  const south = `
datacenters: [{ name: south, local: false, storagedomains: [cold] }]
hosts: [{ name: pole, address: pole.example.com, cluster: ice, root_password: secret }]
storagedomains:
  - { name: cold, type: data, host: pole, storage: { type: nfs, address: filer, path: /cold } }
clusters:
  - name: ice
    data_center: south
    cpu: { type: Intel Nehalem Family }
    networks: [mgmt, front]
networks:
  - { name: mgmt, data_center: south, mtu: 9000 }
  - { name: front, data_center: south, comment: of the south }
vnicprofiles:
  - { name: front, network: { name: front, data_center: south }, port_mirroring: true }
vms:
  - name: ice01
    cluster: ice
    nics: [{ name: nic1, vnic_profile: { name: front, network: { name: front, data_center: south } } }]
`;

  it('are distinguished, and created parts are updated', async () => {
    const dry = await desk.must('apply', file(south), '--dry-run');
    expect(dry).toContain('+ create networks/mgmt');
    await desk.must('apply', file(south), '--yes');
    expect((await desk.run(['diff', file(south)])).stderr).toBe('no differences\n');
    const networks = await desk.json<Record<string, unknown>[]>('networks', 'list');
    const fronts = networks.filter(({ name }) => name === 'front');
    expect(fronts.map(({ comment, mtu }) => [comment, mtu])).toEqual(
      expect.arrayContaining([
        ['of the south', 0],
        ['', 9000],
      ]),
    );
    const [nic] = await desk.json('nics', 'list', '--vm', 'ice01');
    const profile = await desk.json('vnicprofiles', 'get', String(getId(nic, 'vnic_profile')));
    expect(fronts.find(({ comment }) => comment)).toMatchObject({ id: getId(profile, 'network') });
  });

  it.each([
    ['{ name: back, data_center: south }', 'networks/back not found'],
    ['{ name: front, data_center: west }', 'datacenters/west not found'],
  ])('reports the position of %s', async (network, message) => {
    const text = `vnicprofiles: [{ name: x, network: ${network} }]`;
    const { code, stderr } = await desk.run(['apply', file(text), '--yes']);
    expect([code, stderr]).toEqual([3, expect.stringContaining(message)]);
  });
});

function getId(item: unknown, attribute: string): unknown {
  return (item as Record<string, { id?: unknown }>)[attribute]?.id;
}

describe('vmctl export', () => {
  it('writes a definition without differences', async () => {
    const text = await desk.must('export');
    const { code, stderr } = await desk.run(['diff', '-'], text);
    expect([code, stderr]).toEqual([0, 'no differences\n']);
    expect(text).not.toMatch(/password: [^\n]/);
    expect(text).toContain('root_password:\n      secret: hosts/host1/root_password\n');
  });

  it('includes which VMs run on request only', async () => {
    expect(await desk.must('export', 'vms')).not.toContain('status: up');
    expect(await desk.must('export', 'vms', '--status')).toContain('    status: up\n');
  });

  it('accepts collections, and writes JSON', async () => {
    const text = await desk.must('export', 'networks', '-o', 'json');
    expect(Object.keys(JSON.parse(text))).toEqual(['networks']);
    const { code, stderr } = await desk.run(['export', 'events']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('cannot export events separately')]);
  });

  describe('for another server', () => {
    let other: TestServer;
    let home: Home;
    let text: string;

    beforeAll(async () => {
      text = await desk.must('export');
      other = await startTestServer(['--speed', '0', '--inventory', file(text)]);
      home = makeHome(other);
    });
    afterAll(async () => {
      home.remove();
      await other.stop();
    });

    it('creates the same site there', async () => {
      const { code, stdout, stderr } = await home.run(['diff', '-'], {}, text);
      expect([code, stdout, stderr]).toEqual([0, '', 'no differences\n']);
    });
  });
});
