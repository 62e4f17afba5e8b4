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
import { readPageBlocks } from '../examples/shown.ts';
import { vmctl } from '../support/server.ts';
import { terminalScript } from '../support/terminal.ts';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand([], true);
const image = Buffer.alloc(1024 * 1024, 'image');

const blocks = readPageBlocks('docs/tasks.md');
const tasks = blocks
  .filter(({ language }) => language === 'sh')
  .map(({ title, text }) => [title, text] as const);

beforeAll(() => {
  const { folder } = desk.home();
  mkdirSync(join(folder, 'bin'));
  symlinkSync(vmctl, join(folder, 'bin/vmctl'));
  writeFileSync(join(folder, 'image.raw'), image);
  for (const name of ['ssh', 'scp']) {
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\necho "${name} $*"\n`, { mode: 0o755 });
  }
  writeFileSync(join(folder, 'bin/browser'), browser(desk.server().password), { mode: 0o755 });
  writeFileSync(join(folder, 'bin/curl'), curl(desk.server().password), { mode: 0o755 });
  writeFileSync(join(folder, 'user.yaml'), '#cloud-config\npackages: [nginx]\n');
  mkdirSync(join(folder, '.ssh'));
  writeFileSync(join(folder, '.ssh/id.pub'), 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGtleQ== me\n');
  shell(files);
});

/** Program in place of curl: a service that accepts each ticket. Other requests go to curl. */
function curl(password: string): string {
  return `#!/bin/sh
case "$*" in
  *--negotiate*) printf '{"access_token": "%s"}\\n200' "$(VMCTL_PASSWORD=${password} vmctl auth token)" ;;
  *) PATH="\${PATH#*:}" exec curl "$@" ;;
esac
`;
}

/** Runs a script where vmctl is on the path; every command of it must succeed. */
function shell(script: string, more: NodeJS.ProcessEnv = {}): string {
  const { ready, password, ca: _ca } = desk.server();
  const { folder } = desk.home();
  const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', script], {
    cwd: folder,
    encoding: 'utf8',
    env: {
      PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
      HOME: folder,
      BROWSER: join(folder, 'bin/browser'),
      EDITOR: 'sed -i "s/^comment:.*/comment: edited/"',
      VMCTL_URL: ready.base_url,
      VMCTL_USERNAME: ready.username,
      VMCTL_PASSWORD: password,
      VMCTL_CA_FILE: ready.ca_file,
      ...more,
    },
  });
  expect(status, stderr).toBe(0);
  return stdout;
}

const named = async (noun: string, name: string, ...more: string[]) =>
  await desk.json<Record<string, unknown>>(noun, 'get', name, ...more);

/** Checks of the result of each task, by title; tasks run in the order of the page, on one server. */
const outcomes: Readonly<Record<string, (output: string) => Promise<void> | void>> = {
  'Find a VM by its address': (output) => {
    expect(output).toMatch(/^vm-01 +vm-01\.example\.com +host1$/m);
    expect(output).not.toContain('vm-02');
  },
  'List the VMs on a host': (output) => {
    expect(output).toContain('vm-01');
    expect(output).not.toContain('vm-03');
  },
  'Get an overview of a VM': (output) => {
    expect(output).toMatch(/^name: +vm-01$/m);
    expect(output).toMatch(/^Permissions$/m);
  },
  'Create a VM with an empty disk': async () => {
    expect(await named('vms', 'web01')).toMatchObject({ status: 'down', memory: 2 * 2 ** 30 });
    expect(await named('disks', 'web01_root')).toMatchObject({ provisioned_size: 10 * 2 ** 30 });
  },
  'Create a VM from an image': async (output) => {
    expect(output).toMatch(/^app01 +up/m);
    expect(await named('vms', 'app01')).toMatchObject({ initialization: { host_name: 'app01' } });
    expect(await desk.must('vms', 'ip', 'app01')).toMatch(/^10(\.\d+){3}\n$/);
  },
  'Create several VMs': async () => {
    const up = await desk.json('vms', 'list', '--search', 'name=app-* and status=up');
    expect(up.map(({ name }) => name)).toEqual(['app-1', 'app-2', 'app-3']);
  },
  'Set a static address': async () => {
    expect(await named('vms', 'web03')).toMatchObject({
      status: 'up',
      initialization: {
        nic_configurations: [
          {
            name: 'eth0',
            boot_protocol: 'static',
            ip: { address: '192.0.2.10', netmask: '255.255.255.0', gateway: '192.0.2.1' },
          },
        ],
        dns_servers: '192.0.2.53',
      },
    });
    expect(await desk.must('vms', 'ip', 'web03')).toBe('192.0.2.10\n');
  },
  'Sign in to a VM': (output) => {
    expect(output).toBe('10.0.0.1\nssh -l root 10.0.0.1 uptime\n');
  },
  'Copy files to or from a VM': (output) => {
    expect(output).toBe(
      'scp -o User=root -- user.yaml 10.0.0.1:/tmp/\n' +
        'scp -J admin@bastion.example.com -o User=root -- 10.0.0.1:/etc/hosts .\n',
    );
  },
  'Open the console of a VM': () => {
    expect(readFileSync(join(desk.home().folder, 'vm-01.vv'), 'utf8')).toContain('[virt-viewer]');
  },
  'Resize a running VM': async () => {
    expect(await named('vms', 'vm-03')).toMatchObject({ memory: 2 * 2 ** 30, status: 'up' });
  },
  'Resize a VM with a restart': async () => {
    expect(await named('vms', 'vm-03')).toMatchObject({
      memory: 4 * 2 ** 30,
      memory_policy: { max: 8 * 2 ** 30 },
      cpu: { topology: { cores: 2 } },
      status: 'up',
    });
  },
  'Edit a VM in an editor': async () => {
    expect(await named('vms', 'vm-03')).toMatchObject({ comment: 'edited' });
  },
  'Add a NIC': async () => {
    expect(await named('nics', 'nic2', '--vm', 'vm-02')).toMatchObject({ name: 'nic2' });
  },
  'Boot once from an ISO image': async () => {
    expect(await named('vms', 'vm-02')).toMatchObject({ status: 'up', run_once: true });
    expect(await disc()).toMatchObject({
      file: { id: 'debian-12.7.0-amd64-netinst.iso' },
    });
  },
  'Eject a CD': async () => {
    expect((await disc())['file']).toBeUndefined();
  },
  'Copy a VM': async () => {
    expect(await named('vms', 'vm-02-copy')).toMatchObject({ status: 'down' });
  },
  'Create a template': async () => {
    expect(await named('vms', 'web02')).toMatchObject({ status: 'up' });
  },
  'Use versions of a template': async () => {
    const { id } = await named('templates', 'golden@2');
    expect(await named('vms', 'web04')).toMatchObject({ original_template: { id } });
  },
  'Tag VMs': async () => {
    const tagged = await desk.json('vms', 'list', '--search', 'tag=evening');
    expect(tagged.map(({ name }) => name)).toEqual(['vm-01']);
  },
  'Shut down all VMs with a tag': async () => {
    expect(await named('vms', 'vm-01')).toMatchObject({ status: 'down' });
    expect(await named('vms', 'vm-03')).toMatchObject({ status: 'up' });
  },
  'Grow a disk': async () => {
    const attached = await desk.json('diskattachments', 'list', '--vm', 'vm-02');
    const disk = await named('disks', String(attached[0]?.['id']));
    expect(disk).toMatchObject({ provisioned_size: 20 * 2 ** 30 });
  },
  'Move a disk': async () => {
    const { id } = await named('storagedomains', 'data2');
    expect(await named('disks', 'vm-01_Disk1')).toMatchObject({ storage_domains: [{ id }] });
  },
  'Upload and download a disk image': () => {
    const back = readFileSync(join(desk.home().folder, 'back.raw'));
    expect(back.equals(image)).toBe(true);
  },
  'Find unused disks': (output) => {
    expect(output).not.toContain('vm-01_Disk1');
    expect(output).toContain('imported');
  },
  'Find full storage domains': (output) => {
    expect(output).toMatch(/^data1 +\d+/m);
  },
  'Choose columns and order of a list': (output) => {
    expect(output).toMatch(/^name .*\bip$/im);
    expect(output).not.toMatch(/cluster/i);
  },
  'Create and restore a snapshot': async () => {
    const list = await desk.json('snapshots', 'list', '--vm', 'vm-02');
    expect(list.map(({ description }) => description)).toContain('before the upgrade');
  },
  'List the snapshots of a VM as a tree': (output) => {
    expect(output).toMatch(/^before the upgrade +ok/m);
  },
  'Delete old snapshots': async () => {
    const left = await desk.json('snapshots', 'list', '--vm', 'vm-01');
    expect(left.map(({ description }) => description)).toEqual([
      'Active VM',
      'nightly 2',
      'nightly 3',
    ]);
  },
  'Back up and restore a VM': async () => {
    const [attached] = await desk.json('diskattachments', 'list', '--vm', 'vm-02-restored');
    expect(attached).toMatchObject({ active: true, bootable: true });
    const [backup = ''] = readdirSync(join(desk.home().folder, 'backups/vm-02')).sort();
    const folder = join(desk.home().folder, 'backups/vm-02', backup);
    expect(readdirSync(folder).sort()).toEqual(['backup.json', 'machine.ovf', 'vm-02_Disk1.raw']);
  },
  'Export and import a VM': async () => {
    const [attached] = await desk.json('diskattachments', 'list', '--vm', 'vm-02-imported');
    expect(attached).toMatchObject({ active: true, bootable: true });
    const archive = readFileSync(join(desk.home().folder, 'vm-02.ova'));
    expect(archive.toString('latin1', 0, 6)).toBe('vm.ovf');
  },
  'Import a template': async () => {
    expect(await named('templates', 'appliance')).toMatchObject({ status: 'ok' });
    expect(await desk.json('vms', 'list', '--search', 'name=import-*')).toEqual([]);
  },
  'Move all VMs off a host': async () => {
    expect(await desk.json('vms', 'list', '--search', 'host=host1')).toEqual([]);
    expect(await named('hosts', 'host1')).toMatchObject({ status: 'up' });
  },
  'Upgrade the hosts of a cluster': async () => {
    for (const host of await desk.json('hosts', 'list')) {
      expect(host).toMatchObject({ status: 'up', update_available: false });
    }
  },
  'Create or change a bond': async () => {
    expect(await named('hostnics', 'bond0', '--host', 'host1')).toMatchObject({
      bonding: {
        options: [
          { name: 'mode', value: '1' },
          { name: 'miimon', value: '200' },
        ],
      },
    });
  },
  'Remove a bond': async () => {
    const nics = await desk.json('hostnics', 'list', '--host', 'host1');
    expect(nics.map(({ name }) => name)).toEqual(expect.arrayContaining(['eth1', 'eth2']));
    expect(nics.map(({ name }) => name)).not.toContain('bond0');
  },
  'Watch the load of hosts': (output) => {
    expect(output).toMatch(/^TIME +NAME +STATUS +CPU +MEMORY/);
    expect(output).toMatch(/ host1 +up /);
  },
  'Find the VMs that use the most memory': (output) => {
    expect(output.trim().split('\n')).toHaveLength(6);
  },
  'Grant a user access to a VM': async () => {
    const own = { VMCTL_USERNAME: 'jane@internal' };
    const { stdout } = await desk.home().run(['vms', 'list', '-o', 'name', '--filtered'], own);
    expect(stdout).toContain('vms/vm-03\n');
  },
  'List the permissions on a VM': (output) => {
    expect(output).toMatch(/^UserVmManager +jane@internal-authz$/m);
  },
  'List the permissions of a user': (output) => {
    expect(output).toMatch(/^UserVmManager +jane@internal-authz .*vm-03/m);
  },
  'Check whether a user may run a command': (output) => {
    expect(output).toMatch(/^yes +run_vm +vms\/vm-03 +UserVmManager +jane@internal-authz/m);
    expect(output).toMatch(/^user +admin@internal-authz +SuperUser/m);
  },
  'Change the stored root password of a host': (output) => {
    expect(output).toMatch(/^host2 +up/m);
  },
  'Find the cause of a problem with a VM': (output) => {
    expect(output).toContain('"status": "down"');
  },
  'Find out who stopped a VM': (output) => {
    expect(output).toContain('VM shutdown initiated by admin@internal on VM vm-01');
  },
  'List the events of an object': (output) => {
    expect(output).toContain('vm-01');
  },
  'Follow events': () => {
    expect(existsSync(join(desk.home().folder, 'events.cursor'))).toBe(true);
  },
  'Open the dashboard': (output) => {
    expect(output).toMatch(/>vms[\s\S]*vm-01/);
  },
  'Send a request with another program': (output) => {
    expect(output).toMatch(/^curl --cacert .*\$\(vmctl auth token\)/);
    expect(output).toMatch(/"name": ?"vm-01"/);
  },
  'Undo a change': async () => {
    expect((await named('vms', 'vm-02'))['comment'] ?? '').toBe('');
  },
  'List your changes': (output) => {
    expect(output).toMatch(/vmctl undo +done/);
  },
  'Set up completion in bash': () => {
    const script = join(desk.home().folder, '.local/share/bash-completion/completions/vmctl');
    expect(readFileSync(script, 'utf8')).toContain('complete ');
  },
  'Export and compare the configuration': (output) => {
    expect(output).toBe('');
  },
  'Apply a definition': async () => {
    expect(await named('vms', 'vm-03')).toMatchObject({ status: 'up' });
  },
  'Delete objects that are not in a definition': async (output) => {
    expect(output).toContain('- delete vms/temp01\n');
    const vms = await desk.json('vms', 'list', '--search', 'name=temp01 or name=vm-*');
    expect(vms.map(({ name }) => name)).toEqual(expect.arrayContaining(['vm-01', 'vm-03']));
    expect(vms.map(({ name }) => name)).not.toContain('temp01');
  },
  'Sign in with the browser': () => {
    const config = readFileSync(join(desk.home().folder, '.config/vmctl/config.json'), 'utf8');
    expect(config).toContain('"source": "web"');
  },
  'Sign in with a Kerberos ticket': () => {
    const config = readFileSync(join(desk.home().folder, '.config/vmctl/config.json'), 'utf8');
    expect(config).toContain('"source": "kerberos"');
  },
  'Print the versions of client and service': (output) => {
    expect(output).toMatch(/^server +Virtualization Manager/m);
  },
  'List objects of several services': (output) => {
    expect(output).toMatch(/^CONTEXT +NAME /);
    expect(output).toMatch(/^lab +vm-03 +up/m);
    expect(output).toMatch(/^test +vm-03 +up/m);
    expect(output.match(/"context": "(lab|test)"/g)).toHaveLength(2);
  },
  'Select the service of a folder': (output) => {
    expect(output).toMatch(/infra\/\.vmctl\.yaml +lab +trusted/);
  },
  'Check whether a service follows the specification of the API': async (output) => {
    expect(output).not.toContain('differs ');
    expect(await desk.json('datacenters', 'list')).toHaveLength(1);
  },
  'Give a command a short name': async () => {
    expect(await named('vms', 'vm-02')).toMatchObject({ status: 'up' });
  },
};

/** The disc in the drive of the running VM. */
async function disc(): Promise<Record<string, unknown>> {
  return await named(
    'cdroms',
    '00000000-0000-0000-0000-000000000000',
    '--vm',
    'vm-02',
    '--current',
  );
}

/** An image and an old password, which users of the page have. */
const files =
  'vmctl disks create seed --size 1MiB --format cow --storagedomain data1 -q && vmctl disks download seed debian.qcow2 && vmctl disks delete seed; echo secret > password.txt; echo secret > root-password.txt';

/** Program that submits the sign-in page and follows the redirection. */
const browser = (password: string) => `#!${process.execPath}
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
const page = new URL(process.argv[2]);
const body = new URLSearchParams(page.searchParams);
body.set('username', 'admin@internal');
body.set('password', ${JSON.stringify(password)});
fetch(page.origin + page.pathname, { method: 'POST', body });
`;

/** Earlier events that a task of the page refers to. */
const before: Readonly<Record<string, string>> = {
  'List objects of several services':
    'for name in lab test; do vmctl login "$VMCTL_URL" -c $name; done',
  'Select the service of a folder': 'mkdir infra',
  'Delete objects that are not in a definition':
    'vmctl vms create temp01 --cluster Default --template Blank -q; vmctl tags assign evening --on vms/temp01 -q',
  'Delete old snapshots':
    'for n in 1 2 3; do vmctl snapshots create --vm vm-01 --description "nightly $n" -q; done',
};

/** Variables for tasks in which contexts select the services. */
const withContexts: Readonly<Record<string, NodeJS.ProcessEnv>> = {
  'List objects of several services': {
    VMCTL_URL: undefined,
    VMCTL_USERNAME: undefined,
    VMCTL_PASSWORD: undefined,
    VMCTL_CA_FILE: undefined,
  },
};

/** Keys for tasks that need a terminal. */
const typed: Readonly<Record<string, string>> = {
  'Open the dashboard': 'q',
  'Edit a VM in an editor': 'y\n',
};

describe('tasks', () => {
  it('each have one or two commands and a check', () => {
    expect(tasks.length).toBeGreaterThanOrEqual(20);
    // A block of text is the content of a file.
    expect(blocks.filter(({ language }) => language !== 'sh' && language !== 'text')).toEqual([]);
    expect(Object.keys(outcomes)).toEqual(tasks.map(([title]) => title));
    for (const [, script] of tasks) {
      expect(script.match(/^vmctl /gm)?.length).toBeLessThanOrEqual(2);
    }
  });

  it.each(tasks)('%s', async (title, script) => {
    const prepare = before[title];
    if (prepare) shell(prepare);
    const keys = typed[title];
    const commands = keys === undefined ? script : terminalScript(script, keys);
    await outcomes[title]?.(shell(commands, withContexts[title]));
  });
});
