/**
 * Failing tasks: each kind of copy meets a full disk. Afterwards no object is in a transitional
 * state, an event names the cause, and the job has failed.
 */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { imageError } from '../../src/server/images/copy-sparse.ts';
import { DiskFiles } from '../../src/server/images/disk-files.ts';
import { HostFiles } from '../../src/server/images/host-files.ts';
import { behaviors } from '../../src/server/resources/index.ts';
import { storedKinds } from '../../src/server/store/kinds.ts';
import { RawApi } from '../support/raw.ts';
import { startTestServer } from '../support/server.ts';

let api: RawApi;
beforeAll(async () => {
  api = await RawApi.signIn(await startTestServer(['--inventory', 'small', '--speed', '0']));
});
afterEach(() => vi.restoreAllMocks());

type Shown = Readonly<Record<string, unknown>> & { readonly id: string };

async function get(path: string): Promise<Shown> {
  const answer = await api.json('GET', path);
  expect(answer.status, `${path} ${answer.text}`).toBe(200);
  return answer.json();
}

async function all(path: string): Promise<readonly Shown[]> {
  const [found] = Object.values(await get(path));
  return (found ?? []) as readonly Shown[];
}

async function post(path: string, body: object): Promise<Shown> {
  const answer = await api.json('POST', path, body);
  expect(answer.status, `${path} ${answer.text}`).toBeLessThan(300);
  await ended();
  return answer.json();
}

/** Waits until no job is running. */
const ended = () => api.until('/jobs', ({ text }) => !text.includes('"started"'));

const name = () => `t${randomUUID().slice(0, 8)}`;
const named = (value: string) => ({ name: value });

async function newDisk(more: object = {}): Promise<string> {
  const { id } = await post('/disks', {
    ...{ name: name(), provisioned_size: 2 ** 20, format: 'raw' },
    storage_domains: { storage_domain: [named('data1')] },
    ...more,
  });
  return id;
}

interface Vm {
  readonly id: string;
  readonly disk: string;
  readonly path: string;
}

/** Creates a VM with two disks. */
async function newVm(more: object = {}, disk: object = {}): Promise<Vm> {
  const vm = { name: name(), memory: 2 ** 28, cluster: named('Default'), template: named('Blank') };
  const { id } = await post('/vms', { ...vm, ...more });
  const path = `/vms/${id}`;
  const ids = [await newDisk(disk), await newDisk(disk)];
  for (const one of ids) {
    const how = { bootable: one === ids[0], active: true, interface: 'virtio_scsi' };
    await post(`${path}/diskattachments`, { ...how, disk: { id: one } });
  }
  return { id, disk: ids[0] ?? '', path };
}

async function newSnapshot({ path }: Vm): Promise<string> {
  const { id } = await post(`${path}/snapshots`, { description: name() });
  return id;
}

async function newTemplate(): Promise<string> {
  const { id } = await post('/templates', { name: name(), vm: { id: (await newVm()).id } });
  return id;
}

let exportDomain: Promise<string> | undefined;

/** Creates an active export domain. */
function exports(): Promise<string> {
  exportDomain ??= (async () => {
    const storage = { type: 'nfs', address: 'nfs.example.com', path: `/${name()}` };
    const domain = { name: name(), type: 'export', host: named('host1'), storage };
    const { id } = await post('/storagedomains', domain);
    const [dataCenter] = await all('/datacenters');
    await post(`/datacenters/${dataCenter?.id}/storagedomains`, { id });
    return id;
  })();
  return exportDomain;
}

let images: Promise<string> | undefined;

/** Name of a storage domain with the images of a provider. */
function imageDomain(): Promise<string> {
  images ??= (async () => {
    const url = 'http://images.example.com:9292';
    const { name: provider } = await post('/openstackimageproviders', { name: name(), url });
    return String(provider);
  })();
  return images;
}

