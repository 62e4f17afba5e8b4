/** Paths that the system refuses: the error says why, and is no bug of vmctl. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();
let folder = '';

beforeAll(() => {
  folder = join(desk.home().folder, 'broken');
  mkdirSync(folder);
  writeFileSync(join(folder, 'file'), 'text');
});

/** Unusable paths, by problem. */
const broken: readonly (readonly [path: string, reason: RegExp])[] = [
  ['file/below', /not a folder|no such file|it, or a part of its path, is a file/],
  ['none/below', /no such file or folder|cannot be brought/],
  [`${'long'.repeat(80)}`, /the name is too long/],
  ['.', /a folder|holds something else|is no|neither a|already exists/],
];

/** Addresses of a server that no other server has. */
const anyPort = ['--listen', '127.0.0.1:0', '--images-listen', '127.0.0.1:0'];

/** Commands that read or write their last argument; errors name the path. */
const commands: readonly (readonly string[])[] = [
  ['events', 'list', '--tail', '--count', '1', '--until-idle', '1s', '--cursor'],
  ['vms', 'update', 'vm-02', '-f'],
  ['vms', 'create', '--name', 'x', '-f'],
  ['vms', 'screenshot', 'vm-01', '--file'],
  ['vms', 'console', 'vm-01', '--file'],
  ['vms', 'import-ova'],
  ['templates', 'import-ova'],
  ['vms', 'export-ova', 'vm-02'],
  ['backups', 'restore'],
  ['disks', 'upload', '--storage-domain', 'data1', '--name', 'x'],
  ['disks', 'download', 'vm-02_Disk1'],
  ['disks', 'verify', 'vm-02_Disk1'],
  ['images', 'write', 'https://127.0.0.1:1/images/x'],
  ['apply'],
  ['diff'],
  ['conformance', '--html'],
  ['vms', 'list', '--record'],
  ['vms', 'list', '--ca-file'],
  ['vms', 'list', '--password-file'],
  ['serve', '--memory', '--password-file'],
  ['serve', '--memory', '--inventory'],
  ['serve', '--memory', '--ready-file'],
  ['serve', '--memory', '--load'],
  ['serve', '--replay'],
  ['serve', '--data'],
  ['serve', '--restore'],
];

describe.each(broken)('the path %s', (path, reason) => {
  it.each(commands.map((words) => ({ name: words.join(' '), words })))('of $name', async (one) => {
    const { name, words } = one;
    // Folders are what these take, and they create a missing one.
    if (!path.startsWith('file') && /serve --data|backups re/.test(name)) return;
    const isServer = name.startsWith('serve');
    const given =
      isServer && !name.includes('--replay')
        ? [...words.slice(0, -1), ...anyPort, ...words.slice(-1)]
        : words;
    const { code, stderr } = await desk.run([...given, join(folder, path)]);
    const isPlain = !/bug in vmctl|\b(ENOENT|ENOTDIR|EISDIR|ENAMETOOLONG|EACCES)\b/.test(stderr);
    const said = code === 0 || reason.test(stderr) ? 'the reason' : stderr;
    expect([isPlain, said]).toEqual([true, 'the reason']);
  });
});

it('backups run checks its target before the service begins a backup, and leaves nothing', async () => {
  const target = join(folder, 'file', 'backups');
  const { code, stderr } = await desk.run(['backups', 'run', 'vm-02', target]);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('a part of the path is not a folder'),
  ]);
  expect(await desk.json('backups', 'list', '--vm', 'vm-02')).toEqual([]);
  expect(readdirSync(folder)).toEqual(['file']);
});

it.skipIf(process.getuid?.() !== 0)('reports that a disk is full', async () => {
  const full = join(folder, 'full');
  mkdirSync(full);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', full]);
  try {
    // Fails when the disk is full, after it has filled the remaining space.
    expect(() => writeFileSync(join(full, 'ballast'), Buffer.alloc(128 * 1024))).toThrow('ENOSPC');
    for (const words of [
      ['vms', 'screenshot', 'vm-01', '--file', join(full, 'screen.png')],
      ['backups', 'run', 'vm-02', join(full, 'backup')],
      ['vms', 'export-ova', 'vm-02', join(full, 'vm.ova')],
    ]) {
      const { code, stderr } = await desk.run(words);
      expect(code, stderr).not.toBe(0);
      expect(stderr).toMatch(/no space left on the device/);
      expect(stderr).not.toContain('bug in vmctl');
    }
  } finally {
    execFileSync('umount', [full]);
  }
});
