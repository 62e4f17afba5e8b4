/**
 * Every operation in every state: permitted states, and refusals in all others. The tables repeat
 * those of the specification. An edited saved state puts the objects into their states, on a site
 * whose transitions never end.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enums } from '../../src/model/enums.ts';
import { RawApi, send } from '../support/raw.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

type Thing = Record<string, unknown>;

interface Line {
  readonly kind?: string;
  readonly collection?: string;
  readonly object?: Thing;
}

interface Asked {
  /** States that permit the operation. */
  readonly from: readonly string[];
  /** Specific texts of the refusal, by state. */
  readonly says?: Readonly<Record<string, RegExp>>;
  /** Text of the refusal in the other states. */
  readonly otherwise: RegExp;
  readonly body?: Thing;
  /** Method, if it is not a POST to the name of the operation. */
  readonly method?: string;
  readonly query?: string;
}

let server: TestServer;
let api: RawApi;
let beginning: string;
/** Ids of one object for each state, by kind. */
const objects: Record<string, Record<string, string>> = {};

async function add(path: string, body: Thing): Promise<Thing & { id: string }> {
  const answer = await api.json('POST', path, body);
  expect([200, 201, 202], `${path}: ${answer.text}`).toContain(answer.status);
  return answer.json();
}

async function findId(path: string, name: string): Promise<string> {
  const [list] = Object.values((await api.json('GET', path)).json<Record<string, Thing[]>>());
  return String((list ?? []).find((one) => one['name'] === name)?.['id']);
}

function state(method: string, body?: string): ReturnType<typeof send> {
  return send(`${new URL(server.ready.base_url).origin}/_vmctl/state`, {
    method,
    ca: server.ca,
    headers: { Authorization: `Bearer ${api.token}` },
    ...(body === undefined ? {} : { body }),
  });
}

beforeAll(async () => {
  // Created on a site with immediate transitions, and moved to one whose transitions never end.
  server = await startTestServer(['--speed', '0', '--inventory', 'small']);
  api = await RawApi.signIn(server);
  const host1 = await findId('/hosts', 'host1');
  const cluster = await findId('/clusters', 'Default');
  objects['vm'] = {};
  for (const status of enums.vm_status) {
    const vm = await add('/vms', {
      ...{ name: `vm-${status}`, cluster: { id: cluster }, template: { name: 'Blank' } },
      os: { boot: { devices: { device: ['cdrom'] } } },
    });
    objects['vm'][status] = vm.id;
  }
  objects['host'] = {};
  for (const status of enums.host_status) {
    const host = await add('/hosts', {
      ...{ name: `host-${status}`, address: `${status}.example.com`, root_password: 'x' },
      cluster: { id: cluster },
    });
    const agent = { type: 'ipmilan', address: 'ipmi', username: 'u', password: 'p', order: 1 };
    await add(`/hosts/${host.id}/fenceagents`, agent);
    await api.json('PUT', `/hosts/${host.id}`, { power_management: { enabled: true } });
    objects['host'][status] = host.id;
  }
  objects['attached_storage_domain'] = {};
  for (const status of domainStates) {
    const { id } = await add('/storagedomains', {
      ...{ name: `d-${status}`.slice(0, 50), type: 'data', host: { id: host1 } },
      storage: { type: 'nfs', address: 'nfs.example.com', path: `/${status}` },
    });
    await add(`/datacenters/${await findId('/datacenters', 'Default')}/storagedomains`, { id });
    objects['attached_storage_domain'][status] = id;
  }
  objects['disk'] = {};
  objects['image_transfer'] = {};
  const storage_domains = { storage_domain: [{ name: 'data1' }] };
  const disk = (name: string) => ({ name, format: 'raw', provisioned_size: 4096, storage_domains });
  for (const status of enums.disk_status) {
    objects['disk'][status] = (await add('/disks', disk(`disk-${status}`))).id;
  }
  for (const phase of enums.image_transfer_phase) {
    const { id } = await add('/disks', disk(`transfer-${phase}`));
    objects['image_transfer'][phase] = (await add('/imagetransfers', { disk: { id } })).id;
  }
  objects['template'] = {};
  for (const status of enums.template_status) {
    const vm = { id: String(objects['vm']['down']) };
    objects['template'][status] = (await add('/templates', { name: `t-${status}`, vm })).id;
  }
  await addParts(cluster);
  beginning = (await state('GET')).text;
  await server.stop();
  server = await startTestServer(['--speed', '1000000', '--inventory', 'small']);
  api = await RawApi.signIn(server);
});

afterAll(async () => {
  await server.stop();
});

/** Paths of the collections below other objects, by id. */
const paths: Record<string, string> = {};