interface Scenario {
  /** Starts the task. All earlier operations have completed. */
  readonly act: () => Promise<unknown>;
  /** Number of copies that succeed before one fails. */
  readonly succeed?: number;
  /** Part of the event with the cause. */
  readonly event: RegExp;
  /** Whether the task has no job. */
  readonly jobless?: true;
  /** Paths of objects that may change their state. */
  readonly changes?: readonly string[];
}

const archive = () => ({ host: named('host1'), directory: '/tmp', filename: `${name()}.ova` });
const ova = (file: string) => `ova:///tmp/${file}`;

/** Scenarios by kind and lifecycle operation, or by task name. */
const scenarios: Readonly<Record<string, () => Promise<Scenario>>> = {
  'vm add': async () => {
    const template = await newTemplate();
    const vm = { name: name(), cluster: named('Default'), template: { id: template } };
    return {
      act: () => post('/vms', vm),
      event: /Failed to complete the creation of VM/,
    };
  },
  'vm export': async () => {
    const [{ path }, id] = [await newVm(), await exports()];
    return {
      act: () => post(`${path}/export`, { storage_domain: { id } }),
      succeed: 1,
      event: /Failed to export VM/,
    };
  },
  'vm export_to_file': async () => {
    const { path } = await newVm();
    return { act: () => post(`${path}/export`, archive()), event: /Failed to export VM/ };
  },
  'export running vm': async () => {
    const { path } = await newVm();
    await post(`${path}/start`, {});
    return {
      act: () => post(`${path}/export`, archive()),
      succeed: 1,
      event: /Failed to export VM/,
    };
  },
  'vm import': async () => {
    const { path } = await newVm();
    const to = archive();
    await post(`${path}/export`, to);
    const vm = named(name());
    const from = { ...vm, url: ova(to.filename), host: named('host1'), provider: 'kvm' };
    const where = { cluster: named('Default'), storage_domain: named('data1') };
    return {
      act: () => post('/externalvmimports', { ...from, ...where, vm }),
      event: /Failed to complete the creation of VM/,
    };
  },
  'vm keep_state': async () => {
    const { path } = await newVm({ stateless: true });
    return { act: () => post(`${path}/start`, {}), succeed: 1, event: /Failed to run VM/ };
  },
  'vm drop_state': async () => {
    const { path } = await newVm({ stateless: true });
    await post(`${path}/start`, {});
    return {
      act: () => post(`${path}/stop`, {}),
      event: /Failed to discard the changes of stateless VM/,
      changes: [path],
    };
  },
  'vm preview_snapshot': async () => {
    const vm = await newVm();
    const id = await newSnapshot(vm);
    return {
      act: () => post(`${vm.path}/previewsnapshot`, { snapshot: { id } }),
      succeed: 1,
      event: /Failed to preview snapshot/,
    };
  },
  'vm show_snapshot': async () => {
    const vm = await newVm();
    const id = await newSnapshot(vm);
    return {
      act: () => post(`${vm.path}/previewsnapshot`, { snapshot: { id } }),
      succeed: 2,
      event: /Failed to preview snapshot/,
    };
  },
  'vm undo_snapshot': async () => {
    const vm = await newVm();
    const id = await newSnapshot(vm);
    await post(`${vm.path}/previewsnapshot`, { snapshot: { id } });
    return {
      act: () => post(`${vm.path}/undosnapshot`, {}),
      event: /Failed to restore VM .* from a snapshot/,
    };
  },
  'vm restore_snapshot': async () => {
    const vm = await newVm();
    const id = await newSnapshot(vm);
    return {
      act: () => post(`${vm.path}/snapshots/${id}/restore`, {}),
      event: /Failed to restore VM .* from a snapshot/,
    };
  },
  'snapshot add': async () => {
    const vm = await newVm();
    return { act: () => newSnapshot(vm), succeed: 1, event: /Failed to complete snapshot/ };
  },
  'template add': async () => {
    const { id } = await newVm();
    return {
      act: () => post('/templates', { name: name(), vm: { id } }),
      succeed: 1,
      event: /Failed to complete creation of Template/,
    };
  },
  'template export': async () => {
    const [template, id] = [await newTemplate(), await exports()];
    return {
      act: () => post(`/templates/${template}/export`, { storage_domain: { id } }),
      event: /Failed to export template/i,
    };
  },
  'template export_to_file': async () => {
    const template = await newTemplate();
    return {
      act: () => post(`/templates/${template}/export`, archive()),
      event: /Failed to export template/i,
    };
  },
  'template import': async () => {
    const to = archive();
    await post(`/templates/${await newTemplate()}/export`, to);
    const where = { cluster: named('Default'), storage_domain: named('data1') };
    const from = { url: ova(to.filename), host: named('host1') };
    return {
      act: () => post('/externaltemplateimports', { ...from, ...where, template: named(name()) }),
      event: /Failed to import Template/,
    };
  },
  'disk copy': async () => {
    const id = await newDisk();
    return {
      act: () => post(`/disks/${id}/copy`, { storage_domain: named('data1') }),
      event: /could not be copied/,
    };
  },
  'disk convert': async () => {
    const id = await newDisk();
    return {
      act: () => post(`/disks/${id}/convert`, { disk: { format: 'cow' } }),
      event: /Failed to update disk/,
    };
  },
  'disk update': async () => {
    const id = await newDisk({ format: 'cow' });
    const update = async () => {
      const answer = await api.json('PUT', `/disks/${id}`, { qcow_version: 'qcow2_v2' });
      expect(answer.status, answer.text).toBeLessThan(300);
      await ended();
    };
    return { act: update, event: /Failed to update disk/ };
  },
  'disk extend': async () => {
    const { path, disk } = await newVm({}, { format: 'cow' });
    const extend = async () => {
      const attachment = { disk: { provisioned_size: 2 ** 21 } };
      const answer = await api.json('PUT', `${path}/diskattachments/${disk}`, attachment);
      expect(answer.status, answer.text).toBeLessThan(300);
      await ended();
    };
    return { act: extend, event: /Failed to extend/ };
  },
  'disk sparsify': async () => {
    const id = await newDisk();
    return { act: () => post(`/disks/${id}/sparsify`, {}), event: /Failed to sparsify/ };
  },
  'backup add': async () => {
    const { path, disk } = await newVm({}, { format: 'cow', backup: 'incremental' });
    return {
      act: () => post(`${path}/backups`, { disks: { disk: [{ id: disk }] } }),
      event: /Backup .* failed/,
    };
  },
  'image_transfer finalize': async () => {
    const id = await newDisk({ format: 'cow' });
    const transfer = { disk: { id }, direction: 'upload', format: 'cow' };
    const { id: upload } = await post('/imagetransfers', transfer);
    return {
      act: () => post(`/imagetransfers/${upload}/finalize`, {}),
      event: /Image Upload .* failed/,
      changes: [`/disks/${id}`, `/imagetransfers/${upload}`],
      jobless: true,
    };
  },
  'disk reduce': async () => {
    const storage = { type: 'fcp', logical_units: { logical_unit: [{ id: name() }] } };
    const { id: domain } = await post('/storagedomains', {
      ...{ name: name(), type: 'data', host: named('host1'), storage },
    });
    const [dataCenter] = await all('/datacenters');
    await post(`/datacenters/${dataCenter?.id}/storagedomains`, { id: domain });
    const id = await newDisk({
      ...{ format: 'cow', storage_domains: { storage_domain: [{ id: domain }] } },
    });
    return { act: () => post(`/disks/${id}/reduce`, {}), event: /reduce/i };
  },
  'disk export': async () => {
    const id = await newDisk();
    const domain = await imageDomain();
    return {
      act: () => post(`/disks/${id}/export`, { storage_domain: named(domain) }),
      event: /Failed to export/i,
    };
  },
  'disk import': async () => {
    const disk = await newDisk();
    const { name: alias } = await get(`/disks/${disk}`);
    const domain = await imageDomain();
    await post(`/disks/${disk}/export`, { storage_domain: named(domain) });
    const { id } = (await all('/storagedomains')).find((one) => one['name'] === domain) ?? {};
    const image = (await all(`/storagedomains/${id}/images`)).find((one) => one['name'] === alias);
    const path = `/storagedomains/${id}/images/${image?.id}/import`;
    return {
      act: () => post(path, { storage_domain: named('data1') }),
      event: /disk .* could not be added/,
      jobless: true,
    };
  },
  'prepare transfer': async () => {
    const id = await newDisk();
    return {
      act: () => post('/imagetransfers', { disk: { id }, direction: 'download', format: 'cow' }),
      event: /Image Download .* failed/,
    };
  },
};

