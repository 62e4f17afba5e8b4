/** Hosts in every state: permitted operations, and refusals of the others. */
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../../src/server/core/fault.ts';
import { markNonResponsive } from '../../../../src/server/resources/host/non-responsive.ts';
import { useWorld } from '../../support/world.ts';

const world = useWorld();

const states = [
  'up',
  'down',
  'error',
  'initializing',
  'installing',
  'install_failed',
  'maintenance',
  'non_operational',
  'non_responsive',
  'pending_approval',
  'preparing_for_maintenance',
  'connecting',
  'reboot',
  'unassigned',
  'installing_os',
  'kdumping',
] as const;

type State = (typeof states)[number];

/** States that permit an operation, according to specification 3, and parts of its refusal. */
const allowed: Readonly<
  Record<string, { from: readonly State[]; body?: Record<string, unknown>; says: RegExp }>
> = {
  activate: {
    from: states.filter((state) => state !== 'up' && state !== 'non_responsive'),
    says: /already up|does not respond/,
  },
  deactivate: {
    from: [
      'up',
      'non_responsive',
      'error',
      'preparing_for_maintenance',
      'down',
      'non_operational',
      'install_failed',
    ],
    says: /already in maintenance|cannot go to maintenance/,
  },
  approve: {
    from: ['pending_approval', 'install_failed', 'installing_os'],
    says: /awaits approval/,
  },
  install: {
    from: ['maintenance', 'non_operational', 'install_failed', 'installing_os'],
    body: { root_password: 'secret' },
    says: /maintenance first/,
  },
  upgrade: {
    from: ['up', 'maintenance', 'non_operational', 'install_failed'],
    says: /cannot be upgraded/,
  },
  upgrade_check: {
    from: ['up', 'maintenance', 'non_operational', 'install_failed'],
    says: /The host cannot check for updates in status/,
  },
  enroll_certificate: {
    from: ['maintenance', 'install_failed', 'non_responsive'],
    says: /enrolled in maintenance/,
  },
  refresh: { from: ['up', 'maintenance', 'non_operational'], says: /must be one of: up/ },
  setup_networks: { from: ['up', 'maintenance', 'non_operational'], says: /must be one of: up/ },
  iscsi_discover: {
    from: ['up'],
    body: { iscsi: { address: 'storage.example.com' } },
    says: /must be one of: up/,
  },
  force_select_spm: { from: ['up'], says: /must be up/ },
  commit_net_config: { from: states, says: /never/ },
};

async function refusal(work: Promise<unknown>): Promise<Refusal | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

describe('a host in any state', () => {
  for (const [action, { from, body, says }] of Object.entries(allowed)) {
    it.each(states)(`${action} when it is %s`, async (status) => {
      const { id } = await world.host('host3');
      await world.put(id, { status, update_available: true, spm: { priority: 5, status: 'none' } });
      const refused = await refusal(world.act(id, action, body));
      if (from.includes(status)) {
        expect(refused?.detail).toBeUndefined();
      } else {
        expect(refused?.status).toBe(409);
        expect(refused?.detail).toMatch(says);
      }
    });
  }

  it.each(states)('can be fenced, or is refused, in state %s', async (status) => {
    const { id } = await world.host('host3');
    await world.run((ctx) => {
      const path = `/hosts/${id}/fenceagents`;
      if (!ctx.tx.get('agent', 'agent', path)) ctx.tx.insert('agent', path, { id: 'agent' });
    });
    const fence = async (fence_type: string) => {
      await world.put(id, { status, power_management: { enabled: true } });
      return (await refusal(world.act(id, 'fence', { fence_type })))?.status ?? 200;
    };
    const starts = ['down', 'non_responsive', 'reboot', 'maintenance'].includes(status);
    expect(await fence('start')).toBe(starts ? 200 : 409);
    expect(await fence('stop')).toBe(status === 'maintenance' ? 200 : 409);
    expect(await fence('status')).toBe(200);
    const byHand = ['non_operational', 'maintenance', 'connecting', 'non_responsive'];
    expect(await fence('manual')).toBe(byHand.includes(status) ? 200 : 409);
  });

  it('is removed only in maintenance', async () => {
    const { id } = await world.host('host3');
    const out = [
      'non_responsive',
      'maintenance',
      'down',
      'unassigned',
      'install_failed',
      'pending_approval',
      'non_operational',
      'installing_os',
    ];
    for (const status of states.filter((state) => !out.includes(state))) {
      await world.put(id, { status });
      expect((await refusal(world.remove(id)))?.detail).toContain(status);
    }
    await world.put(id, { status: 'up' });
  });

  it('reaches the states of its transitions', async () => {
    const { id } = await world.host('host3');
    const restsIn = async (
      status: State,
      action: string,
      body: Record<string, unknown> = {},
      changes = {},
    ) => {
      await world.put(id, { status, update_available: true, ...changes });
      await world.act(id, action, body);
      return (await world.host('host3')).status;
    };
    const root_password = 'secret';
    expect(await restsIn('maintenance', 'activate')).toBe('up');
    expect(await restsIn('install_failed', 'approve')).toBe('up');
    expect(await restsIn('pending_approval', 'approve', { activate: false })).toBe('maintenance');
    expect(await restsIn('maintenance', 'install', { root_password })).toBe('maintenance');
    expect(await restsIn('maintenance', 'install', { root_password, activate: true })).toBe('up');
    expect(await restsIn('up', 'upgrade')).toBe('up');
    expect(await restsIn('maintenance', 'upgrade')).toBe('maintenance');
    expect(await restsIn('install_failed', 'enroll_certificate')).toBe('install_failed');
    expect(await restsIn('up', 'deactivate')).toBe('maintenance');
    expect(await restsIn('maintenance', 'fence', { fence_type: 'stop' })).toBe('down');
    expect(await restsIn('down', 'fence', { fence_type: 'start' })).toBe('up');
    expect(await restsIn('non_responsive', 'fence', { fence_type: 'manual' })).toBe(
      'non_responsive',
    );
    const leave = { fence_type: 'restart', maintenance_after_restart: true };
    expect(await restsIn('up', 'fence', leave)).toBe('maintenance');
  });

  it('is not activated before it was ever installed', async () => {
    const { id } = await world.host('host3');
    const { hardware_information } = await world.host('host3');
    await world.put(id, { status: 'pending_approval', hardware_information: {} });
    expect((await refusal(world.act(id, 'activate')))?.detail).toContain('never installed');
    await world.put(id, { status: 'up', hardware_information: hardware_information ?? {} });
  });
});