/** Adds snapshots and backups, each with a separate VM, and volumes. */
async function addParts(cluster: string): Promise<void> {
  const machine = async (name: string) => {
    const body = { name, cluster: { id: cluster }, template: { name: 'Blank' } };
    const { id } = await add('/vms', body);
    const disk = {
      ...{ name, format: 'raw', provisioned_size: 4096 },
      storage_domains: { storage_domain: [{ name: 'data1' }] },
    };
    const added = await add(`/vms/${id}/diskattachments`, { interface: 'virtio', disk });
    return { vm: `/vms/${id}`, disk: added.id };
  };
  objects['snapshot'] = {};
  for (const status of enums.snapshot_status) {
    const { vm } = await machine(`s-${status}`);
    const { id } = await add(`${vm}/snapshots`, { description: status });
    paths[id] = `${vm}/snapshots/${id}`;
    await api.until(paths[id], (answer) => answer.json()['snapshot_status'] === 'ok');
    objects['snapshot'][status] = id;
  }
  objects['backup'] = {};
  for (const phase of enums.backup_phase) {
    const { vm, disk } = await machine(`b-${phase}`);
    const { id } = await add(`${vm}/backups`, { disks: { disk: [{ id: disk }] } });
    paths[id] = `${vm}/backups/${id}`;
    await api.until(paths[id], (answer) => answer.json()['phase'] === 'ready');
    objects['backup'][phase] = id;
  }
  const body = { name: 'gluster', gluster_service: true, virt_service: false };
  const own = await add('/clusters', {
    ...{ ...body, cpu: { type: 'Intel Nehalem Family' } },
    data_center: { name: 'Default' },
  });
  const server1 = await add('/hosts', {
    ...{ name: 'gluster1', address: 'gluster1.example.com', root_password: 'x' },
    cluster: { id: own.id },
  });
  objects['gluster_volume'] = {};
  for (const status of ['up', 'down']) {
    const bricks = { brick: [{ server_id: server1.id, brick_dir: `/export/${status}` }] };
    const all = `/clusters/${own.id}/glustervolumes`;
    const { id } = await add(all, { name: `v-${status}`, volume_type: 'distribute', bricks });
    paths[id] = `${all}/${id}`;
    objects['gluster_volume'][status] = id;
  }
}

const domainStates = [
  ...['active', 'inactive', 'locked', 'maintenance', 'preparing_for_maintenance'],
  ...['detaching', 'activating', 'unknown'],
];

/** State attributes, if not `status`. */
const attributes: Readonly<Record<string, string>> = {
  image_transfer: 'phase',
  backup: 'phase',
  snapshot: 'snapshot_status',
};

/** States of a VM with a host. */
const hosted = new Set([
  ...['up', 'powering_up', 'powering_down', 'migrating', 'wait_for_launch', 'paused'],
  ...['reboot_in_progress', 'saving_state', 'restoring_state', 'not_responding', 'unknown'],
]);

/**
 * Puts the objects of a kind into their assigned states, and all others into their initial ones.
 */
async function arrange(kind: string): Promise<void> {
  const lines = beginning.split('\n').flatMap((line) => {
    const read = line === '' ? undefined : (JSON.parse(line) as Line);
    if (read?.kind === kind) return [JSON.stringify(inState(kind, read))];
    if (!read || kind === 'image_transfer') return [line];
    // Transfers lock disks and would affect other operations.
    if (read.kind === 'image_transfer') return [];
    if (read.kind !== 'disk') return [line];
    return [JSON.stringify({ ...read, object: { ...read.object, status: 'ok' } })];
  });
  expect((await state('PUT', lines.join('\n'))).status).toBe(200);
}

/** The line of the saved state, with the object in its assigned state. */
function inState(kind: string, line: Line): Line {
  const { object } = line;
  const found = Object.entries(objects[kind] ?? {}).find(([, id]) => id === object?.['id']);
  if (!found || !object) return line;
  const [status] = found;
  const attribute = attributes[kind] ?? 'status';
  const host = kind === 'vm' && hosted.has(status) ? { host: { id: objects['host']?.['up'] } } : {};
  const updates =
    kind === 'host' ? { update_available: true, spm: { priority: 5, status: 'none' } } : {};
  return { ...line, object: { ...object, [attribute]: status, ...host, ...updates } };
}

