/** VM archives (OVA) in the file folder of hosts, compatible with other programs. */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FolderSite, MiB } from '../faults/support/site.ts';
import type { RawAnswer } from '../support/raw.ts';

interface Thing {
  readonly id: string;
  readonly [member: string]: unknown;
}

let site: FolderSite;
let hostFiles: string;
let cluster: string;
let host: Thing;
/** Document of an archive with one disk, whose image is the member `disk1.vmdk`. */
const applianceOvf = `<?xml version="1.0"?>
<Envelope xmlns="http://schemas.dmtf.org/ovf/envelope/1" xmlns:ovf="http://schemas.dmtf.org/ovf/envelope/1" xmlns:rasd="http://schemas.dmtf.org/wbem/wscim/1/cim-schema/2/CIM_ResourceAllocationSettingData">
  <References><File ovf:href="disk1.vmdk" ovf:id="file1"/></References>
  <DiskSection><Info>d</Info><Disk ovf:capacity="16" ovf:capacityAllocationUnits="byte * 2^20" ovf:diskId="vmdisk1" ovf:fileRef="file1" ovf:format="http://www.vmware.com/interfaces/specifications/vmdk.html#streamOptimized"/></DiskSection>
  <VirtualSystem ovf:id="appliance"><Info>v</Info><Name>appliance</Name>
    <OperatingSystemSection ovf:id="94"><Info>o</Info></OperatingSystemSection>
    <VirtualHardwareSection><Info>h</Info>
      <Item><rasd:ResourceType>3</rasd:ResourceType><rasd:VirtualQuantity>2</rasd:VirtualQuantity></Item>
      <Item><rasd:AllocationUnits>byte * 2^20</rasd:AllocationUnits><rasd:ResourceType>4</rasd:ResourceType><rasd:VirtualQuantity>1024</rasd:VirtualQuantity></Item>
    </VirtualHardwareSection>
  </VirtualSystem>
</Envelope>`;
const hasQemu = spawnSync('qemu-img', ['--version']).status === 0;

beforeAll(async () => {
  site = new FolderSite();
  hostFiles = join(site.parent, 'files-of-hosts');
  await site.start('--host-files', hostFiles);
  cluster = (await list('/clusters'))[0]?.id ?? '';
  host = (await list('/hosts'))[0] as Thing;
});
afterAll(() => site.remove());

async function list(path: string): Promise<Thing[]> {
  const [found] = Object.values((await site.api.json('GET', path)).json<Record<string, Thing[]>>());
  return found ?? [];
}

async function done(answer: Promise<RawAnswer>): Promise<Thing> {
  const made = await answer;
  expect(made.status, made.text).toBeLessThan(300);
  return made.json<Thing>();
}

const settled = (id: string, status = 'down') =>
  site.api.until(`/vms/${id}`, (answer) => answer.json()['status'] === status);

/** Creates a VM with a disk of this content. */
async function machine(name: string, format: 'raw' | 'cow', bytes: Buffer): Promise<Thing> {
  const vm = await done(
    site.api.json('POST', '/vms', { name, cluster: { id: cluster }, template: { name: 'Blank' } }),
  );
  const disk = await site.add(`${name}-disk`, 64 * MiB, format);
  await site.write(disk, bytes, 'raw');
  const attachment = { disk: { id: disk }, interface: 'virtio', bootable: true, active: true };
  await done(site.api.json('POST', `/vms/${vm.id}/diskattachments`, attachment));
  return { ...vm, disk };
}

const to = (filename: string) => ({ host: { id: host.id }, directory: '/exports/ova', filename });
const hostFilePath = (filename: string) =>
  join(hostFiles, String(host['name']), 'exports/ova', filename);

function exporting(path: string, filename: string): Promise<Thing> {
  return done(site.api.json('POST', `${path}/export`, to(filename)));
}

