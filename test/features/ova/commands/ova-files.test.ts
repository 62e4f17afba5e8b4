/** `vmctl vms export-ova` and `import-ova`: VMs in local files, compatible with other programs. */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { FolderSite, MiB } from '../../../faults/support/site.ts';
import { Machine } from '../../../support/backed-up.ts';
import { type Home, makeHome } from '../../../support/command.ts';
import { vmctl } from '../../../support/server.ts';

const appliance = join(import.meta.dirname, '../../../data/appliance.ovf');
const hasQemu = spawnSync('qemu-img', ['--version']).status === 0;
/** Not a multiple of the cluster size. */
const size = 5 * MiB + 4096;

interface Thing {
  readonly id: string;
  readonly [member: string]: unknown;
}

let site: FolderSite;
let home: Home;
let hostFiles: string;
let folder: string;
let name: string;
let count = 0;

beforeAll(async () => {
  site = new FolderSite();
  hostFiles = join(site.parent, 'files-of-hosts');
  await site.start('--host-files', hostFiles);
  home = makeHome(site.server);
});
afterAll(async () => {
  home.remove();
  await site.remove();
});
beforeEach(() => {
  count += 1;
  name = `packed-${count}`;
  folder = join(site.parent, `work ${count}`);
  mkdirSync(folder);
});

async function run(...words: string[]) {
  const outcome = await home.runHere(words);
  expect(outcome, `${words.join(' ')}\n${outcome.stderr}`).toMatchObject({ code: 0 });
  return outcome;
}

async function json<T = Thing>(...words: string[]): Promise<T> {
  return JSON.parse((await run(...words, '-o', 'json')).stdout) as T;
}

/** A VM with a raw and a qcow2 disk, and their bytes. */
async function machineWithDisks(): Promise<{ vm: Machine; disks: string[]; images: Buffer[] }> {
  const vm = await Machine.create(site, name);
  const disks: string[] = [];
  const images: Buffer[] = [];
  for (const format of ['raw', 'cow'] as const) {
    const disk = await vm.addDisk(size, format);
    const image = Buffer.alloc(size);
    await vm.scribble(disk, image, 4);
    disks.push(disk);
    images.push(image);
  }
  return { vm, disks, images };
}

const attachments = (vm: string) => json<Thing[]>('diskattachments', 'list', '--vm', vm);

/** Disk contents of a VM as its guest sees them. */
async function contents(vm: string): Promise<Buffer[]> {
  const found: Buffer[] = [];
  for (const { id } of await attachments(vm)) found.push(await site.read(id, 'raw'));
  return found;
}

const inAnyOrder = (images: readonly Buffer[]) =>
  images.map((image) => createHash('sha256').update(image).digest('hex')).sort();

const importing = (...words: string[]) =>
  home.runHere(['vms', 'import-ova', ...words, '--storagedomain', 'data1']);

