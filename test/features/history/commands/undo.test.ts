/** `vmctl undo`: takes back what a command has changed, where nothing is lost by it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { useDesk } from '../../../commands/support/desk.ts';

const desk = useDesk();

type Fields = Readonly<Record<string, unknown>>;

const get = async (noun: string, name: string, ...flags: string[]) =>
  await desk.json<Fields>(noun, 'get', name, ...flags);
const names = async (...words: string[]) =>
  (await desk.must(...words, '-o', 'name'))
    .trim()
    .split('\n')
    .filter((name) => name !== '');
const lastNumber = async () => (await desk.json<{ id: number }[]>('history')).at(-1)?.id ?? 0;

/** Takes a change back, which must succeed; returns what it said. */
async function undo(...words: string[]): Promise<string> {
  const { code, stderr } = await desk.run(['undo', ...words]);
  expect(code, stderr).toBe(0);
  return stderr;
}

/** An undo that is refused: its exit code and what it said. */
async function refused(...words: string[]): Promise<readonly [number | null, string]> {
  const { code, stderr } = await desk.run(['undo', ...words]);
  return [code, stderr];
}

describe('an update', () => {
  beforeEach(async () => {
    await desk.must('vms', 'stop', 'vm-02', '--if-needed');
    await desk.must(
      'vms',
      'update',
      'vm-02',
      '--comment',
      'first',
      '--cpu-cores',
      '1',
      '--memory',
      '1GiB',
    );
  });

  it('is set back, exactly those attributes that it changed', async () => {
    const before = await get('vms', 'vm-02');
    await desk.must(
      'vms',
      'update',
      'vm-02',
      '--comment',
      'second',
      '--cpu-cores',
      '2',
      '--memory',
      '3GiB',
    );
    await desk.must('vms', 'update', 'vm-02', '--description', 'stays');
    const number = (await lastNumber()) - 1;
    expect(await undo(String(number))).toContain(
      'vms/vm-02: reverted comment, memory, cpu, memory_policy',
    );
    expect(await get('vms', 'vm-02')).toEqual({ ...before, description: 'stays' });
  });

  it('is done again by undoing the undo, as often as somebody likes', async () => {
    await desk.must('vms', 'update', 'vm-02', '--comment', 'second');
    await undo();
    expect((await get('vms', 'vm-02'))['comment']).toBe('first');
    await undo(String(await lastNumber()));
    expect((await get('vms', 'vm-02'))['comment']).toBe('second');
    await undo();
    expect((await get('vms', 'vm-02'))['comment']).toBe('first');
  });

  it('that gave a value for the first time leaves none', async () => {
    await desk.must('tags', 'create', '--name', 'plain');
    await desk.must('tags', 'update', 'plain', '--description', 'new');
    await undo();
    expect((await get('tags', 'plain'))['description'] ?? '').toBe('');
    await desk.must('tags', 'delete', 'plain');
  });

  it('is refused where the object has changed since, unless with --force', async () => {
    await desk.must('vms', 'update', 'vm-02', '--comment', 'second', '--description', 'd');
    const number = String(await lastNumber());
    await desk.must('vms', 'update', 'vm-02', '--comment', 'third');
    const [code, stderr] = await refused(number);
    expect([code, stderr]).toEqual([
      6,
      expect.stringContaining('vms/vm-02 has changed since: comment is third, not second'),
    ]);
    expect(stderr).toContain('--force');
    expect((await get('vms', 'vm-02'))['comment']).toBe('third');
    await undo(number, '--force');
    expect((await get('vms', 'vm-02'))['comment']).toBe('first');
  });

  it('is shown, and not sent, with --dry-run and --curl', async () => {
    await desk.must('vms', 'update', 'vm-02', '--comment', 'second');
    const number = await lastNumber();
    expect(await desk.must('undo', '--dry-run')).toMatch(/PUT [\s\S]*"comment": "first"/);
    expect(await desk.must('undo', '--curl')).toMatch(/^curl --request PUT .*"comment":"first"/);
    expect(await lastNumber()).toBe(number);
    expect((await get('vms', 'vm-02'))['comment']).toBe('second');
  });

  it('that waits for the next start is taken out of what waits', async () => {
    await desk.must('vms', 'start', 'vm-02');
    const bios = async () => (await get('vms', 'vm-02', '--next-run'))['bios'];
    const before = await bios();
    expect(before).not.toMatchObject({ type: 'i440fx_sea_bios' });
    await desk.must('vms', 'update', 'vm-02', '--set', 'bios.type=i440fx_sea_bios');
    expect(await bios()).toMatchObject({ type: 'i440fx_sea_bios' });
    await undo();
    expect(await bios()).toEqual(before);
  });

  it('that is set back already needs nothing, and is done with', async () => {
    await desk.must('vms', 'update', 'vm-02', '--comment', 'second');
    const number = await lastNumber();
    await desk.must('vms', 'update', 'vm-02', '--comment', 'first');
    expect(await undo(String(number))).toContain('already has the previous value; nothing to do');
    expect(await refused(String(number))).toEqual([
      6,
      expect.stringContaining('is already undone'),
    ]);
    await desk.must('vms', 'update', 'vm-02', '--comment', 'last');
  });

  it('of a password is refused for that, and the rest is set back', async () => {
    const path = join(desk.home().folder, 'password.txt');
    writeFileSync(path, 'secret\n', { mode: 0o600 });
    await desk.must('hosts', 'update', 'host1', '--root-password-file', path, '--comment', 'now');
    expect(await undo()).toContain(
      'root_password is unchanged: the previous value was not recorded',
    );
    expect((await get('hosts', 'host1'))['comment'] ?? '').toBe('');
    await desk.must('hosts', 'update', 'host1', '--root-password-file', path);
    expect(await refused(String(await lastNumber()))).toEqual([
      6,
      expect.stringContaining(
        'root_password cannot be reverted: the previous value was not recorded',
      ),
    ]);
  });

  it('of what only grows is refused for that, and nothing is sent', async () => {
    const disk = 'grows';
    const size = ['--provisioned-size', '1GiB', '--format', 'cow', '--sparse'];
    const where = ['--storagedomain', 'data1'];
    await desk.must('disks', 'create', '--name', disk, ...size, ...where);
    const attach = [
      'diskattachments',
      'attach',
      '--disk',
      disk,
      '--vm',
      'vm-02',
      '--interface',
      'virtio',
    ];
    const attached = await desk.run(attach);
    expect(attached.code, attached.stderr).toBe(0);
    const sizeNow = async () => (await get('disks', disk))['provisioned_size'];
    for (const [gib, words, path] of [
      [2, ['disks', 'update', disk, '--size', '2GiB'], 'provisioned_size'],
      [
        3,
        ['diskattachments', 'update', disk, '--vm', 'vm-02', '--size', '3GiB'],
        'disk.provisioned_size',
      ],
    ] as const) {
      await desk.must(...words);
      expect(Number(await sizeNow())).toBe(gib * 2 ** 30);
      expect(await refused()).toEqual([
        6,
        expect.stringContaining(`${path} cannot be reverted: it can only grow`),
      ]);
      expect(Number(await sizeNow())).toBe(gib * 2 ** 30);
    }
  });
});

