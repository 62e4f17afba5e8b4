/** CDs of VMs: `cdroms change`, `cdroms eject` and `vms start --once`. */
import { beforeEach, describe, expect, it } from 'vitest';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();

const debian = 'debian-12.7.0-amd64-netinst.iso';
const fedora = 'fedora-server-40-x86_64.iso';

/** Image in the drive: of the configuration, or of the run with `--current`. */
async function disc(...flags: string[]): Promise<string | undefined> {
  const words = ['cdroms', 'get', '--vm', 'vm-02', ...flags];
  return (await desk.json<{ file?: { id: string } }>(...words)).file?.id;
}

beforeEach(async () => {
  await desk.must('vms', 'stop', 'vm-02', '--if-needed');
  await desk.must('cdroms', 'eject', 'vm-02');
});

describe('cdroms change', () => {
  it.each([
    ['vm-02', debian],
    ['--vm', 'vm-02', debian],
    ['--on', 'vms/vm-02', debian],
    ['--vm', 'vm-02', '--file', debian],
    ['00000000-0000-0000-0000-000000000000', '--vm', 'vm-02', '--file', debian],
    ['vm-02', '--file', debian],
  ])('inserts an image with %s %s %s %s', async (...words) => {
    await desk.must('cdroms', 'change', ...words);
    expect(await disc()).toBe(debian);
  });

  it('changes the running VM with --current', async () => {
    await desk.must('cdroms', 'change', 'vm-02', debian);
    await desk.must('vms', 'start', 'vm-02');
    await desk.must('cdroms', 'change', 'vm-02', fedora, '--current');
    expect([await disc('--current'), await disc()]).toEqual([fedora, debian]);
  });

  it('inserts an ISO disk by name', async () => {
    const flags = ['--size', '1MiB', '--format', 'raw', '--storagedomain', 'data1'];
    await desk.must('disks', 'create', 'rescue', ...flags, '--content-type', 'iso');
    const { id } = await desk.json<{ id: string }>('disks', 'get', 'rescue');
    await desk.must('cdroms', 'change', 'vm-02', 'rescue');
    expect(await disc()).toBe(id);
  });

  it.each([
    [['vm-02', 'debain-12.7.0-amd64-netinst.iso'], 3, `hint: did you mean ${debian}?`],
    [['vm-02', 'drivers.vfd'], 3, 'ISO image "drivers.vfd" not found'],
    [['vm-02', 'vm-01_Disk1'], 3, `hint: available: ${debian}, ${fedora}`],
    [['vm-99', debian], 3, 'vms/vm-99 not found'],
    [['vm-02'], 2, 'no ISO image given\nhint: vmctl cdroms change VM ISO; to eject'],
    [[], 2, 'no VM given\nhint: vmctl cdroms change VM ISO'],
    [['vm-02', debian, '--file', fedora], 2, 'two ISO images given'],
    [['--vm', 'vm-02', debian, fedora], 2, `unexpected argument "${fedora}"`],
  ])('refuses %j without a change', async (words, expected, message) => {
    const { code, stderr } = await desk.run(['cdroms', 'change', ...words]);
    expect([code, stderr]).toEqual([expected, expect.stringContaining(message)]);
    expect(await disc()).toBeUndefined();
  });

  it('leaves the decision to the service if files cannot be listed', async () => {
    const name = { VMCTL_USERNAME: 'jane@internal' };
    const words = ['cdroms', 'change', 'vm-02', debian];
    const { code, stderr } = await desk.home().runHere(words, name);
    expect([code, stderr]).not.toEqual([3, expect.stringContaining('ISO image')]);
  });
});

describe('cdroms eject', () => {
  it('removes the image from the configuration of a VM that is down', async () => {
    await desk.must('cdroms', 'change', 'vm-02', debian);
    const { code, stderr } = await desk.run(['cdroms', 'eject', 'vm-02']);
    expect([code, stderr]).toEqual([0, `vms/vm-02: ejected ${debian}\n`]);
    expect(await disc()).toBeUndefined();
    const again = await desk.run(['cdroms', 'eject', 'vm-02']);
    expect([again.code, again.stderr]).toEqual([0, 'vms/vm-02: no CD; nothing to do\n']);
  });

  it('ejects the CD of a running VM only until the next start', async () => {
    await desk.must('cdroms', 'change', 'vm-02', debian);
    await desk.must('vms', 'start', 'vm-02');
    await desk.must('cdroms', 'eject', 'vm-02');
    expect([await disc('--current'), await disc()]).toEqual([undefined, debian]);
    await desk.must('cdroms', 'eject', 'vm-02', '--config');
    expect(await disc()).toBeUndefined();
  });

  it('takes several VMs, prints ids, and is undone', async () => {
    await desk.must('cdroms', 'change', 'vm-02', debian);
    const ejected = await desk.json('cdroms', 'eject', 'vm-02', 'vm-03');
    expect(ejected).toMatchObject([{ file: debian }, {}]);
    await desk.must('undo');
    expect(await disc()).toBe(debian);
  });

  it('refuses an unknown VM', async () => {
    expect((await desk.run(['cdroms', 'eject', 'vm-99'])).code).toBe(3);
  });
});

describe('vms start --once', () => {
  it('applies the boot order and the CD to one run', async () => {
    await desk.must('vms', 'start', 'vm-02', '--once', '--boot', 'cdrom,disk', '--cdrom', debian);
    const vm = await desk.json<Record<string, unknown>>('vms', 'get', 'vm-02');
    expect(vm).toMatchObject({ run_once: true, os: { boot: { devices: ['hd'] } } });
    expect([await disc('--current'), await disc()]).toEqual([debian, undefined]);
    await desk.must('vms', 'stop', 'vm-02');
    await desk.must('vms', 'start', 'vm-02');
    expect(await disc('--current')).toBeUndefined();
  });

  it('sends the devices of the API, together with other attributes', async () => {
    const flags = ['--once', '--boot', 'network,Disk', '--set', 'vm.os.type=rhel_8'];
    const { body } = await desk.json<{ body: unknown }>(
      'vms',
      'start',
      'vm-02',
      ...flags,
      '--dry-run',
    );
    expect(body).toEqual({
      vm: { os: { type: 'rhel_8', boot: { devices: { device: ['network', 'hd'] } } } },
    });
  });

  it.each([
    [['--boot', 'cdrom'], 2, '--boot needs --once\nhint: add --once'],
    [['--cdrom', debian], 2, '--cdrom needs --once'],
    [
      ['--once', '--boot', 'cdrom,floppy'],
      2,
      '"floppy" is not a boot device\nhint: use cdrom, disk',
    ],
    [['--once', '--boot', 'disk,hd'], 2, 'a device appears twice'],
    [['--once', '--boot', 'disk,'], 2, '"" is not a boot device'],
    [['--once', '--cdrom', 'debian-12.7.1-amd64-netinst.iso'], 3, `did you mean ${debian}?`],
  ])('refuses %j without a start', async (flags, expected, message) => {
    const { code, stderr } = await desk.run(['vms', 'start', 'vm-02', ...flags]);
    expect([code, stderr]).toEqual([expected, expect.stringContaining(message)]);
    expect(await desk.json('vms', 'get', 'vm-02')).toMatchObject({ status: 'down' });
  });
});