/** Tests an operation in every state. */
function tries(
  kind: string,
  pathOf: (id: string) => string | Promise<string>,
  operations: Readonly<Record<string, Asked>>,
): void {
  describe(kind, () => {
    it.each(Object.entries(operations))('%s', async (name, asked) => {
      const { from, says = {}, otherwise, body = {}, method = 'POST', query = '' } = asked;
      await arrange(kind);
      const wrong: string[] = [];
      for (const [status, id] of Object.entries(objects[kind] ?? {})) {
        const path = await pathOf(id);
        const at = method === 'POST' ? `${path}/${name}` : path;
        const answer = await api.json(
          method,
          `${at}${query}`,
          method === 'DELETE' ? undefined : body,
        );
        const told = `${status}: ${answer.status} ${answer.text.slice(0, 160)}`;
        if (from.includes(status)) {
          if (answer.status >= 300) wrong.push(`should begin: ${told}`);
          // Activated storage changes the state of other storage.
          if (kind === 'attached_storage_domain') await arrange(kind);
          continue;
        }
        const words = says[status] ?? otherwise;
        const detail =
          answer.status >= 400
            ? String(answer.json<{ fault?: { detail?: string } }>().fault?.detail)
            : '';
        if (![400, 409].includes(answer.status) || !words.test(detail)) {
          wrong.push(`should say ${words}: ${told}`);
        }
      }
      expect(wrong).toEqual([]);
    });
  });
}

const running = [
  'up',
  'powering_down',
  'powering_up',
  'migrating',
  'wait_for_launch',
  'reboot_in_progress',
];
const saving = {
  saving_state: /saving or restoring/,
  restoring_state: /saving or restoring/,
};
const isRunning = Object.fromEntries(
  running.filter((one) => one !== 'powering_down').map((one) => [one, /is running/]),
);
const inStatus = /in status \w+|must be down|is not up|is not running/;

tries('vm', (id) => `/vms/${id}`, {
  start: {
    from: ['down', 'suspended', 'paused'],
    says: { ...isRunning, image_locked: /is locked/ },
    otherwise: inStatus,
  },
  stop: {
    from: [...running, 'paused', 'not_responding', 'suspended', 'down'],
    says: saving,
    otherwise: /is not running/,
  },
  shutdown: {
    from: ['down', ...running, 'paused', 'not_responding', 'suspended'],
    says: saving,
    otherwise: /is not running/,
  },
  reboot: { from: ['up', 'powering_up'], otherwise: inStatus },
  reset: {
    from: running.filter((one) => one !== 'wait_for_launch'),
    otherwise: inStatus,
  },
  suspend: {
    from: ['up'],
    says: { wait_for_launch: /in status/, not_responding: /in status/ },
    otherwise: /is not up/,
  },
  migrate: {
    from: ['up', 'powering_up', 'paused', 'reboot_in_progress'],
    says: { migrating: /migrat/i, not_responding: /in status/ },
    otherwise: /is not running/,
  },
  cancelmigration: { from: ['migrating'], otherwise: /not migrating/ },
  freezefilesystems: { from: ['up'], otherwise: inStatus },
  // A running guest was never frozen.
  thawfilesystems: { from: [], says: { up: /not frozen/ }, otherwise: inStatus },
  ticket: {
    from: ['up', 'paused', 'powering_up', 'powering_down', 'reboot_in_progress'],
    otherwise: inStatus,
  },
  screenshot: {
    from: running.filter((one) => one !== 'wait_for_launch'),
    otherwise: inStatus,
  },
  logon: {
    from: enums.vm_status.filter((status) => status !== 'down'),
    otherwise: /is down/,
  },
  maintenance: { from: [], body: { maintenance_enabled: true }, otherwise: /hosted engine/i },
  detach: { from: [], otherwise: /pool/i },
  reordermacaddresses: { from: ['down'], otherwise: inStatus },
  remove: {
    method: 'DELETE',
    from: ['down', 'unassigned'],
    says: { suspended: /suspended|must be down/i, image_locked: /is locked/ },
    otherwise: /is running/,
  },
});

const reachable = ['up', 'maintenance', 'non_operational'];
const upgradable = ['up', 'maintenance', 'non_operational', 'install_failed'];

