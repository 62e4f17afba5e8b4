/** `update` sends the differences to the current object, and no request without differences. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();

type Fields = Readonly<Record<string, unknown>>;

/** How many requests the server has had, by method. */
async function requests(): Promise<Readonly<Record<string, number>>> {
  const metrics = await desk.must('api', 'GET', '/_vmctl/metrics');
  const counts: Record<string, number> = {};
  for (const [, method = '', , count] of metrics.matchAll(
    /^vmctl_requests_total\{method="(\w+)",(.*)\} (\d+)$/gm,
  )) {
    counts[method] = (counts[method] ?? 0) + Number(count);
  }
  return counts;
}

/** Runs an update, which must succeed; returns what it said, and how many PUT requests it sent. */
async function updated(words: readonly string[], input?: string) {
  const before = (await requests())['PUT'] ?? 0;
  const { code, stdout, stderr } = await desk.run(words, input);
  expect(code, stderr).toBe(0);
  return { stdout, stderr: stderr.trim(), puts: ((await requests())['PUT'] ?? 0) - before };
}

/** Returns the body that an update would send; undefined if it would send none. */
async function captureBody(words: readonly string[], input?: string): Promise<unknown> {
  const { code, stdout, stderr } = await desk.run([...words, '--dry-run', '-o', 'json'], input);
  expect(code, stderr).toBe(0);
  return stdout === '' ? undefined : (JSON.parse(stdout) as Fields)['body'];
}

describe('an update', () => {
  it('sends no request without differences', async () => {
    const update = ['vms', 'update', 'vm-01', '--comment', 'kept', '--memory', '2GiB'];
    expect((await updated(update)).puts).toBe(1);
    const again = await updated(update);
    expect([again.puts, again.stderr]).toEqual([0, 'vms/vm-01: no changes; nothing to do']);
    expect(again.stdout).toMatch(/vm-01/);
  });

  it('prints the object as it would after a change, in every format', async () => {
    await updated(['vms', 'update', 'vm-01', '--comment', 'kept']);
    const [id] = (await desk.must('vms', 'get', 'vm-01', '-o', 'id')).split('\n');
    const again = ['vms', 'update', 'vm-01', '--comment', 'kept'];
    expect(JSON.parse((await updated([...again, '-o', 'json'])).stdout)).toMatchObject({ id });
    expect((await updated([...again, '-o', 'name'])).stdout).toBe('vms/vm-01\n');
    const quiet = await updated([...again, '-q']);
    expect([quiet.stdout, quiet.stderr]).toEqual([`${id}\n`, '']);
  });

  it('reads an object that is named once, and does not ask for it again', async () => {
    await updated(['vms', 'update', 'vm-01', '--comment', 'once']);
    const before = (await requests())['GET'] ?? 0;
    await desk.must('vms', 'update', 'vm-01', '--comment', 'once', '-q');
    // One more is the reading of the counters themselves.
    expect((await requests())['GET']).toBe(before + 2);
  });

  it('sends only the attributes that differ', async () => {
    await updated(['vms', 'update', 'vm-01', '--comment', 'a', '--description', 'b']);
    const words = ['vms', 'update', 'vm-01', '--comment', 'a', '--description', 'c'];
    expect(await captureBody(words)).toEqual({ description: 'c' });
    expect(await captureBody(['vms', 'update', 'vm-01', '--comment', 'a'])).toBeUndefined();
  });

  it('sends the parts of an attribute together', async () => {
    await updated(['vms', 'update', 'vm-02', '--cpu-sockets', '1', '--cpu-cores', '1']);
    const more = ['vms', 'update', 'vm-02', '--cpu-sockets', '1', '--cpu-cores', '2'];
    expect(await captureBody(more)).toEqual({ cpu: { topology: { sockets: 1, cores: 2 } } });
  });

  it('sends what would follow from another attribute along with it', async () => {
    await updated(['vms', 'update', 'vm-02', '--memory', '1GiB', '--memory-guaranteed', '512MiB']);
    const more = ['vms', 'update', 'vm-02', '--memory', '2GiB', '--memory-guaranteed', '512MiB'];
    expect(await captureBody(more)).toEqual({
      memory: 2_147_483_648,
      memory_policy: { guaranteed: 536_870_912 },
    });
    await updated(more);
    const vm = await desk.json<{ memory_policy: Fields }>('vms', 'get', 'vm-02');
    expect(vm.memory_policy['guaranteed']).toBe(536_870_912);
  });

  it('knows an object that is referred to by its name', async () => {
    const [{ name }] = await desk.json<[{ name: string }]>('clusters', 'list');
    const document = JSON.stringify({ comment: 'new', cluster: { name } });
    expect(await captureBody(['vms', 'update', 'vm-01', '-f', '-'], document)).toEqual({
      comment: 'new',
    });
    const other = await desk.run(
      ['vms', 'update', 'vm-01', '-f', '-'],
      JSON.stringify({ cluster: { name: 'nowhere' } }),
    );
    expect(other.code).not.toBe(0);
  });

  it('takes back what was printed, without a request', async () => {
    const printed = await desk.must('vms', 'get', 'vm-01', '-o', 'json');
    const { puts, stderr } = await updated(['vms', 'update', 'vm-01', '-f', '-'], printed);
    expect([puts, stderr]).toEqual([
      0,
      expect.stringContaining('vms/vm-01: no changes; nothing to do'),
    ]);
  });

  it('sends a password each time, because services never return it', async () => {
    const file = join(desk.home().folder, 'password.txt');
    writeFileSync(file, 'secret-of-host\n', { mode: 0o600 });
    const update = ['hosts', 'update', 'host1', '--root-password-file', file];
    expect([(await updated(update)).puts, (await updated(update)).puts]).toEqual([1, 1]);
  });

  it('empties an attribute once', async () => {
    await updated(['vms', 'update', 'vm-01', '--comment', 'full']);
    const empty = ['vms', 'update', 'vm-01', '--comment', ''];
    expect([(await updated(empty)).puts, (await updated(empty)).puts]).toEqual([1, 0]);
  });

  it('replaces a list as a whole', async () => {
    const list = (value: string) => [
      ...['vms', 'update', 'vm-02', '--set-json'],
      `custom_properties=[{"name":"sap_agent","value":"${value}"}]`,
    ];
    await updated(list('true'));
    expect(await captureBody(list('false'))).toEqual({
      custom_properties: { custom_property: [{ name: 'sap_agent', value: 'false' }] },
    });
    expect(await captureBody(list('true'))).toBeUndefined();
  });
});

