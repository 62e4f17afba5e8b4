/** Arguments of QEMU. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createArguments, type RunSettings } from '../../../src/features/qemu/arguments.ts';
import { nameDiskNode, portCount } from '../../../src/features/qemu/device-properties.ts';
import type { RunDisk, VmHardware } from '../../../src/server/core/hypervisor.ts';

const vm = '11111111-2222-4333-8444-555555555555';
const nic = '33333333-7777-4888-9999-aaaaaaaaaaaa';
const disk = '66666666-7777-4888-9999-aaaaaaaaaaaa';

const diskNode = nameDiskNode(disk);

const plain: VmHardware = {
  memory: 2 ** 28,
  ...{ sockets: 2, cores: 3, threads: 1 },
  ...{ machine: 'q35', firmware: 'bios', hasBootMenu: false },
  ...{ disks: [], nics: [], cdrom: {} },
};

function createDisk(members: Partial<RunDisk> = {}): RunDisk {
  return {
    ...{ id: disk, size: 2 ** 20, format: 'raw', qcowVersion: 3, interface: 'virtio' },
    ...{ readOnly: false, shareable: false },
    ...members,
  };
}

function create(hardware: Partial<VmHardware>, settings: Partial<RunSettings> = {}): string[] {
  return createArguments({
    ...{ id: vm, accelerator: 'tcg', hardware: { ...plain, ...hardware } },
    files: { disks: new Map([[disk, '/data/images/disk']]) },
    ...settings,
  });
}

function isIde(device: unknown): boolean {
  return JSON.stringify(device).includes('"ide-');
}

/** The values of an option, parsed as JSON if possible. */
function listValues(words: readonly string[], option: string): unknown[] {
  return words.flatMap((word, index) => {
    const value = words[index + 1] ?? '';
    if (word !== option) return [];
    return [value.startsWith('{') ? JSON.parse(value) : value];
  });
}

describe('arguments', () => {
  it('contain memory, processors and accelerator', () => {
    const words = create({});
    expect(listValues(words, '-m')).toEqual(['256M']);
    expect(listValues(words, '-smp')).toEqual(['cpus=6,sockets=2,cores=3,threads=1']);
    expect(listValues(words, '-machine')).toEqual(['q35,accel=tcg,usb=off']);
    expect(listValues(words, '-sandbox')[0]).toMatch(/^on,/);
  });

  it('select firmware for UEFI, with variables of the VM', () => {
    const uefi = { code: '/firmware', vars: '/run/vars', isSecure: false };
    const words = create({ firmware: 'uefi' }, { files: { disks: new Map(), uefi } });
    expect(listValues(words, '-machine')[0]).toContain('pflash0=firmware,pflash1=variables');
    expect(listValues(words, '-blockdev')).toMatchObject([
      { file: { filename: '/firmware' }, 'read-only': true },
      { file: { filename: '/run/vars' } },
    ]);
  });

  it('contain disks with their boot order, and never a backing file', () => {
    const words = create({ disks: [createDisk({ format: 'cow', bootIndex: 1 })] });
    expect(listValues(words, '-blockdev')).toEqual([
      {
        ...{ driver: 'qcow2', 'node-name': diskNode, 'read-only': false, discard: 'unmap' },
        ...{ file: { driver: 'file', filename: '/data/images/disk' }, backing: null },
      },
    ]);
    expect(listValues(words, '-device')).toContainEqual({
      ...{ driver: 'virtio-blk-pci', id: `disk-${disk}`, drive: diskNode, bootindex: 1 },
      ...{ serial: disk.slice(0, 20), bus: 'port0' },
    });
  });

  it.each([
    ['virtio_scsi', 'q35', { driver: 'scsi-hd', bus: 'scsi.0' }],
    ['sata', 'q35', { driver: 'ide-hd', bus: 'sata.0' }],
    ['sata', 'i440fx', { driver: 'ide-hd', bus: 'sata.0' }],
    ['ide', 'q35', { driver: 'ide-hd', bus: 'ide.0' }],
    ['ide', 'i440fx', { driver: 'ide-hd', bus: 'ide.0', unit: 0 }],
  ] as const)('attach a disk by %s to a VM with %s', (bus, machine, device) => {
    const words = create({ machine, disks: [createDisk({ interface: bus })] });
    const found = listValues(words, '-device');
    expect(found).toContainEqual(expect.objectContaining(device));
  });

  it('attach IDE disks of the chipset i440fx around the CD drive', () => {
    const disks = [1, 2, 3].map(() => createDisk({ interface: 'ide' }));
    const found = listValues(create({ machine: 'i440fx', disks }), '-device').filter(isIde);
    expect(found).toMatchObject([
      { driver: 'ide-hd', bus: 'ide.0', unit: 0 },
      { driver: 'ide-hd', bus: 'ide.0', unit: 1 },
      { driver: 'ide-hd', bus: 'ide.1', unit: 1 },
      { driver: 'ide-cd', bus: 'ide.1', unit: 0 },
    ]);
  });

  it('boot a kernel', () => {
    const files = { disks: new Map(), kernel: '/iso/vmlinuz', initrd: '/iso/initrd' };
    const linux = { kernel: 'vmlinuz', initrd: 'initrd', commandLine: '-a b,c' };
    const words = create({ linux }, { files });
    expect(words.slice(words.indexOf('-kernel')).slice(0, 6)).toEqual([
      ...['-kernel', '/iso/vmlinuz', '-initrd', '/iso/initrd', '-append', '-a b,c'],
    ]);
  });

  it('connect NICs, whose names derive from their ids', () => {
    const mac = '56:6f:00:00:00:01';
    const words = create({ nics: [{ id: nic, mac, model: 'e1000', linked: true }] });
    expect(listValues(words, '-netdev')).toEqual([`user,id=net-${nic}`]);
    expect(listValues(words, '-device')).toContainEqual({
      ...{ driver: 'e1000', id: `nic-${nic}`, netdev: `net-${nic}`, mac, bus: 'port0' },
    });
  });

  it('attach disks and NICs of the chipset q35 to ports, of which others are free', () => {
    const mac = '56:6f:00:00:00:01';
    const nics = [{ id: nic, mac, model: 'virtio', linked: true }] as const;
    const devices = (machine: VmHardware['machine']) =>
      listValues(create({ machine, disks: [createDisk()], nics }), '-device');
    expect(devices('q35')).toContainEqual(
      expect.objectContaining({ id: `nic-${nic}`, bus: 'port1' }),
    );
    const ports = JSON.stringify(devices('q35')).match(/"pcie-root-port"/g) ?? [];
    expect(ports).toHaveLength(portCount);
    expect(JSON.stringify(devices('i440fx'))).not.toContain('port1');
  });

  it.each([
    ['cloud-init', 'q35', { driver: 'scsi-cd', bus: 'scsi.0' }],
    ['ignition', 'i440fx', { driver: 'scsi-cd', bus: 'scsi.0' }],
    ['sysprep', 'q35', { driver: 'ide-cd', bus: 'ide.5' }],
    ['sysprep', 'i440fx', { driver: 'ide-cd', bus: 'sata.5' }],
  ] as const)('insert the disc of %s into a second drive with %s', (kind, machine, device) => {
    const firstBoot = { kind, path: '/vm/a,b.iso' };
    const words = create({ machine }, { files: { disks: new Map(), firstBoot } });
    expect(listValues(words, '-blockdev')).toMatchObject([
      { 'read-only': true, file: { filename: '/vm/a,b.iso' } },
    ]);
    const found = listValues(words, '-device');
    expect(found).toContainEqual({ ...device, id: 'first-boot', drive: 'first-boot' });
  });

  it('insert a disc into the drive', () => {
    const cdrom = { disc: { file: 'a,b.iso' } };
    const words = create({ cdrom }, { files: { disks: new Map(), disc: '/iso/a,b.iso' } });
    expect(listValues(words, '-blockdev')).toMatchObject([{ file: { filename: '/iso/a,b.iso' } }]);
  });
});