describe('a host that is lost', () => {
  const lose = (id: string) => world.run((ctx) => markNonResponsive(ctx, id));
  const vmsOn = (host: string) =>
    world.run((ctx) => ctx.tx.list('vm', { where: { host_id: host } }));
  const vm = (id: string) => world.run((ctx) => ctx.tx.get('vm', id));

  it('sets its VMs to unknown, and leaves the data center without a manager', async () => {
    const { id } = await world.host('host1');
    const before = await vmsOn(id);
    expect(before.length).toBeGreaterThan(0);
    expect((await world.host('host1')).spm?.status).toBe('spm');
    await lose(id);
    expect((await world.host('host1')).status).toBe('non_responsive');
    for (const one of before) expect((await vm(one.id ?? ''))?.status).toBe('unknown');
    const dataCenter = await world.run((ctx) => ctx.tx.byName('data_center', 'Default'));
    expect(dataCenter?.status).not.toBe('up');
    expect((await refusal(world.act(id, 'deactivate')))?.detail).toContain('VMs run on it');
  });

  it('releases its VMs after a confirmed reboot', async () => {
    const { id } = await world.host('host1');
    const before = await vmsOn(id);
    await world.run((ctx) => {
      const [first] = before;
      ctx.tx.update('vm', {
        ...ctx.tx.get('vm', first?.id ?? ''),
        high_availability: { enabled: true, priority: 1 },
        os: { boot: { devices: ['cdrom'] } },
      });
    });
    await world.act(id, 'fence', { fence_type: 'manual' });
    const [first, ...rest] = before;
    const restarted = await vm(first?.id ?? '');
    expect(restarted?.status).toBe('up');
    expect(restarted?.host?.id).not.toBe(id);
    for (const one of rest) expect((await vm(one.id ?? ''))?.status).toBe('down');
    expect((await world.host('host1')).status).toBe('non_responsive');
    expect((await world.host('host1')).spm?.status).toBe('none');
    const dataCenter = await world.run((ctx) => ctx.tx.byName('data_center', 'Default'));
    expect(dataCenter?.status).toBe('up');
    await world.act(id, 'deactivate');
    await world.act(id, 'activate');
  });

  it('is restarted by power management if possible', async () => {
    const { id } = await world.host('host2');
    await world.run((ctx) => {
      ctx.tx.insert('agent', `/hosts/${id}/fenceagents`, { id: 'agent', type: 'ipmilan' });
    });
    await world.put(id, { power_management: { enabled: true } });
    const before = await vmsOn(id);
    expect(before.length).toBeGreaterThan(0);
    await lose(id);
    expect((await world.host('host2')).status).toBe('up');
    for (const one of before) expect((await vm(one.id ?? ''))?.status).toBe('down');
  });
});