async function imported(path: string, name: string): Promise<{ vm: string; bytes: Buffer[] }> {
  const answer = await done(
    site.api.json('POST', '/externalvmimports', {
      ...{ provider: 'kvm', url: `ova://${path}`, name, vm: { name } },
      ...{ cluster: { id: cluster }, storage_domain: { name: 'data1' }, sparse: true },
    }),
  );
  const { id: vm } = answer['vm'] as Thing;
  await settled(vm);
  const bytes: Buffer[] = [];
  for (const { id } of await list(`/vms/${vm}/diskattachments`))
    bytes.push(await site.read(id, 'raw'));
  return { vm, bytes };
}

/** Members of an archive, listed by tar. */
const members = (path: string) =>
  execFileSync('tar', ['tf', path], { encoding: 'utf8' }).trim().split('\n');

describe('an exported VM', () => {
  it.each(['raw', 'cow'] as const)(
    'with a %s disk is an archive that other programs read',
    async (format) => {
      const bytes = Buffer.concat([randomBytes(3 * MiB), Buffer.alloc(60 * MiB), randomBytes(MiB)]);
      const vm = await machine(`out-${format}`, format, bytes);
      await exporting(`/vms/${vm.id}`, `${format}.ova`);
      await settled(vm.id);
      const [document, member = ''] = members(hostFilePath(`${format}.ova`));
      expect(document).toBe('vm.ovf');
      const folder = join(site.parent, `unpacked-${format}`);
      mkdirSync(folder);
      execFileSync('tar', ['xf', hostFilePath(`${format}.ova`), '-C', folder]);
      const text = readFileSync(join(folder, 'vm.ovf'), 'utf8');
      expect(text).toContain(`ovf:href="${member}"`);
      expect(text).toContain(`<Name>out-${format}</Name>`);
      // No temporary files remain.
      expect(
        readdirSync(join(hostFilePath(''), '.')).filter((name) => name.startsWith('.')),
      ).toEqual([]);
      if (hasQemu) {
        const raw = join(folder, 'disk.raw');
        execFileSync('qemu-img', ['convert', '-O', 'raw', join(folder, member), raw]);
        expect(readFileSync(raw).equals(bytes)).toBe(true);
        execFileSync('qemu-img', ['check', join(folder, member)]);
      }
      const back = await imported(`/exports/ova/${format}.ova`, `in-${format}`);
      expect(back.bytes.map((one) => one.equals(bytes))).toEqual([true]);
    },
  );

  it('keeps running during the export', async () => {
    const bytes = randomBytes(64 * MiB);
    const vm = await machine('running', 'cow', bytes);
    await done(site.api.json('POST', `/vms/${vm.id}/start`, {}));
    await settled(vm.id, 'up');
    await exporting(`/vms/${vm.id}`, 'running.ova');
    expect((await site.api.json('GET', `/vms/${vm.id}`)).json()['status']).toBe('up');
    while (!(await site.events(1224)).some((text) => text.includes('running'))) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const back = await imported('/exports/ova/running.ova', 'was-running');
    expect(back.bytes.map((one) => one.equals(bytes))).toEqual([true]);
    // The temporary copy is deleted.
    await site.stop();
    await site.start('--host-files', hostFiles);
    expect(await site.events(10920)).toEqual([]);
  });

  it('replaces an archive with that name only after completion', async () => {
    const vm = await machine('twice', 'raw', Buffer.alloc(64 * MiB, 'a'));
    await exporting(`/vms/${vm.id}`, 'twice.ova');
    await settled(vm.id);
    const before = readFileSync(hostFilePath('twice.ova'));
    await exporting(`/vms/${vm.id}`, 'twice.ova');
    await settled(vm.id);
    const after = readFileSync(hostFilePath('twice.ova'));
    expect(after.length).toBe(before.length);
  });
});

