/** Commands with several requests: complete results, and reports of partial failures. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();
const blank = ['--cluster', 'Default', '--template', 'Blank'];

interface Thing extends Record<string, unknown> {
  readonly id: string;
  readonly name: string;
  readonly status: string;
}

async function first(noun: string, ...more: string[]): Promise<Thing> {
  const [found] = await desk.json<Thing[]>(noun, 'list', ...more);
  if (!found) throw new Error(`No ${noun} found.`);
  return found;
}

/** A machine that runs; small inventories have one. */
async function running(): Promise<Thing> {
  return await first('vms', '--search', 'status=up');
}

describe('vms create --start', () => {
  it('makes a machine and starts it', async () => {
    const { name: source } = await first('vms', '--search', 'status=down sortby name');
    await desk.must('templates', 'create', '--name', 'golden', '--vm', source);
    const words = ['vms', 'create', '--name', 'begun', '--cluster', 'Default'];
    const vm = await desk.json<Thing>(...words, '--template', 'golden', '--start');
    expect(vm).toMatchObject({ name: 'begun', status: 'up' });
  });

  it('reports that the VM exists if it cannot be started', async () => {
    const words = ['vms', 'create', '--name', 'empty', ...blank, '--start'];
    const { code, stderr } = await desk.run(words);
    expect(code).toBe(6);
    expect(stderr).toContain('vms/empty was created, but not everything requested');
    expect(stderr).toContain('Cannot run VM without at least one bootable disk.');
    expect((await desk.json<Thing>('vms', 'get', 'empty')).status).toBe('down');
  });

  it('does not go together with --no-wait', async () => {
    const words = ['vms', 'create', '--name', 'x', ...blank, '--start', '--no-wait'];
    const { code, stderr } = await desk.run(words);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--start and --no-wait')]);
  });
});

describe('storagedomains create --attach', () => {
  const nfs = ['--type', 'data', '--storage-type', 'nfs', '--address', 'filer'];

  it('makes, attaches and activates a domain', async () => {
    const { name: host } = await first('hosts', '--search', 'status=up');
    const { name: center } = await first('datacenters', '--search', 'status=up');
    const words = ['storagedomains', 'create', '--name', 'more', ...nfs, '--path', '/exports/more'];
    const domain = await desk.json<Thing>(
      ...words,
      ...['--host', host, '--attach', center, '--activate'],
    );
    expect(domain).toMatchObject({ name: 'more', status: 'active' });
  });

  it('makes nothing when the data center does not exist', async () => {
    const { name: host } = await first('hosts', '--search', 'status=up');
    const words = [
      'storagedomains',
      'create',
      '--name',
      'never',
      ...nfs,
      '--path',
      '/exports/never',
    ];
    const { code } = await desk.run([...words, '--host', host, '--attach', 'nowhere']);
    expect(code).toBe(3);
    expect((await desk.run(['storagedomains', 'get', 'never'])).code).toBe(3);
    const { stderr } = await desk.run([...words, '--host', host, '--activate']);
    expect(stderr).toContain('--activate needs --attach');
  });
});

