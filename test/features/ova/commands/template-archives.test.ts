/** `vmctl templates import-ova`: templates from archives of VMs and templates. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { FolderSite, MiB } from '../../../faults/support/site.ts';
import { Machine } from '../../../support/backed-up.ts';
import { type Home, makeHome } from '../../../support/command.ts';

interface Thing {
  readonly id: string;
  readonly name?: string;
  readonly [member: string]: unknown;
}

const size = 2 * MiB;
const image = Buffer.alloc(size);
let site: FolderSite;
let home: Home;
let archive: string;
let machine: Machine;
let count = 0;
let name: string;

beforeAll(async () => {
  site = new FolderSite();
  await site.start('--host-files', join(site.parent, 'files-of-hosts'));
  home = makeHome(site.server);
  machine = await Machine.create(site, 'source');
  await machine.scribble(await machine.addDisk(size, 'raw'), image, 3);
  archive = join(site.parent, 'source.ova');
  await run('vms', 'update', 'source', '--memory', '3GiB');
  await run('vms', 'export-ova', 'source', archive);
});
afterAll(async () => {
  home.remove();
  await site.remove();
});
beforeEach(() => {
  count += 1;
  name = `golden-${count}`;
});

async function run(...words: string[]) {
  const outcome = await home.runHere(words);
  expect(outcome, `${words.join(' ')}\n${outcome.stderr}`).toMatchObject({ code: 0 });
  return outcome;
}

async function json<T = Thing>(...words: string[]): Promise<T> {
  return JSON.parse((await run(...words, '-o', 'json')).stdout) as T;
}

const importing = (...words: string[]) =>
  home.runHere(['templates', 'import-ova', ...words, '--storage-domain', 'data1']);

/** Names of all VMs, and the number of disks. */
async function inventory() {
  const vms = await json<Thing[]>('vms', 'list');
  const disks = await json<Thing[]>('disks', 'list');
  return { vms: vms.map((vm) => vm.name).sort(), disks: disks.length };
}

/** Bytes that a VM of the template has. */
async function readDisk(template: string): Promise<Buffer> {
  await run('vms', 'create', `of-${template}`, '--cluster', 'Default', '--template', template);
  const [disk] = await json<Thing[]>('diskattachments', 'list', '--vm', `of-${template}`);
  return await site.read(String(disk?.id), 'raw');
}

it('creates a template with the disks, and leaves no VM', async () => {
  const before = await inventory();
  const { code, stdout, stderr } = await importing(archive, '--name', name, '-o', 'json');
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ name, status: 'ok', memory: 3 * 2 ** 30 });
  expect(await inventory()).toEqual({ vms: before.vms, disks: before.disks + 1 });
  expect((await readDisk(name)).equals(image)).toBe(true);
});

it('reads archives of templates that the service wrote', async () => {
  await run('templates', 'create', name, '--vm', 'source');
  const [host] = await json<Thing[]>('hosts', 'list');
  const target = ['--host', String(host?.name), '--directory', '/out', '--filename', 'it.ova'];
  await run('templates', 'export', name, ...target);
  const file = join(site.parent, 'files-of-hosts', String(host?.name), 'out/it.ova');
  await vi.waitFor(() => expect(existsSync(file)).toBe(true), { timeout: 20_000 });
  await run('wait', `templates/${name}`, '--for', 'status=ok');
  const other = `${name}-again`;
  expect(await importing(file, '--name', other)).toMatchObject({ code: 0 });
  expect(await json('templates', 'get', other)).toMatchObject({ memory: 3 * 2 ** 30 });
  expect((await readDisk(other)).equals(image)).toBe(true);
});

it('refuses the name of another template before any change', async () => {
  const before = await inventory();
  await run('templates', 'create', name, '--vm', 'source');
  const { code, stderr } = await importing(archive, '--name', name);
  expect([code, stderr]).toEqual([
    6,
    expect.stringContaining(`templates/${name} already exists, unchanged`),
  ]);
  expect((await inventory()).vms).toEqual(before.vms);
});

it.each([
  ['the template', 'add', 'template'],
  ['the removal of the VM', 'remove', 'vm'],
])('reports the remaining objects if %s fails', async (_, operation, type) => {
  await refuse(operation, type);
  const { code, stderr } = await importing(archive, '--name', name, '-o', 'json');
  await run('api', 'DELETE', '/_vmctl/faults');
  const { next } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as { next: string[] };
  expect([code, stderr]).toEqual([
    6,
    expect.stringMatching(/vms\/import-[0-9a-f]{8} w(as|ere) created/),
  ]);
  for (const line of next.filter((one) => one.includes(' delete '))) {
    await run(...line.split(' ').slice(1), '--yes');
  }
  expect((await inventory()).vms.join()).not.toContain('import-');
  expect((await json<Thing[]>('templates', 'list')).map((one) => one.name)).not.toContain(name);
});

it('removes all created objects if the template fails, with --cleanup', async () => {
  const before = await inventory();
  await refuse('add', 'template');
  const { code, stderr } = await importing(archive, '--name', name, '--cleanup');
  await run('api', 'DELETE', '/_vmctl/faults');
  expect([code, stderr]).toEqual([6, expect.stringContaining('not now')]);
  expect(await inventory()).toEqual(before);
});

it.each([
  [['vms', 'export-ova', 'source', '-'], 'cannot be written to standard output'],
  [['vms', 'import-ova', '-', '--storage-domain', 'data1'], 'cannot be read from standard input'],
  [['templates', 'import-ova', '-'], 'cannot be read from standard input'],
])('%j is refused, because an archive needs a file', async (words, message) => {
  const { code, stderr } = await home.runHere(words);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(existsSync('-')).toBe(false);
});

async function refuse(operation: string, type: string): Promise<void> {
  const rule = { operation, type, status: 409, detail: 'not now' };
  const words = ['api', 'POST', '/_vmctl/faults', '--input', '-'];
  await home.runHere(words, {}, JSON.stringify(rule));
}
