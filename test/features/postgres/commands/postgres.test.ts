/**
 * Instructions of docs/scale-out.md with the built command: a site moved to PostgreSQL and back.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../../../support/command.ts';
import {
  type Cluster,
  createDatabase,
  postgresPrograms,
  startCluster,
  type TestDatabase,
} from '../../../support/postgres.ts';
import { RawApi, send } from '../../../support/raw.ts';
import { password, startServerProcess, vmctl } from '../../../support/server.ts';

describe.skipIf(postgresPrograms() === undefined)('a site in PostgreSQL', () => {
  let cluster: Cluster;
  let database: TestDatabase;
  let home: Home;
  let folder: string;
  const at = (name: string) => join(folder, name);

  beforeAll(async () => {
    cluster = startCluster();
    database = await createDatabase(cluster.folder);
    home = makeHome();
    folder = mkdtempSync(join(tmpdir(), 'vmctl-postgres-'));
    writeFileSync(at('known.raw'), Buffer.concat([randomBytes(1_000_000), Buffer.alloc(48_576)]));
  }, 60_000);
  afterAll(() => {
    cluster?.remove();
    home?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs shell commands with a server on a store. */
  async function serving(words: readonly string[], script: string) {
    const begin = `vmctl() { "${process.execPath}" "${vmctl}" "$@"; }; cd "${folder}"; set -e`;
    return home.run(
      [
        'serve',
        ...words,
        '--speed',
        '0',
        '--inventory',
        'small',
        '--',
        'bash',
        '-c',
        `${begin}\n${script}`,
      ],
      { VMCTL_SERVE_PASSWORD: password },
    );
  }
  const inPostgres = () => [
    '--store',
    database.address,
    '--data',
    at('own'),
    '--images',
    at('images'),
  ];

  it('is moved there, used, backed up, and moved back, with all its bytes', async () => {
    const first = await serving(
      ['--store', `sqlite:${at('site')}`],
      'vmctl disks upload known.raw --name known --storagedomain data1 -q; vmctl tags create --name mine',
    );
    expect(first.code, first.stderr).toBe(0);

    const there = await home.run([
      'serve',
      '--copy-store',
      `sqlite:${at('site')}`,
      database.address,
      '--images',
      at('images'),
    ]);
    expect(there.stdout, there.stderr).toMatch(
      /^site \S+: copied and verified \d+ rows and 1 images\n$/,
    );

    const used = await serving(
      inPostgres(),
      `vmctl disks verify known known.raw
       vmctl tags list -o name
       vmctl vms start vm-02
       vmctl events list --search 'vm.name=vm-02' -o name | head -1
       vmctl serve --backup saved`,
    );
    expect(used.stdout, used.stderr).toMatch(/mine/);
    expect(used.code, used.stderr).toBe(0);

    const again = await home.run([
      'serve',
      '--copy-store',
      `sqlite:${at('site')}`,
      database.address,
      '--images',
      at('images'),
    ]);
    expect(again.code).toBe(2);
    expect(again.stderr).toMatch(/already has a site.*\n.*existing data is not overwritten/);

    const back = await home.run([
      'serve',
      '--copy-store',
      database.address,
      `sqlite:${at('back')}`,
      '--images',
      at('images'),
    ]);
    expect(back.stdout, back.stderr).toMatch(/copied and verified/);
    const restored = await home.run(['serve', '--restore', at('saved'), '--data', at('restored')]);
    expect(restored.code, restored.stderr).toBe(0);
    for (const name of ['back', 'restored']) {
      const checked = await home.run(['serve', '--check', '--data', at(name)]);
      expect(checked.stdout, checked.stderr).toMatch(/1 images, no problems found/);
      const read = await serving(
        ['--data', at(name)],
        'vmctl vms get vm-02 -o json | grep -c "\\"up\\""; vmctl disks verify known known.raw',
      );
      expect(read.code, read.stdout + read.stderr).toBe(0);
    }
  }, 120_000);

  it('is refused with images of another site', async () => {
    expect((await serving(['--data', at('other')], 'true')).code).toBe(0);
    const other = await serving(
      ['--store', database.address, '--data', at('own'), '--images', at('other/images')],
      'true',
    );
    expect(other.code).toBe(2);
    expect(other.stderr).toMatch(/, the database to/);
  }, 60_000);

  it('is shared with a second server, which has the same authority and the same password', async () => {
    const second = `vmctl serve --store '${database.address}' --data second`;
    const both = await serving(
      inPostgres(),
      [
        'vmctl tags create --name of-the-first -q',
        `${second} --images images -- sh -c '"$0" "$1" tags list -o name; "$0" "$1" tags create --name of-the-second -q' "${process.execPath}" "${vmctl}"`,
        'vmctl tags list -o name; cmp own/ca.pem second/ca.pem',
        `unset VMCTL_SERVE_PASSWORD; echo alone:; ${second} --images images -- true || echo $?`,
        `${second} --images others -- true || echo $?`,
        `${second} --images images --new-site -- true || echo $?`,
        `vmctl serve --copy-store '${database.address}' sqlite:copy --images images || echo $?`,
      ].join('\n'),
    );
    expect(both.code, both.stderr).toBe(0);
    const [before, after] = both.stdout.split('alone:');
    expect(before?.match(/of-the-first/g)).toHaveLength(2);
    expect(before?.match(/of-the-second/g)).toHaveLength(1);
    expect(after?.trim().split(/\s+/)).toEqual(['2', '2', '2', '2']);
    expect(both.stderr).toMatch(/unknown here\n.*--password-file/);
    expect(both.stderr).toMatch(/others is not the image folder of the servers of /);
    expect(both.stderr.match(/another vmctl serve uses it/g)).toHaveLength(2);
  }, 90_000);

  it('ends a transfer of a restored state: no other server has its ticket', async () => {
    const state = '/_vmctl/state';
    const used = await serving(
      inPostgres(),
      [
        'vmctl disks create --name loaded --provisioned-size 1MiB --format raw --storagedomain data1 --wait -q',
        'id=$(vmctl imagetransfers create --disk loaded --direction download --wait -o name)',
        `auth="admin@internal:${password}"; url="\${VMCTL_URL%/*}${state}"`,
        'curl -sSf --cacert "$VMCTL_CA_FILE" -u "$auth" "$url" -o state',
        'vmctl imagetransfers cancel "$id" --yes --wait',
        'curl -sSf --cacert "$VMCTL_CA_FILE" -u "$auth" "$url" -T state',
        'vmctl imagetransfers cancel "$id" --yes; vmctl disks delete loaded --yes --wait',
      ].join('\n'),
    );
    expect(used.code, used.stderr).toBe(0);
  }, 60_000);

  it('starts an empty site next to the old one, and deletes nothing', async () => {
    const begun = await serving(
      [...inPostgres(), '--new-site'],
      'vmctl tags list -o name; vmctl disks list -o name',
    );
    expect(begun.code, begun.stderr).toBe(0);
    expect(begun.stdout).not.toMatch(/mine|known/);
    expect(begun.stderr).toMatch(/the schema vmctl is now vmctl_before_\d+/);
    const aside = readdirSync(folder).filter((name) => name.startsWith('images.before-new-site'));
    expect(aside).toHaveLength(1);
    expect(readdirSync(at(aside[0] ?? '')).filter((name) => name.length === 36)).toHaveLength(1);
    const again = await serving(inPostgres(), 'true');
    expect(again.code, again.stderr).toBe(0);
  }, 60_000);

  it('recovers from an outage of PostgreSQL, with running operations', async () => {
    const words = ['--store', database.address, '--data', at('own'), '--images', at('images')];
    const server = await startServerProcess([...words, '--speed', '1']);
    try {
      const api = await RawApi.signIn(server);
      const [vm] = (await api.json('GET', '/vms?search=name%3Dvm-02')).json<{
        vm: { id: string }[];
      }>().vm;
      const path = `/vms/${vm?.id}`;
      expect((await api.json('POST', `${path}/start`, {})).status).toBe(200);
      const status = async () => {
        const answer = await api.json('GET', path);
        return answer.json<{ status?: string }>().status ?? answer.text;
      };
      await expect.poll(status, { timeout: 30_000 }).toBe('up');
      expect((await api.json('POST', `${path}/stop`, {})).status).toBe(200);
      await expect.poll(status, { timeout: 30_000 }).toBe('down');
      expect((await api.json('POST', `${path}/start`, {})).status).toBe(200);
      process.kill(cluster.pid(), 'SIGKILL');
      await expect.poll(async () => (await api.json('GET', path)).status).toBe(503);
      const ready = `${new URL(server.ready.base_url).origin}/_vmctl/ready`;
      const readiness = async () => (await send(ready, { ca: server.ca })).status;
      expect(await readiness()).toBe(503);
      // Longer than the start: the task is due while the database is down.
      await new Promise((resolve) => setTimeout(resolve, 8_000));
      expect((await api.json('PUT', path, { comment: 'no' })).status).toBe(503);
      await expect.poll(() => isStarted(cluster), { timeout: 30_000 }).toBe(true);
      await expect.poll(status, { timeout: 30_000 }).toBe('up');
      expect((await api.json('PUT', path, { comment: 'yes' })).status).toBe(200);
      expect(await readiness()).toBe(200);
      expect(server.stderr()).not.toMatch(/^ +at /m);
    } finally {
      expect(await server.stop()).toBe(0);
    }
  }, 120_000);

  it.each([
    [['--store', 'mysql://x'], /: not a valid store/],
    [['--store', 'sqlite:'], /: not a valid store/],
    [['--store', 'sqlite:a', '--data', 'b'], /exclude each other/],
    [['--store', 'postgres:', '--memory'], /exclude each other/],
    [['--copy-store', 'sqlite:a'], /needs two stores/],
    [
      ['--copy-store', 'sqlite:a', 'sqlite:b', '--data', 'c'],
      /--data is not valid with --copy-store FROM TO/,
    ],
  ])('refuses %j', async (words, message) => {
    const { code, stderr } = await home.run(['serve', ...words]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  it('masks the password of an address', async () => {
    const address = database.address
      .replace('postgres@', 'postgres:very-secret@')
      .replace('host=', 'host=%2Fnowhere');
    const { stderr } = await serving(['--store', address], 'true');
    expect(stderr).toContain('postgres:***@');
    expect(stderr).not.toContain('very-secret');
  });
});

function isStarted(cluster: Cluster): boolean {
  try {
    cluster.start();
    return true;
  } catch {
    return false;
  }
}
