/** Generated sites: the export of any site, applied to an empty server, creates the same site. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type Home, makeHome } from '../../../support/command.ts';
import { runs } from '../../../support/mutants.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';

const open: (readonly [TestServer, Home])[] = [];
afterEach(async () => {
  for (const [server, home] of open.splice(0)) {
    home.remove();
    await server.stop();
  }
});

async function homeAt(inventory: string): Promise<Home> {
  const server = await startTestServer(['--speed', '0', '--inventory', inventory]);
  const home = makeHome(server);
  open.push([server, home]);
  return home;
}

/** Reproducible pseudo-random numbers. */
function createRandom(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e37_79b9) >>> 0;
    return (state >>> 8) % below;
  };
}

/**
 * A site with bonds, VLANs, duplicate names, versions, shared disks, quotas, affinity and pools.
 */
function generateSite(seed: number): object {
  const random = createRandom(seed);
  const some = <T>(count: number, make: (index: number) => T) =>
    Array.from({ length: count }, (_, index) => make(index));
  const maybe = (value: object) => (random(2) === 0 ? value : {});
  const networks = some(1 + random(3), (index) => ({
    name: `net${index}`,
    data_center: 'Default',
    ...(random(2) === 0 ? { vlan: { id: 10 + index } } : {}),
  }));
  const tagged = networks.filter((one) => 'vlan' in one);
  const hosts = some(1 + random(2), (index) => {
    const isBonded = random(2) === 0;
    return {
      name: `host${index}`,
      address: `host${index}.example.com`,
      cluster: 'Default',
      ...(isBonded
        ? {
            nics: [
              {
                name: 'bond0',
                bonding: {
                  options: [{ name: 'mode', value: String(1 + random(4)) }],
                  slaves: ['eth2', 'eth3'],
                },
              },
            ],
          }
        : {}),
      networkattachments: [
        { network: 'mgmt', host_nic: 'eth0' },
        ...tagged.map(({ name }) => ({ network: name, host_nic: isBonded ? 'bond0' : 'eth1' })),
      ],
    };
  });
  const domain = (index: number) => ({
    name: `data${index}`,
    type: 'data',
    host: 'host0',
    storage: { type: 'nfs', address: 'filer', path: `/data${index}` },
  });
  const sizes = ['1 GiB', '2 GiB', '3 GiB'];
  const disk = (name: string) => ({
    name,
    provisioned_size: sizes[random(3)],
    format: 'cow',
    sparse: true,
    storage_domains: [`data${random(2)}`],
  });
  const attachment = (name: string) => ({
    interface: random(2) === 0 ? 'virtio' : 'virtio_scsi',
    bootable: false,
    active: true,
    disk: disk(name),
  });
  const shared = { ...disk('shared'), format: 'raw', sparse: false, shareable: true };
  const vms = some(2 + random(3), (index) => ({
    name: `vm${index}`,
    cluster: 'Default',
    template: 'Blank',
    memory: sizes[random(3)],
    nics: some(random(3), (nic) => ({
      name: `nic${nic}`,
      vnic_profile: `net${random(networks.length)}`,
    })),
    diskattachments: [
      // The same name in every VM, and often twice in one.
      ...some(random(3), () => attachment('root')),
      ...(index < 2
        ? [{ interface: 'virtio', bootable: false, active: true, disk: 'shared' }]
        : []),
    ],
    ...maybe({ comment: `comment ${random(100)}` }),
  }));
  const template = { name: 'image', cluster: 'Default', diskattachments: [attachment('system')] };
  const version = (index: number) => ({
    ...template,
    version: { base_template: 'image', version_name: `v${index}` },
  });
  return {
    datacenters: [
      {
        name: 'Default',
        local: false,
        storagedomains: ['data0', 'data1'],
        quotas: some(random(3), (index) => ({ name: `quota${index}` })),
      },
    ],
    clusters: [
      {
        name: 'Default',
        data_center: 'Default',
        cpu: { type: 'Intel Nehalem Family' },
        networks: networks.map(({ name }) => ({
          name,
          required: random(2) === 0 && tagged.some((one) => one.name === name),
        })),
        affinitygroups: some(random(3), (index) => ({
          name: `group${index}`,
          vms_rule: { enabled: true, positive: random(2) === 0, enforcing: false },
          vms: some(random(3), (vm) => `vm${vm}`).filter((_, vm) => vm < vms.length),
        })),
      },
    ],
    networks,
    hosts,
    storagedomains: [domain(0), domain(1)],
    disks: [shared, ...some(random(4), () => disk('dup')), ...some(random(2), () => disk('root'))],
    templates: [template, ...some(random(3), version)],
    vms,
    vmpools: some(random(2), () => ({
      name: 'pool-?',
      cluster: 'Default',
      template: 'image',
      size: 1 + random(2),
    })),
  };
}

it.each(Array.from({ length: runs(3) }, (_, index) => index + 1))(
  'recreates site %d from its export on an empty server',
  async (seed) => {
    const source = await homeAt('empty');
    const file = join(source.folder, 'site.yaml');
    writeFileSync(file, stringify(generateSite(seed)));
    const password = join(source.folder, 'password');
    writeFileSync(password, 'hush-hush-hush\n', { mode: 0o600 });
    const must = async (home: Home, ...words: string[]) => {
      const { code, stdout, stderr } = await home.runHere(words);
      expect([code, words, code === 0 ? '' : stderr]).toEqual([0, words, '']);
      return stdout;
    };
    const secrets = ['--yes', '--secret', `*=@${password}`];
    const begun = await homeAt(file);
    const exported = join(source.folder, 'exported.yaml');
    writeFileSync(exported, await must(begun, 'export'));
    expect(await must(begun, 'diff', exported)).toBe('');
    await must(source, 'apply', exported, ...secrets);
    expect(await must(source, 'diff', exported)).toBe('');
    expect(await must(source, 'export')).toBe(await must(begun, 'export'));
  },
);
