/** `--query`, `--utc`, and columns that lead to other objects. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ids, type Site, startSite, web01 } from '../support/site.ts';

let site: Site;

beforeAll(async () => {
  site = await startSite({
    'GET /virt-app/api/vms/followed': {
      body: { ...web01, cluster: { id: ids.lab, name: 'lab', data_center: { name: 'dc1' } } },
    },
    'GET /virt-app/api/events': {
      body: {
        event: [
          {
            id: '1',
            time: '2026-01-02T03:04:05.678+02:00',
            description: '2026-01-02T03:04:05+02:00',
          },
        ],
      },
    },
  });
});

afterAll(() => site.close());
beforeEach(() => void site.calls());

const out = (...argv: string[]) => site.out(...argv);

describe('--query', () => {
  it('prints json by default', async () => {
    expect(JSON.parse(await out('vms', 'list', '--query', "[?status=='up'].{n: name}"))).toEqual([
      { n: 'web01' },
    ]);
  });

  it('prints texts and numbers bare in other formats', async () => {
    const names = ['vms', 'list', '--query', '[].name', '-o'];
    for (const format of ['tsv', 'csv', 'table', 'wide', 'name', 'id']) {
      expect(await out(...names, format)).toBe('web01\nweb02\n');
    }
    expect(await out(...names, 'jsonl')).toBe('"web01"\n"web02"\n');
    expect(await out(...names, 'yaml')).toBe('- web01\n- web02\n');
    expect(await out('vms', 'get', 'web01', '--query', 'memory', '-o', 'tsv')).toBe('4294967296\n');
    expect(await out('vms', 'list', '--query', '[].[name,status]', '-o', 'tsv')).toBe(
      'web01\tup\nweb02\tdown\n',
    );
    expect(await out('vms', 'list', '--query', '[].nothing | [0]', '-o', 'json')).toBe('null\n');
  });

  it('makes tables of objects, with the columns that the expression made', async () => {
    const rows = ['vms', 'list', '--query', '[].{vm: name, cores: cpu.topology.cores}', '-o'];
    expect(await out(...rows, 'table')).toBe('VM     CORES\nweb01  2\nweb02  -\n');
    expect(await out(...rows, 'csv')).toBe('vm,cores\nweb01,2\nweb02,\n');
  });

  it('goes together with an order', async () => {
    expect(await out('vms', 'list', '--sort', '-name', '--query', '[].name', '-o', 'tsv')).toBe(
      'web02\nweb01\n',
    );
  });

  it.each([
    ['[?name==', 8],
    ['[].name #', 8],
    ['[].', 3],
    ['', 0],
  ])('%j is refused with a caret, before the first request', async (expression, at) => {
    const human = await site.run(['vms', 'list', '--query', expression]);
    expect(human.code).toBe(2);
    expect(human.stderr).toContain(`\n  ${expression}\n  ${' '.repeat(at)}^\n`);
    const machine = await site.run(['vms', 'list', '--query', expression, '-o', 'json']);
    expect(JSON.parse(machine.stderr)).toMatchObject({ code: 'bad_query', exit_code: 2 });
    expect(site.calls()).toEqual([]);
  });

  it('validates functions before the first request', async () => {
    const result = await site.run(['vms', 'list', '--query', 'lenght(@)']);
    expect(result.code).toBe(2);
    expect(site.calls()).toEqual([]);
  });
});

describe('--utc', () => {
  it('shows every time in UTC, and nothing else', async () => {
    const [event] = JSON.parse(await out('events', 'list', '--utc', '-o', 'json'));
    expect(event).toEqual({
      id: '1',
      time: '2026-01-02T01:04:05.678Z',
      description: '2026-01-02T03:04:05+02:00',
    });
    const table = await site.run(['events', 'list', '--utc', '--columns', 'time'], {
      terminal: 80,
    });
    expect(table.stdout).toContain('2026-01-02T01:04:05.678Z');
  });
});

describe('columns that lead to other objects', () => {
  it('are followed, except for names, which are looked up', async () => {
    const columns =
      'name,host.name,cluster.data_center.name,disk_attachments.disk.alias,cluster.id';
    await out('vms', 'list', '-o', 'csv', '--columns', columns);
    expect(site.calls()[0]).toBe('GET /vms?follow=cluster.data_center,disk_attachments.disk');
    await out('vms', 'get', 'web01', '-o', 'csv', '--columns', 'nics.mac.address');
    expect(site.calls().at(-1)).toBe(`GET /vms/${ids.web01}?follow=nics`);
  });

  it('go together with links that are followed anyway', async () => {
    await out('vms', 'list', '-o', 'tsv', '--columns', 'nics.name', '--follow', 'snapshots,nics');
    expect(site.calls()[0]).toBe('GET /vms?follow=snapshots,nics');
  });

  it.each([
    ['cluster.data_centre.name', 'cluster (cluster) has no data_centre', 'cluster.data_center?'],
    ['disk_attachments.disk.alais', 'disk_attachments.disk (disk) has no alais', 'disk.alias?'],
    ['cluster.name.x', 'cluster.name has no member x', 'use --columns cluster.name'],
    ['cpu.topolgy.cores', 'cpu (cpu) has no topolgy', 'cpu.topology?'],
  ])('refuses %s before the first request', async (path, message, hint) => {
    const result = await site.run(['vms', 'list', '--columns', path]);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain(message);
    expect(result.stderr).toContain(hint);
    expect(site.calls()).toEqual([]);
  });
});
