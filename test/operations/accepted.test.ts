/** Accepted parameters and actions have an effect. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { identity } from '../support/stub-server.ts';
import { addVolume } from './support/gluster.ts';
import { type People, useSite } from './support/site.ts';
import { at, listItems, type Thing } from './support/speaker.ts';
import { addDisk as addPlainDisk, ownDomain } from './support/storage.ts';
import { addDisk, newVm, readDisk, settled, until, writeDisk } from './support/vms.ts';

const site = useSite();
const ovirt = useSite(['--dialect', 'ovirt', '--scope', 'virt-app-api']);
const fromDisc = { os: { boot: { devices: { device: ['cdrom'] } } } };

/** A machine that runs; it was started with these parameters. */
async function started(people: People, action: Thing = {}, more: object = {}) {
  const vm = await newVm(people, { ...fromDisc, ...more });
  const path = `/vms/${vm.id}`;
  await people.admin.must(`${path}/start`, action);
  return { ...vm, path, shown: await settled(people, vm.id) };
}

describe('a start', () => {
  site.both('gives the guest the name of its initialization only when told to', async (people) => {
    const vm = { initialization: { host_name: 'told.example.org' } };
    for (const way of ['use_initialization', 'use_cloud_init', 'use_ignition', 'use_sysprep']) {
      const { shown } = await started(people, { vm, [way]: true });
      expect(shown['fqdn'], way).toBe('told.example.org');
    }
    const { shown, name } = await started(people, { vm });
    expect(shown['fqdn']).toBe(`${name}.example.com`);
  });
  site.both(
    'puts the disc with the tools for Windows into the drive of this run',
    async (people) => {
      const { admin } = people;
      const vm = await started(people, { attach_wgt: true });
      const file = async (query: string) =>
        at((await admin.get(`${vm.path}/cdroms${query}`)).list[0], 'file.id');
      expect(await file('?current=true')).toMatch(/^virtio-win.*\.iso$/);
      expect(await file('')).toBeUndefined();
      await admin.must(`${vm.path}/stop`);
      await admin.must(`${vm.path}/start`);
      await settled(people, vm.id);
      expect(await file('?current=true')).toBeUndefined();
    },
  );
  site.both('keeps its overrides over a reboot, unless they are volatile', async (people) => {
    const { admin } = people;
    const vm = { description: 'once' };
    const lasting = await started(people, { vm });
    const volatile = await started(people, { vm, volatile: true });
    for (const { path, id } of [lasting, volatile]) {
      expect((await admin.get(path)).object['run_once']).toBe('true');
      await admin.must(`${path}/reboot`);
      await settled(people, id);
    }
    expect((await admin.get(lasting.path)).object['run_once']).toBe('true');
    expect((await admin.get(volatile.path)).object['run_once']).toBe('false');
  });
});

describe('a backup', () => {
  const of = (disk: string) => ({ backup: { disks: { disk: [{ id: disk }] } } });

  site.both('that must be consistent is refused while the guest is frozen', async (people) => {
    const { admin } = people;
    const vm = await started(people);
    const disk = await addDisk(people, vm.id);
    const here = `${vm.path}/backups?require_consistency=true`;
    await admin.must(`${vm.path}/freezefilesystems`);
    const refused = await admin.post(here, of(disk));
    expect([refused.status, refused.fault?.detail]).toEqual([
      409,
      expect.stringContaining('consistency is required'),
    ]);
    await admin.must(`${vm.path}/thawfilesystems`);
    const backup = await admin.add(here, of(disk));
    const path = `${vm.path}/backups/${backup.id}`;
    await until(people, path, (one) => one['phase'] === 'ready');
    await admin.must(`${path}/finalize`);
  });
  site.both('reads the earlier contents, or the active image on request', async (people) => {
    const { admin } = people;
    const vm = await newVm(people);
    const disk = await addDisk(people, vm.id);
    await writeDisk(site, disk, 'before');
    const read = async (query: string) => {
      await writeDisk(site, disk, 'before');
      const { id } = await admin.add(`/vms/${vm.id}/backups${query}`, of(disk));
      await until(people, `/vms/${vm.id}/backups/${id}`, (one) => one['phase'] === 'ready');
      const change = { disk: { id: disk }, direction: 'upload' };
      const refused = await admin.post('/imagetransfers', { image_transfer: change });
      expect([refused.status, refused.fault?.detail]).toEqual([
        409,
        expect.stringContaining('locked'),
      ]);
      const bytes = await readDisk(site, disk, 6, id);
      await admin.must(`/vms/${vm.id}/backups/${id}/finalize`);
      await until(people, `/vms/${vm.id}/backups/${id}`, (one) => one['phase'] === 'succeeded');
      return bytes;
    };
    expect(await read('')).toBe('before');
    expect(await read('?use_active=true')).toBe('before');
  });
});