tries('host', (id) => `/hosts/${id}`, {
  activate: {
    from: enums.host_status.filter((one) => one !== 'up' && one !== 'non_responsive'),
    says: { up: /already up/, non_responsive: /non.?responsive|not respond/i },
    otherwise: /status/,
  },
  deactivate: {
    from: [
      ...['up', 'non_responsive', 'error', 'preparing_for_maintenance', 'down'],
      ...['non_operational', 'install_failed'],
    ],
    says: { maintenance: /already in maintenance|is in maintenance/i },
    otherwise: /maintenance/,
  },
  approve: {
    from: ['pending_approval', 'install_failed', 'installing_os'],
    otherwise: /approve/i,
  },
  install: {
    from: ['maintenance', 'non_operational', 'install_failed', 'installing_os'],
    body: { root_password: 'x' },
    otherwise: /install/i,
  },
  upgradecheck: { from: upgradable, otherwise: /upgrade/i },
  enrollcertificate: {
    from: ['maintenance', 'install_failed', 'non_responsive'],
    otherwise: /certificate/i,
  },
  refresh: { from: reachable, otherwise: /up, maintenance, non_operational/ },
  forceselectspm: { from: ['up'], otherwise: /not up|up/ },
  iscsidiscover: {
    from: ['up'],
    body: { iscsi: { address: 'iscsi.example.com' } },
    otherwise: /up/,
  },
  setupnetworks: { from: reachable, otherwise: /up, maintenance, non_operational/ },
  remove: {
    method: 'DELETE',
    from: [
      ...['non_responsive', 'maintenance', 'down', 'unassigned', 'install_failed'],
      ...['pending_approval', 'non_operational', 'installing_os'],
    ],
    otherwise: /maintenance/,
  },
});

describe('fencing', () => {
  const fences: Readonly<Record<string, readonly string[]>> = {
    start: ['down', 'non_responsive', 'reboot', 'maintenance'],
    stop: ['maintenance'],
    manual: ['non_operational', 'maintenance', 'connecting', 'non_responsive'],
  };
  it.each(Object.entries(fences))('%s', async (fence_type, from) => {
    await arrange('host');
    const began: string[] = [];
    for (const [status, id] of Object.entries(objects['host'] ?? {})) {
      const answer = await api.json('POST', `/hosts/${id}/fence`, { fence_type });
      if (answer.status < 300) began.push(status);
      else expect(answer.status, `${status}: ${answer.text}`).toBe(409);
    }
    expect(began.sort()).toEqual([...from].sort());
  });
});

const isLocked = {
  locked: /locked|in progress/i,
  detaching: /locked|in progress/i,
  activating: /locked|in progress/i,
};
const attachedAt = async (id: string) =>
  `/datacenters/${await findId('/datacenters', 'Default')}/storagedomains/${id}`;

tries('attached_storage_domain', attachedAt, {
  activate: {
    from: ['inactive', 'unknown', 'maintenance', 'preparing_for_maintenance'],
    says: isLocked,
    otherwise: /status \w+/,
  },
  deactivate: { from: ['active', 'inactive'], says: isLocked, otherwise: /status \w+/ },
  detach: { method: 'DELETE', from: ['maintenance'], otherwise: /status \w+|locked/ },
});

const lockedDisk = { locked: /locked/i, illegal: /illegal/i };
tries('disk', (id) => `/disks/${id}`, {
  copy: {
    from: ['ok'],
    body: { storage_domain: { name: 'data2' } },
    says: lockedDisk,
    otherwise: /never/,
  },
  move: {
    from: ['ok'],
    body: { storage_domain: { name: 'data2' } },
    says: lockedDisk,
    otherwise: /never/,
  },
  sparsify: { from: ['ok'], says: lockedDisk, otherwise: /never/ },
  convert: {
    from: ['ok'],
    body: { disk: { format: 'cow' } },
    says: lockedDisk,
    otherwise: /never/,
  },
  remove: { method: 'DELETE', from: ['ok', 'illegal'], says: lockedDisk, otherwise: /never/ },
});

const going = ['transferring', 'paused_user', 'paused_system', 'resuming'];
tries('image_transfer', (id) => `/imagetransfers/${id}`, {
  pause: { from: ['initializing', 'transferring', 'resuming'], otherwise: /./ },
  resume: { from: ['paused_user', 'paused_system'], otherwise: /./ },
  cancel: { from: ['initializing', ...going], otherwise: /./ },
  finalize: { from: going, otherwise: /./ },
});

tries('template', (id) => `/templates/${id}`, {
  update: {
    method: 'PUT',
    body: { description: 'x' },
    from: ['ok', 'illegal'],
    otherwise: /locked/,
  },
  remove: { method: 'DELETE', from: ['ok', 'illegal'], otherwise: /locked/ },
});

tries('snapshot', (id) => paths[id] ?? '', {
  restore: { from: ['ok'], otherwise: /preview|snapshot operation is in progress/i },
  remove: {
    method: 'DELETE',
    from: ['ok'],
    otherwise: /locked|preview|snapshot operation is in progress/i,
  },
});

tries('backup', (id) => paths[id] ?? '', {
  finalize: { from: ['ready'], otherwise: /not in READY phase/ },
});

tries('gluster_volume', (id) => paths[id] ?? '', {
  start: { from: ['down'], otherwise: /already|started/i },
  stop: { from: ['up'], otherwise: /already|stopped|not started/i },
  remove: { method: 'DELETE', from: ['down'], otherwise: /up|started|stop/i },
});
