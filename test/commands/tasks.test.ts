/** The tasks of docs/tasks.md, run as they stand there, in a shell, on the small inventory. */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { blocksOf } from '../examples/shown.ts';
import { RawApi, send } from '../support/raw.ts';
import { vmctl } from '../support/server.ts';
import { inTerminal } from '../support/terminal.ts';
import { useDesk } from './support/desk.ts';

const desk = useDesk([], true);
const image = Buffer.alloc(1024 * 1024, 'image');

const blocks = blocksOf('docs/tasks.md');
const tasks = blocks.map(({ title, text }) => [title, text] as const);

let admin: RawApi;
let beginning: string;

beforeAll(async () => {
  const { folder } = desk.home();
  mkdirSync(join(folder, 'bin'));
  symlinkSync(vmctl, join(folder, 'bin/vmctl'));
  writeFileSync(join(folder, 'image.raw'), image);
  writeFileSync(join(folder, 'bin/ssh'), '#!/bin/sh\necho "ssh $*"\n', { mode: 0o755 });
  writeFileSync(join(folder, 'user.yaml'), '#cloud-config\npackages: [nginx]\n');
  mkdirSync(join(folder, '.ssh'));
  writeFileSync(join(folder, '.ssh/id.pub'), 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGtleQ== me\n');
  admin = await RawApi.signIn(desk.server());
  beginning = (await state('GET')).text;
});

function state(method: string, body?: string): ReturnType<typeof send> {
  return send(`${new URL(desk.server().ready.base_url).origin}/_vmctl/state`, {
    method,
    ca: desk.server().ca,
    headers: { Authorization: `Bearer ${admin.token}` },
    ...(body === undefined ? {} : { body }),
  });
}

/** Runs a script where vmctl is on the path; every command of it must succeed. */
function shell(script: string): string {
  const { ready, password, ca: _ca } = desk.server();
  const { folder } = desk.home();
  const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', script], {
    cwd: folder,
    encoding: 'utf8',
    env: {
      PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
      HOME: folder,
      VMCTL_URL: ready.base_url,
      VMCTL_USERNAME: ready.username,
      VMCTL_PASSWORD: password,
      VMCTL_CA_FILE: ready.ca_file,
    },
  });
  expect(status, stderr).toBe(0);
  return stdout;
}

const named = async (noun: string, name: string, ...more: string[]) =>
  await desk.json<Record<string, unknown>>(noun, 'get', name, ...more);