const noRoom = () =>
  Object.assign(new Error('ENOSPC: no space left on device, write'), {
    ...{ code: 'ENOSPC', syscall: 'write' },
  });

/** Lets `succeed` copies succeed and all later ones fail. Returns a counter of the failures. */
function fillDisk(succeed: number): () => number {
  let left = succeed;
  let failed = 0;
  const tampered: readonly (readonly [object, readonly string[]])[] = [
    [DiskFiles.prototype, ['copy', 'copyTogether', 'convert', 'check']],
    [HostFiles.prototype, ['pack', 'unpack']],
  ];
  for (const [prototype, methods] of tampered) {
    for (const method of methods) {
      const real = Reflect.get(prototype, method) as (...args: unknown[]) => Promise<void>;
      vi.spyOn(prototype as Record<string, typeof real>, method).mockImplementation(function (
        this: unknown,
        ...args
      ) {
        if (left > 0) {
          left -= 1;
          return real.apply(this, args);
        }
        failed += 1;
        return Promise.reject(imageError('of the test', noRoom()));
      });
    }
  }
  return () => failed;
}

const lifecyclesByKind = Object.fromEntries(
  storedKinds().flatMap((kind) => {
    const lifecycle = behaviors.of(kind)?.lifecycle;
    return lifecycle ? [[kind, lifecycle]] : [];
  }),
);