describe('a machine that is added', () => {
  site.both('is pinned as auto_pinning_policy says', async (people) => {
    const { path, admin } = people;
    const topology = { sockets: 2, cores: 1, threads: 1 };
    const here = { placement_policy: { hosts: { host: [{ id: path('{host}') }] } } };
    const add = (policy: string, more: object) =>
      admin.post(`/vms?auto_pinning_policy=${policy}`, {
        vm: {
          name: people.name('pin'),
          cluster: { id: path('{cluster}') },
          template: { name: 'Blank' },
          cpu: { topology },
          ...more,
        },
      });
    const existing = (await add('existing', here)).object;
    expect(listItems(at(existing, 'cpu.cpu_tune') as Thing, 'vcpu_pins', 'vcpu_pin')).toHaveLength(
      2,
    );
    expect(existing['auto_pinning_policy']).toBe('existing');
    const adjusted = (await add('adjust', here)).object;
    const host = (await admin.get(path('/hosts/{host}'))).object;
    expect(at(adjusted, 'cpu.topology')).toEqual(at(host, 'cpu.topology'));
    expect(at((await add('disabled', here)).object, 'cpu.cpu_tune')).toBeUndefined();
    expect((await add('existing', {})).status).toBe(400);
    expect((await add('sideways', here)).status).toBe(400);
  });
  site.both('is sealed on request, and so are its templates and pools', async (people) => {
    const { admin, path, name } = people;
    const sealed = async (template: string) =>
      (
        await admin.get(
          `/templates?search=${encodeURIComponent(`name=${template} and sealed=true`)}`,
        )
      ).list.length === 1;
    const make = async (query: string, vm: string) => {
      const template = name('tpl');
      const { id } = await admin.add(`/templates${query}`, {
        template: { name: template, vm: { id: vm } },
      });
      await until(people, `/templates/${id}`, (one) => one['status'] === 'ok');
      return template;
    };
    const plain = await newVm(people);
    expect(await sealed(await make('', plain.id))).toBe(false);
    const one = await make('?seal=true', plain.id);
    expect(await sealed(one)).toBe(true);
    const added = await admin.add('/vms?seal=true', {
      vm: { name: name('vm'), cluster: { id: path('{cluster}') }, template: { name: 'Blank' } },
    });
    expect(await sealed(await make('', added.id))).toBe(true);
    expect(await sealed(await make('?seal=false', added.id))).toBe(false);
    // A VM that has started is no longer sealed.
    await admin.must(`/vms/${added.id}/start`, { vm: fromDisc });
    await settled(people, added.id);
    await admin.must(`/vms/${added.id}/stop`);
    await settled(people, added.id);
    expect(await sealed(await make('', added.id))).toBe(false);
    const pool = name('pool');
    const { id } = await admin.add('/vmpools?seal=true', {
      vm_pool: { name: pool, size: 1, cluster: { id: path('{cluster}') }, template: { name: one } },
    });
    await admin.put(`/vmpools/${id}?seal=false`, { vm_pool: { size: 2 } });
    const [first, second] = (await admin.get(`/vms?search=name%3D${pool}*%20sortby%20name`)).list;
    const state = async (vm: Thing | undefined) =>
      sealed(await make('', String((await settled(people, String(vm?.['id'])))['id'])));
    expect(await state(first)).toBe(true);
    expect(await state(second)).toBe(false);
    const windows = await newVm(people, { os: { type: 'windows_2022' } });
    const refused = await admin.post('/templates?seal=true', {
      template: { name: name('tpl'), vm: { id: windows.id } },
    });
    expect([refused.status, refused.fault?.detail]).toEqual([
      400,
      expect.stringContaining('sysprep'),
    ]);
  });
});

describe('a machine', () => {
  site.both('returns its configuration as in an OVA archive', async (people) => {
    const { admin } = people;
    const vm = await newVm(people);
    const disk = await addDisk(people, vm.id);
    const image = String((await admin.get(`/disks/${disk}`)).object['image_id']);
    for (const path of [`/vms/${vm.id}?`, `/vms?search=name%3D${vm.name}&`]) {
      const hrefs = async (query: string) => {
        const { list, object } = await admin.get(`${path}all_content=true${query}`);
        const shown = path.startsWith('/vms?') ? list[0] : object;
        const data = String(at(shown, 'initialization.configuration.data')).replaceAll('&lt;', '<');
        return /File ovf:href="([^"]+)"/.exec(data)?.[1];
      };
      expect(await hrefs('')).toBe(`${disk}/${image}`);
      expect(await hrefs('&ovf_as_ova=true')).toBe(image);
    }
  });
  site.both('of a hosted engine has a maintenance, which all hosts show', async (people) => {
    const { admin, path } = people;
    const vm = await newVm(people, { origin: 'managed_hosted_engine' });
    const shown = async () =>
      at((await admin.get(path('/hosts/{host}?all_content=true'))).object, 'hosted_engine');
    for (const maintenance_enabled of [true, false]) {
      await admin.must(`/vms/${vm.id}/maintenance`, { maintenance_enabled });
      expect(await shown()).toMatchObject({ global_maintenance: String(maintenance_enabled) });
    }
    const other = await newVm(people);
    const refused = await admin.post(`/vms/${other.id}/maintenance`, {
      action: { maintenance_enabled: true },
    });
    expect(refused.status).toBe(400);
  });
});