describe('what was put somewhere', () => {
  it.each([
    [
      'a tag',
      ['tags', 'assign', 'mark', '--on', 'vms/vm-01'],
      ['tags', 'list', '--on', 'vms/vm-01'],
    ],
    [
      'a label',
      ['affinitylabels', 'add-vm', 'mark', 'vm-01', 'vm-02'],
      ['affinitylabels', 'list-vms', 'mark'],
    ],
    [
      'a permission',
      [
        'permissions',
        'grant',
        '--role',
        'UserRole',
        '--user',
        'olaf@internal',
        '--on',
        'vms/vm-03',
      ],
      ['permissions', 'list', '--on', 'vms/vm-03'],
    ],
    [
      'a network',
      ['networks', 'attach', 'mark', '--cluster', 'Default'],
      ['networks', 'list', '--cluster', 'Default'],
    ],
    [
      'a member of a group',
      ['affinitygroups', 'add-vm', 'mark', 'vm-03', '--cluster', 'Default'],
      ['affinitygroups', 'list-vms', 'mark', '--cluster', 'Default'],
    ],
  ])('%s is taken out again, and put back', async (_what, put, list) => {
    for (const make of [
      ['tags', 'create', '--name', 'mark'],
      ['affinitylabels', 'create', '--name', 'mark'],
      ['affinitygroups', 'create', '--name', 'mark', '--cluster', 'Default'],
      ['networks', 'create', '--name', 'mark', '--datacenter', 'Default'],
    ]) {
      await desk.must(...make, '--if-needed');
    }
    const before = list ? await names(...list) : [];
    await desk.must(...put);
    const number = await lastNumber();
    const between = list ? await names(...list) : [];
    expect(between.length).toBeGreaterThanOrEqual(before.length);
    await undo(String(number));
    if (list) expect(await names(...list)).toEqual(before);
    await undo(String(await lastNumber()));
    if (list) expect((await names(...list)).length).toBe(between.length);
    await undo(String(await lastNumber()));
    if (list) expect(await names(...list)).toEqual(before);
  });

  it('comes back as it was: what a network is in a cluster, whom a permission is for', async () => {
    await desk.must('networks', 'create', '--name', 'optional', '--datacenter', 'Default');
    await desk.must('networks', 'attach', 'optional', '--cluster', 'Default', '--no-required');
    const before = await get('networks', 'optional', '--cluster', 'Default');
    await desk.must('networks', 'detach', 'optional', '--cluster', 'Default');
    await undo();
    expect(await get('networks', 'optional', '--cluster', 'Default')).toEqual(before);
    const grants = async () => {
      const all = await desk.json('permissions', 'list', '--on', 'vms/vm-01');
      return all.map(({ id: _id, href: _href, ...permission }) => permission);
    };
    const held = await grants();
    const [id = ''] = (
      await desk.must('permissions', 'list', '--on', 'vms/vm-01', '-o', 'id')
    ).split('\n');
    await desk.must('permissions', 'revoke', id, '--on', 'vms/vm-01');
    expect(await grants()).toHaveLength(held.length - 1);
    await undo();
    expect(await grants()).toEqual(held);
  });

  it('a disk is detached, not deleted, and attached as it was', async () => {
    await desk.must('vms', 'stop', 'vm-02', '--if-needed');
    const before = await get('diskattachments', 'vm-02_Disk1', '--vm', 'vm-02');
    await desk.must('diskattachments', 'detach', 'vm-02_Disk1', '--vm', 'vm-02');
    await undo();
    expect(await get('diskattachments', 'vm-02_Disk1', '--vm', 'vm-02')).toEqual(before);
    await undo(String(await lastNumber()));
    expect(await names('disks', 'list')).toContain('disks/vm-02_Disk1');
    await undo(String(await lastNumber()));
    expect(await get('diskattachments', 'vm-02_Disk1', '--vm', 'vm-02')).toEqual(before);
  });
});

