/** Power states of VMs that a hypervisor runs. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawApi } from '../../../support/raw.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { FakeHypervisor } from '../../support/fake-hypervisor.ts';

let hypervisor: FakeHypervisor;
let server: TestServer;
let api: RawApi;
let vm: string;

beforeEach(async () => {
  hypervisor = new FakeHypervisor();
  // At this speed, a timer would end no transition during the test.
  server = await startTestServer(['--speed', '1000'], { hypervisor: () => hypervisor });
  api = await RawApi.signIn(server);
  vm = await findDownVm();
});
afterEach(() => server.stop());

async function findDownVm(): Promise<string> {
  const found = await api.json('GET', '/vms?search=status%3Ddown');
  return found.json<{ vm: { id: string }[] }>().vm[0]?.id ?? '';
}

async function act(action: string, body: object = {}): Promise<number> {
  return (await api.json('POST', `/vms/${vm}/${action}`, body)).status;
}

async function waitForStatus(status: string) {
  const reached = await api.until(`/vms/${vm}`, (answer) => answer.json()['status'] === status);
  return reached.json();
}

async function start(): Promise<void> {
  expect(await act('start')).toBe(200);
  await waitForStatus('up');
}

async function listEvents(): Promise<string[]> {
  const found = await api.json('GET', `/events?search=${encodeURIComponent(`vm.id=${vm}`)}`);
  return (
    found.json<{ event?: { description: string }[] }>().event?.map((one) => one.description) ?? []
  );
}

describe('a start', () => {
  it('ends when the hypervisor has launched the VM', async () => {
    await start();
    expect(hypervisor.changes).toMatchObject([
      { vm, change: 'launch', isPaused: false, hardware: { memory: 2 ** 30, machine: 'q35' } },
    ]);
    expect((await listEvents())[0]).toMatch(/started on Host/);
  });

  it('ends in the state down with the reason of the hypervisor after a failure', async () => {
    hypervisor.failures.set('launch', 'the memory is not sufficient');
    expect(await act('start')).toBe(200);
    const found = await waitForStatus('down');
    expect(found).not.toHaveProperty('host');
    expect((await listEvents())[0]).toMatch(
      /^Failed to run VM .*: the memory is not sufficient\.$/,
    );
  });

  it('launches a paused VM, which a second start resumes', async () => {
    expect(await act('start', { pause: true })).toBe(200);
    await waitForStatus('paused');
    await start();
    expect(hypervisor.changes).toMatchObject([
      { change: 'launch', isPaused: true },
      { change: 'resume' },
    ]);
  });

  it('reports no data of a simulated guest', async () => {
    await start();
    const found = (await api.json('GET', `/vms/${vm}`)).json();
    expect(found).not.toHaveProperty('fqdn');
    expect(found).not.toHaveProperty('guest_operating_system');
    expect((await api.json('GET', `/vms/${vm}/reporteddevices`)).json()).toEqual({
      reported_device: [],
    });
    expect((await api.json('GET', `/vms/${vm}/applications`)).json()).toEqual({ application: [] });
  });
});

describe('the end of a process', () => {
  const crash = { cause: 'crash', message: 'Exit message: killed.' } as const;
  const guest = { cause: 'guest', message: 'Exit message: the guest shut down.' } as const;

  it('ends a shutdown', async () => {
    await start();
    expect(await act('shutdown')).toBe(200);
    await waitForStatus('powering_down');
    expect(await hypervisor.exit(vm, guest)).toBe(true);
    await waitForStatus('down');
    expect(hypervisor.changes.at(-1)).toMatchObject({ vm, change: 'shutdown' });
    const job = await api.json('GET', '/jobs');
    expect(job.text).not.toContain('started');
  });

  it('is an error with a reason after a crash', async () => {
    await start();
    expect(await hypervisor.exit(vm, crash)).toBe(true);
    await waitForStatus('down');
    expect((await listEvents())[0]).toMatch(/is down with error\. Exit message: killed\.$/);
    expect(hypervisor.changes).toHaveLength(1);
  });

  it('restarts a highly available VM after a crash, but not after a shutdown of the guest', async () => {
    await api.json('PUT', `/vms/${vm}`, { high_availability: { enabled: true } });
    await start();
    await hypervisor.exit(vm, crash);
    await waitForStatus('up');
    expect(hypervisor.changes.map(({ change }) => change)).toEqual(['launch', 'launch']);
    await hypervisor.exit(vm, guest);
    await waitForStatus('down');
    expect(hypervisor.changes).toHaveLength(2);
  });

  it('is ignored for a VM that is down', async () => {
    expect(await hypervisor.exit(vm, crash)).toBe(true);
    expect((await listEvents()).join()).not.toContain('killed');
  });
});

describe('other changes', () => {
  it('stops and reboots the VM', async () => {
    await start();
    expect(await act('reset')).toBe(200);
    await waitForStatus('up');
    expect(await act('reboot')).toBe(200);
    await waitForStatus('up');
    expect(await act('stop')).toBe(200);
    await waitForStatus('down');
    const changes = hypervisor.changes.map(({ change }) => change);
    expect(changes).toEqual(['launch', 'reset', 'reboot', 'stop']);
  });

  it('launches the VM with pending changes at a reboot', async () => {
    await start();
    await api.json('PUT', `/vms/${vm}`, { memory: 2 ** 31, memory_policy: { max: 2 ** 32 } });
    const before = (await api.json('GET', `/vms/${vm}`)).json();
    expect(before).toMatchObject({ memory: 2 ** 30, next_run_configuration_exists: true });
    expect(await act('reboot')).toBe(200);
    await api.until(`/vms/${vm}`, (answer) => answer.json()['memory'] === 2 ** 31);
    await waitForStatus('up');
    expect(hypervisor.changes).toMatchObject([
      { change: 'launch' },
      { change: 'stop' },
      { change: 'launch', hardware: { memory: 2 ** 31 } },
    ]);
  });

  it('pauses the VM after a failed write', async () => {
    await start();
    await hypervisor.pause(vm, 'enospc');
    expect(await waitForStatus('paused')).toMatchObject({ status_detail: 'enospc' });
    await start();
    expect(hypervisor.changes.at(-1)).toMatchObject({ change: 'resume' });
  });
});

describe('reports', () => {
  it('shows the report of the guest agent, until the VM stops', async () => {
    await start();
    const device = {
      name: 'eth0',
      mac: { address: '56:6f:00:00:00:01' },
      ips: [{ address: '10.0.2.15', version: 'v4' as const }],
    };
    await hypervisor.report(vm, { fqdn: 'guest1.example.com', devices: [device] });
    expect((await api.json('GET', `/vms/${vm}`)).json()['fqdn']).toBe('guest1.example.com');
    const reported = await api.json('GET', `/vms/${vm}/reporteddevices`);
    expect(reported.json()).toMatchObject({
      reported_device: [{ ...device, ips: { ip: device.ips } }],
    });
    const found = await api.json('GET', '/vms?search=ip%3D10.0.2.15');
    expect(found.json()).toMatchObject({ vm: [{ id: vm }] });
    await act('stop');
    expect(await waitForStatus('down')).not.toHaveProperty('fqdn');
  });

  it('shows the measurements of the hypervisor', async () => {
    await start();
    hypervisor.measures.set(vm, { processors: 0.5, memory: 2 ** 28 });
    const found = (await api.json('GET', `/vms/${vm}/statistics`)).json<{
      statistic: { name: string; values: { value: { datum?: number }[] } }[];
    }>();
    const read = (name: string) =>
      found.statistic.find((one) => one.name === name)?.values.value[0]?.datum;
    expect(read('cpu.current.total')).toBe(50);
    expect(read('memory.used')).toBe(2 ** 28);
  });

  it('responds with the screen of the VM', async () => {
    await start();
    const accept = { Accept: 'image/png' };
    expect((await api.json('POST', `/vms/${vm}/screenshot`, {}, accept)).status).toBe(409);
    hypervisor.screen = Buffer.from('picture');
    const answer = await api.json('POST', `/vms/${vm}/screenshot`, {}, accept);
    expect(answer.bytes.toString()).toBe('picture');
  });
});
