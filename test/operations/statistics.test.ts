/** Statistics tell one story: totals stay, parts sum to them, counters never fall, rates follow the state. */
import { describe, expect, it } from 'vitest';
import { RawApi } from '../support/raw.ts';
import { startTestServer } from '../support/server.ts';
import { addHost } from './support/hosts.ts';
import { type People, useSite } from './support/site.ts';
import { listItems } from './support/speaker.ts';
import { addDisk, newVm, settled } from './support/vms.ts';

const site = useSite();

/** All values of an object by name: numbers, texts, or lists of numbers. */
async function measured({ admin }: People, path: string): Promise<Map<string, unknown>> {
  const { list } = await admin.get(`${path}/statistics`);
  return new Map(
    list.map((one) => {
      const values = listItems(one, 'values', 'value');
      const all = values.map(({ datum, detail }) =>
        detail === undefined ? Number(datum) : detail,
      );
      const name = String(one['name']);
      return [name, name.endsWith('.history') ? all : all[0]];
    }),
  );
}

const numbers = (values: Map<string, unknown>, ...names: readonly string[]) =>
  names.map((name) => Number(values.get(name)));

describe('statistics of a host', () => {
  site.both('sum to its totals', async (people) => {
    const host = people.path('/hosts/{host}');
    const values = await measured(people, host);
    const { object } = await people.admin.get(host);
    const [total, used, free] = numbers(values, 'memory.total', 'memory.used', 'memory.free');
    expect(total).toBe(Number(object['memory']));
    expect(Number(used) + Number(free)).toBe(total);
    const [swap, swapUsed, swapFree] = numbers(values, 'swap.total', 'swap.used', 'swap.free');
    expect(swap).toBeGreaterThan(0);
    expect(Number(swapUsed) + Number(swapFree)).toBe(swap);
    const cpu = numbers(values, 'cpu.current.user', 'cpu.current.system', 'cpu.current.idle');
    expect(cpu.reduce((sum, one) => sum + one, 0)).toBeCloseTo(100, 5);
    const [buffers, cached] = numbers(values, 'memory.buffers', 'memory.cached');
    expect(Number(buffers) + Number(cached)).toBeLessThan(Number(free));
    expect(values.has('swap.cached')).toBe(true);
  });
  site.both('name the time at which it started, always the same', async (people) => {
    const before = Math.floor(Date.now() / 1000);
    const { path } = await addHost(people);
    const [boot] = numbers(await measured(people, path), 'boot.time');
    expect(boot).toBeGreaterThanOrEqual(before);
    expect(boot).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000));
    await people.admin.must(`${path}/deactivate`, {});
    const resting = await measured(people, path);
    expect(numbers(resting, 'boot.time', 'memory.used', 'cpu.current.user')).toEqual([boot, 0, 0]);
    expect(Number(resting.get('memory.total'))).toBeGreaterThan(0);
  });
  site.both('grow with the machines that run on it', async (people) => {
    const host = await addHost(people);
    const [alone] = numbers(await measured(people, host.path), 'memory.used');
    const vm = await newVm(people, {
      cluster: { id: host.cluster },
      os: { boot: { devices: { device: ['cdrom'] } } },
    });
    await people.admin.must(`/vms/${vm.id}/start`);
    await settled(people, vm.id);
    const [own] = numbers(await measured(people, `/vms/${vm.id}`), 'memory.used');
    const [together] = numbers(await measured(people, host.path), 'memory.used');
    expect(together).toBeGreaterThanOrEqual(Number(own));
    expect(together).toBeGreaterThan(Number(alone));
  });
});

describe('statistics of a machine', () => {
  const machine = async (people: People) => {
    const { id } = await newVm(people);
    const disk = await addDisk(people, id);
    const { id: nic } = await people.admin.add(`/vms/${id}/nics`, { nic: { name: 'nic1' } });
    return { vm: `/vms/${id}`, nic: `/vms/${id}/nics/${nic}`, disk: `/disks/${disk}`, id };
  };

  site.both('are nothing but its memory while it is off', async (people) => {
    const { vm } = await machine(people);
    const values = await measured(people, vm);
    expect(values.get('memory.installed')).toBe(2 ** 30);
    values.delete('memory.installed');
    const told = [...values.values()].flat().filter((value) => value !== 0 && value !== undefined);
    expect(told).toEqual([]);
  });
  site.both('sum to its memory while it runs', async (people) => {
    const { vm, id } = await machine(people);
    await people.admin.must(`${vm}/start`);
    await settled(people, id);
    const values = await measured(people, vm);
    const [installed, used, free] = numbers(
      values,
      'memory.installed',
      'memory.used',
      'memory.free',
    );
    expect(Number(used) + Number(free)).toBe(installed);
    const parts = numbers(values, 'memory.buffered', 'memory.cached', 'memory.unused');
    expect(parts.reduce((sum, one) => sum + one, 0)).toBe(free);
    const [guest, hypervisor, total] = numbers(
      values,
      'cpu.current.guest',
      'cpu.current.hypervisor',
      'cpu.current.total',
    );
    expect(guest).toBeGreaterThan(0);
    expect(Number(guest) + Number(hypervisor)).toBeCloseTo(Number(total), 5);
    const [disk] = JSON.parse(String(values.get('disks.usage'))) as Record<string, string>[];
    expect(disk).toMatchObject({ path: '/', total: String(2 ** 20), fs: 'xfs' });
    expect(Number(disk?.['used'])).toBeLessThan(2 ** 20);
  });
  site.both('have rates only while it runs, and counters that never fall', async (people) => {
    const { vm, nic, disk, id } = await machine(people);
    const rates = ['data.current.rx', 'data.current.tx'];
    expect(numbers(await measured(people, nic), ...rates)).toEqual([0, 0]);
    await people.admin.must(`${vm}/start`);
    await settled(people, id);
    const running = await measured(people, nic);
    const [received, bits] = numbers(running, 'data.current.rx', 'data.current.rx.bps');
    expect(received).toBeGreaterThan(0);
    expect(bits).toBeCloseTo(8 * Number(received), 1);
    expect(numbers(await measured(people, disk), 'data.current.read')[0]).toBeGreaterThan(0);
    await people.admin.must(`${vm}/stop`);
    await settled(people, id);
    const stopped = await measured(people, nic);
    expect(numbers(stopped, ...rates)).toEqual([0, 0]);
    const counters = ['data.total.rx', 'data.total.tx'];
    for (const [index, value] of numbers(stopped, ...counters).entries()) {
      expect(value).toBeGreaterThanOrEqual(numbers(running, ...counters)[index] ?? 0);
    }
    expect(numbers(await measured(people, disk), 'data.current.read')).toEqual([0]);
  });
});

describe('statistics of two services with the same seed', () => {
  it('are the same', async () => {
    const seen: string[] = [];
    for (const _ of [1, 2]) {
      const options = ['--seed', '7', '--speed', '0', '--inventory', 'small'];
      const server = await startTestServer(options);
      const api = await RawApi.signIn(server);
      const { vm } = (await api.json('GET', '/vms?search=status%3Dup')).json<{
        vm: { id: string }[];
      }>();
      const answer = await api.json('GET', `/vms/${vm[0]?.id}/statistics`);
      const { statistic } = answer.json<{ statistic: { name: string; values: object }[] }>();
      // How long it runs is not of the seed.
      const kept = statistic.filter(({ name }) => name !== 'elapsed.time');
      seen.push(JSON.stringify(kept.map(({ name, values }) => [name, values])));
      await server.stop();
    }
    expect(seen[0]).toBe(seen[1]);
  });
});