describe('vms console', () => {
  it('writes the connection file for its owner alone', async () => {
    const { name } = await running();
    const file = join(desk.home().folder, 'screen.vv');
    expect(await desk.must('vms', 'console', name, '--file', file)).toBe(`${file}\n`);
    expect(readFileSync(file, 'utf8')).toMatch(/^\[virt-viewer\]\n/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await desk.must('vms', 'console', name, '--file', '-')).toMatch(/^\[virt-viewer\]/);
  });

  it('replaces a file only with --force, never follows a link, and uses mode 600', async () => {
    const { name } = await running();
    const { folder } = desk.home();
    const [file, link, target] = ['old.vv', 'link.vv', 'target'].map((one) => join(folder, one));
    if (!file || !link || !target) throw new Error('unreachable');
    writeFileSync(file, 'mine', { mode: 0o644 });
    writeFileSync(target, 'mine');
    symlinkSync(target, link);
    for (const path of [file, link]) {
      const { code, stderr } = await desk.run(['vms', 'console', name, '--file', path]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`${path} already exists`)]);
      await desk.must('vms', 'console', name, '--file', path, '--force');
      expect(readFileSync(path, 'utf8')).toMatch(/^\[virt-viewer\]\n/);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    }
    expect(readFileSync(target, 'utf8')).toBe('mine');
  });

  it('names the file as JSON for programs, and says why a file cannot be written', async () => {
    const { name } = await running();
    const file = join(desk.home().folder, 'json.vv');
    const printed = await desk.must('vms', 'console', name, '--file', file, '-o', 'json');
    expect(JSON.parse(printed)).toEqual({ file });
    const nowhere = join(desk.home().folder, 'none', 'a.vv');
    const { code, stderr } = await desk.run(['vms', 'console', name, '--file', nowhere]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`cannot write "${nowhere}": no such file or folder`),
    ]);
  });

  it('opens it with a viewer', async () => {
    const { name } = await running();
    const viewer = join(desk.home().folder, 'viewer');
    const seen = join(desk.home().folder, 'seen');
    writeFileSync(viewer, `#!/bin/sh\ncp "$1" ${seen}.part && mv ${seen}.part ${seen}\n`);
    chmodSync(viewer, 0o755);
    await desk.must('vms', 'console', name, '--viewer', viewer);
    while (!existsSync(seen)) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(readFileSync(seen, 'utf8')).toContain('password=');
  });

  it('says that a machine has to run', async () => {
    const { name } = await first('vms', '--search', 'status=down');
    const { code, stdout, stderr } = await desk.run(['vms', 'console', name, '--file', '-']);
    expect([code, stdout]).toEqual([6, '']);
    expect(stderr).toContain(`vms/${name} is down; a screen needs a running VM`);
    expect(stderr).toContain(`hint: vmctl vms start ${name}`);
  });

  it('the serial one is handed over to ssh, by way of the proxy', async () => {
    const [{ id = '' } = {}] = await desk.json('vms', 'list', '--search', 'name=vm-01');
    await desk.must('vms', 'update', 'vm-01', '--set', 'console.enabled=true');
    await desk.must('vms', 'stop', 'vm-01', '-q');
    await desk.must('vms', 'start', 'vm-01', '-q');
    const line = await desk.must('vms', 'console', 'vm-01', '--serial', '--dry-run');
    expect(line).toBe(`ssh -t -p 2222 ovirt-vmconsole@127.0.0.1 connect --vm-id=${id}\n`);
    const bin = join(desk.home().folder, 'serial');
    mkdirSync(bin);
    writeFileSync(join(bin, 'ssh'), '#!/bin/sh\necho "ssh $*"\nexit 7\n', { mode: 0o755 });
    const words = ['vms', 'console', 'vm-01', '--serial', '--proxy', 'console.example.com:2022'];
    const { code, stdout } = await desk
      .home()
      .run(words, { PATH: `${bin}:${process.env['PATH']}` });
    expect(code).toBe(7);
    expect(stdout).toBe(
      `ssh -t -p 2022 ovirt-vmconsole@console.example.com connect --vm-id=${id}\n`,
    );
  });

  it.each([
    ['a machine that is off', ['vm-02', '--serial'], 6, /; a console needs a running VM/],
    [
      'a machine without one',
      ['vm-03', '--serial'],
      6,
      /has no serial console[\s\S]*console\.enabled=true/,
    ],
    [
      'two kinds of consoles',
      ['vm-01', '--serial', '--file', '-'],
      2,
      /--serial and --file exclude each other/,
    ],
    [
      'a proxy that is an option of ssh',
      ['vm-01', '--serial', '--proxy=-oProxyCommand=x'],
      2,
      /not HOST/,
    ],
    ['a proxy for the screen', ['vm-01', '--proxy', 'there'], 2, /--proxy requires --serial/],
  ])('of %s has no serial console', async (_, words, code, message) => {
    const outcome = await desk.run(['vms', 'console', ...words, '--dry-run']);
    expect(outcome.code, outcome.stderr).toBe(code);
    expect(outcome.stderr).toMatch(message);
  });

  it('says which consoles there are', async () => {
    const { name } = await running();
    const { code, stderr } = await desk.run(['vms', 'console', name, '--protocol', 'rdp']);
    expect(code).toBe(3);
    expect(stderr).toMatch(/has no rdp console\nhint: available: /);
  });
});

