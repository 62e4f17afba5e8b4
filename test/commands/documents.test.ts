/** Documents given with `-f`: sizes are written as for flags, and everything else is as it stands. */
import { describe, expect, it } from 'vitest';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();
const gib = 2 ** 30;

async function made(document: string, ...words: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await desk.run([...words, '-f', '-', '-o', 'json'], document);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

const place = '"cluster": {"name": "Default"}, "template": {"name": "Blank"}';

describe('sizes of a document', () => {
  it('may have units, in JSON', async () => {
    const document = `{"name": "10G", "description": "8GiB", "memory": "2GiB",
      "memory_policy": {"guaranteed": "1 G", "max": "4096MiB"}, ${place}}`;
    const vm = await made(document, 'vms', 'create');
    expect(vm).toMatchObject({
      ...{ name: '10G', description: '8GiB', memory: 2 * gib },
      memory_policy: { guaranteed: gib, max: 4 * gib },
    });
  });

  it('may have units, in YAML', async () => {
    const document = 'name: y1\nmemory: 1.5G\ncluster: {name: Default}\ntemplate: {name: Blank}\n';
    expect(await made(document, 'vms', 'create')).toMatchObject({ memory: 1.5 * gib });
  });

  it('may have units within other objects, beside lists as the API writes them', async () => {
    const disk = (domains: string) =>
      `{"disk": {"alias": "a", "provisioned_size": "3GiB", "format": "cow",
        "storage_domains": ${domains}}, "interface": "virtio", "active": true}`;
    for (const domains of ['[{"name": "data1"}]', '{"storage_domain": [{"name": "data1"}]}']) {
      const words = ['diskattachments', 'create', '--vm', 'vm-01'];
      const { id } = await made(disk(domains), ...words);
      const found = await desk.json<Record<string, unknown>>('disks', 'get', String(id));
      expect(found['provisioned_size']).toBe(3 * gib);
    }
  });

  it('keep large numbers exact', async () => {
    const { code, stdout } = await desk.run(
      ['disks', 'create', '-f', '-', '--dry-run', '-o', 'json'],
      '{"alias": "4GiB", "format": "cow", "provisioned_size": 9007199254740995, ' +
        '"initial_size": "1GiB", "storage_domains": [{"name": "data1"}]}',
    );
    expect([code, stdout]).toEqual([0, expect.stringContaining('9007199254740995')]);
  });

  it('are refused if invalid, before the first request', async () => {
    const document = `{"name": "z", "memory": "2XB", ${place}}`;
    const { code, stderr } = await desk.run(['vms', 'create', '-f', '-'], document);
    expect([code, stderr]).toEqual([2, expect.stringContaining('vm.memory: "2XB"')]);
  });
});

describe('references of a document', () => {
  it.each([
    ['YAML', 'name: r1\ncluster: Default\ntemplate: Blank\n'],
    ['JSON', '{"name": "r2", "cluster": "Default", "template": "Blank"}'],
  ])('may be the name alone, in %s', async (_, document) => {
    const vm = await made(document, 'vms', 'create');
    const [cluster] = await desk.json<{ id: string }[]>(
      'clusters',
      'list',
      '--search',
      'name=Default',
    );
    expect(vm).toMatchObject({ cluster: { id: cluster?.id } });
  });

  it('may be names in lists, and ids', async () => {
    const [domain] = await desk.json<{ id: string }[]>(
      'storagedomains',
      'list',
      '--search',
      'name=data1',
    );
    for (const word of ['data1', domain?.id]) {
      const document = `alias: d-${word}\nformat: cow\nprovisioned_size: 1GiB\nstorage_domains: [${word}]\n`;
      const disk = await made(document, 'disks', 'create');
      expect(disk).toMatchObject({ storage_domains: [{ id: domain?.id }] });
    }
  });
});