describe('an action', () => {
  it('is answered by its opposite', async () => {
    await desk.must('vms', 'stop', '--all', '--yes', '--if-needed');
    await desk.must('hosts', 'deactivate', 'host1');
    await undo();
    expect((await get('hosts', 'host1'))['status']).toBe('up');
    await undo(String(await lastNumber()));
    expect((await get('hosts', 'host1'))['status']).toBe('maintenance');
    await desk.must('hosts', 'activate', 'host1');
  });

  it('is left where the object is in another state by now', async () => {
    await desk.must('hosts', 'deactivate', 'host1');
    const number = String(await lastNumber());
    await desk.must('hosts', 'activate', 'host1');
    expect(await undo(number)).toContain('hosts/host1 is already up; nothing to do');
  });

  it('that would lose something has none, and says so', async () => {
    await desk.must('vms', 'start', 'vm-02');
    const number = await lastNumber();
    expect(await refused(String(number))).toEqual([
      6,
      expect.stringContaining('vms/vm-02: start has no inverse'),
    ]);
    await desk.must('vms', 'stop', 'vm-02');
  });

  it('is what undo refers to without a number: an older change stays as it is', async () => {
    await desk.must('tags', 'create', '--name', 'older');
    await desk.must('vms', 'start', 'vm-02');
    const number = await lastNumber();
    for (const words of [[], ['--yes'], ['--force', '--yes'], ['--dry-run']]) {
      expect(await refused(...words)).toEqual([
        6,
        expect.stringMatching(
          new RegExp(
            `history/${number} \\(vmctl vms start vm-02\\) cannot be undone: [^\n]*\nhint: .*vmctl undo NUMBER`,
          ),
        ),
      ]);
    }
    expect(await names('tags', 'list')).toContain('tags/older');
    expect(await lastNumber()).toBe(number);
    await desk.must('vms', 'stop', 'vm-02');
    await undo(String(Number(number) - 1), '--yes');
  });
});

