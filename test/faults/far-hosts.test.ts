/** Transfers from another host over a connection that is interrupted or loses packets. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawApi } from '../support/raw.ts';
import { type ServerProcess, startServerProcess, vmctl } from '../support/server.ts';
import { User } from '../transfer/support/commands.ts';
import { difference, MiB, makeImage } from '../transfer/support/images.ts';
import { chooseCount, isFullRun, recordResult } from './support/catalogue.ts';
import { cannotReachFar, FarHost } from './support/far-host.ts';

const cannot = cannotReachFar();

interface Answer {
  readonly id: string;
  readonly phase?: string;
  readonly status?: string;
  readonly transfer_url?: string;
}

describe.skipIf(cannot)(`another host${cannot ?? ''}`, () => {
  let far: FarHost;
  let server: ServerProcess;
  let folder: string;
  let file: string;
  /** Administrator on this host, who reads objects and journals. */
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

  /** Starts the command on the other host. */
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

  /** Seconds; the command reconnects after 60 seconds of silence. */
  it.each(isFullRun ? [5, 60] : [2])(
    'C2 a connection that is down for %i s',
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
      recordResult('C2', `complete after ${seconds} s without a network, one disk`);
    },
    300_000,
  );

  it.each(isFullRun ? [100, 20, 10] : [50])(
    'C3 one packet of %i is lost',
    async (every) => {
      // Bandwidth at which the start of a command is a small part of the time.
      if (isFullRun && every === 100) far.narrow(100);
      const stop = far.losing(every);
      try {
        const name = `lossy-${every}`;
        const began = Date.now();
        const { code, stderr } = await start(...upload(name)).outcome;
        const own = Date.now() - began;
        expect(code, stderr).toBe(0);
        expect(far.dropped()).toBeGreaterThan(0);
        const other = isFullRun ? await byCurl(`${name}-curl`) : undefined;
        const copy = join(folder, 'copy.raw');
        await near.must('disks', 'download', name, copy, '--force');
        expect(difference(file, copy)).toBeUndefined();
        const compared =
          other === undefined ? '' : `, ${Math.round((100 * other) / own)} % of curl's speed`;
        recordResult(
          'C3',
          `complete with ${chooseCount(100, 100) / every} % packet loss${compared}`,
        );
      } finally {
        stop();
      }
    },
    300_000,
  );

  /** Milliseconds of a curl script for the same transfer on the same connection. */
  async function byCurl(name: string): Promise<number> {
    const { api_url: api, ca_file: ca, username } = server.ready;
    const curl = async (...words: string[]): Promise<string> => {
      const user = ['-u', `${username}:${server.password}`, '-H', 'Accept: application/json'];
      const [program = '', ...rest] = far.inside('curl', '-sSf', '--cacert', ca, ...user, ...words);
      const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
      let text = '';
      child.stdout.on('data', (piece: Buffer) => {
        text += piece.toString();
      });
      expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
      return text;
    };
    const read = async (...words: string[]) => JSON.parse(await curl(...words)) as Answer;
    const post = (path: string, body: object) =>
      read('-H', 'Content-Type: application/json', '-d', JSON.stringify(body), `${api}${path}`);
    const until = async (path: string, member: 'phase' | 'status', value: string) => {
      for (;;) {
        const found = await read(`${api}${path}`);
        if (found[member] === value) return found;
      }
    };
    const began = Date.now();
    const disk = await post('/disks', {
      ...{ name, format: 'raw', provisioned_size: size, sparse: true },
      storage_domains: { storage_domain: [{ name: 'data1' }] },
    });
    await until(`/disks/${disk.id}`, 'status', 'ok');
    const transfer = await post('/imagetransfers', { direction: 'upload', disk: { id: disk.id } });
    const path = `/imagetransfers/${transfer.id}`;
    const { transfer_url: url = '' } = await until(path, 'phase', 'transferring');
    await curl('-T', file, url);
    await post(`${path}/finalize`, {});
    await until(`/disks/${disk.id}`, 'status', 'ok');
    return Date.now() - began;
  }
});
