/** Members of VMs and instance types: normal form, empty values, systems, displays. */
import { describe, expect } from 'vitest';
import { operatingSystems } from '../../src/model/operating-systems.ts';
import { useSite } from './support/site.ts';
import { at, listItems, type Speaker, type Thing } from './support/speaker.ts';
import { mebibyte, newVm } from './support/vms.ts';

const site = useSite();

/** Members with a value, and with the empty value that clears it. */
const clearable: readonly (readonly [name: string, value: unknown, empty: unknown])[] = [
  ['custom_emulated_machine', 'pc-q35-rhel8.6.0', ''],
  ['custom_cpu_model', 'Westmere', ''],
  ['serial_number', { policy: 'custom', value: 'abc' }, { policy: 'none' }],
  ['custom_compatibility_version', { major: 4, minor: 7 }, {}],
  ['initialization', { host_name: 'web' }, {}],
];

describe('a VM', () => {
  site.both('has sizes in whole MiB', async (people) => {
    const odd = (size: number) => size * mebibyte + 4_321;
    const vm = await newVm(people, {
      memory: odd(512),
      memory_policy: { guaranteed: odd(256), max: odd(1024) },
    });
    expect(vm).toMatchObject({
      memory: String(512 * mebibyte),
      memory_policy: { guaranteed: String(256 * mebibyte), max: String(1024 * mebibyte) },
    });
    const { object } = await people.admin.put(`/vms/${vm.id}`, { vm: { memory: odd(600) } });
    expect(object).toMatchObject({
      memory: String(600 * mebibyte),
      memory_policy: { guaranteed: String(256 * mebibyte), max: String(1024 * mebibyte) },
    });
  });

  site.both('does not show members that an empty value cleared', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people);
    for (const [name, value, empty] of clearable) {
      expect((await admin.get(`/vms/${id}`)).object[name], name).toBeUndefined();
      await admin.put(`/vms/${id}`, { vm: { [name]: value } });
      expect((await admin.get(`/vms/${id}`)).object[name], name).toBeDefined();
      const { status, text } = await admin.put(`/vms/${id}`, { vm: { [name]: empty } });
      expect(status, text).toBe(200);
      expect((await admin.get(`/vms/${id}`)).object[name], name).toBeUndefined();
    }
  });

  site.both('has the domain of its initialization under its former name, too', async (people) => {
    const { id } = await newVm(people, { domain: { name: 'example.com' } });
    const { object } = await people.admin.get(`/vms/${id}`);
    expect(object).toMatchObject({
      domain: { name: 'example.com' },
      initialization: { domain: 'example.com', regenerate_ssh_keys: 'false' },
    });
  });

  site.both('is pinned by hand exactly if it has pins', async (people) => {
    const { id } = await newVm(people);
    const { object } = await people.admin.put(`/vms/${id}`, {
      vm: { cpu_pinning_policy: 'manual' },
    });
    expect(object['cpu_pinning_policy']).toBe('none');
  });

  site.both('shows the NUMA mode only of VMs with NUMA nodes', async (people) => {
    const { admin } = people;
    const { id, name } = await newVm(people);
    expect((await admin.get(`/vms/${id}`)).object['numa_tune_mode']).toBeUndefined();
    const vm_numa_node = { index: 0, memory: 256, cpu: { cores: { core: [{ index: 0 }] } } };
    const node = await admin.add(`/vms/${id}/numanodes`, { vm_numa_node });
    expect((await admin.get(`/vms/${id}`)).object['numa_tune_mode']).toBe('interleave');
    const [listed] = (await admin.get(`/vms?search=${encodeURIComponent(`name=${name}`)}`)).list;
    expect(listed?.['numa_tune_mode']).toBeUndefined();
    await admin.delete(`/vms/${id}/numanodes/${node.id}`);
    expect((await admin.get(`/vms/${id}`)).object['numa_tune_mode']).toBeUndefined();
  });

  site.both('refuses names with a plus', async ({ admin, path }) => {
    const vm = { name: 'a+b', cluster: { id: path('{cluster}') }, template: { name: 'Blank' } };
    expect((await admin.post('/vms', { vm })).status).toBe(400);
  });

  site.both('takes the hardware of an instance type that it gets', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people);
    const change = { instance_type: { name: 'Medium' }, memory: 2048 * mebibyte };
    const { object, status, text } = await admin.put(`/vms/${id}`, {
      vm: { ...change, memory_policy: { guaranteed: 1024 * mebibyte } },
    });
    expect(status, text).toBe(200);
    expect(object).toMatchObject({
      memory: String(2048 * mebibyte),
      memory_policy: { guaranteed: String(1024 * mebibyte) },
      cpu: { topology: { sockets: '2', cores: '1' } },
      io: { threads: '0' },
    });
  });
});