describe('vms export-ova', () => {
  it('writes an archive that tar reads, with images that qemu-img accepts', async () => {
    const { disks, images } = await machineWithDisks();
    const file = join(folder, 'it.ova');
    const told = await json('vms', 'export-ova', name, file);
    expect(told).toMatchObject({ file, disks: [{}, {}] });
    const unpacked = join(folder, 'unpacked');
    mkdirSync(unpacked);
    execFileSync('tar', ['xf', file, '-C', unpacked]);
    const members = execFileSync('tar', ['tf', file], { encoding: 'utf8' }).trim().split('\n');
    expect(members[0]).toBe('vm.ovf');
    expect(members).toHaveLength(3);
    const document = readFileSync(join(unpacked, 'vm.ovf'), 'utf8');
    for (const id of disks) expect(document).toContain(id);
    for (const member of members.slice(1)) {
      const path = join(unpacked, member);
      expect(document).toContain(`ovf:size="${statSync(path).size}"`);
      if (hasQemu) {
        execFileSync('qemu-img', ['check', '-f', 'qcow2', path]);
        execFileSync('qemu-img', ['convert', '-O', 'raw', path, `${path}.raw`]);
        const raw = readFileSync(`${path}.raw`);
        expect(images.some((image) => image.equals(raw))).toBe(true);
      }
    }
  });

  it('writes an archive that services import themselves', async () => {
    const { images } = await machineWithDisks();
    const [host] = await json<Thing[]>('hosts', 'list');
    const there = join(hostFiles, String(host?.['name']), 'exports');
    mkdirSync(there, { recursive: true });
    await run('vms', 'export-ova', name, join(there, 'it.ova'));
    const vm = `${name}-by-service`;
    const answer = await site.api.json('POST', '/externalvmimports', {
      ...{ provider: 'kvm', url: 'ova:///exports/it.ova', name: vm, vm: { name: vm } },
      ...{ cluster: { name: 'Default' }, storage_domain: { name: 'data1' }, sparse: true },
    });
    expect(answer.status, answer.text).toBeLessThan(300);
    const made = answer.json<{ vm: Thing }>().vm.id;
    await site.api.until(`/vms/${made}`, (one) => one.json()['status'] === 'down');
    expect(inAnyOrder(await contents(vm))).toEqual(inAnyOrder(images));
  });

  it('keeps an existing file without --force', async () => {
    await machineWithDisks();
    const file = join(folder, 'it.ova');
    writeFileSync(file, 'a letter');
    const refused = await home.runHere(['vms', 'export-ova', name, file]);
    expect(refused.code).toBe(2);
    expect(readFileSync(file, 'utf8')).toBe('a letter');
    await run('vms', 'export-ova', name, file, '--force');
    expect(statSync(file).size).toBeGreaterThan(MiB / 2);
    expect(readdirSync(folder)).toEqual(['it.ova']);
  });

  it('leaves no file and free disks after an interruption', async () => {
    const { disks } = await machineWithDisks();
    await site.write(disks[1] ?? '', randomBytes(MiB), 'raw');
    const words = ['vms', 'export-ova', name, join(folder, 'it.ova'), '--limit-rate', '16KiB/s'];
    const child = home.run(['--debug', ...words]);
    await vi.waitFor(() => expect(readdirSync(folder)).toEqual(['it.ova.partial']), {
      timeout: 20_000,
    });
    const transfers = () => json<Thing[]>('imagetransfers', 'list');
    const isReading = async () =>
      expect((await transfers()).some(({ phase }) => phase === 'transferring')).toBe(true);
    await vi.waitFor(isReading, { timeout: 20_000 });
    const found = execFileSync('pgrep', ['-f', `export-ova ${name} `], { encoding: 'utf8' });
    for (const pid of found.trim().split('\n')) process.kill(Number(pid), 'SIGTERM');
    expect((await child).code).toBe(143);
    expect(readdirSync(folder)).toEqual([]);
    for (const id of disks)
      await site.api.until(`/disks/${id}`, (one) => one.json()['status'] === 'ok');
  });

  it.runIf(process.platform === 'linux')('leaves no file if the disk is full', async () => {
    const { disks } = await machineWithDisks();
    const file = join(folder, 'it.ova');
    const words = ['vms', 'export-ova', name, file].map((word) => `'${word}'`).join(' ');
    // Limits the file size to 100 KiB.
    const script = `ulimit -f 100; exec '${process.execPath}' '${vmctl}' ${words}`;
    const refused = await promisify(execFile)('bash', ['-c', script], { env: home.env }).catch(
      (error: { code: number; stderr: string }) => error,
    );
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain(
      'it.ova.partial": the file exceeds a limit of the file system',
    );
    expect(readdirSync(folder)).toEqual([]);
    for (const id of disks) {
      await site.api.until(`/disks/${id}`, (one) => one.json()['status'] === 'ok');
    }
  });

  it('names the obstacle: a running VM', async () => {
    await machineWithDisks();
    await run('vms', 'start', name);
    const refused = await home.runHere(['vms', 'export-ova', name, join(folder, 'it.ova')]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('disk');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('vms import-ova', () => {
  it('recreates the VM with its disks and attachments', async () => {
    const { vm, images } = await machineWithDisks();
    const file = join(folder, 'it.ova');
    await run('nics', 'create', '--vm', name, '--name', 'lan', '--interface', 'e1000');
    const memory = ['--memory', '512MiB', '--memory-guaranteed', '512MiB'];
    await run('vms', 'update', name, ...memory, '--description', 'for mail');
    await run('vms', 'export-ova', name, file);
    const taken = await importing(file);
    expect(taken).toMatchObject({ code: 6 });
    const again = `${name}-again`;
    const unclear = await home.runHere(['vms', 'import-ova', file, '--name', again]);
    expect(unclear).toMatchObject({ code: 6 });
    expect(unclear.stderr).toContain('--storage-domain data1');
    const made = await json('vms', 'import-ova', file, '--name', again, '--storagedomain', 'data1');
    expect(made).toMatchObject({ name: again, description: 'for mail', memory: 512 * MiB });
    expect(made.id).not.toBe(vm.id);
    expect(inAnyOrder(await contents(again))).toEqual(inAnyOrder(images));
    const how = (all: Thing[]) => all.map((one) => [one['interface'], one['active']]);
    expect(how(await attachments(again))).toEqual(how(await attachments(name)));
    const nics = await json<Thing[]>('nics', 'list', '--vm', again);
    expect(nics).toMatchObject([{ name: 'lan', interface: 'e1000' }]);
    // The existing VM keeps its disks.
    expect(inAnyOrder(await contents(name))).toEqual(inAnyOrder(images));
    // Imports again, unpacked in another folder.
    execFileSync('tar', ['xf', file, '-C', folder]);
    const third = `${name}-third`;
    expect(await importing(join(folder, 'vm.ovf'), '--name', third)).toMatchObject({ code: 0 });
    expect(inAnyOrder(await contents(third))).toEqual(inAnyOrder(images));
  });

  it('accepts archives that the service wrote', async () => {
    const { vm, images } = await machineWithDisks();
    const [host] = await json<Thing[]>('hosts', 'list');
    const where = { host: { id: host?.id }, directory: '/out', filename: `${name}.ova` };
    const answer = await site.api.json('POST', `${vm.path}/export`, where);
    expect(answer.status, answer.text).toBeLessThan(300);
    const file = join(hostFiles, String(host?.['name']), 'out', `${name}.ova`);
    await vi.waitFor(() => expect(existsSync(file)).toBe(true), { timeout: 20_000 });
    await site.api.until(vm.path, (one) => one.json()['status'] === 'down');
    await run('vms', 'import-ova', file, '--name', `${name}-again`, '--storagedomain', 'data2');
    expect(inAnyOrder(await contents(`${name}-again`))).toEqual(inAnyOrder(images));
  });

  it('refuses damaged, truncated and incomplete archives before any change', async () => {
    await machineWithDisks();
    const file = join(folder, 'it.ova');
    await run('vms', 'export-ova', name, file);
    const before = await json<Thing[]>('vms', 'list');
    const disks = await json<Thing[]>('disks', 'list');
    const cut = join(folder, 'cut.ova');
    copyFileSync(file, cut);
    // The last image is larger than this.
    truncateSync(cut, statSync(file).size - 2 ** 16);
    const other = ['--name', `${name}-x`];
    expect((await importing(cut, ...other)).stderr).toMatch(
      /is truncated in .*: \d+ bytes are missing/,
    );
    execFileSync('tar', ['xf', file, '-C', folder]);
    const disk = readdirSync(folder).find((one) => !one.includes('.')) ?? '';
    const whole = readFileSync(join(folder, disk));
    writeFileSync(join(folder, disk), whole.subarray(0, 300_000));
    const short = await importing(join(folder, 'vm.ovf'), ...other);
    expect(short.stderr).toContain('the table ends after the end of the file');
    writeFileSync(join(folder, disk), whole);
    const sparse = join(folder, 'sparse.raw');
    writeFileSync(sparse, '');
    truncateSync(sparse, 4 * MiB);
    for (const how of [['--format=gnu'], ['--format=posix', '--sparse-version=0.0']]) {
      const words = [...how, '-cSf', 'sparse.ova', 'vm.ovf', 'sparse.raw'];
      execFileSync('tar', words, { cwd: folder });
      const refused = await importing(join(folder, 'sparse.ova'), ...other);
      expect(refused.stderr).toContain('The archive has sparse files; create it without tar -S.');
    }
    rmSync(sparse);
    const [image = ''] = readdirSync(folder).filter((one) => !one.includes('.'));
    renameSync(join(folder, image), join(folder, 'elsewhere'));
    const incomplete = await importing(join(folder, 'vm.ovf'), ...other);
    expect(incomplete.stderr).toContain(`refers to the file ${image}, which is missing`);
    const text = join(folder, 'letter.txt');
    writeFileSync(text, 'dear '.repeat(300));
    expect((await importing(text, ...other)).stderr).toContain('cannot import');
    const outside = join(folder, 'outside.ovf');
    const document = readFileSync(join(folder, 'vm.ovf'), 'utf8');
    writeFileSync(outside, document.replaceAll(`ovf:href="${image}"`, 'ovf:href="../elsewhere"'));
    expect((await importing(outside, ...other)).stderr).toContain(', which is not next to it');
    const stored = join(folder, 'stored.ovf');
    const vm = (await json('vms', 'get', name)).id;
    const shown = await site.api.json('GET', `/vms/${vm}?all_content=true`);
    const { initialization } = shown.json<{
      initialization: { configuration: { data: string } };
    }>();
    writeFileSync(stored, initialization.configuration.data);
    const noFiles = await importing(stored, ...other);
    expect(noFiles.stderr).toContain('backups restore');
    for (const outcome of [incomplete, noFiles]) expect(outcome.code).toBe(2);
    expect(await json<Thing[]>('vms', 'list')).toHaveLength(before.length);
    expect(await json<Thing[]>('disks', 'list')).toHaveLength(disks.length);
  });

  it('removes all created objects if an upload fails, with --cleanup', async () => {
    await machineWithDisks();
    const file = join(folder, 'it.ova');
    await run('vms', 'export-ova', name, file);
    const disks = await json<Thing[]>('disks', 'list');
    const rule = { operation: 'add', type: 'disk_attachment', status: 409, detail: 'not now' };
    const words = ['api', 'POST', '/_vmctl/faults', '--input', '-'];
    await home.runHere(words, {}, JSON.stringify(rule));
    const failed = await importing(file, '--name', `${name}-x`, '--cleanup');
    await run('api', 'DELETE', '/_vmctl/faults');
    expect(failed.stderr).toContain('not now');
    expect(failed.code).not.toBe(0);
    expect(await json<Thing[]>('disks', 'list')).toHaveLength(disks.length);
    const vms = await json<Thing[]>('vms', 'list');
    expect(vms.some((vm) => vm['name'] === `${name}-x`)).toBe(false);
  });
});

describe.runIf(hasQemu)('vms import-ova of other products', () => {
  const bytes = randomBytes(7 * MiB);
  let archive: string;

  beforeEach(() => {
    writeFileSync(join(folder, 'disk.raw'), bytes);
    truncateSync(join(folder, 'disk.raw'), 12 * MiB);
    const words = ['convert', '-O', 'vmdk', '-o', 'subformat=streamOptimized'];
    execFileSync('qemu-img', [...words, 'disk.raw', 'disk.vmdk'], { cwd: folder });
    copyFileSync(appliance, join(folder, 'it.ovf'));
    writeDigests();
    archive = join(folder, 'it.ova');
    execFileSync('tar', ['cf', archive, 'it.ovf', 'it.mf', 'disk.vmdk'], { cwd: folder });
  });

  function writeDigests(): void {
    const lines = ['it.ovf', 'disk.vmdk'].map((file) => {
      const hex = createHash('sha256')
        .update(readFileSync(join(folder, file)))
        .digest('hex');
      return `SHA256(${file})= ${hex}\n`;
    });
    writeFileSync(join(folder, 'it.mf'), lines.join(''));
  }

  it('converts the image, and attaches disks that every guest can boot from', async () => {
    const { stderr } = await run('vms', 'import-ova', archive, '--storagedomain', 'data1');
    expect(stderr).toContain('network VM Network not found: nic1 is connected to');
    const made = await json('vms', 'get', 'Mail-Server-2');
    expect(made).toMatchObject({
      ...{ memory: 768 * MiB, cpu: { topology: { sockets: 2 } } },
      bios: { type: 'q35_ovmf' },
    });
    const [first, second] = await attachments('Mail-Server-2');
    expect(first).toMatchObject({ interface: 'sata', bootable: true, active: true });
    expect(second).toMatchObject({ interface: 'sata', bootable: false });
    const [content, empty] = await contents('Mail-Server-2');
    expect(content).toHaveLength(12 * MiB);
    expect(content?.subarray(0, bytes.length).equals(bytes)).toBe(true);
    expect(empty?.equals(Buffer.alloc(3 * MiB))).toBe(true);
    expect(await json<Thing[]>('nics', 'list', '--vm', 'Mail-Server-2')).toHaveLength(1);
  });

  it('accepts a network, an interface and a name from the command line, and compressed files', async () => {
    execFileSync('gzip', ['disk.vmdk'], { cwd: folder });
    const document = readFileSync(appliance, 'utf8').replace('disk.vmdk', 'disk.vmdk.gz');
    writeFileSync(join(folder, 'packed.ovf'), document);
    const words = ['--network', 'mgmt', '--disk-interface', 'virtio_scsi', '--name', name];
    const done = await importing(join(folder, 'packed.ovf'), ...words);
    expect(done).toMatchObject({ code: 0 });
    expect(done.stderr).not.toContain('no network');
    expect((await attachments(name))[0]).toMatchObject({ interface: 'virtio_scsi' });
    expect((await contents(name))[0]?.subarray(0, bytes.length).equals(bytes)).toBe(true);
  });

  it('compares digests without --no-verify', async () => {
    const image = readFileSync(join(folder, 'disk.vmdk'));
    writeFileSync(join(folder, 'it.ovf'), `${readFileSync(appliance, 'utf8')}\n`);
    const damaged = await importing(join(folder, 'it.ovf'), '--name', name);
    expect(damaged).toMatchObject({ code: 6 });
    expect(damaged.stderr).toContain('it.ovf does not match it.mf: sha256 is');
    writeDigests();
    writeFileSync(join(folder, 'disk.vmdk'), Buffer.concat([image, Buffer.alloc(512)]));
    const longer = await importing(join(folder, 'it.ovf'), '--name', name);
    expect(longer.stderr).toContain('disk.vmdk does not match it.mf');
    writeFileSync(join(folder, 'it.mf'), 'nonsense\n');
    const unreadable = await importing(join(folder, 'it.ovf'), '--name', name);
    expect(unreadable.stderr).toContain('it.mf, line 1: not a digest of a file');
    writeFileSync(join(folder, 'disk.vmdk'), image);
    expect(await importing(join(folder, 'it.ovf'), '--name', name, '--no-verify')).toMatchObject({
      code: 0,
    });
  });

  it('finds files with UTF-8 names and spaces, and ignores macOS metadata', async () => {
    renameSync(join(folder, 'disk.vmdk'), join(folder, 'Mühle 1.vmdk'));
    const document = readFileSync(appliance, 'utf8').replace('disk.vmdk', 'Mühle%201.vmdk');
    writeFileSync(join(folder, 'it.ovf'), Buffer.from(`\ufeff${document}`, 'utf16le'));
    writeFileSync(join(folder, '._it.ovf'), Buffer.alloc(100));
    const members = ['._it.ovf', 'it.ovf', 'Mühle 1.vmdk'];
    execFileSync('tar', ['--format=gnu', '-cf', 'it.ova', ...members], { cwd: folder });
    expect(await importing(archive, '--name', name)).toMatchObject({ code: 0 });
    expect((await contents(name))[0]?.subarray(0, bytes.length).equals(bytes)).toBe(true);
  });

  it('refuses an image whose data is in another file', async () => {
    const words = ['create', '-q', '-f', 'qcow2', '-o', 'data_file=d.raw', 'disk.vmdk', '2M'];
    execFileSync('qemu-img', words, { cwd: folder });
    const refused = await importing(join(folder, 'it.ovf'), '--name', name, '--no-verify');
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain('has an external data file');
    const upload = ['disks', 'upload', join(folder, 'disk.vmdk'), '--storagedomain', 'data1'];
    expect((await home.runHere(upload)).stderr).toContain('has an external data file');
  });

  it('reports missing qemu-img, and creates nothing', async () => {
    const words = ['vms', 'import-ova', archive, '--name', name, '--storagedomain', 'data1'];
    const refused = await home.runHere(words, { PATH: '/nonexistent' });
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain('qemu-img, which converts it, is not installed');
    const vms = await json<Thing[]>('vms', 'list');
    expect(vms.some((vm) => vm['name'] === name)).toBe(false);
  });

  it('does not read files that an image references', async () => {
    const secret = join(folder, 'secret.vmdk');
    execFileSync('qemu-img', ['create', '-q', '-f', 'vmdk', secret, '12M']);
    execFileSync('qemu-io', ['-f', 'vmdk', '-c', 'write -q -P 7 0 64k', secret]);
    const base = ['-b', secret, '-F', 'vmdk'];
    const image = join(folder, 'disk.vmdk');
    execFileSync('qemu-img', ['create', '-q', '-f', 'vmdk', ...base, image]);
    const refused = await importing(join(folder, 'it.ovf'), '--name', name, '--no-verify');
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain('disk.vmdk is the overlay of another image');

    const list = Buffer.alloc(21 * 512);
    list.write('KDMV');
    list.writeUInt32LE(1, 4);
    list.writeBigUInt64LE(1n, 28);
    list.write(
      `# Disk DescriptorFile\ncreateType="monolithicFlat"\nRW 20 FLAT "${secret}" 0\n`,
      512,
    );
    writeFileSync(image, list);
    const named = await importing(join(folder, 'it.ovf'), '--name', name, '--no-verify');
    expect(named).toMatchObject({ code: 2 });
    expect(named.stderr).toContain('disk.vmdk is not an image');
  });
});