describe('a storage domain', () => {
  site.both('stores the configurations of its VMs on a separate disk', async (people) => {
    const { admin } = people;
    const domain = await ownDomain(people);
    const vm = await newVm(people, { description: 'kept' });
    await addDisk(people, vm.id, {
      disk: { storage_domains: { storage_domain: [{ id: domain }] } },
    });
    const other = await newVm(people);
    const stores = async () =>
      (await admin.get(`/storagedomains/${domain}/disks`)).list.filter(
        (disk) => disk['content_type'] === 'ovf_store',
      );
    expect(await stores()).toEqual([]);
    await admin.must(`/storagedomains/${domain}/updateovfstore`);
    const [store] = await stores();
    expect(store).toMatchObject({ name: 'OVF_STORE', status: 'ok', format: 'raw' });
    const folder = mkdtempSync(join(tmpdir(), 'vmctl-ovf-'));
    try {
      const archive = await readDisk(site, String(store?.['id']), 65_536, undefined, 'latin1');
      writeFileSync(join(folder, 'store.tar'), Buffer.from(archive, 'latin1'));
      const tar = (...more: string[]) =>
        execFileSync('tar', [...more, '-f', join(folder, 'store.tar')], { encoding: 'utf8' });
      const names = tar('-t').trim().split('\n');
      expect(names).toContain(`${vm.id}.ovf`);
      expect(names).not.toContain(`${other.id}.ovf`);
      expect(tar('-xO', `${vm.id}.ovf`)).toContain(`<Name>${vm.name}</Name>`);
    } finally {
      rmSync(folder, { recursive: true });
    }
    // The service updates the disk instead of creating another; users cannot delete it.
    await admin.must(`/storagedomains/${domain}/updateovfstore`);
    expect((await stores()).map(({ id }) => id)).toEqual([store?.['id']]);
    expect((await admin.delete(`/disks/${store?.['id']}`)).status).toBe(409);
    // The service writes the disk once more before the domain is detached.
    const written = async () => (await admin.get('/events?search=type%3D199')).list.length;
    const before = await written();
    const attached = people.path(`/datacenters/{datacenter}/storagedomains/${domain}`);
    await admin.must(`${attached}/deactivate`);
    expect(await written()).toBe(before + 1);
  });
  site.both('is accessed by an existing host', async (people) => {
    const { admin, path } = people;
    const here = path('/storagedomains/{storagedomain}/isattached');
    expect((await admin.must(here, { host: { name: 'host1' } })).object['is_attached']).toBe(
      'true',
    );
    expect((await admin.post(here, { action: { host: { name: 'nobody' } } })).status).toBe(404);
  });
});

describe('a transfer', () => {
  site.both('does not become idle while a client extends it', async (people) => {
    const { admin } = people;
    const disk = (await addPlainDisk(admin, people.path('{storagedomain}'))).id;
    const begin = async () => {
      const { id } = await admin.add('/imagetransfers', {
        image_transfer: { disk: { id: disk }, inactivity_timeout: 1, timeout_policy: 'cancel' },
      });
      const path = `/imagetransfers/${id}`;
      await until(people, path, (one) => one['phase'] === 'transferring');
      return path;
    };
    const path = await begin();
    for (let turn = 0; turn < 6; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 350));
      await admin.must(`${path}/extend`);
    }
    expect((await admin.get(path)).object['phase']).toBe('transferring');
    await until(
      people,
      path,
      ({ phase }) => String(phase).startsWith('cancelled') || String(phase).startsWith('finished'),
    );
  });
});

