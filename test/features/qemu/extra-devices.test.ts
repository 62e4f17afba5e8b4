/** Arguments of QEMU for watchdogs, memory balloons, sound cards and firmware. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createArguments } from '../../../src/features/qemu/arguments.ts';
import { prepareFirmware, removeOldVariables } from '../../../src/features/qemu/firmware.ts';
import type { VmHardware } from '../../../src/server/core/hypervisor.ts';

const vm = '11111111-2222-4333-8444-555555555555';
const plain: VmHardware = {
  memory: 2 ** 28,
  ...{ sockets: 1, cores: 1, threads: 1 },
  ...{ machine: 'q35', firmware: 'bios', hasBootMenu: false },
  ...{ disks: [], nics: [], cdrom: {} },
};

function create(hardware: Partial<VmHardware>, isSecure = false): string {
  const uefi = { code: '/code', vars: '/vars', isSecure };
  const files = { disks: new Map(), ...(isSecure ? { uefi } : {}) };
  const settings = { id: vm, accelerator: 'tcg', files } as const;
  return createArguments({ ...settings, hardware: { ...plain, ...hardware } }).join(' ');
}

describe('arguments', () => {
  it('contain the action of the watchdog', () => {
    expect(create({ watchdog: 'pause' })).toContain(
      '-device {"driver":"i6300esb"} -action watchdog=pause',
    );
    expect(create({})).not.toContain('i6300esb');
  });

  it('contain a balloon that returns freed memory, and a sound card for the chipset', () => {
    const words = create({ hasBalloon: true, hasSound: true });
    expect(words).toContain('{"driver":"virtio-balloon-pci","free-page-reporting":true}');
    expect(words).toContain('ich9-intel-hda');
    expect(create({ machine: 'i440fx', hasSound: true })).toContain('{"driver":"intel-hda"');
  });

  it('protect the variables of secure boot from the guest', () => {
    const words = create({ firmware: 'secure_uefi' }, true);
    expect(words).toContain('smm=on');
    expect(words).toContain('-global driver=cfi.pflash01,property=secure,value=on');
  });
});

describe('firmware variables', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'vmctl-firmware-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('remain between runs, until the VM is removed', () => {
    const uefi = { code: '/code', vars: join(root, 'initial') };
    writeFileSync(uefi.vars, 'initial');
    const prepare = () => prepareFirmware({ uefi, secureUefi: undefined }, root, vm, 'uefi');
    const { vars = '' } = prepare() ?? {};
    expect(readFileSync(vars, 'utf8')).toBe('initial');
    writeFileSync(vars, 'changed');
    expect(readFileSync(prepare()?.vars ?? '', 'utf8')).toBe('changed');
    removeOldVariables(root, (id) => id === vm);
    expect(readFileSync(vars, 'utf8')).toBe('changed');
    removeOldVariables(root, () => false);
    expect(() => readFileSync(vars)).toThrow(/ENOENT/);
  });

  it('need installed firmware', () => {
    const none = { uefi: undefined, secureUefi: undefined };
    expect(prepareFirmware(none, root, vm, 'secure_uefi')).toBeUndefined();
  });
});
