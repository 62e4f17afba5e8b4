/** `vms ip` and `vms ssh`: the addresses that guests report, and ssh with one of them. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { listAddresses } from '../../src/cli/commands/vms/addresses.ts';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();

describe('vms ip', () => {
  it('prints what leads to the guest, a line each', async () => {
    expect(await desk.must('vms', 'ip', 'vm-01')).toBe('10.0.0.1\n');
    expect(await desk.must('vms', 'ip', 'vm-01', '--wait')).toBe('10.0.0.1\n');
    expect(await desk.must('vms', 'ip', 'vm-01', '--quiet')).toBe('10.0.0.1\n');
  });

  it('prints all with --all', async () => {
    expect(await desk.must('vms', 'ip', 'vm-01', '--all')).toMatch(/^10\.0\.0\.1\nfe80::.*\n$/);
  });

  it('prints the name first for several VMs', async () => {
    const { code, stdout } = await desk.run(['vms', 'ip', '-'], 'vms/vm-01\nvm-03\n');
    expect([code, stdout]).toEqual([0, 'vm-01\t10.0.0.1\nvm-03\t10.0.0.3\n']);
  });

  it('prints objects for programs', async () => {
    const [one] = await desk.json('vms', 'ip', 'vm-01');
    expect(one).toMatchObject({
      name: 'vm-01',
      address: '10.0.0.1',
      version: 'v4',
      device: 'eth0',
    });
    const csv = await desk.must('vms', 'ip', 'vm-01', '-o', 'csv');
    expect(csv).toBe('name,address,version,device\nvm-01,10.0.0.1,v4,eth0\n');
  });

  it('explains why no address exists', async () => {
    const down = await desk.run(['vms', 'ip', 'vm-02']);
    expect([down.code, down.stdout]).toEqual([6, '']);
    expect(down.stderr).toContain(
      'vms/vm-02 is down and has no address\nhint: vmctl vms start vm-02',
    );
    await desk.must('nics', 'update', 'nic1', '--vm', 'vm-03', '--no-plugged');
    const silent = await desk.run(['vms', 'ip', 'vm-03']);
    expect([silent.code, silent.stderr]).toEqual([
      3,
      expect.stringContaining('the guest of vms/vm-03 reports no address'),
    ]);
    const waited = await desk.run(['vms', 'ip', 'vm-03', '--wait', '--wait-timeout', '50ms']);
    expect([waited.code, waited.stderr]).toEqual([
      7,
      expect.stringContaining('hint: it may get one later: vmctl vms ip vm-03 --wait'),
    ]);
    await desk.must('nics', 'update', 'nic1', '--vm', 'vm-03', '--plugged');
  });

  it('prints what there is where another machine has none', async () => {
    const { code, stdout } = await desk.run(['vms', 'ip', 'vm-01', 'vm-02']);
    expect([code, stdout]).toEqual([9, 'vm-01\t10.0.0.1\n']);
  });
});

it('takes nothing from a guest that is not a valid address, and puts the useful ones first', () => {
  const ips = (...addresses: string[]) => ({
    name: 'eth0',
    ips: addresses.map((address) => ({ address })),
  });
  const found = listAddresses([
    ips('fe80::1', '-oProxyCommand=evil', '127.0.0.1', '2001:db8::1'),
    ips('169.254.1.1', '192.0.2.7', '192.0.2.7', 'example.com', ''),
    {},
  ]);
  expect(found.map(({ address }) => address)).toEqual([
    ...['192.0.2.7', '2001:db8::1', '127.0.0.1', '169.254.1.1', 'fe80::1'],
  ]);
});

it('vms list -o wide shows them', async () => {
  const wide = await desk.must('vms', 'list', '-o', 'wide');
  expect(wide).toMatch(/^NAME .* IP +ID$/m);
  expect(wide).toMatch(/^vm-01 .*\b10\.0\.0\.1\b/m);
  expect(await desk.must('vms', 'list')).not.toMatch(/\bIP\b/);
});

describe('vms ssh', () => {
  let bin: string;

  beforeAll(() => {
    bin = join(desk.home().folder, 'bin');
    mkdirSync(bin);
    const ssh = join(bin, 'ssh');
    writeFileSync(
      ssh,
      '#!/bin/sh\necho "ssh $*"\necho "secret: $VMCTL_PASSWORD$VMCTL_TOKEN"\ncat\nexit 37\n',
    );
    chmodSync(ssh, 0o755);
  });

  // ssh writes directly to the output of the process, so the test needs a separate process.
  const ssh = (words: readonly string[], input?: string) =>
    desk.home().run(['vms', 'ssh', ...words], { PATH: `${bin}:${process.env['PATH']}` }, input);

  it('hands over to ssh: words, streams and exit code', async () => {
    const { code, stdout } = await ssh(
      ['vm-01', '--user', 'root', '--', '-v', 'grep', 'a b'],
      'typed\n',
    );
    expect(stdout).toBe('ssh -l root 10.0.0.1 -v grep a b\nsecret: \ntyped\n');
    expect(code).toBe(37);
  });

  it('uses the requested address', async () => {
    const all = await desk.json<{ address: string }[]>('vms', 'ip', 'vm-01', '--all');
    const local = all[1]?.address ?? '';
    const { stdout } = await ssh(['vm-01', '--address', local]);
    expect(stdout).toContain(`ssh ${local}\n`);
    const wrong = await ssh(['vm-01', '--address', '192.0.2.1']);
    expect([wrong.code, wrong.stderr]).toEqual([
      3,
      expect.stringContaining(
        'vms/vm-01 does not report the address 192.0.2.1\nhint: available: 10.0.0.1',
      ),
    ]);
  });

  it.each(['bastion.example.com', 'admin@bastion:2222', '192.0.2.1,admin@[2001:db8::1]:22'])(
    'connects through the jump host %s',
    async (jump) => {
      const { stdout } = await ssh(['vm-01', '--jump', jump, '--user', 'root']);
      expect(stdout).toContain(`ssh -J ${jump} -l root 10.0.0.1\n`);
    },
  );

  it.each(['-oProxyCommand=evil', 'admin@-evil', 'a,-b', 'a b', 'a;b', 'a,', 'a:99999', '$(a)'])(
    'refuses the jump host %s',
    async (jump) => {
      const { code, stdout, stderr } = await ssh(['vm-01', `--jump=${jump}`]);
      expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(': not a host, or')]);
    },
  );

  it('shows the command line with --dry-run', async () => {
    const { stdout } = await desk.run(['vms', 'ssh', 'vm-01', '--dry-run', '--', 'echo', 'a b']);
    expect(stdout).toBe("ssh 10.0.0.1 echo 'a b'\n");
  });

  it('says what is missing', async () => {
    const none = await desk.home().run(['vms', 'ssh', 'vm-01'], { PATH: '/nowhere' });
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('ssh is not installed')]);
    const down = await ssh(['vm-02']);
    expect([down.code, down.stderr]).toEqual([6, expect.stringContaining('vms/vm-02 is down')]);
    const user = await ssh(['vm-01', '--user=-oProxyCommand=evil']);
    expect([user.code, user.stderr]).toEqual([
      2,
      expect.stringContaining(': not a valid user name'),
    ]);
  });
});