describe('what was made', () => {
  it('is deleted where somebody agrees', async () => {
    await desk.must('tags', 'create', '--name', 'brief');
    expect(await refused()).toEqual([12, expect.stringContaining('deletes tags/brief')]);
    expect(await names('tags', 'list')).toContain('tags/brief');
    await undo('--yes');
    expect(await names('tags', 'list')).not.toContain('tags/brief');
    expect(await refused(String(await lastNumber()))).toEqual([
      6,
      expect.stringContaining('a deletion cannot be reverted'),
    ]);
  });

  it('goes with the disk that was made along with it', async () => {
    const disk = [
      '--new-disk-name',
      'brief',
      '--new-disk-size',
      '1GiB',
      '--new-disk-format',
      'cow',
    ];
    const place = ['--new-disk-storagedomain', 'data1', '--interface', 'virtio'];
    await desk.must('diskattachments', 'create', '--vm', 'vm-02', ...disk, ...place);
    await undo('--yes');
    expect(await names('disks', 'list')).not.toContain('disks/brief');
  });
});

describe('several objects', () => {
  it('are all set back, and the others where one has changed since', async () => {
    const all = ['--all', '--search', 'name=vm-*', '--yes'];
    await desk.must('vms', 'update', ...all, '--description', 'same');
    await desk.must('vms', 'update', ...all, '--description', 'other');
    const number = String(await lastNumber());
    await desk.must('vms', 'update', 'vm-03', '--description', 'own');
    const { code, stdout, stderr } = await desk.run(['undo', number, '-o', 'json']);
    expect(code, stderr).toBe(9);
    expect(
      JSON.parse(stdout)
        .map(({ object }: Fields) => object)
        .toSorted(),
    ).toEqual(['vms/vm-01', 'vms/vm-02']);
    expect(stderr).toContain('vms/vm-03 has changed since');
    const descriptions = (await desk.json('vms', 'list')).map((vm) => vm['description']);
    expect(descriptions.toSorted()).toEqual(['own', 'same', 'same']);
    // It is not undone as a whole, so that it can be tried again.
    expect((await desk.json<Fields>('history', number))['undo']).toBe('possible');
    expect((await desk.run(['undo', number, '--force'])).code).toBe(0);
    expect((await get('vms', 'vm-03'))['description']).toBe('same');
  });

  it('are set back in the other order: the last may stand on the first', async () => {
    const order = ['vm-01', 'vm-02', 'vm-03'];
    const text = String(await lastNumber());
    await desk.must('vms', 'update', ...order, '--comment', text, '--parallel', '1');
    const told = [...(await undo()).matchAll(/^vms\/(\S+): reverted comment$/gm)];
    expect(told.map(([, name]) => name)).toEqual(order.toReversed());
  });

  it('are taken back in part with --force, where a part has no opposite', async () => {
    const site = join(desk.home().folder, 'site.yaml');
    await desk.must('vms', 'stop', 'vm-02', '--if-needed');
    const machine = 'name: vm-02, cluster: Default, template: Blank, status: up';
    writeFileSync(site, `tags: [{ name: brief }]\nvms: [{ ${machine} }]\n`);
    await desk.must('apply', site, '--yes');
    const number = String(await lastNumber());
    expect(await refused(number, '--yes')).toEqual([
      6,
      expect.stringContaining('use --force to undo the rest'),
    ]);
    expect((await refused(number, '--yes', '--force'))[0]).toBe(9);
    expect(await names('tags', 'list')).not.toContain('tags/brief');
    expect((await get('vms', 'vm-02'))['status']).toBe('up');
  });
});

