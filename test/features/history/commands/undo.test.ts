/** `vmctl undo`: reverts the changes of a command, unless data would be lost. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { useSignedInCommand } from '../../../commands/support/signed-in-command.ts';

const desk = useSignedInCommand();

type Fields = Readonly<Record<string, unknown>>;

const get = async (noun: string, name: string, ...flags: string[]) =>
  await desk.json<Fields>(noun, 'get', name, ...flags);
const names = async (...words: string[]) =>
  (await desk.must(...words, '-o', 'name'))
    .trim()
    .split('\n')
    .filter((name) => name !== '');
const lastNumber = async () => (await desk.json<{ id: number }[]>('history')).at(-1)?.id ?? 0;

/** Undoes a change, which must succeed; returns the output. */
async function undo(...words: string[]): Promise<string> {
  const { code, stderr } = await desk.run(['undo', ...words]);
  expect(code, stderr).toBe(0);
  return stderr;
}

/** Exit code and output of a refused undo. */
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

  it('restores exactly the changed attributes', async () => {
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

  it('is redone by undoing the undo, any number of times', async () => {
    await desk.must('vms', 'update', 'vm-02', '--comment', 'second');
    await undo();
    expect((await get('vms', 'vm-02'))['comment']).toBe('first');
    await undo(String(await lastNumber()));
    expect((await get('vms', 'vm-02'))['comment']).toBe('second');
    await undo();
    expect((await get('vms', 'vm-02'))['comment']).toBe('first');
  });

  it('is cleared if the attribute had no value', async () => {
    await desk.must('tags', 'create', '--name', 'plain');
    await desk.must('tags', 'update', 'plain', '--description', 'new');
    await undo();
    expect((await get('tags', 'plain'))['description'] ?? '').toBe('');
    await desk.must('tags', 'delete', 'plain');
  });

  it('is refused if the object has changed since, unless forced', async () => {
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

  it('is removed from a pending next-start configuration', async () => {
    await desk.must('vms', 'start', 'vm-02');
    const bios = async () => (await get('vms', 'vm-02', '--next-run'))['bios'];
    const before = await bios();
    expect(before).not.toMatchObject({ type: 'i440fx_sea_bios' });
    await desk.must('vms', 'update', 'vm-02', '--set', 'bios.type=i440fx_sea_bios');
    expect(await bios()).toMatchObject({ type: 'i440fx_sea_bios' });
    await undo();
    expect(await bios()).toEqual(before);
  });

  it('is complete without a request if the value is already restored', async () => {
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

  it('is refused for a password, and restores the rest', async () => {
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

  it('is refused for attributes that only grow, without a request', async () => {
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

describe('an attached object', () => {
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
  ])('%s is removed and attached again', async (_what, put, list) => {
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

  it('is restored with its attributes: usages of a network, principal of a permission', async () => {
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

  it('a disk is detached, not deleted, and attached again', async () => {
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
  it('is reverted by its opposite', async () => {
    await desk.must('vms', 'stop', '--all', '--yes', '--if-needed');
    await desk.must('hosts', 'deactivate', 'host1');
    await undo();
    expect((await get('hosts', 'host1'))['status']).toBe('up');
    await undo(String(await lastNumber()));
    expect((await get('hosts', 'host1'))['status']).toBe('maintenance');
    await desk.must('hosts', 'activate', 'host1');
  });

  it('is skipped if the state of the object has changed', async () => {
    await desk.must('hosts', 'deactivate', 'host1');
    const number = String(await lastNumber());
    await desk.must('hosts', 'activate', 'host1');
    expect(await undo(number)).toContain('hosts/host1 is already up; nothing to do');
  });

  it('has no inverse if data would be lost, and reports that', async () => {
    await desk.must('vms', 'start', 'vm-02');
    const number = await lastNumber();
    expect(await refused(String(number))).toEqual([
      6,
      expect.stringContaining('vms/vm-02: start has no inverse'),
    ]);
    await desk.must('vms', 'stop', 'vm-02');
  });

  it('is the default target: an older change remains', async () => {
    await desk.must('tags', 'create', '--name', 'older');
    await desk.must('vms', 'start', 'vm-02');
    const number = await lastNumber();
    for (const words of [[], ['--yes'], ['--force', '--yes'], ['--dry-run']]) {
      expect(await refused(...words)).toEqual([
        6,
        expect.stringMatching(
          new RegExp(
            `history/${number} \\(vmctl vms start vm-02\\) cannot be undone: [^\n]*\nhint: .*vmctl vms stop vm-02`,
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

describe('a created object', () => {
  it('is deleted after confirmation', async () => {
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

  it('is deleted together with its disk', async () => {
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
  it('are all restored, except for those changed since', async () => {
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
    // The entry is not completely undone, so that it can be retried.
    expect((await desk.json<Fields>('history', number))['undo']).toBe('possible');
    expect((await desk.run(['undo', number, '--force'])).code).toBe(0);
    expect((await get('vms', 'vm-03'))['description']).toBe('same');
  });

  it('are restored in reverse order, because later changes may depend on earlier ones', async () => {
    const order = ['vm-01', 'vm-02', 'vm-03'];
    const text = String(await lastNumber());
    await desk.must('vms', 'update', ...order, '--comment', text, '--parallel', '1');
    const told = [...(await undo()).matchAll(/^vms\/(\S+): reverted comment$/gm)];
    expect(told.map(([, name]) => name)).toEqual(order.toReversed());
  });

  it('are partially restored with --force if a part has no inverse', async () => {
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
  it('checks the object if the command was interrupted before the response', async () => {
    /** Removes the results of a change, as if the command had been killed. */
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

  it('goes further back with each run', async () => {
    for (const text of ['a', 'b', 'c'])
      await desk.must('vms', 'update', 'vm-01', '--comment', text);
    await undo();
    await undo();
    expect((await get('vms', 'vm-01'))['comment']).toBe('a');
  });

  it('takes the numbers of the history in any order', async () => {
    await desk.must('vms', 'stop', 'vm-02', '--if-needed');
    await desk.must('vms', 'update', 'vm-02', '--comment', 'one', '--description', 'd');
    const first = await lastNumber();
    await desk.must('tags', 'create', 'between');
    await desk.must('vms', 'update', 'vm-02', '--cpu-shares', '7');
    await desk.must('vms', 'update', 'vm-02', '--comment', 'two');
    const last = await lastNumber();
    expect(await refused(String(first))).toEqual([
      6,
      expect.stringMatching(
        new RegExp(
          `comment is two, not one\nhint: undo the later change first: vmctl undo ${last}; `,
        ),
      ),
    ]);
    await undo(String(last));
    await undo(String(first));
    await undo(String(first + 1), '--yes');
    expect(await get('vms', 'vm-02')).toMatchObject({ cpu_shares: 7 });
    expect((await get('vms', 'vm-02'))['comment']).not.toMatch(/one|two/);
    expect(await names('tags', 'list')).not.toContain('tags/between');
    await undo(String(first + 2));
    expect((await get('vms', 'vm-02'))['cpu_shares']).toBe(0);
  });

  it('names the deletion of an object', async () => {
    await desk.must('tags', 'create', 'short');
    await desk.must('tags', 'update', 'short', '--description', 'x');
    const number = await lastNumber();
    await desk.must('tags', 'delete', 'short');
    expect(await refused(String(number))).toEqual([
      3,
      expect.stringContaining(
        `tags/short no longer exists: history/${number + 1} (vmctl tags delete short) deleted it`,
      ),
    ]);
    expect(await refused(String(number + 1))).toEqual([
      6,
      expect.stringContaining('tags/short: a deletion cannot be reverted'),
    ]);
  });

  it('refuses an entry that is not a change, or is not stored', async () => {
    expect((await refused('no'))[0]).toBe(2);
    expect((await refused('99999'))[0]).toBe(3);
    const { XDG_STATE_HOME: _home } = desk.home().env;
    const env = { XDG_STATE_HOME: join(desk.home().folder, 'empty') };
    const { code, stderr } = await desk.home().runHere(['undo'], env);
    expect([code, stderr]).toEqual([3, expect.stringContaining('no change to undo')]);
  });

  it('is refused in read-only mode', async () => {
    await desk.must('vms', 'update', 'vm-01', '--comment', 'kept');
    const { code, stderr } = await desk.home().runHere(['undo'], { VMCTL_READ_ONLY: '1' });
    expect([code, stderr]).toEqual([2, expect.stringContaining(': changes are disabled')]);
    expect((await get('vms', 'vm-01'))['comment']).toBe('kept');
  });

  it('runs once for two concurrent undos', async () => {
    await desk.must('vms', 'update', 'vm-01', '--comment', 'before');
    await desk.must('vms', 'update', 'vm-01', '--comment', 'after');
    const number = String(await lastNumber());
    const both = await Promise.all([1, 2].map(() => desk.home().run(['undo', number])));
    for (const { code } of both) expect([0, 6]).toContain(code);
    expect((await get('vms', 'vm-01'))['comment']).toBe('before');
  });
});

describe('a new or started VM', () => {
  it('is not stopped; the hint has the commands that stop and delete it', async () => {
    const disk = ['--image', `${desk.home().folder}/disk.raw`, '--storage-domain', 'data1'];
    writeFileSync(`${desk.home().folder}/disk.raw`, Buffer.alloc(2 ** 20));
    await desk.must('vms', 'create', 'fresh', ...disk, '--start', '-q');
    const [code, stderr] = await refused('--yes');
    expect([code, stderr]).toEqual([6, expect.stringContaining('vms/fresh: start has no inverse')]);
    const [, hint = ''] = /hint: to revert it: (.*)\n/.exec(stderr) ?? [];
    expect(hint).toBe('vmctl vms stop fresh && vmctl vms delete fresh');
    for (const line of hint.split(' && ')) await desk.must(...line.split(' ').slice(1));
    expect(await names('vms', 'list')).not.toContain('vms/fresh');
  });

  it('is deleted with its uploaded disk if it was not started', async () => {
    const disk = ['--image', `${desk.home().folder}/disk.raw`, '--storage-domain', 'data1'];
    await desk.must('vms', 'create', 'fresh', ...disk, '-q');
    await undo('--yes');
    expect(await names('vms', 'list')).not.toContain('vms/fresh');
    expect(await names('disks', 'list')).not.toContain('disks/fresh_Disk1');
  });

  it.each([
    ['start', 'stop'],
    ['stop', 'start'],
  ])('has %s reverted by a hint', async (verb, reversal) => {
    await desk.must('vms', reversal, 'vm-02', '--if-needed');
    await desk.must('vms', verb, 'vm-02');
    const [code, stderr] = await refused();
    expect([code, stderr]).toEqual([
      6,
      expect.stringContaining(`hint: to revert it: vmctl vms ${reversal} vm-02\n`),
    ]);
  });

  it('has no such hint for other operations', async () => {
    await desk.must('vms', 'stop', 'vm-02', '--if-needed');
    await desk.must('snapshots', 'create', '--vm', 'vm-02', '--description', 'one');
    await desk.must('snapshots', 'restore', 'one', '--vm', 'vm-02', '--yes');
    expect((await refused())[1]).toContain('hint: vmctl history lists older changes');
  });
});

it('an integer beyond 2^53 reaches the service, which refuses it', async () => {
  await desk.must('vms', 'stop', 'vm-02', '--if-needed');
  const large = ['--memory-max', '9007199254740995', '--memory', '9007199254740995'];
  const { code, stderr } = await desk.run(['vms', 'update', 'vm-02', ...large]);
  expect(code, stderr).toBe(6);
  expect(stderr).toContain('it must be from');
  expect(stderr).not.toMatch(/warning|bug/);
});