describe('a foreign archive', () => {
  it.skipIf(!hasQemu)('with an image of another platform is imported', async () => {
    const folder = join(site.parent, 'appliance');
    mkdirSync(folder);
    const bytes = Buffer.concat([randomBytes(2 * MiB), Buffer.alloc(14 * MiB)]);
    writeFileSync(join(folder, 'disk.raw'), bytes);
    const vmdk = ['convert', '-O', 'vmdk', '-o', 'subformat=streamOptimized'];
    execFileSync('qemu-img', [...vmdk, join(folder, 'disk.raw'), join(folder, 'disk1.vmdk')]);
    writeFileSync(join(folder, 'appliance.ovf'), applianceOvf);
    const place = join(hostFiles, String(host['name']), 'var/tmp');
    mkdirSync(place, { recursive: true });
    for (const format of ['ustar', 'gnu', 'pax']) {
      const ova = join(place, `${format}.ova`);
      execFileSync('tar', ['cf', ova, '-H', format, '-C', folder, 'appliance.ovf', 'disk1.vmdk']);
      const back = await imported(`/var/tmp/${format}.ova`, `appliance-${format}`);
      expect(back.bytes.map((one) => one.equals(bytes))).toEqual([true]);
      const { os, memory } = (await site.api.json('GET', `/vms/${back.vm}`)).json();
      expect([os, memory]).toEqual([expect.objectContaining({ type: 'other_linux' }), 1024 * MiB]);
    }
  });

  it.skipIf(!hasQemu)(
    'whose image references other files is refused, and none is read',
    async () => {
      const folder = join(site.parent, 'others');
      mkdirSync(folder);
      const secret = join(site.parent, 'secret.raw');
      writeFileSync(secret, randomBytes(MiB));
      const image = join(folder, 'disk1.vmdk');
      const qemu = (...words: string[]) => execFileSync('qemu-img', words, { cwd: folder });
      const importing = (name: string) => {
        const place = join(hostFiles, String(host['name']), 'var/tmp');
        mkdirSync(place, { recursive: true });
        writeFileSync(join(folder, 'appliance.ovf'), applianceOvf);
        execFileSync('tar', ['cf', join(place, `${name}.ova`), 'appliance.ovf', 'disk1.vmdk'], {
          cwd: folder,
        });
        return site.api.json('POST', '/externalvmimports', {
          ...{ provider: 'kvm', url: `ova:///var/tmp/${name}.ova`, name, vm: { name } },
          ...{ cluster: { id: cluster }, storage_domain: { name: 'data1' }, sparse: true },
        });
      };
      const list = `# Disk DescriptorFile
version=1
CID=fffffffe
parentCID=ffffffff
createType="monolithicFlat"
RW 2048 FLAT "${secret}" 0
`;
      const embedded = Buffer.alloc(21 * 512 + MiB);
      embedded.write('KDMV');
      embedded.writeUInt32LE(1, 4);
      embedded.writeBigUInt64LE(1n, 28);
      embedded.write(list, 512);
      const refused: Record<string, [make: () => void, lack: string]> = {
        list: [() => writeFileSync(image, list), 'only a list of other files, without data'],
        embedded: [
          () => writeFileSync(image, embedded),
          'only a list of other files, without data',
        ],
        backed: [
          () => qemu('create', '-q', '-f', 'qcow2', '-b', secret, '-F', 'raw', image),
          'the overlay of another image',
        ],
        external: [
          () => qemu('create', '-q', '-f', 'qcow2', '-o', 'data_file=../secret.raw', image, '1M'),
          'an image with an external data file',
        ],
      };
      for (const [name, [make, lack]] of Object.entries(refused)) {
        make();
        const answer = await importing(name);
        expect(answer.status, name).toBe(400);
        expect(answer.text).toContain(`disk1.vmdk is ${lack}`);
        rmSync(image);
      }
      // qemu-img itself would follow the reference.
      writeFileSync(image, embedded);
      qemu('convert', '-f', 'vmdk', '-O', 'raw', image, 'followed.raw');
      expect(readFileSync(join(folder, 'followed.raw')).equals(readFileSync(secret))).toBe(true);
      rmSync(image);

      qemu('convert', '-f', 'raw', '-O', 'vmdk', secret, '../base.vmdk');
      qemu('create', '-q', '-f', 'vmdk', '-b', join(site.parent, 'base.vmdk'), '-F', 'vmdk', image);
      // This reference is only detected when the image is opened.
      const { id } = (await done(importing('difference')))['vm'] as Thing;
      await settled(id);
      expect((await site.api.json('GET', `/vms/${id}`)).json()['has_illegal_images']).toBe(true);
      await vi.waitFor(
        () => expect(site.server.stderr()).toContain('the overlay of another image'),
        {
          timeout: 30_000,
        },
      );
    },
  );

  it('that is invalid, truncated, or outside of the folder is refused', async () => {
    const place = join(hostFiles, String(host['name']), 'var/tmp');
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'garbage.ova'), randomBytes(2048));
    writeFileSync(join(place, 'empty.ova'), '');
    writeFileSync(join(site.parent, 'secret.ova'), 'x');
    symlinkSync(join(site.parent, 'secret.ova'), join(place, 'link.ova'));
    const ask = (path: string) =>
      site.api.json('POST', '/externalvmimports', {
        ...{ provider: 'kvm', url: `ova://${path}`, name: 'no', vm: { name: 'no' } },
        ...{ cluster: { id: cluster }, storage_domain: { name: 'data1' } },
      });
    for (const path of ['/var/tmp/garbage.ova', '/var/tmp/empty.ova', '/var/tmp/link.ova']) {
      const answer = await ask(path);
      expect(answer.status, answer.text).toBe(400);
      expect(answer.text).toContain('cannot be read');
    }
    for (const path of ['/nowhere.ova', '/../../secret.ova', '/var/tmp/../../../secret.ova']) {
      const answer = await ask(path);
      expect(answer.text).toContain('No host has the file');
    }
    expect(await list('/vms?search=name%3Dno')).toEqual([]);
    expect(existsSync(join(site.parent, 'secret.ova'))).toBe(true);
  });
});

