/** `disks update` changes an attached disk through its disk attachment, in both dialects. */
import { describe, expect, it } from 'vitest';
import { useSignedInCommand } from './support/signed-in-command.ts';

interface DryRun {
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
}

interface Disk {
  readonly id: string;
  readonly [attribute: string]: unknown;
}

const GiB = 2 ** 30;

describe.each(['standard', 'ovirt'])('in the dialect %s', (dialect) => {
  const desk = useSignedInCommand(['--dialect', dialect]);

  const read = (name: string) => desk.json<Disk>('disks', 'get', name);

  /** The request that a command would send. */
  const wouldSend = (...words: string[]) => desk.json<DryRun>(...words, '--dry-run');

  it.each([
    [['--size', '2GiB'], { provisioned_size: 2 * GiB }],
    [['--description', 'of vm-01'], { description: 'of vm-01' }],
    [['--wipe-after-delete'], { wipe_after_delete: true }],
    [['--propagate-errors'], { propagate_errors: true }],
    [['--shareable'], { shareable: true }],
    [['--alias', 'first'], { alias: 'first', name: 'first' }],
    [['--name', 'vm-01_Disk1'], { alias: 'vm-01_Disk1', name: 'vm-01_Disk1' }],
    [['--set', 'description=set'], { description: 'set' }],
  ])('changes %j', async (flags, expected) => {
    const [disk] = await desk.json<Disk[]>('disks', 'list');
    const id = String(disk?.id);
    const { method, url } = await wouldSend('disks', 'update', id, ...flags);
    expect([method, url]).toEqual([
      'PUT',
      expect.stringMatching(new RegExp(`/vms/[^/]+/diskattachments/${id}$`)),
    ]);
    await desk.must('disks', 'update', id, ...flags);
    expect(await read(id)).toMatchObject(expected);
    const again = await desk.run(['disks', 'update', id, ...flags]);
    expect([again.code, again.stderr.trim()]).toEqual([
      0,
      `disks/${id}: no changes; nothing to do`,
    ]);
  });

  it('shows in a dry run what the disk is now', async () => {
    await desk.must('disks', 'update', 'vm-02_Disk1', '--description', 'now');
    const dry = await desk.run([
      ...['disks', 'update', 'vm-02_Disk1', '--description', 'later', '--dry-run'],
    ]);
    expect(dry.stdout + dry.stderr).toContain('  description: now -> later');
  });

  it('sends what belongs to the attachment as an attribute of it', async () => {
    const flags = ['--bootable=false', '--description', 'data'];
    const { body } = await wouldSend('disks', 'update', 'vm-02_Disk1', ...flags);
    const bootable = dialect === 'ovirt' ? 'false' : false;
    expect(body).toEqual({ bootable, disk: { description: 'data' } });
  });

  it('is undone like every update', async () => {
    await desk.must('disks', 'update', 'vm-02_Disk1', '--description', 'one');
    await desk.must('disks', 'update', 'vm-02_Disk1', '--description', 'two');
    await desk.must('undo');
    expect(await read('vm-02_Disk1')).toMatchObject({ description: 'one' });
  });

  it('sends the version of qcow2 to the disk', async () => {
    await desk.must(
      ...['disks', 'create', '--name', 'floating', '--size', '1GiB', '--format', 'cow'],
      ...['--storagedomain', 'data1'],
    );
    await desk.must(
      'diskattachments',
      'attach',
      '--vm',
      'vm-02',
      '--disk',
      'floating',
      '--interface',
      'virtio',
    );
    const { url } = await wouldSend('disks', 'update', 'floating', '--qcow-version', 'qcow2_v2');
    expect(url).toMatch(/\/api\/disks\/[^/]+$/);
    await desk.must('diskattachments', 'detach', 'floating', '--vm', 'vm-02');
  });

  it('sends the change of a disk that no VM, or several VMs use to the disk', async () => {
    const add = (name: string) =>
      desk.must(
        ...['disks', 'create', '--name', name, '--size', '1GiB', '--format', 'raw', '--shareable'],
        ...['--sparse=false', '--storagedomain', 'data1'],
      );
    const attach = (vm: string) =>
      desk.must(
        'diskattachments',
        'attach',
        '--vm',
        vm,
        '--disk',
        'shared',
        '--interface',
        'virtio',
      );
    await add('shared');
    const id = (await read('shared')).id;
    const attempt = async (description: string) => {
      const update = ['disks', 'update', 'shared', '--description', description];
      expect((await wouldSend(...update)).url).toMatch(new RegExp(`/api/disks/${id}$`));
      return await desk.run(update);
    };
    const alone = await attempt('of nobody');
    await attach('vm-01');
    await attach('vm-02');
    const several = await attempt("the team's");
    if (dialect === 'ovirt') {
      expect([alone.code, several.code]).toEqual([0, 0]);
      return;
    }
    expect(alone.code).not.toBe(0);
    expect(alone.stderr).toContain(
      `hint: no VM uses the disk; attach it first: vmctl diskattachments attach --disk ${id} --interface virtio_scsi --vm NAME`,
    );
    const typed = [
      ...['diskattachments', 'update', id, '--vm', 'vm-01', '--set-json'],
      `disk={"description":"the team's"}`,
    ];
    const hint = /hint: several VMs use the disk; select one: vmctl (.*)/.exec(several.stderr)?.[1];
    expect(hint).toBe(
      `diskattachments update ${id} --vm vm-01 --set-json 'disk={"description":"the team'\\''s"}'`,
    );
    await desk.must(...typed);
    expect(await read('shared')).toMatchObject({ description: "the team's" });
  });
});
