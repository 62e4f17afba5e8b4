/** Operations on running VMs that the QEMU driver does not support. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unsupportedOperations } from '../../../src/features/qemu/unsupported.ts';
import { services } from '../../../src/model/derive/services.ts';
import { listOperations, type Operation } from '../../../src/model/index.ts';
import { FakeHypervisor } from '../../server/support/fake-hypervisor.ts';
import { RawApi } from '../../support/raw.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let api: RawApi;
/** Ids of the objects of a VM, by the placeholder in their path. */
const ids = new Map<string, string>();

/** Parts of a VM by placeholder: the collection, and the body of a new object. */
const parts: Readonly<Record<string, readonly [string, object]>> = {
  nic: ['nics', { name: 'nic1' }],
  attachment: [
    'diskattachments',
    {
      interface: 'virtio',
      active: true,
      bootable: true,
      disk: {
        name: 'root',
        format: 'cow',
        provisioned_size: 2 ** 20,
        storage_domains: { storage_domain: [{ name: 'data1' }] },
      },
    },
  ],
  snapshot: ['snapshots', { description: 'before' }],
  device: ['mediateddevices', { spec_params: { property: [{ name: 'mdevType', value: 'a' }] } }],
};

beforeAll(async () => {
  const hypervisor = () => new FakeHypervisor(unsupportedOperations);
  server = await startTestServer(['--speed', '0'], { hypervisor });
  api = await RawApi.signIn(server);
  const vm = await add('/vms', {
    name: 'real',
    cluster: { name: 'Default' },
    template: { name: 'Blank' },
  });
  ids.set('vm', vm);
  for (const [name, [collection, body]] of Object.entries(parts)) {
    ids.set(name, await add(`/vms/${vm}/${collection}`, body));
  }
  ids.set('disk', ids.get('attachment') ?? '');
  for (const [name, collection] of [
    ['cdrom', 'cdroms'],
    ['console', 'graphicsconsoles'],
  ] as const) {
    const [found] = Object.values(
      (await api.json('GET', `/vms/${vm}/${collection}`)).json<Record<string, { id: string }[]>>(),
    );
    ids.set(name, found?.[0]?.id ?? '');
  }
  await api.until(`/disks/${ids.get('disk')}`, (answer) => answer.json()['status'] === 'ok');
  expect((await api.json('POST', `/vms/${vm}/start`, {})).status).toBe(200);
  await api.until(`/vms/${vm}`, (answer) => answer.json()['status'] === 'up');
});
afterAll(() => server.stop());

async function add(path: string, body: object): Promise<string> {
  const answer = await api.json('POST', path, body);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json<{ id: string }>().id;
}

/** The operation of the model below a VM or a disk. */
function findOperation(type: string, name: string): Operation | undefined {
  return Object.keys(services)
    .filter((path) => /^\/(vms\/\{vm\}|disks\/\{disk\})/.test(path))
    .flatMap((path) => listOperations(path))
    .find((one) => one.type === type && one.name === name);
}

const cases = unsupportedOperations.flatMap(({ type, operations, ...conditions }) =>
  operations.map((name) => ({ type, name, ...conditions })),
);

it.each(cases)('$name of $type is refused while the VM runs', async (one) => {
  const operation = findOperation(one.type, one.name);
  expect(operation).toBeDefined();
  const path = operation?.path.replace(/\{(\w+)\}/g, (_, name: string) => ids.get(name) ?? name);
  const query = one.parameter === undefined ? '' : `?${one.parameter}=true`;
  const body = (one.sent?.[0]?.split('.') ?? [])
    .reverse()
    .reduce<object | string>((value, name) => ({ [name]: value }), one.sent ? 'qcow2_v2' : {});
  const answer = await api.json(operation?.http ?? '', `${path}${query}`, body);
  expect(answer.text).toContain('--hypervisor fake does not support this while the VM runs');
  expect(answer.status).toBe(409);
});

it('other changes of the same objects are possible', async () => {
  const vm = ids.get('vm');
  const changed = await api.json('PUT', `/vms/${vm}`, { description: 'new' });
  expect(changed.status, changed.text).toBe(200);
  const cdrom = await api.json('PUT', `/vms/${vm}/cdroms/${ids.get('cdrom')}`, {
    file: { id: '' },
  });
  expect(cdrom.status).toBe(200);
});
