/** `vmctl conformance`: checks of our server, and of one with differences. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../../../support/command.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';

let server: TestServer;
let home: Home;

beforeAll(async () => {
  server = await startTestServer(['--inventory', 'small', '--speed', '0']);
  home = makeHome(server);
});
afterAll(async () => {
  home.remove();
  await server.stop();
});
afterEach(async () => {
  await home.runHere(['api', 'DELETE', '/_vmctl/faults']);
});

interface Reported {
  readonly row: string;
  readonly operation: string;
  readonly verdict: string;
  readonly specification: string;
  readonly service: string;
}

async function report(...words: string[]) {
  const { code, stdout, stderr } = await home.runHere(['conformance', '-o', 'json', ...words]);
  return { code, stderr, rows: JSON.parse(stdout) as readonly Reported[] };
}

async function fault(rule: object): Promise<void> {
  const words = ['api', 'POST', '/_vmctl/faults', '--input', '-'];
  expect(await home.runHere(words, {}, JSON.stringify(rule))).toMatchObject({ code: 0 });
}

async function sent(): Promise<readonly { method: string }[]> {
  const words = ['serve', 'requests', '--limit', '1000', '-o', 'json'];
  return JSON.parse((await home.runHere(words)).stdout) as { method: string }[];
}

describe('vmctl conformance', () => {
  it('finds no difference in our service with the dialect of engines', async () => {
    const engine = await startTestServer(['--dialect', 'ovirt', '--speed', '0']);
    const there = makeHome(engine);
    const words = ['conformance', '--changes', '--differences', '-o', 'json'];
    const { code, stdout, stderr } = await there.runHere(words);
    there.remove();
    await engine.stop();
    expect(JSON.parse(stdout)).toEqual([]);
    expect(code, stderr).toBe(0);
  });

  it('finds no difference in our service, and only reads', async () => {
    const before = (await sent()).length;
    const { code, rows, stderr } = await report();
    expect(rows.filter(({ verdict }) => verdict === 'differs')).toEqual([]);
    expect(code, stderr).toBe(0);
    const numbers = new Set(rows.map(({ row }) => row));
    for (let row = 1; row <= 210; row += 1)
      expect([row, numbers.has(String(row))]).toEqual([row, true]);
    for (let row = 1; row <= 35; row += 1) expect(numbers.has(`G${row}`)).toBe(true);
    expect(numbers.has('beyond')).toBe(true);
    expect(rows.filter(({ verdict }) => verdict === 'conforms').length).toBeGreaterThan(250);
    const asked = (await sent())
      .slice(before)
      .filter(({ method }) => method !== 'GET' && method !== 'HEAD');
    // Without a session the command signs in.
    expect(asked.length).toBeLessThanOrEqual(1);
  });

  it('creates objects in a separate data center with --changes, and removes them', async () => {
    const listed = async () =>
      await Promise.all(
        [
          'datacenters',
          'clusters',
          'networks',
          'tags',
          'bookmarks',
          'roles',
          'macpools',
          'affinitylabels',
        ].map(async (noun) => (await home.runHere([noun, 'list', '-o', 'id'])).stdout),
      );
    const before = await listed();
    const { code, rows } = await report('--changes');
    expect(rows.filter(({ verdict }) => verdict === 'differs')).toEqual([]);
    expect(code).toBe(0);
    for (const operation of [
      'POST /datacenters add',
      'PUT /clusters/{cluster} update',
      'DELETE /networks/{network} remove',
      'GET /bookmarks/{bookmark} get',
      'POST /clusters/{cluster}/affinitygroups add',
    ]) {
      expect(rows).toContainEqual(expect.objectContaining({ operation, verdict: 'conforms' }));
    }
    expect(await listed()).toEqual(before);
  });

  it('reports differences with their operations, and exits with 11', async () => {
    await fault({ operation: 'list', type: 'tag', status: 500, detail: 'out of order' });
    const { code, rows, stderr } = await report('--differences');
    expect(code).toBe(11);
    expect(rows.length).toBeGreaterThan(0);
    for (const { operation, service } of rows) {
      expect(operation).toContain('tags');
      expect(service).toMatch(/500: .*out of order.*, not 200/);
    }
    expect(stderr).toMatch(/\d+ conform, \d+ differ, \d+ not tried/);
  });

  it('reports failures, and removes everything else', async () => {
    await fault({ operation: 'update', type: 'network', status: 409, detail: 'not today' });
    await fault({ operation: 'add', type: 'role', status: 400 });
    const { code, rows } = await report('--changes', '--differences');
    expect(code).toBe(11);
    expect(rows.map(({ operation }) => operation).toSorted()).toEqual([
      'POST /roles add',
      'PUT /networks/{network} update',
    ]);
    await home.runHere(['api', 'DELETE', '/_vmctl/faults']);
    const { stdout } = await home.runHere(['datacenters', 'list', '-o', 'name']);
    expect(stdout).not.toContain('conformance-');
  });

  it('writes a self-contained page', async () => {
    const file = join(home.folder, 'report.html');
    const { code, stdout } = await home.runHere(['conformance', '--html', file, '-q']);
    expect([code, stdout]).toEqual([0, '']);
    const page = readFileSync(file, 'utf8');
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).toContain('<td>GET /vms list</td><td class="conforms">conforms</td>');
    expect(page).not.toMatch(/<script|https?:\/\/(?!127)/);
  });

  it('checks the named service', async () => {
    const { code, stdout } = await home.runHere(
      ['conformance', server.ready.base_url, '-o', 'csv'],
      { VMCTL_URL: 'https://127.0.0.1:1' },
    );
    expect(code).toBe(0);
    expect(stdout).toContain('row,operation,verdict,specification,service');
  });

  it('reports a page that is not writable', async () => {
    const file = join(home.folder, 'nowhere/report.html');
    const { code, stderr } = await home.runHere(['conformance', '--html', file]);
    expect(code).toBe(2);
    expect(stderr).toContain('--html');
  });
});
