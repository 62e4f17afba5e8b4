/** `vmctl images` and `vmctl imagetransfers`: manual transfers. */
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ServerProcess } from '../support/server.ts';
import { User } from '../transfer/support/commands.ts';
import { MiB, makeImage } from '../transfer/support/images.ts';
import { useTransferSetup } from '../transfer/support/workshop.ts';

let folder: string;
let server: ServerProcess;
let user: User;

useTransferSetup((workshop) => {
  ({ server, folder, user } = workshop);
});

interface Transfer {
  readonly id: string;
  readonly phase: string;
  readonly direction: string;
  readonly transfer_url: string;
  readonly transferred?: number;
}

async function json<T>(...words: string[]): Promise<T> {
  return JSON.parse(await user.must(...words, '-o', 'json')) as T;
}

/** Creates a disk and a transfer to it. */
async function begin(name: string, ...more: string[]): Promise<Transfer> {
  const { id } = await json<{ id: string }>(
    ...['disks', 'create', '--name', name, '--provisioned-size', '16MiB', '--format', 'raw'],
    ...['--storagedomain', 'data1'],
  );
  const words = ['imagetransfers', 'create', '--disk', id, '--format', 'raw', ...more];
  const created = await json<Transfer>(...words);
  return await json<Transfer>('imagetransfers', 'get', created.id);
}

describe('images', () => {
  it('reads and writes the image of a ticket', async () => {
    const { id, transfer_url: url } = await begin('by-hand', '--direction', 'upload');
    expect(await json('images', 'options', url)).toMatchObject({
      methods: expect.arrayContaining(['GET', 'PUT', 'PATCH']),
      features: expect.arrayContaining(['zero', 'flush', 'extents', 'checksum']),
    });
    const file = join(folder, 'part.raw');
    makeImage(file, 9 * MiB + 77);
    const wrote = await user.runProcess('images', 'write', url, file, '--offset', '1MiB');
    expect([wrote.code, wrote.stderr]).toEqual([0, expect.stringContaining('written at 1048576')]);
    const piped = await user.fed(
      Buffer.from('hello'),
      ...['images', 'write', url, '-', '--offset', '12MiB', '--no-flush'],
    );
    expect([piped.code, piped.stderr]).toEqual([0, expect.stringContaining('images flush')]);
    await user.must('images', 'flush', url);
    await user.must('images', 'zero', url, '--offset', '2MiB', '--size', '1MiB', '--flush');
    const copy = join(folder, 'copy.raw');
    const words = ['images', 'read', url, '--offset', '1MiB', '--size', '9437261', '-O', copy];
    await user.must(...words);
    const wanted = readFileSync(file).fill(0, MiB, 2 * MiB);
    expect(readFileSync(copy).equals(wanted)).toBe(true);
    expect(await user.must('images', 'read', url, '--offset', '12MiB', '--size', '5')).toBe(
      'hello',
    );
    const again = await user.runProcess(...words);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('exists')]);
    await user.must(...words, '--force');
    expect(await json('images', 'info', url)).toMatchObject({ size: 16 * MiB });
    const list = await json<{ start: number; length: number; zero: boolean }[]>(
      ...['images', 'extents', url],
    );
    expect(list.at(0)).toMatchObject({ start: 0, zero: true });
    expect(list.reduce((sum, { length }) => sum + length, 0)).toBe(16 * MiB);
    const checksum = ['images', 'checksum', url];
    expect(await json(...checksum, '--algorithm', 'sha256', '--block-size', '1MiB')).toMatchObject({
      algorithm: 'sha256',
      block_size: MiB,
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    await user.must('imagetransfers', 'finalize', id);
    const over = await user.run('images', 'flush', url, '-o', 'json');
    expect(JSON.parse(over.stderr)).toMatchObject({ code: 'ticket_refused', exit_code: 6 });
  });

  it('refuses invalid requests without the ticket in the message', async () => {
    const { id, transfer_url: url } = await begin('refused', '--direction', 'upload');
    const ticket = new URL(url).pathname.split('/').at(-1) ?? '';
    const link = join(folder, 'link');
    symlinkSync(join(folder, 'target'), link);
    const through = await user.run('images', 'read', url, '-O', link);
    expect([through.code, through.stderr]).toEqual([2, expect.stringContaining('symbolic link')]);
    for (const [words, message] of [
      [['images', 'read', url, '--offset', '16MiB', '--size', '1'], ': the image daemon reports:'],
      [
        ['images', 'zero', url, '--offset', '15MiB', '--size', '2MiB'],
        ': the image daemon reports:',
      ],
      [['images', 'checksum', url, '--algorithm', 'none'], ': the image daemon reports:'],
      [['images', 'extents', url, '--context', 'dirty'], ': the image daemon reports:'],
      [['images', 'write', url, join(folder, 'nothing')], 'cannot read'],
      [['images', 'flush', 'https://example.com/x'], 'not the URL of an image'],
    ] as const) {
      const { code, stderr, stdout } = await user.run(...words);
      expect([code === 0, stdout, stderr]).toEqual([false, '', expect.stringContaining(message)]);
      expect(stderr).not.toContain(ticket);
    }
    const stranger = new User(server, folder, { VMCTL_CA_FILE: '' });
    expect((await stranger.run('images', 'flush', url)).code).toBe(8);
    expect((await stranger.run('images', 'flush', url, '--insecure')).code).toBe(0);
    const shown = await user.run('images', 'flush', url, '--dry-run');
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('PATCH')]);
    await user.must('imagetransfers', 'cancel', id);
  });
});

describe('imagetransfers', () => {
  it('go through all operations', async () => {
    const { id, transfer_url: url } = await begin('phases', '--direction', 'upload');
    const phase = async () => (await json<Transfer>('imagetransfers', 'get', id)).phase;
    expect(await phase()).toBe('transferring');
    await user.must('imagetransfers', 'extend', id);
    await user.must('transfers', 'pause', id);
    expect(await phase()).toBe('paused_user');
    await user.must('transfers', 'resume', id);
    expect(await phase()).toBe('transferring');
    const file = join(folder, 'file');
    writeFileSync(file, 'x'.repeat(4096));
    const { transfer_url: now } = await json<Transfer>('imagetransfers', 'get', id);
    await user.must('images', 'write', now ?? url, file);
    // The service updates the progress of a transfer periodically.
    await user.must('transfers', 'wait', id, '--for', 'transferred=4096');
    await user.must('transfers', 'finalize', id);
    expect(await phase()).toBe('finished_success');
    const table = await user.must('transfers', 'list');
    const [head = '', ...rows] = table.split('\n');
    expect(head.toLowerCase()).toMatch(/id\s+phase\s+direction\s+disk\s+transferred/);
    const row = rows.find((one) => one.includes(id)) ?? '';
    expect(row).toMatch(/upload\s+phases\s+4/);
  });
});
