/** `vmctl explain` describes every type of the model without a connection. */
import { describe, expect, it } from 'vitest';
import { lifecycles } from '../../../src/model/derive/lifecycles.ts';
import { types } from '../../../src/model/derive/types.ts';
import { listAttributes } from '../../../src/model/index.ts';
import { vmctl } from '../support/run.ts';

describe('explain', () => {
  it('knows every type with all its attributes', async () => {
    for (const name of Object.keys(types)) {
      const result = await vmctl(['explain', name, '-o', 'json']);
      expect(result.code, name).toBe(0);
      const schema = JSON.parse(result.stdout) as { properties: Record<string, object> };
      const names = Object.keys(schema.properties);
      expect(names, name).toEqual(expect.arrayContaining(Object.keys(listAttributes(name))));
      const page = await vmctl(['explain', name]);
      for (const one of names) expect(page.stdout, name).toContain(`\n  ${one}`);
    }
  });

  it('describes states and transitions', async () => {
    for (const [name, lifecycle] of Object.entries(lifecycles)) {
      const result = await vmctl(['explain', name, '-o', 'json']);
      expect(JSON.parse(result.stdout), name).toMatchObject({
        'x-states': { initial: lifecycle.initial, settled: lifecycle.settled },
      });
      const page = (await vmctl(['explain', name])).stdout;
      for (const operation of Object.keys(lifecycle.moves))
        expect(page).toContain(`  ${operation}`);
    }
    const page = (await vmctl(['explain', 'vm'])).stdout;
    expect(page).toContain('States (status):\n  initial  down\n');
    expect(page).toMatch(/ start +down, suspended, paused -> /);
  });

  it('follows attributes into what they hold', async () => {
    const result = await vmctl(['explain', 'vm.cpu.topology']);
    expect(result.stdout).toContain('vm.cpu.topology');
    expect(result.stdout).toContain('  cores ');
    const sockets = await vmctl(['explain', 'vms.cpu.topology.sockets', '-o', 'json']);
    expect(JSON.parse(sockets.stdout)).toMatchObject({
      ...{ type: 'integer', 'x-kind': 'int' },
    });
  });

  it('lists the values of an enumerated attribute', async () => {
    const result = await vmctl(['explain', 'disk.format']);
    expect(result.stdout).toMatch(/kind +enum disk_format\n/);
    expect(result.stdout).toMatch(/values +cow, raw\n/);
  });

  it('takes nouns, and hyphens', async () => {
    const expected = (await vmctl(['explain', 'storage_domain'])).stdout;
    expect((await vmctl(['explain', 'sd'])).stdout).toBe(expected);
    expect((await vmctl(['explain', 'storage-domain'])).stdout).toBe(expected);
  });

  it('prints attributes as rows in table formats', async () => {
    const result = await vmctl(['explain', 'bookmark', '-o', 'csv']);
    expect(result.stdout).toMatch(/^name,kind,mutability,values,default,doc\n/);
    expect(result.stdout).toContain('\nvalue,string,CU,');
  });

  it.each([
    ['storage_domian', 'unknown type "storage_domian"', 'storage_domain'],
    ['vm.memry', 'vm has no attribute memry', 'vm.memory'],
    ['vm.cpu.topologie', 'cpu has no attribute topologie', 'cpu.topology'],
    ['vm.memory.max', 'vm.memory is long and has no attributes', 'vmctl explain vm.memory'],
  ])('refuses %s, with near names', async (words, message, hint) => {
    const result = await vmctl(['explain', words]);
    expect(result.code).toBe(2);
    expect(result.stdout).toBe('');
    expect(result.stderr).toContain(message);
    expect(result.stderr).toContain(hint);
  });
});