/** States of all objects that tasks modify, by path. */
async function states(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const note = async (path: string, attribute: string) => {
    const list = await all(path);
    for (const object of list) found.set(`${path}/${object.id}`, String(object[attribute] ?? ''));
    return list;
  };
  for (const { id } of await note('/vms', 'status')) {
    await note(`/vms/${id}/snapshots`, 'snapshot_status');
    await note(`/vms/${id}/backups`, 'phase');
  }
  for (const { id } of await note('/disks', 'status')) {
    await note(`/disks/${id}/disksnapshots`, 'status');
  }
  await note('/templates', 'status');
  await note('/imagetransfers', 'phase');
  for (const { id } of await note('/storagedomains', 'status')) {
    const { type } = await get(`/storagedomains/${id}`);
    if (type === 'export') await note(`/storagedomains/${id}/vms`, 'status');
    if (type === 'export') await note(`/storagedomains/${id}/templates`, 'status');
  }
  return found;
}

/** Transitional states, and states that mean unknown. */
function transitional(all: ReadonlyMap<string, string>): string[] {
  const settled = new Set(Object.values(lifecyclesByKind).flatMap(({ settled: list }) => list));
  return [...all].flatMap(([path, state]) =>
    (settled.has(state) || state === '') && !['unknown', 'not_responding'].includes(state)
      ? []
      : [`${path} ${state}`],
  );
}

/** Tested in `failed-moves.test.ts` with the other lifecycles, because they need a second site. */
const elsewhere = ['attach', 'detach', 'release'].map((one) => `attached_storage_domain ${one}`);