it.each(['json', 'yaml', 'xml'])(
  'the output of get as %s is valid input of create and update',
  async (format) => {
    const bonded = `copied-${format}`;
    await desk.must('roles', 'create', '--name', bonded, '--set-json', 'permits=[{"id":"1"}]');
    const text = await desk.must('roles', 'get', bonded, '-o', format);
    await desk.must('roles', 'delete', bonded);
    const { code, stderr } = await desk.run(['roles', 'create', '-f', '-'], text);
    expect([code, stderr]).toEqual([0, expect.stringContaining('ignored read-only attributes:')]);
  },
);

it('missing attributes are reported as the flags that set them', async () => {
  const { code, stderr } = await desk.run(['vms', 'create', '--name', 'x']);
  expect(code).not.toBe(0);
  expect(stderr).toContain('hint: give --cluster REF, --template REF\n');
  const disk = await desk.run(['disks', 'create', '--name', 'x', '--size', '1GiB']);
  expect(disk.stderr).toContain('hint: give --format cow|raw\n');
});

it('vms snapshot keeps the present state', async () => {
  const { name } = await running();
  await desk.must('vms', 'snapshot', name, '--description', 'before the upgrade');
  const snapshots = await desk.json('snapshots', 'list', '--vm', name);
  expect(snapshots).toContainEqual(
    expect.objectContaining({ description: 'before the upgrade', snapshot_status: 'ok' }),
  );
});

describe('events report', () => {
  it('writes an event about an object', async () => {
    const { name, id } = await running();
    await desk.must(
      ...['events', 'report', 'disk is nearly full', '--severity', 'warning'],
      ...['--origin', 'watchman', '--about', `vms/${name}`],
    );
    const [event] = await desk.json('events', 'list', '--search', 'origin=watchman');
    expect(event).toMatchObject({
      description: 'disk is nearly full',
      severity: 'warning',
      vm: { id },
    });
  });

  it('accepts only kinds that have events', async () => {
    const { code, stderr } = await desk.run(['events', 'report', 'x', '--about', 'nics/nic1']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('--about nics/nic1: nics have no events'),
    ]);
  });
});

describe('hosts setup-networks', () => {
  const listNics = async (host: string) =>
    new Map(
      (await desk.json<Thing[]>('hostnics', 'list', '--host', host)).map((one) => [one.name, one]),
    );

  it('attaches, bonds and detaches by flags', async () => {
    const { name: host } = await first('hosts', '--search', 'status=up');
    const { name: center } = await first('datacenters', '--search', 'status=up');
    await desk.must('networks', 'create', '--name', 'storage', '--data-center', center);
    await desk.must(
      'networks',
      'attach',
      'storage',
      '--cluster',
      'Default',
      '--set',
      'required=false',
    );
    const setup = ['hosts', 'setup-networks', host, '--commit'];
    const bond = ['--bond', 'bond0=eth1+eth2,4', '--attach', 'storage=bond0,192.0.2.7/24'];
    await desk.must(...setup, ...bond);
    expect((await listNics(host)).get('bond0')).toMatchObject({
      ip: { address: '192.0.2.7', netmask: '255.255.255.0' },
    });
    await desk.must(...setup, '--detach', 'storage', '--unbond', 'bond0');
    expect((await listNics(host)).has('bond0')).toBe(false);
  });

  it('changes a bond, and preserves its options by default', async () => {
    const { name: host } = await first('hosts', '--search', 'status=up');
    const setup = ['hosts', 'setup-networks', host, '--commit', '--bond'];
    const show = async () => (await listNics(host)).get('bond1')?.['bonding'];
    const slaves = [{ id: expect.any(String) }, { id: expect.any(String) }];
    const options = (mode: string, miimon?: string) => [
      expect.objectContaining({ name: 'mode', value: mode }),
      ...(miimon === undefined ? [] : [expect.objectContaining({ name: 'miimon', value: miimon })]),
    ];
    await desk.must(...setup, 'bond1=eth1+eth2,802.3ad,miimon=100');
    expect(await show()).toMatchObject({ options: options('4', '100'), slaves });
    await desk.must(...setup, 'bond1=eth1+eth2+eth3');
    const three = [...slaves, slaves[0]];
    expect(await show()).toMatchObject({ options: options('4', '100'), slaves: three });
    await desk.must(...setup, 'bond1=eth1+eth2,miimon=300');
    expect(await show()).toMatchObject({ options: options('4', '300'), slaves });
    await desk.must(...setup, 'bond1=eth1+eth2,6');
    expect(await show()).toMatchObject({ options: options('6'), slaves });
    await desk.must('hosts', 'setup-networks', host, '--unbond', 'bond1');
    expect(await show()).toBeUndefined();
  });

  it.each([
    [['--attach', 'storage'], 'not a network and an interface'],
    [['--attach', 'storage=eth1,192.0.2.7'], 'the prefix length is missing'],
    [['--bond', 'bond0=eth1'], 'not a bond of two or more interfaces'],
    [['--bond', 'bond0=eth1+'], 'not a bond of two or more interfaces'],
    [['--bond', 'bond0=eth1+eth1'], 'the same interface appears twice'],
    [['--bond', 'bond0=eth1+eth2,7'], '"7" is not a mode of bonds'],
    [['--bond', 'bond0=eth1+eth2,mode=lacp'], '"mode=lacp" is not a mode of bonds'],
    [['--bond', 'bond0=eth1+eth2,miimon='], '"miimon=" is not a mode of bonds'],
    [['--attach', 'storage=eth1,192.0.2.7/24,198.51.100.1'], 'not in the subnet of 192.0.2.7/24'],
    [['--detach', 'nothing'], 'has no such network'],
  ])('%j is reported with the position of the mistake', async (flags, message) => {
    const { name: host } = await first('hosts', '--search', 'status=up');
    const { code, stderr } = await desk.run(['hosts', 'setup-networks', host, ...flags]);
    expect(code).toBeGreaterThan(1);
    expect(stderr).toContain(message);
  });
});

