/** Power states of VMs that a hypervisor runs. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HypervisorSite } from '../../support/hypervisor-site.ts';

let site: HypervisorSite;

beforeEach(async () => {
  site = await HypervisorSite.createSlow();
});
afterEach(() => site.stopServer());

async function act(action: string, body: object = {}): Promise<number> {
  return (await site.api.json('POST', `/vms/${site.vm}/${action}`, body)).status;
}

describe('a start', () => {
  it('ends when the hypervisor has launched the VM', async () => {
    await site.start();
    expect(site.hypervisor.changes).toMatchObject([
      {
        vm: site.vm,
        change: 'launch',
        isPaused: false,
        hardware: { memory: 2 ** 30, machine: 'q35' },
      },
    ]);
    expect((await site.listEvents())[0]).toMatch(/started on Host/);
  });

  it('ends in the state down with the reason of the hypervisor after a failure', async () => {
    site.hypervisor.failures.set('launch', 'the memory is not sufficient');
    expect(await act('start')).toBe(200);
    const found = await site.waitForStatus('down');
    expect(found).not.toHaveProperty('host');
    expect((await site.listEvents())[0]).toMatch(
      /^Failed to run VM .*: the memory is not sufficient\.$/,
    );
  });

  it('launches a paused VM, which a second start resumes', async () => {
    expect(await act('start', { pause: true })).toBe(200);
    await site.waitForStatus('paused');
    await site.start();
    expect(site.hypervisor.changes).toMatchObject([
      { change: 'launch', isPaused: true },
      { change: 'resume' },
    ]);
  });

  it('reports no data of a simulated guest', async () => {
    await site.start();
    const found = (await site.api.json('GET', `/vms/${site.vm}`)).json();
    expect(found).not.toHaveProperty('fqdn');
    expect(found).not.toHaveProperty('guest_operating_system');
    expect((await site.api.json('GET', `/vms/${site.vm}/reporteddevices`)).json()).toEqual({
      reported_device: [],
    });
    expect((await site.api.json('GET', `/vms/${site.vm}/applications`)).json()).toEqual({
      application: [],
    });
  });
});

describe('the end of a process', () => {
  const crash = { cause: 'crash', message: 'Exit message: killed.' } as const;
  const guest = { cause: 'guest', message: 'Exit message: the guest shut down.' } as const;

  it('ends a shutdown', async () => {
    await site.start();
    expect(await act('shutdown')).toBe(200);
    await site.waitForStatus('powering_down');
    expect(await site.hypervisor.exit(site.vm, guest)).toBe(true);
    await site.waitForStatus('down');
    expect(site.hypervisor.changes.at(-1)).toMatchObject({ vm: site.vm, change: 'shutdown' });
    const job = await site.api.json('GET', '/jobs');
    expect(job.text).not.toContain('started');
  });

  it('is an error with a reason after a crash', async () => {
    await site.start();
    expect(await site.hypervisor.exit(site.vm, crash)).toBe(true);
    await site.waitForStatus('down');
    expect((await site.listEvents())[0]).toMatch(/is down with error\. Exit message: killed\.$/);
    expect(site.hypervisor.changes).toHaveLength(1);
  });

  it('restarts a highly available VM after a crash, but not after a shutdown of the guest', async () => {
    await site.api.json('PUT', `/vms/${site.vm}`, { high_availability: { enabled: true } });
    await site.start();
    await site.hypervisor.exit(site.vm, crash);
    await site.waitForStatus('up');
    expect(site.hypervisor.changes.map(({ change }) => change)).toEqual(['launch', 'launch']);
    await site.hypervisor.exit(site.vm, guest);
    await site.waitForStatus('down');
    expect(site.hypervisor.changes).toHaveLength(2);
  });

  it('is ignored for a VM that is down', async () => {
    expect(await site.hypervisor.exit(site.vm, crash)).toBe(true);
    expect((await site.listEvents()).join()).not.toContain('killed');
  });
});

describe('other changes', () => {
  it('stops and reboots the VM', async () => {
    await site.start();
    expect(await act('reset')).toBe(200);
    await site.waitForStatus('up');
    expect(await act('reboot')).toBe(200);
    await site.waitForStatus('up');
    expect(await act('stop')).toBe(200);
    await site.waitForStatus('down');
    const changes = site.hypervisor.changes.map(({ change }) => change);
    expect(changes).toEqual(['launch', 'reset', 'reboot', 'stop']);
  });

  it('launches the VM with pending changes at a reboot', async () => {
    await site.start();
    await site.api.json('PUT', `/vms/${site.vm}`, {
      memory: 2 ** 31,
      memory_policy: { max: 2 ** 32 },
    });
    const before = (await site.api.json('GET', `/vms/${site.vm}`)).json();
    expect(before).toMatchObject({ memory: 2 ** 30, next_run_configuration_exists: true });
    expect(await act('reboot')).toBe(200);
    await site.api.until(`/vms/${site.vm}`, (answer) => answer.json()['memory'] === 2 ** 31);
    await site.waitForStatus('up');
    expect(site.hypervisor.changes).toMatchObject([
      { change: 'launch' },
      { change: 'stop' },
      { change: 'launch', hardware: { memory: 2 ** 31 } },
    ]);
  });

  it('pauses the VM after a failed write', async () => {
    await site.start();
    await site.hypervisor.pause(site.vm, 'enospc');
    expect(await site.waitForStatus('paused')).toMatchObject({ status_detail: 'enospc' });
    await site.start();
    expect(site.hypervisor.changes.at(-1)).toMatchObject({ change: 'resume' });
  });
});

describe('reports', () => {
  it('shows the report of the guest agent, until the VM stops', async () => {
    await site.start();
    const device = {
      name: 'eth0',
      mac: { address: '56:6f:00:00:00:01' },
      ips: [{ address: '10.0.2.15', version: 'v4' as const }],
    };
    await site.hypervisor.report(site.vm, { fqdn: 'guest1.example.com', devices: [device] });
    expect((await site.api.json('GET', `/vms/${site.vm}`)).json()['fqdn']).toBe(
      'guest1.example.com',
    );
    const reported = await site.api.json('GET', `/vms/${site.vm}/reporteddevices`);
    expect(reported.json()).toMatchObject({
      reported_device: [{ ...device, ips: { ip: device.ips } }],
    });
    const found = await site.api.json('GET', '/vms?search=ip%3D10.0.2.15');
    expect(found.json()).toMatchObject({ vm: [{ id: site.vm }] });
    await act('stop');
    expect(await site.waitForStatus('down')).not.toHaveProperty('fqdn');
  });

  it('shows the measurements of the hypervisor', async () => {
    await site.start();
    site.hypervisor.measures.set(site.vm, { processors: 0.5, memory: 2 ** 28 });
    const found = (await site.api.json('GET', `/vms/${site.vm}/statistics`)).json<{
      statistic: { name: string; values: { value: { datum?: number }[] } }[];
    }>();
    const read = (name: string) =>
      found.statistic.find((one) => one.name === name)?.values.value[0]?.datum;
    expect(read('cpu.current.total')).toBe(50);
    expect(read('memory.used')).toBe(2 ** 28);
  });

  it('responds with the screen of the VM', async () => {
    await site.start();
    const accept = { Accept: 'image/png' };
    expect((await site.api.json('POST', `/vms/${site.vm}/screenshot`, {}, accept)).status).toBe(
      409,
    );
    site.hypervisor.screen = Buffer.from('picture');
    const answer = await site.api.json('POST', `/vms/${site.vm}/screenshot`, {}, accept);
    expect(answer.bytes.toString()).toBe('picture');
  });
});