describe('attributes that services do not return', () => {
  it('is sent whole: another configuration waits for the next start', async () => {
    await desk.must('vms', 'start', 'vm-01', '--if-needed');
    const cores = ['vms', 'update', 'vm-01', '--set', 'bios.type=i440fx_sea_bios'];
    await updated(cores);
    const vm = await desk.json<Fields>('vms', 'get', 'vm-01');
    expect(vm['next_run_configuration_exists']).toBe(true);
    const { name } = vm;
    expect(await captureBody(['vms', 'update', 'vm-01', '--name', String(name)])).toEqual({ name });
    await desk.must('vms', 'stop', 'vm-01');
  });

  it('is sent whole with --next-run', async () => {
    await updated(['vms', 'update', 'vm-02', '--comment', 'now']);
    const update = ['vms', 'update', 'vm-02', '--comment', 'now', '--next-run'];
    expect(await captureBody(update)).toEqual({ comment: 'now' });
  });
});

describe('several objects', () => {
  it('receive missing changes, and others remain unchanged', async () => {
    await updated(['vms', 'update', 'vm-01', '--description', 'one']);
    await updated(['vms', 'update', 'vm-02', '--description', 'two']);
    const search = ['--search', 'name=vm-0*', '--all', '--yes'];
    const { puts, stderr, stdout } = await updated([
      ...['vms', 'update', ...search, '--description', 'one', '-o', 'name'],
    ]);
    expect([puts, stderr]).toEqual([
      stdout.trim().split('\n').length - 1,
      'vms/vm-01: no changes; nothing to do',
    ]);
    expect(stdout).toContain('vms/vm-01\n');
  });
});

describe('a dry run', () => {
  it('reports that it would send no request', async () => {
    await updated(['vms', 'update', 'vm-01', '--comment', 'dry']);
    for (const flag of ['--dry-run', '--curl']) {
      const same = await desk.run(['vms', 'update', 'vm-01', '--comment', 'dry', flag]);
      expect(same).toMatchObject({
        code: 0,
        stdout: '',
        stderr: 'vms/vm-01: no changes; nothing to do\n',
      });
    }
  });
});