it('glusterbricks decommission moves the data, then removes the bricks', async () => {
  const cluster = ['--cluster', 'bricks'];
  const { name: center } = await first('datacenters', '--search', 'status=up');
  await desk.must(
    ...['clusters', 'create', '--name', 'bricks', '--data-center', center],
    ...['--cpu-type', 'Intel Nehalem Family', '--gluster-service', '--no-virt-service'],
  );
  const secret = join(desk.home().folder, 'root');
  writeFileSync(secret, 'secret');
  for (const name of ['g1', 'g2']) {
    await desk.must(
      ...['hosts', 'create', '--name', name, '--address', `${name}.example.com`],
      ...[...cluster, '--root-password-file', secret],
    );
  }
  await desk.must('glustervolumes', 'create', ...cluster, '-f', await volumeFile());
  await desk.must('glustervolumes', 'start', 'vol1', ...cluster);
  await desk.must(
    'glusterbricks',
    'decommission',
    'g2.example.com:/bricks/b1',
    '--volume',
    'vol1',
    ...cluster,
  );
  const left = await desk.json<Thing[]>('glusterbricks', 'list', '--volume', 'vol1', ...cluster);
  expect(left.map(({ name }) => name)).toEqual(['g1.example.com:/bricks/b1']);
});

async function volumeFile(): Promise<string> {
  const hosts = await desk.json<Thing[]>('hosts', 'list', '--search', 'name=g* sortby name');
  const bricks = hosts.map(({ id }) => ({ server_id: id, brick_dir: '/bricks/b1' }));
  const file = join(desk.home().folder, 'volume.json');
  const volume = { name: 'vol1', volume_type: 'distribute', bricks };
  writeFileSync(file, JSON.stringify(volume));
  return file;
}

describe('an omitted parent', () => {
  it('is found if exactly one parent has the child', async () => {
    const { code, stderr } = await desk.run(['storagedomains', 'deactivate', 'data2']);
    expect([code, stderr]).toEqual([6, expect.stringContaining('VMs with disks on it')]);
    expect(stderr).toContain('storagedomains/data2 of datacenters/Default\n');
    const quota = await desk.json<Thing>('quotas', 'get', 'Default');
    expect(quota.name).toBe('Default');
  });

  it('has to be named where several have one', async () => {
    const { code, stderr } = await desk.run(['hostnics', 'get', 'eth0']);
    expect(code).toBe(6);
    expect(stderr).toMatch(/eth0 matches several objects:\n[^:]* --host host1\n +--host host2\n/);
  });

  it('is required if no parent has the child', async () => {
    const { code, stderr } = await desk.run(['hostnics', 'get', 'eth77']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('needs a parent')]);
  });
});
