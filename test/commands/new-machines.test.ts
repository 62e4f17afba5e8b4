/**
 * `vms create` with all parts of a VM: disk, NICs, first start and address; and remaining objects
 * after a failure.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeHome } from '../support/command.ts';
import { startServerProcess, vmctl } from '../support/server.ts';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand(['--fault', 'operation=start,vm=bad*'], true);
const key =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGx5c2VzdGhlYW5zd2VydG9ldmVyeXRoaW5nYWJj me@example';
const image = Buffer.alloc(1024 * 1024, 'boot');
const file = (name: string) => join(desk.home().folder, name);

type Thing = Record<string, unknown> & { readonly id: string; readonly name: string };
const names = async (noun: string, ...more: string[]) =>
  (await desk.json<Thing[]>(noun, 'list', ...more)).map(({ name }) => name).sort();
const attachments = (vm: string) => desk.json<Thing[]>('diskattachments', 'list', '--vm', vm);

beforeAll(() => {
  writeFileSync(file('debian.raw'), image);
  writeFileSync(file('user.yaml'), '#cloud-config\npackages: [nginx]\n');
  writeFileSync(file('id.pub'), `${key}\n`);
  writeFileSync(file('other.pub'), `# of a colleague\n\n${key}\n`);
  writeFileSync(file('id'), '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n');
  writeFileSync(file('password.txt'), 'not-a-secret\n');
});

describe('one command creates a VM', () => {
  it('uploads its image, connects it, starts it and waits for its address', async () => {
    const { code, stdout, stderr } = await desk.run([
      ...['vms', 'create', 'web01', '--image', file('debian.raw'), '--storagedomain', 'data1'],
      ...['--network', 'net1', '--network', 'mgmt/mgmt', '--cloud-init', file('user.yaml')],
      ...[
        '--ssh-key',
        file('id.pub'),
        '--ssh-key',
        file('other.pub'),
        '--hostname',
        'front.example.org',
      ],
      ...['--guest-user', 'admin', '--guest-password-file', file('password.txt')],
      ...['--memory', '2GiB', '--start', '--wait-for', 'ip', '-o', 'json'],
    ]);
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/^\{"event":"note","message":"vms\/web01: 10(\.\d+){3}/m);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ name: 'web01', status: 'up', memory: 2 * 2 ** 30 },
      fqdn: 'front.example.org',
    });
    expect(await desk.json('vms', 'get', 'web01')).toMatchObject({
      initialization: {
        custom_script: '#cloud-config\npackages: [nginx]\n',
        authorized_ssh_keys: `${key}\n${key}`,
        host_name: 'front.example.org',
        user_name: 'admin',
      },
    });
    expect(stdout + stderr).not.toContain('not-a-secret');
    expect(await attachments('web01')).toMatchObject([
      { bootable: true, active: true, interface: 'virtio_scsi' },
    ]);
    const nics = await desk.json('nics', 'list', '--vm', 'web01');
    expect(nics).toMatchObject([
      { name: 'nic1', interface: 'virtio' },
      { name: 'nic2', interface: 'virtio' },
    ]);
    await desk.must('vms', 'stop', 'web01');
    await desk.must('disks', 'verify', 'web01_Disk1', file('debian.raw'));
  });

  it.each(['taken', 'disks/taken'])('uses the existing disk %s', async (word) => {
    await desk.must(
      ...['disks', 'create', '--name', 'taken', '--size', '1MiB', '--format', 'raw', '--sparse'],
      ...['--storagedomain', 'data2', '--if-needed'],
    );
    const words = ['vms', 'create', 'holder', '--image', word, '--disk-interface', 'virtio'];
    await desk.must(...words, '--cluster', 'Default');
    const { id } = await desk.json<Thing>('disks', 'get', 'taken');
    expect(await attachments('holder')).toMatchObject([
      { id, interface: 'virtio', bootable: true },
    ]);
    await desk.must('vms', 'delete', 'holder', '--detach-only');
  });

  it('takes the only active data domain', async () => {
    await desk.must('storagedomains', 'deactivate', 'data2', '--datacenter', 'Default');
    await desk.must('vms', 'create', 'single', '--image', file('debian.raw'));
    expect(await attachments('single')).toHaveLength(1);
    await desk.must('storagedomains', 'activate', 'data2', '--datacenter', 'Default');
    await desk.must('vms', 'delete', 'single');
  });

  it('makes several, with numbers of equal width', async () => {
    const many = ['--count', '10', '--image', file('debian.raw'), '--storagedomain', 'data1'];
    const stdout = await desk.must(
      ...['vms', 'create', 'node', ...many, '--network', 'net1', '--hostname', 'n.example.com'],
      ...['--start', '--wait-for', 'ip', '-o', 'name'],
    );
    const all = Array.from({ length: 10 }, (_, at) => `node-${String(at + 1).padStart(2, '0')}`);
    expect(stdout.trim().split('\n').sort()).toEqual(all.map((name) => `vms/${name}`));
    const vm = await desk.json<Thing>('vms', 'get', 'node-07');
    expect(vm).toMatchObject({ status: 'up', initialization: { host_name: 'n-07.example.com' } });
    const again = await desk.run(['vms', 'create', 'node', ...many, '--if-needed', '-o', 'name']);
    expect([again.code, again.stderr]).toEqual([
      0,
      expect.stringContaining('vms/node-01 already exists, unchanged'),
    ]);
    expect(await names('disks', '--search', 'name=node-*')).toHaveLength(10);
  });

  it('shows what it would send, as far as that can be known', async () => {
    const { code, stdout, stderr } = await desk.run([
      ...['vms', 'create', 'shown', '--image', file('debian.raw'), '--storagedomain', 'data1'],
      ...['--network', 'net1', '--guest-password-file', file('password.txt')],
      ...['--start', '--wait-for', 'ip', '--dry-run', '-o', 'json'],
    ]);
    expect(code, stderr).toBe(0);
    const requests = JSON.parse(stdout) as { path: string; body: unknown }[];
    expect(requests.map(({ path }) => path.replace(/^.*\/api/, ''))).toEqual([
      ...['/vms', '/disks', '/vms/ID-of-shown/diskattachments', '/vms/ID-of-shown/nics'],
      '/vms/ID-of-shown/start',
    ]);
    expect(requests.at(-1)?.body).toEqual({ use_cloud_init: true });
    expect(stderr).toContain('ID-of-NAME is a placeholder for unknown ids');
    expect(stdout).not.toContain('not-a-secret');
    expect(await names('vms', '--search', 'name=shown')).toEqual([]);
    expect(await names('disks', '--search', 'name=shown*')).toEqual([]);
  });
});

it('settings of the first start are stored if the VM is not started', async () => {
  const words = ['vms', 'create', 'later', '--cluster', 'Default', '--template', 'Blank'];
  const { code, stderr } = await desk.run([...words, '--hostname', 'later']);
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining(
      'to apply the settings of the first start: vmctl vms start later --use-cloud-init',
    ),
  ]);
  await desk.must('vms', 'delete', 'later');
});

describe('a static address', () => {
  it('is configured at the first start, for IPv4 and IPv6', async () => {
    const stdout = await desk.must(
      ...['vms', 'create', 'fixed', '--image', file('debian.raw'), '--storagedomain', 'data1'],
      ...['--network', 'net1', '--start', '--wait-for', 'ip'],
      ...['--ip', '192.0.2.10/24', '--ip', '2001:db8::10/64', '--gateway', '192.0.2.1'],
      ...['--gateway', 'fe80::1', '--dns', '192.0.2.53,192.0.2.54', '--dns', '2001:db8::53'],
      ...['-o', 'json'],
    );
    expect(JSON.parse(stdout)).toMatchObject({ status: 'up' });
    const { initialization } = await desk.json<Thing>('vms', 'get', 'fixed');
    expect(initialization).toMatchObject({
      nic_configurations: [
        {
          ...{ name: 'eth0', on_boot: true },
          boot_protocol: 'static',
          ip: { address: '192.0.2.10', netmask: '255.255.255.0', gateway: '192.0.2.1' },
          ipv6_boot_protocol: 'static',
          ipv6: { address: '2001:db8::10', netmask: '64', gateway: 'fe80::1', version: 'v6' },
        },
      ],
      dns_servers: '192.0.2.53 192.0.2.54 2001:db8::53',
    });
    expect(await desk.must('vms', 'ip', 'fixed', '--all')).toMatch(
      /^192\.0\.2\.10\n2001:db8::10\nfe80::/,
    );
    await desk.must('vms', 'stop', 'fixed');
    await desk.must('vms', 'delete', 'fixed');
  });

  it('of IPv6 only disables IPv4, for the NIC with the given name', async () => {
    const stdout = await desk.must(
      ...['vms', 'create', 'six', '--cluster', 'Default', '--template', 'Blank', '--dry-run'],
      ...['--ip', '2001:db8::10/64', '--ip-nic', 'ens3', '--start', '-o', 'json'],
    );
    const [create, start] = JSON.parse(stdout) as { body: Record<string, unknown> }[];
    expect(create?.body['initialization']).toEqual({
      nic_configurations: {
        nic_configuration: [
          {
            ...{ name: 'ens3', on_boot: true, boot_protocol: 'none' },
            ipv6_boot_protocol: 'static',
            ipv6: { address: '2001:db8::10', netmask: '64', version: 'v6' },
          },
        ],
      },
    });
    expect(start?.body).toEqual({ use_cloud_init: true });
  });

  it.each([
    [['--ip', '192.0.2.10'], 'hint: use 192.0.2.10/24'],
    [['--ip', '192.0.2.10/24', '--ip', '192.0.2.11/24'], '--ip: more than one IPv4 address'],
    [['--gateway', '192.0.2.1'], '--gateway requires --ip'],
    [['--dns', '192.0.2.53'], '--dns requires --ip'],
    [['--ip-nic', 'eth1'], '--ip-nic requires --ip'],
    [['--ip', '192.0.2.10/24', '--ip-nic', 'a b'], '--ip-nic a b: not the name of a NIC'],
    [['--ip', '192.0.2.10/24', '--gateway', '192.0.3.1'], '--gateway 192.0.3.1: not in the subnet'],
    [['--ip', '192.0.2.10/24', '--gateway', 'router'], '--gateway router: not an address'],
    [['--ip', '192.0.2.10/24', '--gateway', 'fe80::1'], 'hint: add --ip 2001:db8::10/64'],
    [['--ip', '192.0.2.10/24', '--dns', '192.0.2.53,'], '--dns : not an address'],
    [['--ip', '192.0.2.10/24', '--count', '2'], '--ip is one address, and --count creates several'],
  ])('%j is refused', async (words, says) => {
    const { code, stderr } = await desk.run(['vms', 'create', 'never', ...words]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
    expect(await names('vms', '--search', 'name=never*')).toEqual([]);
  });
});

describe('the name as an argument', () => {
  it('is the same as --name, for all named objects', async () => {
    await desk.must('tags', 'create', 'evening');
    await desk.must('tags', 'create', 'morning', '--name', 'morning');
    expect(await names('tags')).toEqual(expect.arrayContaining(['evening', 'morning']));
  });

  it.each([
    ['two names', ['tags', 'create', 'a', '--name', 'b'], 'two names given:'],
    ['an empty name', ['tags', 'create', ''], 'empty'],
    [
      'stdin',
      ['tags', 'create', '-'],
      '- is not a name; names of new objects are not read from stdin',
    ],
    ['two arguments', ['tags', 'create', 'a', 'b'], 'too many arguments'],
  ])('%s are refused', async (_, words, says) => {
    const { code, stderr } = await desk.run(words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
  });
});

describe('invalid flags are refused before the first change', () => {
  const refusals: readonly (readonly [
    what: string,
    code: number,
    says: string,
    words: string[],
  ])[] = [
    ['an address without a start', 2, '--wait-for ip needs --start', ['--wait-for', 'ip']],
    ['not to wait', 2, '--network and --no-wait', ['--network', 'net1', '--no-wait']],
    [
      'an interface of no disk',
      2,
      '--disk-interface requires --image',
      ['--disk-interface', 'sata'],
    ],
    ['an image on stdin', 2, 'vmctl disks upload -', ['--image', '-']],
    ['no such file', 2, 'no such file or folder', ['--image', './nothing.raw']],
    ['neither file nor disk', 3, ': not a file and not a disk', ['--image', 'nothing']],
    ['no such disk', 3, 'disks/nothing', ['--image', 'disks/nothing']],
    ['no such network', 3, 'did you mean net1?', ['--network', 'net2']],
    ['a bad host name', 2, ': not a valid host name', ['--hostname', 'a_b']],
    ['no count', 2, '--count 0', ['--count', '0']],
    ['one at a time', 2, '--parallel needs --count', ['--parallel', '2']],
    [
      'one disk for two',
      2,
      '--image is one disk, and only one VM can boot from it',
      ['--image', 'vm-02_Disk1', '--count', '2'],
    ],
  ];
  it.each(refusals)('%s', async (_, wanted, says, words) => {
    const { code, stderr } = await desk.run(['vms', 'create', 'never', ...words]);
    expect([code, stderr]).toEqual([wanted, expect.stringContaining(says)]);
    expect(await names('vms', '--search', 'name=never*')).toEqual([]);
  });

  it('a private key', async () => {
    const { code, stderr } = await desk.run(['vms', 'create', 'never', '--ssh-key', file('id')]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(': this is a private key')]);
  });

  it('a storage domain that is one of several', async () => {
    const words = ['vms', 'create', 'never', '--image', file('debian.raw')];
    const { code, stderr } = await desk.run(words);
    expect([code, stderr]).toEqual([
      6,
      expect.stringContaining('no storage domain given for the image; available: data1, data2'),
    ]);
    expect(stderr).toContain('hint: use --storage-domain data1');
  });

  it('a template with a boot disk', async () => {
    await desk.must('templates', 'create', 'golden', '--vm', 'vm-02');
    const words = ['vms', 'create', 'never', '--image', file('debian.raw'), '--template', 'golden'];
    const { code, stderr } = await desk.run([...words, '--cluster', 'Default']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--image and --template')]);
  });

  it('a profile that is one of several', async () => {
    await desk.must('vnicprofiles', 'create', 'guests', '--network', 'net1');
    const { code, stderr } = await desk.run(['vms', 'create', 'never', '--network', 'net1']);
    expect([code, stderr]).toEqual([6, expect.stringMatching(/net1\/guests\n {2}net1\/net1/)]);
    await desk.must('vms', 'create', 'profiled', '--network', 'net1/guests', '--network', 'guests');
    await desk.must('vms', 'delete', 'profiled');
    await desk.must('vnicprofiles', 'delete', 'guests');
  });
});

describe('after a failed step', () => {
  const made = ['--storagedomain', 'data1', '--network', 'net1', '--start'];

  it('lists the created objects, and the commands that remove them', async () => {
    const words = ['vms', 'create', 'bad1', '--image', file('debian.raw'), ...made];
    const { code, stderr } = await desk.run([...words, '-o', 'json']);
    expect(code).toBe(6);
    expect(stderr).toContain('vms/bad1 was created, but not everything requested');
    const error = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as { next: string[] };
    expect(error.next).toEqual(['vmctl vms stop bad1 --if-needed', 'vmctl vms delete bad1']);
    for (const line of error.next) await desk.must(...line.split(' ').slice(1));
    expect(await names('disks', '--search', 'name=bad1*')).toEqual([]);
  });

  it('--cleanup takes it back', async () => {
    const words = ['vms', 'create', 'bad', '--count', '2', '--image', file('debian.raw'), ...made];
    const { code, stderr } = await desk.run([...words, '--cleanup']);
    expect(code).toBe(6);
    expect(stderr).toMatch(/^vms\/bad-1: removed$/m);
    expect(await names('vms', '--search', 'name=bad*')).toEqual([]);
    expect(await names('disks', '--search', 'name=bad*')).toEqual([]);
  });

  it('--cleanup keeps an existing disk', async () => {
    const words = ['disks', 'create', 'own', '--size', '1MiB', '--format', 'raw', '--sparse'];
    await desk.must(...words, '--storagedomain', 'data1');
    const create = ['vms', 'create', 'bad3', '--image', 'own', ...made, '--cleanup'];
    expect((await desk.run(create)).code).toBe(6);
    expect(await names('vms', '--search', 'name=bad3')).toEqual([]);
    expect(await names('disks', '--search', 'name=own')).toEqual(['own']);
  });

  it('of several, the others are created', async () => {
    const words = ['vms', 'create', 'many', '--count', '2', '--cluster', 'Default'];
    await desk.must('vms', 'create', 'many-2', '--cluster', 'Default', '--template', 'Blank');
    const { code, stdout } = await desk.run([...words, '--template', 'Blank', '-o', 'name']);
    expect([code, stdout]).toEqual([9, 'vms/many-1\n']);
  });
});

describe('Ctrl-C', () => {
  it.each([
    ['lists the created objects', [], ['held'], 'vmctl vms stop held --if-needed'],
    ['removes the created objects', ['--cleanup'], [], 'vms/held: removed'],
  ])('%s', async (_, flags, left, says) => {
    // A start takes many times longer than the signal needs.
    const server = await startServerProcess(['--speed', '2', '--inventory', 'small']);
    const home = makeHome(server);
    try {
      const words = ['vms', 'create', 'held', '--network', 'net1', '--boot-devices', 'network'];
      const child = spawn(process.execPath, [vmctl, ...words, '--start', ...flags], {
        env: home.env,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let stderr = '';
      child.stderr.on('data', (piece: Buffer) => {
        stderr += piece.toString();
        if (/wait_for_launch|powering_up/.test(piece.toString())) child.kill('SIGINT');
      });
      const [code] = (await once(child, 'close')) as [number];
      expect([code, stderr]).toEqual([130, expect.stringContaining(says)]);
      const list = await home.runHere(['vms', 'list', '--search', 'name=held', '-o', 'json']);
      const vms = JSON.parse(list.stdout) as Thing[];
      expect(vms.map(({ name }) => name)).toEqual(left);
    } finally {
      home.remove();
      await server.stop();
    }
  });
});

describe('--network with a template that has a NIC', () => {
  const listNics = async (vm: string) => {
    const nics = await desk.json('nics', 'list', '--vm', vm, '--columns', 'name,vnic_profile.name');
    return nics.map((nic) => Object.values(nic));
  };

  it('changes the network of that NIC, and adds NICs for further networks', async () => {
    await desk.must('templates', 'create', 'connected', '--vm', 'vm-02');
    const words = ['vms', 'create', 'moved', '--template', 'connected', '--cluster', 'Default'];
    const dry = await desk.must(...words, '--network', 'net1', '--dry-run');
    expect(dry).toMatch(/PUT \S+\/vms\/ID-of-moved\/nics\/ID-of-nic1 /);
    await desk.must(...words, '--network', 'net1', '--network', 'mgmt');
    expect(await listNics('moved')).toEqual([
      ['nic1', 'net1'],
      ['nic2', 'mgmt'],
    ]);
  });

  it('sends no request for a NIC with that network, and keeps NICs without --network', async () => {
    const words = ['vms', 'create', '--template', 'connected', '--cluster', 'Default'];
    const dry = await desk.must(...words, '--name', 'same', '--network', 'mgmt', '--dry-run');
    expect(dry).not.toContain('/nics');
    await desk.must(...words, '--name', 'kept');
    expect(await listNics('kept')).toEqual([['nic1', 'mgmt']]);
  });

  it('is undone with the VM', async () => {
    const words = ['vms', 'create', 'undone', '--template', 'connected', '--cluster', 'Default'];
    await desk.must(...words, '--network', 'net1', '-q');
    await desk.must('undo', '--yes');
    expect((await desk.run(['vms', 'get', 'undone'])).code).toBe(3);
  });
});