/** What is so afterwards, by title. */
const outcomes: Readonly<Record<string, (output: string) => Promise<void> | void>> = {
  'Find a virtual machine by its address': (output) => {
    expect(output).toMatch(/^vm-01 +vm-01\.example\.com +host1$/m);
    expect(output).not.toContain('vm-02');
  },
  'See what runs on a host': (output) => {
    expect(output).toContain('vm-01');
    expect(output).not.toContain('vm-03');
  },
  'Move all virtual machines off a host': async () => {
    const away = await desk.json('vms', 'list', '--search', 'host=host2');
    expect(away.map(({ name }) => name)).toContain('vm-01');
    expect(await named('hosts', 'host1')).toMatchObject({ status: 'up' });
  },
  'Make a virtual machine with a disk, and start it': async () => {
    await desk.must('vms', 'start', 'web01');
    expect(await named('vms', 'web01')).toMatchObject({ status: 'up', memory: 2 * 2 ** 30 });
  },
  'Make a virtual machine from an image, and wait for its address': async (output) => {
    expect(output).toMatch(/^app01 +up/m);
    expect(await named('vms', 'app01')).toMatchObject({ initialization: { host_name: 'app01' } });
    expect(await desk.must('vms', 'ip', 'app01')).toMatch(/^10(\.\d+){3}\n$/);
  },
  'Make several at once': async () => {
    const up = await desk.json('vms', 'list', '--search', 'name=app-* and status=up');
    expect(up.map(({ name }) => name)).toEqual(['app-1', 'app-2', 'app-3']);
  },
  'Sign in to a virtual machine': (output) => {
    expect(output).toBe('10.0.0.1\nssh -l root 10.0.0.1 uptime\n');
  },
  'Give a virtual machine more memory': async () => {
    expect(await named('vms', 'vm-02')).toMatchObject({ memory: 4 * 2 ** 30 });
  },
  'Grow a disk': async () => {
    expect(await named('disks', 'vm-02_Disk1')).toMatchObject({ provisioned_size: 20 * 2 ** 30 });
  },
  'Add a network interface': async () => {
    expect(await named('nics', 'nic2', '--vm', 'vm-02')).toMatchObject({ name: 'nic2' });
  },
  'Give a user rights on a virtual machine': async () => {
    const own = { VMCTL_USERNAME: 'jane@internal' };
    const { stdout } = await desk.home().run(['vms', 'list', '-o', 'name', '--filtered'], own);
    expect(stdout).toBe('vms/vm-01\n');
  },
  'See who may do what with a virtual machine': (output) => {
    expect(output).toMatch(/^UserVmManager +jane@internal-authz$/m);
  },
  'Find out who stopped a virtual machine': (output) => {
    expect(output).toContain('VM vm-01 powered off by admin@internal');
  },
  'Keep the state before an upgrade, and go back to it': async () => {
    const list = await desk.json('snapshots', 'list', '--vm', 'vm-02');
    expect(list.map(({ description }) => description)).toContain('before the upgrade');
  },
  'Copy a virtual machine': async () => {
    expect(await named('vms', 'vm-02-copy')).toMatchObject({ status: 'down' });
  },
  'Make a template, and a virtual machine from it': async () => {
    expect(await named('vms', 'web02')).toMatchObject({ status: 'up' });
  },
  'Mark a virtual machine': async () => {
    const marked = await desk.json('vms', 'list', '--search', 'tag=evening');
    expect(marked.map(({ name }) => name)).toEqual(['vm-01']);
  },
  'Shut down all that are marked': async () => {
    expect(await named('vms', 'vm-01')).toMatchObject({ status: 'down' });
    expect(await named('vms', 'vm-03')).toMatchObject({ status: 'up' });
  },
  'Look around, and work, in the whole terminal': (output) => {
    expect(output).toMatch(/>vms[\s\S]*vm-01/);
  },
  'Back a virtual machine up into a folder, and bring it back': async () => {
    const [attached] = await desk.json('diskattachments', 'list', '--vm', 'vm-02-restored');
    expect(attached).toMatchObject({ active: true, bootable: true });
    const [backup = ''] = readdirSync(join(desk.home().folder, 'backups/vm-02')).sort();
    const folder = join(desk.home().folder, 'backups/vm-02', backup);
    expect(readdirSync(folder).sort()).toEqual(['backup.json', 'machine.ovf', 'vm-02_Disk1.raw']);
  },
  'Take a virtual machine away in a file, and make one from it': async () => {
    const [attached] = await desk.json('diskattachments', 'list', '--vm', 'vm-02-copy');
    expect(attached).toMatchObject({ active: true, bootable: true });
    const archive = readFileSync(join(desk.home().folder, 'vm-02.ova'));
    expect(archive.toString('latin1', 0, 6)).toBe('vm.ovf');
  },
  'Delete the snapshots that nobody needs any more': async () => {
    const left = await desk.json('snapshots', 'list', '--vm', 'vm-01');
    expect(left.map(({ description }) => description)).toEqual([
      'Active VM',
      'nightly 2',
      'nightly 3',
    ]);
  },
  'Upgrade the hosts of a cluster': async () => {
    for (const host of await desk.json('hosts', 'list')) {
      expect(host).toMatchObject({ status: 'up', update_available: false });
    }
  },
  'Find out where a service differs from the specification': async (output) => {
    expect(output).not.toContain('differs ');
    expect(await desk.json('datacenters', 'list')).toHaveLength(1);
  },
  'Look at the screen': () => {
    expect(readFileSync(join(desk.home().folder, 'vm-01.vv'), 'utf8')).toContain('[virt-viewer]');
  },
  'Put an image on a disk, and get it back': () => {
    const back = readFileSync(join(desk.home().folder, 'back.raw'));
    expect(back.equals(image)).toBe(true);
  },
  'Move a disk to other storage': async () => {
    const { id } = await named('storagedomains', 'data2');
    expect(await named('disks', 'vm-01_Disk1')).toMatchObject({ storage_domains: [{ id }] });
  },
  'See which storage is nearly full': (output) => {
    expect(output).toMatch(/^data1 +\d+/m);
  },
  'Find disks that nothing uses': (output) => {
    expect(output).not.toContain('vm-01_Disk1');
    expect(output).toContain('idle');
  },
  'See what is busy': (output) => {
    expect(output).toMatch(/vm-03 +up/);
  },
  'Follow what happens, and go on later where it ended': () => {
    expect(existsSync(join(desk.home().folder, 'events.cursor'))).toBe(true);
  },
  'Take back what was just changed': async () => {
    const vm = await named('vms', 'vm-02');
    expect([vm['memory'], vm['comment'] ?? '']).toEqual([2 ** 30, '']);
  },
  'See what was changed from here': (output) => {
    expect(output).toMatch(/vmctl vms update vm-02 --comment seen -q +done +possible$/m);
  },
  'Write a site down, and see what has changed since': (output) => {
    expect(output).toBe('');
  },
  'Make a site anew from what was written down': async () => {
    expect(await named('vms', 'vm-01')).toMatchObject({ status: 'up' });
    expect(await desk.json('vms', 'list')).toHaveLength(3);
  },
};

