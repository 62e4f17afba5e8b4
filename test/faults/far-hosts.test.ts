/** Transfers from another host, over a line that is cut for a while or loses packets. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawApi } from '../support/raw.ts';
import { type ServerProcess, startServerProcess, vmctl } from '../support/server.ts';
import { User } from '../transfer/support/commands.ts';
import { difference, MiB, makeImage } from '../transfer/support/images.ts';
import { count, figure, whole } from './support/catalogue.ts';
import { cannotReachFar, FarHost } from './support/far-host.ts';

const cannot = cannotReachFar();

describe.skipIf(cannot)(`another host${cannot ?? ''}`, () => {
  let far: FarHost;
  let server: ServerProcess;
  let folder: string;
  let file: string;
  /** The administrator at this machine: to look at what is there, and to read journals. */
  let near: User;
  const size = 96 * MiB;

  beforeAll(async () => {
    far = new FarHost();
    folder = mkdtempSync(join(tmpdir(), 'vmctl-far-'));
    file = join(folder, 'image.raw');
    makeImage(file, size);
    server = await startServerProcess([
      ...['--inventory', 'small', '--speed', '0', '--data', join(folder, 'data')],
      ...['--listen', `${far.here}:0`, '--images-listen', `${far.here}:0`],
    ]);
    near = new User(server, folder);
  });
  afterAll(async () => {
    await server?.stop();
    far?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs the command on the other host. */
  function start(...words: string[]) {
    const [program = '', ...rest] = far.inside(process.execPath, vmctl, ...words);
    const child = spawn(program, rest, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...{ PATH: process.env['PATH'], HOME: folder, VMCTL_URL: server.ready.base_url },
        ...{ VMCTL_USERNAME: server.ready.username, VMCTL_PASSWORD: server.password },
        VMCTL_CA_FILE: server.ready.ca_file,
      },
    });
    let stderr = '';
    child.stderr.on('data', (piece: Buffer) => {
      stderr += piece.toString();
    });
    const code = new Promise<number | null>((resolve) => child.once('close', resolve));
    return { process: child, outcome: code.then((ended) => ({ code: ended, stdout: '', stderr })) };
  }

  const upload = (name: string) => [
    ...['disks', 'upload', file, '--name', name, '--storagedomain', 'data1', '-q'],
  ];

  /** Seconds; a command gives a silent line up after sixty, and goes on. */
  it.each(whole ? [5, 60] : [2])(
    'C2 a line that is down for %i s',
    async (seconds) => {
      const name = `cut-${seconds}`;
      const running = start(...upload(name), '--limit-rate', '40M');
      await near.until(2, running);
      far.setLine('down');
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
      far.setLine('up');
      const { code, stderr } = await running.outcome;
      expect(code, stderr).toBe(0);
      const api = await RawApi.signIn(server);
      const found = (await api.json('GET', `/disks?search=name%3D${name}`)).json<{
        disk: unknown[];
      }>();
      expect(found.disk).toHaveLength(1);
      const copy = join(folder, 'copy.raw');
      await near.must('disks', 'download', name, copy, '--force');
      expect(difference(file, copy)).toBeUndefined();
      figure('C2', `complete after ${seconds} s without a line, one disk`);
    },
    300_000,
  );

  it.each(whole ? [100, 20, 10] : [50])(
    'C3 one packet of %i is lost',
    async (every) => {
      // A line on which starting a command takes a small part of the time.
      if (whole && every === 100) far.narrow(100);
      const stop = far.losing(every);
      try {
        const name = `lossy-${every}`;
        const began = Date.now();
        const { code, stderr } = await start(...upload(name)).outcome;
        const own = Date.now() - began;
        expect(code, stderr).toBe(0);
        expect(far.dropped()).toBeGreaterThan(0);
        const other = whole ? await byCurl(name) : undefined;
        const copy = join(folder, 'copy.raw');
        await near.must('disks', 'download', name, copy, '--force');
        expect(difference(file, copy)).toBeUndefined();
        const compared =
          other === undefined ? '' : `, ${Math.round((100 * other) / own)} % of curl's speed`;
        figure('C3', `complete with ${count(100, 100) / every} % lost${compared}`);
      } finally {
        stop();
      }
    },
    300_000,
  );

  /** Milliseconds that curl needs for the same bytes, to the same disk. */
  async function byCurl(name: string): Promise<number> {
    const api = await RawApi.signIn(server);
    const disks = (await api.json('GET', `/disks?search=name%3D${name}`)).json<{
      disk: { id: string }[];
    }>().disk;
    const begun = await api.json('POST', '/imagetransfers', {
      ...{ direction: 'upload', disk: { id: disks[0]?.id } },
    });
    const path = `/imagetransfers/${begun.json<{ id: string }>().id}`;
    const ready = await api.until(path, (answer) => answer.json()['phase'] === 'transferring');
    const began = Date.now();
    const [program = '', ...rest] = far.inside(
      ...['curl', '-sSf', '--cacert', server.ready.ca_file, '-T', file],
      String(ready.json()['transfer_url']),
    );
    const child = spawn(program, rest, { stdio: ['ignore', 'inherit', 'inherit'] });
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
    const took = Date.now() - began;
    await api.json('POST', `${path}/finalize`, {});
    await api.until(`/disks/${disks[0]?.id}`, (answer) => answer.json()['status'] === 'ok');
    return took;
  }
});