describe('a provider', () => {
  const list = '/externalhostproviders';
  const add = (people: People, url: string) =>
    people.admin.add(list, { external_host_provider: { name: people.name('provider'), url } });

  site.both('is unreachable without a listener', async (people) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const provider = await add(people, `http://127.0.0.1:${port}/`);
    const test = () => people.admin.post(`${list}/${provider.id}/testconnectivity`);
    expect((await test()).status).toBe(200);
    await new Promise((resolve) => server.close(resolve));
    const refused = await test();
    expect([refused.status, refused.fault?.detail]).toEqual([
      400,
      expect.stringContaining('No response from http://127.0.0.1:'),
    ]);
  });
  site.both(
    'trusts the certificates that are imported, and refuses what is none',
    async (people) => {
      const { admin } = people;
      const { ca } = identity();
      for (const [type, path] of [
        ['external_host_provider', list],
        ['openstack_image_provider', '/openstackimageproviders'],
        ['openstack_network_provider', '/openstacknetworkproviders'],
        ['openstack_volume_provider', '/openstackvolumeproviders'],
      ] as const) {
        const body = { name: people.name('provider'), url: 'https://provider.example.com' };
        const more =
          type === 'openstack_volume_provider'
            ? { data_center: { id: people.path('{datacenter}') } }
            : {};
        const here = `${path}/${(await admin.add(path, { [type]: { ...body, ...more } })).id}`;
        const send = (content: string) =>
          admin.post(`${here}/importcertificates`, {
            action: { certificates: { certificate: [{ content }] } },
          });
        expect((await send('garbage')).status).toBe(400);
        expect((await admin.get(`${here}/certificates`)).list).toHaveLength(1);
        expect((await send(ca)).status).toBe(200);
        expect((await send(ca)).status).toBe(200);
        const certificates = (await admin.get(`${here}/certificates`)).list;
        expect(certificates).toHaveLength(2);
        expect(certificates[1]).toMatchObject({ organization: 'Test', name: 'Authority first' });
        const one = await admin.get(`${here}/certificates/${certificates[1]?.['id']}`);
        expect(String(one.object['content']).trim()).toBe(ca.trim());
      }
    },
  );
});

describe('a rebalance that only fixes the layout', () => {
  site.both('moves no files', async (people) => {
    const { admin } = people;
    const { path } = await addVolume(people);
    await admin.must(`${path}/start`);
    const moved = async (action: Thing) => {
      const { object } = await admin.must(`${path}/rebalance`, action);
      const job = String(at(object, 'job.id'));
      const steps = (await admin.get(`/jobs/${job}/steps`)).list;
      const step = steps.find((one) => one['type'] === 'rebalancing_volume');
      const { list } = await admin.get(`/jobs/${job}/steps/${step?.['id']}/statistics`);
      const statistic = list.find((one) => one['name'] === 'files.moved');
      return Number(at(statistic, 'values.value.datum') ?? at(statistic, 'values.value.0.datum'));
    };
    expect(await moved({})).toBeGreaterThan(0);
    expect(await moved({ fix_layout: true })).toBe(0);
  });
});

describe('the options of a user', () => {
  site.both('are replaced, or merged on request', async (people) => {
    const { admin } = people;
    const user =
      (await admin.get('/users?search=name%3Djane')).list[0] ?? (await admin.get('/users')).list[0];
    const here = `/users/${user?.['id']}`;
    const set = async (query: string, ...names: string[]) => {
      const property = names.map((name) => ({ name, value: query }));
      const { object } = await admin.put(`${here}${query}`, {
        user: { user_options: { property } },
      });
      return listItems(object, 'user_options', 'property').map((one) => one['name']);
    };
    expect(await set('', 'a', 'b')).toEqual(['a', 'b']);
    expect(await set('?merge=true', 'b', 'c')).toEqual(['a', 'b', 'c']);
    expect(await set('', 'd')).toEqual(['d']);
  });
});

describe('a search', () => {
  site.both('is refused for collections without a search', async (people) => {
    const { admin, path } = people;
    for (const list of ['/roles', '/tags', '/vms/{vm}/nics', '/openstackimageproviders']) {
      const answer = await admin.get(`${path(list)}?search=name%3Dx`);
      expect([answer.status, answer.fault?.detail], list).toEqual([
        400,
        expect.stringContaining('is not searchable.'),
      ]);
      expect((await admin.get(`${path(list)}?search=`)).status).toBe(200);
    }
  });
});

describe('in the dialect of deployed services', () => {
  ovirt.both('a search is ignored for collections without one', async ({ admin }) => {
    const all = (await admin.get('/roles')).list.map(({ id }) => id);
    const { status, list } = await admin.get('/roles?search=name%3Dx');
    expect([status, list.map(({ id }) => id)]).toEqual([200, all]);
  });
  ovirt.both('a guest that is not frozen can be thawed', async (people) => {
    const { path } = await started(people);
    expect((await people.admin.post(`${path}/thawfilesystems`)).status).toBe(200);
  });
});

describe('the entry point', () => {
  site.both('says that it has no other description of itself', async ({ admin }) => {
    for (const query of ['rsdl', 'schema']) {
      expect((await admin.get(`?${query}`)).status).toBe(404);
      expect((await admin.get(`?${query}=false`)).status).toBe(200);
    }
  });
});