describe('values from users', () => {
  it.each([
    ['a MAC address', { nics: [{ id: nic, mac: 'x,model=y', model: 'virtio', linked: true }] }],
    ['a disk id', { disks: [createDisk({ id: `${disk},id=x` })] }],
    ['a memory size', { memory: Number.NaN }],
    ['a number of processors', { sockets: 1.5 }],
    ['a position in the boot order', { cdrom: { bootIndex: -1 } }],
  ] as const)('are refused: %s', (_what, hardware) => {
    expect(() => create(hardware)).toThrow(/is invalid|is not between/);
  });

  it('never become options of QEMU', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom(...hostile));
    const property = fc.property(text, text, text, text, (id, mac, path, disc) => {
      const hardware: VmHardware = {
        ...plain,
        disks: [createDisk()],
        nics: [{ id: nic, mac, model: 'virtio', linked: true }],
        cdrom: { disc: { file: disc } },
      };
      const files = { disks: new Map([[disk, path]]), disc };
      for (const words of [
        attempt({ id, hardware }),
        attempt({ hardware: { ...hardware, nics: [] }, files }),
      ]) {
        expectExpected(words, [path, disc]);
      }
    });
    fc.assert(property, { numRuns: 500 });
  });
});

const hostile = [
  'a,readonly=off',
  '/x",backing=/etc/shadow',
  '-daemonize',
  '56:6f:00:00:00:01,vhost=on',
  'json:{"driver":"file"}',
  '/data/file:with,comma',
  "'; rm -rf /",
];

function attempt(settings: Partial<RunSettings>): string[] | undefined {
  try {
    return create({}, settings);
  } catch {
    return undefined;
  }
}

/** Paths occur only as file names in JSON; all other arguments match those of a plain VM. */
function expectExpected(words: readonly string[] | undefined, paths: readonly string[]): void {
  if (!words) return;
  const names = listValues(words, '-blockdev').map((one) => readFileName(one));
  for (const name of names) expect(paths).toContain(name);
  const rest = words.filter((_word, index) => words[index - 1] !== '-blockdev');
  const expected = create(
    // The drive has a hash of the name.
    { disks: [createDisk()], cdrom: { disc: { file: paths[1] ?? '' } } },
    { files: { disks: new Map([[disk, '']]), disc: '' } },
  );
  for (const word of rest) expect(expected).toContain(word);
}

function readFileName(value: unknown): unknown {
  const { file } = value as { file: { filename: unknown } };
  return file.filename;
}