describe('an export', () => {
  /** A template of a VM with an empty qcow2 disk; resolves with its path and its disk. */
  async function template(name: string): Promise<{ path: string; disk: string }> {
    const body = { name, cluster: { id: cluster }, template: { name: 'Blank' } };
    const vm = await done(site.api.json('POST', '/vms', body));
    const disk = await site.add(`${name}-disk`, 64 * MiB, 'cow');
    const attachment = { disk: { id: disk }, interface: 'virtio', bootable: true, active: true };
    await done(site.api.json('POST', `/vms/${vm.id}/diskattachments`, attachment));
    const made = await done(site.api.json('POST', '/templates', { name, vm: { id: vm.id } }));
    const path = `/templates/${made.id}`;
    await site.api.until(path, (answer) => answer.json()['status'] === 'ok');
    return { path, disk };
  }

  it('of a disk without any write contains an empty image', async () => {
    const { path } = await template('never-written');
    await exporting(path, 'never-written.ova');
    await site.api.until(path, (answer) => answer.json()['status'] !== 'locked');
    expect((await site.api.json('GET', path)).json()['status']).toBe('ok');
    const [, member = ''] = members(hostFilePath('never-written.ova'));
    const folder = join(site.parent, 'unpacked-never');
    mkdirSync(folder);
    execFileSync('tar', ['xf', hostFilePath('never-written.ova'), '-C', folder]);
    if (!hasQemu) return;
    const info = execFileSync('qemu-img', ['info', '--output=json', join(folder, member)]);
    expect(JSON.parse(info.toString())).toMatchObject({ 'virtual-size': 64 * MiB });
  });

  it('that fails leaves the VM unchanged and reports the reason', async () => {
    const vm = await machine('lost', 'cow', randomBytes(MiB));
    rmSync(site.image({ id: String(vm['disk']) }));
    await exporting(`/vms/${vm.id}`, 'lost.ova');
    await settled(vm.id);
    expect(await site.events(1225)).toEqual([expect.stringContaining('lost')]);
    expect(existsSync(hostFilePath('lost.ova'))).toBe(false);
  });

  it('that fails leaves the template unchanged and reports the reason', async () => {
    const { path } = await template('lost-template');
    // A folder with the name of the target file.
    mkdirSync(hostFilePath('lost-template.ova'), { recursive: true });
    await exporting(path, 'lost-template.ova');
    await site.api.until(path, (answer) => answer.json()['status'] !== 'locked');
    expect((await site.api.json('GET', path)).json()['status']).toBe('ok');
    expect(await site.events(1228)).toEqual([expect.stringContaining('lost-template')]);
  });
});