describe('the operating system of a VM', () => {
  /** Former names of systems, as documents and clients still write them. */
  const legacy = {
    Other: 'other',
    OtherLinux: 'other_linux',
    RHEL6x64: 'rhel_6x64',
    Windows7x64: 'windows_7x64',
    Windows2008R2x64: 'windows_2008R2x64',
    Windows2012x64: 'windows_2012x64',
  };

  site.both('has its present name, whichever was sent', async (people) => {
    for (const [former, word] of Object.entries(legacy)) {
      const { os } = await newVm(people, { os: { type: former } });
      expect(os, former).toMatchObject({ type: word });
    }
  });

  site.both('is listed by the name that requests use', async ({ admin }) => {
    const { list } = await admin.get('/operatingsystems');
    const shown = list.map((one) => [one['name'], one['tpm_support']]);
    expect(shown).toEqual(
      expect.arrayContaining(operatingSystems.map(([, w, , , tpm]) => [w, tpm])),
    );
    expect(shown).toContainEqual(['windows_2012R2x64', 'supported']);
  });

  site.both('chooses the time zone, and refuses those of other systems', async (people) => {
    const { admin, path, name } = people;
    const windows = await newVm(people, { os: { type: 'windows_2019x64' } });
    expect(windows['time_zone']).toMatchObject({ name: 'GMT Standard Time' });
    const cluster = { id: path('{cluster}') };
    for (const [type, zone] of [
      ['windows_2019x64', 'Europe/Berlin'],
      ['rhel_9x64', 'W. Europe Standard Time'],
      ['rhel_9x64', 'Mars/Olympus'],
    ]) {
      const vm = { name: name('no'), cluster, template: { name: 'Blank' } };
      const sent = { ...vm, os: { type }, time_zone: { name: zone } };
      expect((await admin.post('/vms', { vm: sent })).status, zone).toBe(400);
    }
    const { status } = await admin.put(`/vms/${windows.id}`, { vm: { os: { type: 'rhel_9x64' } } });
    expect(status).toBe(400);
  });

  site.both('limits firmware and trusted platform modules', async ({ admin, path, name }) => {
    const cluster = { id: path('{cluster}') };
    for (const more of [
      { os: { type: 'rhel_5' }, bios: { type: 'q35_sea_bios' } },
      { os: { type: 'windows_7' }, bios: { type: 'q35_secure_boot' } },
      { os: { type: 'other' }, bios: { type: 'q35_ovmf' }, tpm_enabled: true },
      { os: { type: 'rhel_9x64' }, bios: { type: 'q35_sea_bios' }, tpm_enabled: true },
    ]) {
      const vm = { name: name('no'), cluster, template: { name: 'Blank' }, ...more };
      const { status, text } = await admin.post('/vms', { vm });
      expect(status, text).toBe(400);
    }
  });
});

describe('the display of a VM', () => {
  const consoles = async (admin: Speaker, id: string) =>
    (await admin.get(`/vms/${id}/graphicsconsoles`)).list.map((one) => one['protocol']);

  site.both('has a video device that fits its console', async (people) => {
    const { admin } = people;
    const uefi = { bios: { type: 'q35_ovmf' }, display: { type: 'vnc' } };
    expect(at(await newVm(people, uefi), 'display.video_type')).toBe('bochs');
    const vm = await newVm(people, { display: { type: 'spice' } });
    expect(vm['display']).toMatchObject({ type: 'spice', video_type: 'qxl' });
    expect(await consoles(admin, vm.id)).toEqual(['spice']);
    const put = async (display: object) =>
      (await admin.put(`/vms/${vm.id}`, { vm: { display } })).object['display'];
    expect(await put({ type: 'vnc' })).toMatchObject({ type: 'vnc', video_type: 'qxl' });
    expect(await consoles(admin, vm.id)).toEqual(['vnc']);
    expect(await put({ video_type: 'qxl' })).toMatchObject({ type: 'spice', video_type: 'qxl' });
    expect(await put({ video_type: 'vga' })).toMatchObject({ type: 'vnc', video_type: 'vga' });
  });

  site.both('follows its consoles; a change is refused while they do not fit', async (people) => {
    const { admin } = people;
    const { id } = await newVm(people);
    const graphics = `/vms/${id}/graphicsconsoles`;
    const spice = await admin.add(graphics, { graphics_console: { protocol: 'spice' } });
    expect(at((await admin.get(`/vms/${id}`)).object, 'display.type')).toBe('spice');
    expect((await admin.put(`/vms/${id}`, { vm: { comment: 'new' } })).status).toBe(400);
    await admin.delete(`${graphics}/${spice.id}`);
    expect((await admin.put(`/vms/${id}`, { vm: { comment: 'new' } })).status).toBe(200);
  });
});

describe('an instance type', () => {
  site.both('shows hardware alone, and the display while it has a console', async (people) => {
    const { admin, name } = people;
    const instance_type = { name: name('type') };
    const { id } = await admin.add('/instancetypes', { instance_type });
    const { object } = await admin.get(`/instancetypes/${id}`);
    expect(object).toMatchObject({
      memory: '0',
      io: { threads: '1' },
      display: { type: 'vnc', video_type: 'vga' },
      migration: { auto_converge: 'inherit' },
    });
    for (const absent of ['comment', 'bios', 'type', 'origin', 'time_zone', 'console', 'quota']) {
      expect(object[absent], absent).toBeUndefined();
    }
    expect(listItems(at(object, 'os.boot') as Thing, 'devices', 'device')).toEqual(['hd']);
    const graphics = `/instancetypes/${id}/graphicsconsoles`;
    const [console = {}] = (await admin.get(graphics)).list;
    await admin.delete(`${graphics}/${String(console['id'])}`);
    expect((await admin.get(`/instancetypes/${id}`)).object['display']).toBeUndefined();
  });
});
