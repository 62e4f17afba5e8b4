/**
 * Single parts of a VM: the screen, of which a screenshot is taken, and the drive, which needs no
 * name.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();

describe('vms screenshot', () => {
  it('writes a picture into a file, which it does not overwrite unasked', async () => {
    const file = join(desk.home().folder, 'vm-01.png');
    expect(await desk.must('vms', 'screenshot', 'vm-01', '--file', file)).toBe(`${file}\n`);
    expect(readFileSync(file).subarray(1, 4).toString()).toBe('PNG');
    writeFileSync(file, 'precious');
    const { code, stderr } = await desk.run(['vms', 'screenshot', 'vm-01', '--file', file]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('vm-01.png already exists')]);
    expect(readFileSync(file, 'utf8')).toBe('precious');
    await desk.must('vms', 'screenshot', 'vm-01', '--file', file, '--force');
    expect(readFileSync(file).subarray(1, 4).toString()).toBe('PNG');
  });

  it('writes it into a pipe', async () => {
    const { code, stdout, stderr } = await desk.home().run(['vms', 'screenshot', 'vm-01']);
    expect([code, stdout.slice(1, 4), stderr]).toEqual([0, 'PNG', '']);
  });

  it('writes no file without an image', async () => {
    const file = join(desk.home().folder, 'none.png');
    const { code, stderr } = await desk.run(['vms', 'screenshot', 'vm-02', '--file', file]);
    expect([code, stderr]).toEqual([6, expect.stringContaining('is in status down')]);
    expect(existsSync(file)).toBe(false);
  });
});

describe('the drive of a machine', () => {
  const iso = 'debian-12.7.0-amd64-netinst.iso';

  it('need not be named', async () => {
    await desk.must('cdroms', 'change', '--vm', 'vm-01', '--file', iso);
    const drive = await desk.json<Record<string, unknown>>('cdroms', 'get', '--vm', 'vm-01');
    expect(drive).toMatchObject({ file: { id: iso } });
    await desk.must('cdroms', 'change', '--on', 'vms/vm-01', '--file', '');
    expect(await desk.json('cdroms', 'get', '--vm', 'vm-01')).not.toHaveProperty('file');
  });

  it('is reported if it does not exist', async () => {
    const { code, stderr } = await desk.run(['watchdogs', 'get', '--vm', 'vm-01']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('no watchdogs exist')]);
  });

  it('is not selected automatically if a VM may have several', async () => {
    const { code, stderr } = await desk.run(['nics', 'delete', '--vm', 'vm-01']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('nics delete: no object given')]);
  });
});
