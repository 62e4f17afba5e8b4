/** `vms scp`: the arguments that scp gets. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();
let bin: string;

beforeAll(async () => {
  bin = join(desk.home().folder, 'bin');
  mkdirSync(bin);
  // Prints each argument in a line.
  const script = '#!/bin/sh\nprintf "<%s>\\n" "$@"\necho "secret: $VMCTL_PASSWORD"\nexit 37\n';
  writeFileSync(join(bin, 'scp'), script, { mode: 0o755 });
  await desk.must(
    ...['vms', 'create', 'six', '--network', 'net1', '--boot-devices', 'network', '--start'],
    ...['--ip', '2001:db8::10/64', '--wait-for', 'ip', '-q'],
  );
});

/** Runs scp in a separate process, because it writes directly to the output of the process. */
const scp = (...words: string[]) =>
  desk.home().run(['vms', 'scp', ...words], { PATH: `${bin}:${process.env['PATH']}` });

/** The arguments of scp. */
async function passed(...words: string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await scp(...words);
  expect([code, stderr]).toEqual([37, '']);
  const lines = stdout.split('\n');
  expect(lines.at(-2)).toBe('secret: ');
  return lines.slice(0, -2).map((line) => line.slice(1, -1));
}

describe('vms scp', () => {
  it.each([
    [
      ['vm-01:/etc/hosts', '.'],
      ['--', '10.0.0.1:/etc/hosts', '.'],
    ],
    [
      ['vms/vm-01:', 'home'],
      ['--', '10.0.0.1:', 'home'],
    ],
    [
      ['a', 'b c', 'vm-01:/tmp/'],
      ['--', 'a', 'b c', '10.0.0.1:/tmp/'],
    ],
    [
      ['-r', 'logs', 'vm-01:/tmp/a:b'],
      ['-r', '--', 'logs', '10.0.0.1:/tmp/a:b'],
    ],
    [
      ['--recursive', '--user', 'root', 'vm-01:x', 'y'],
      ['-r', '-o', 'User=root', '--', '10.0.0.1:x', 'y'],
    ],
    [
      ['--jump', 'admin@bastion:2222', 'vm-01:x', 'y'],
      ['-J', 'admin@bastion:2222', '--', '10.0.0.1:x', 'y'],
    ],
    [
      ['--address', '2001:db8::10', 'six:/tmp/x', '.'],
      ['--', '[2001:db8::10]:/tmp/x', '.'],
    ],
    // A slash before the colon makes a path local.
    [
      ['./a:b', '/c:d', 'vm-01:.'],
      ['--', './a:b', '/c:d', '10.0.0.1:.'],
    ],
    // No file becomes an option.
    [
      ['--', '-oProxyCommand=evil', 'vm-01:-x'],
      ['--', './-oProxyCommand=evil', '10.0.0.1:-x'],
    ],
    [
      ['vm-01:x', 'vm-03:y'],
      ['-3', '--', '10.0.0.1:x', '10.0.0.3:y'],
    ],
  ])('%j', async (words, expected) => {
    expect(await passed(...words)).toEqual(expected);
  });

  it.each([
    [['vm-01:x'], 2, 'the target is missing'],
    [['a', 'b'], 2, 'no VM given: all files are local'],
    [['a', ':b'], 2, 'the name of the VM is empty'],
    [['', 'vm-01:b'], 2, 'empty'],
    [['root@vm-01:x', '.'], 2, 'hint: use --user root for the user'],
    [['vm-01:x', '.', '--user=-oProxyCommand=evil'], 2, ': not a valid user name'],
    [['vm-01:x', '.', '--jump=-oProxyCommand=evil'], 2, ': not a host, or'],
    [['vm-01:x', 'vm-03:y', '--address', '10.0.0.1'], 2, '--address and several VMs'],
    [['vm-01:x', '.', '--address', '192.0.2.1'], 3, 'hint: available: 10.0.0.1'],
    [['vm-01:x', '.', '--wait-timeout', '1s'], 2, '--wait-timeout requires --wait'],
    [['vm-02:x', '.'], 6, 'vms/vm-02 is down and has no address'],
    [['vm-09:x', '.'], 3, 'vms/vm-09 not found'],
  ])('%j is refused', async (words, wanted, message) => {
    const { code, stdout, stderr } = await scp(...words);
    expect([code, stdout, stderr]).toEqual([wanted, '', expect.stringContaining(message)]);
  });

  it('shows the command line with --dry-run', async () => {
    const { stdout } = await desk.run(['vms', 'scp', 'vm-01:/tmp/a b', '.', '--dry-run']);
    expect(stdout).toBe("scp -- '10.0.0.1:/tmp/a b' .\n");
  });

  it('reports a missing scp', async () => {
    const none = await desk.home().run(['vms', 'scp', 'vm-01:x', '.'], { PATH: '/nowhere' });
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('scp is not installed')]);
  });
});