describe('undo', () => {
  it('of a command that broke off looks whether an update was made', async () => {
    /** Forgets what came of a change, as if the command had been killed. */
    const forget = (number: number) => {
      const file = join(desk.home().folder, `state/vmctl/history/${number}.jsonl`);
      const lines = readFileSync(file, 'utf8').split('\n');
      writeFileSync(file, lines.filter((line) => !line.startsWith('{"outcome"')).join('\n'));
    };
    await desk.must('vms', 'update', 'vm-01', '--comment', 'one');
    await desk.must('vms', 'update', 'vm-01', '--comment', 'two');
    forget(await lastNumber());
    expect((await desk.json<Fields[]>('history')).at(-1)).toMatchObject({ outcome: 'unknown' });
    await undo();
    expect((await get('vms', 'vm-01'))['comment']).toBe('one');
    await desk.must('tags', 'create', '--name', 'perhaps');
    const number = await lastNumber();
    forget(number);
    expect(await refused(String(number), '--yes')).toEqual([
      6,
      expect.stringContaining('its result is unknown'),
    ]);
    await desk.must('tags', 'delete', 'perhaps');
  });

  it('goes further back each time', async () => {
    for (const text of ['a', 'b', 'c'])
      await desk.must('vms', 'update', 'vm-01', '--comment', text);
    await undo();
    await undo();
    expect((await get('vms', 'vm-01'))['comment']).toBe('a');
  });

  it('refuses what is no change, or none that is kept', async () => {
    expect((await refused('no'))[0]).toBe(2);
    expect((await refused('99999'))[0]).toBe(3);
    const { XDG_STATE_HOME: _home } = desk.home().env;
    const env = { XDG_STATE_HOME: join(desk.home().folder, 'empty') };
    const { code, stderr } = await desk.home().runHere(['undo'], env);
    expect([code, stderr]).toEqual([3, expect.stringContaining('no change to undo')]);
  });

  it('is refused where nothing may be changed', async () => {
    await desk.must('vms', 'update', 'vm-01', '--comment', 'kept');
    const { code, stderr } = await desk.home().runHere(['undo'], { VMCTL_READ_ONLY: '1' });
    expect([code, stderr]).toEqual([2, expect.stringContaining(': changes are disabled')]);
    expect((await get('vms', 'vm-01'))['comment']).toBe('kept');
  });

  it('by two at the same time happens once', async () => {
    await desk.must('vms', 'update', 'vm-01', '--comment', 'before');
    await desk.must('vms', 'update', 'vm-01', '--comment', 'after');
    const number = String(await lastNumber());
    const both = await Promise.all([1, 2].map(() => desk.home().run(['undo', number])));
    for (const { code } of both) expect([0, 6]).toContain(code);
    expect((await get('vms', 'vm-01'))['comment']).toBe('before');
  });
});