/** An image as others have it. */
const emptyImage =
  '[ -e debian.qcow2 ] || { vmctl disks create seed --size 1MiB --format cow --storagedomain data1 -q && vmctl disks download seed debian.qcow2 && vmctl disks delete seed; }';

/** What has happened before. */
const before: Readonly<Record<string, string>> = {
  'Make a virtual machine from an image, and wait for its address': emptyImage,
  'Make several at once': emptyImage,
  'Make a site anew from what was written down':
    'vmctl export > site.yaml && echo secret > root-password.txt',
  'Shut down all that are marked':
    'vmctl tags create --name evening -q && vmctl tags assign evening --on vms/vm-01',
  'Delete the snapshots that nobody needs any more':
    'for n in 1 2 3; do vmctl snapshots create --vm vm-01 --description "nightly $n" -q; done',
  'Find out who stopped a virtual machine': 'vmctl vms stop vm-01 -q',
  'See what was changed from here': 'vmctl vms update vm-02 --comment seen -q',
  'Find disks that nothing uses':
    'vmctl disks create --name idle --size 1GiB --format cow --storagedomain data1 -q',
};

/** What somebody types, where a terminal is needed. */
const typed: Readonly<Record<string, string>> = {
  'Look around, and work, in the whole terminal': 'q',
};

describe('everyday tasks', () => {
  it('are at least twenty, and each is looked at', () => {
    expect(tasks.length).toBeGreaterThanOrEqual(20);
    expect(blocks.filter(({ language }) => language !== 'sh')).toEqual([]);
    expect(Object.keys(outcomes).sort()).toEqual(tasks.map(([title]) => title).sort());
  });

  it.each(tasks)('%s', async (title, script) => {
    expect((await state('PUT', beginning)).status).toBe(200);
    const prepare = before[title];
    if (prepare) shell(prepare);
    expect(script.match(/\bvmctl /g)?.length).toBeLessThanOrEqual(2);
    const keys = typed[title];
    await outcomes[title]?.(shell(keys === undefined ? script : inTerminal(script, keys)));
  });
});