/** Work of hypervisors, tested in `test/server/resources/hypervisor`. */
const ofHypervisors = ['change devices', 'change power state', 'change running VMs'];

it('covers all tasks that copy images', () => {
  const moves = storedKinds().flatMap((kind) =>
    Object.keys(behaviors.of(kind)?.transitions?.copies ?? {}).map((one) => `${kind} ${one}`),
  );
  const works = behaviors.workNames.map((one) => one.replace('work:', ''));
  const others = ['copy images', ...ofHypervisors];
  const tasks = [...moves, ...works].filter((one) => !others.includes(one));
  expect(Object.keys(scenarios).concat(elsewhere).sort()).toEqual(tasks.sort());
});

describe.each(Object.entries(scenarios))('%s that fails', (_, begin) => {
  it('leaves nothing locked, and an event with the cause', async () => {
    const { act, succeed = 0, event, changes = [], jobless } = await begin();
    const before = await states();
    const newest = Number((await all('/events?max=1'))[0]?.id ?? 0);
    const jobs = new Set((await all('/jobs')).map(({ id }) => id));
    const failures = fillDisk(succeed);
    await act();
    await expect.poll(failures, { timeout: 10_000 }).toBe(1);
    const stuck = transitional(before);
    const left = async () => transitional(await states()).filter((one) => !stuck.includes(one));
    await expect.poll(left, { timeout: 10_000 }).toEqual([]);
    const after = await states();
    const changed = [...before].filter(([path, state]) => after.get(path) !== state);
    expect(changed.map(([path]) => path).filter((path) => !changes.includes(path))).toEqual([]);
    const events = (await all(`/events?from=${newest}`)).map((one) => String(one['description']));
    const failed = events.filter((text) => /the disk is full/.test(text));
    expect(failed, events.join('\n')).toEqual([expect.stringMatching(event)]);
    const statuses = (await all('/jobs')).filter(({ id }) => !jobs.has(id));
    expect(statuses.some(({ status }) => status === 'failed')).toBe(!jobless);
  });
});

it('a stateless VM whose changes could not be discarded starts its next run without them', async () => {
  const { path } = await newVm({ stateless: true });
  await post(`${path}/start`, {});
  fillDisk(0);
  await post(`${path}/stop`, {});
  const kept = async () =>
    (await all(`${path}/snapshots`)).map(({ snapshot_type: type }) => type).sort();
  expect(await kept()).toEqual(['active', 'stateless']);
  vi.restoreAllMocks();
  await post(`${path}/start`, {});
  expect(await get(path)).toMatchObject({ status: 'up' });
  expect(await kept()).toEqual(['active', 'stateless']);
  await post(`${path}/stop`, {});
  expect(await get(path)).toMatchObject({ status: 'down' });
  expect(await kept()).toEqual(['active']);
});

it('a VM whose preview of a snapshot failed is unchanged and can be previewed again', async () => {
  const vm = await newVm();
  const id = await newSnapshot(vm);
  const answer = await api.json('PUT', `${vm.path}/diskattachments/${vm.disk}`, {
    disk: { provisioned_size: 2 ** 22 },
  });
  expect(answer.status, answer.text).toBe(200);
  await ended();
  fillDisk(2);
  await post(`${vm.path}/previewsnapshot`, { snapshot: { id } });
  expect(await get(`/disks/${vm.disk}`)).toMatchObject({ provisioned_size: 2 ** 22 });
  expect(await all(`${vm.path}/snapshots`)).toHaveLength(2);
  vi.restoreAllMocks();
  await post(`${vm.path}/previewsnapshot`, { snapshot: { id } });
  expect(await get(`/disks/${vm.disk}`)).toMatchObject({ provisioned_size: 2 ** 20 });
  await post(`${vm.path}/undosnapshot`, {});
  expect(await get(`/disks/${vm.disk}`)).toMatchObject({ provisioned_size: 2 ** 22 });
});
