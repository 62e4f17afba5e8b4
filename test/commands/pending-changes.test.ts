/** Changes of a running VM that take effect at its next start: notes, `--now`, and the detail view. */
import { spawnSync } from 'node:child_process';
import { beforeEach, describe, expect, it } from 'vitest';
import { vmctl } from '../support/server.ts';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand([], true);

type Fields = Readonly<Record<string, unknown>>;

const update = (...flags: string[]) => desk.run(['vms', 'update', 'vm-01', ...flags]);
const read = async (...flags: string[]) => await desk.json<Fields>('vms', 'get', 'vm-01', ...flags);

beforeEach(async () => {
  await desk.must('vms', 'stop', 'vm-01', '--if-needed');
  const base = ['--memory', '1GiB', '--memory-max', '4GiB', '--cpu-cores', '1'];
  await desk.must('vms', 'update', 'vm-01', ...base, '--cpu-sockets', '1', '--description', '');
  await desk.must('vms', 'start', 'vm-01');
});

describe('an update of a running VM', () => {
  it('names the attributes that take effect at the next start', async () => {
    const { code, stderr } = await update('--memory-max', '8GiB', '--description', 'now');
    expect([code, stderr]).toEqual([
      0,
      'vms/vm-01: in effect now: description\n' +
        'vms/vm-01: takes effect at the next start: memory_policy.max; run: vmctl vms reboot vm-01\n',
    ]);
    const other = await update('--cpu-cores', '2');
    expect(other.stderr).toMatch(/at the next start: cpu\.topology\.cores; run:/);
  });

  it('prints the note as a JSON line with -o json, and none with -q', async () => {
    const { stderr, stdout } = await update('--cpu-cores', '2', '-o', 'json');
    expect(JSON.parse(stderr)).toMatchObject({ event: 'note' });
    expect(JSON.parse(stdout)).toMatchObject({ name: 'vm-01' });
    expect((await update('--cpu-cores', '3', '-q')).stderr).toBe('');
  });

  it('names only the attributes in effect now, even if others are pending', async () => {
    await update('--memory-max', '8GiB');
    const { stderr } = await update('--memory', '2GiB', '--description', 'x');
    expect(stderr).toBe('vms/vm-01: in effect now: description, memory\n');
  });

  it('names plugged sockets, and pending cores', async () => {
    const { stderr } = await update('--cpu-sockets', '2', '--cpu-cores', '2');
    expect(stderr).toMatch(
      /in effect now: cpu\.topology\.sockets\n.*at the next start: cpu\.topology\.cores; run:/,
    );
  });

  it('names no attribute in effect now with --next-run', async () => {
    const { stderr } = await update('--memory', '2GiB', '--next-run');
    expect(stderr).toMatch(/^vms\/vm-01: takes effect at the next start: memory; run: .*\n$/);
  });

  it.each([[['--memory', '8GiB']], [['--memory', '8GiB', '--memory-max', '16GiB']]])(
    'explains why it refuses %j, and how to change it',
    async (flags) => {
      const { code, stderr } = await update(...flags);
      expect(code).toBe(6);
      expect(stderr).toContain(
        'hint: the running VM can have at most 4 GiB; a new maximum takes effect at the next start: ' +
          'add --next-run, then run: vmctl vms reboot vm-01\n',
      );
      const later = ['--memory', '8GiB', '--memory-max', '16GiB', '--next-run'];
      expect((await update(...later)).code).toBe(0);
      await desk.must('vms', 'reboot', 'vm-01');
      expect(await read()).toMatchObject({ memory: 8 * 2 ** 30 });
    },
  );

  it('gives no such hint for other refusals', async () => {
    const { stderr } = await update('--memory', '1025MiB');
    expect(stderr).not.toContain('at most');
  });

  it('prints no note for attributes that are not hardware', async () => {
    const { code, stderr } = await update('--description', 'now');
    expect([code, stderr]).toEqual([0, '']);
  });

  it('prints no note for a VM that is down', async () => {
    const result = await desk.run(['vms', 'update', 'vm-02', '--cpu-cores', '2']);
    expect([result.code, result.stderr]).toEqual([0, '']);
  });
});

describe('--now', () => {
  it('plugs memory and sockets', async () => {
    const { code, stderr } = await update('--memory', '2GiB', '--cpu-sockets', '2', '--now');
    expect([code, stderr]).toEqual([0, 'vms/vm-01: in effect now: memory, cpu.topology.sockets\n']);
    expect(await read()).toMatchObject({
      memory: 2 * 2 ** 30,
      cpu: { topology: { sockets: 2 } },
      next_run_configuration_exists: false,
    });
  });

  it.each([
    [['--cpu-cores', '2'], 'cannot change while the VM runs: cpu.topology.cores'],
    [['--memory-max', '8GiB', '--set', 'os.type=rhel_8'], 'runs: os.type, memory_policy.max'],
    [['--memory', '512MiB'], 'cannot reduce the memory of a running VM: 1 GiB to 512 MiB'],
    [['--memory', '8GiB'], 'The maximum memory cannot be smaller'],
  ])('refuses %j without a change', async (flags, message) => {
    const before = await read();
    const { code, stdout, stderr } = await update(...flags, '--description', 'never', '--now');
    expect([code, stdout]).toEqual([6, '']);
    expect(stderr).toContain(message);
    expect(await read()).toEqual(before);
  });

  it('permits all changes of a VM that is down', async () => {
    await desk.must('vms', 'update', 'vm-02', '--cpu-cores', '3', '--now');
    expect(await desk.json<Fields>('vms', 'get', 'vm-02')).toMatchObject({
      cpu: { topology: { cores: 3 } },
    });
  });

  it('excludes --next-run', async () => {
    const { code, stderr } = await update('--cpu-cores', '2', '--now', '--next-run');
    expect([code, stderr]).toEqual([
      2,
      'vmctl: --now and --next-run exclude each other\nhint: use one of them\n',
    ]);
  });
});

describe('pending changes', () => {
  it('are in the detail view on a terminal, but not in JSON', async () => {
    await update('--memory-max', '8GiB', '-q');
    const { status, stdout } = spawnSync(
      'script',
      ['-qec', `${vmctl} vms get vm-01`, '/dev/null'],
      {
        encoding: 'utf8',
        env: desk.home().env,
      },
    );
    expect(status).toBe(0);
    expect(stdout).toMatch(/^next_start\.memory_policy\.max +8 GiB \(now 4 GiB\)\r?$/m);
    expect(JSON.stringify(await read())).not.toContain('next_start');
  });

  it('have readable sizes in describe', async () => {
    await update('--memory-max', '8GiB', '-q');
    const text = await desk.must('vms', 'describe', 'vm-01');
    expect(text).toMatch(/^ {2}memory_policy\.max +4 GiB +8 GiB$/m);
  });
});
