/** Generated VMs: copies of a prototype are equal to individually created VMs. */
import { expect, it } from 'vitest';
import { describeRunning } from '../../../src/server/resources/vm/running.ts';
import { addVms } from '../../../src/server/seed/vms.ts';
import { useWorld } from '../support/world.ts';

const world = useWorld();

it('gives each VM its own host, console, disk and domain', async () => {
  await world.run((ctx) => {
    const { tx } = ctx;
    const before = new Set(tx.ids('vm'));
    const clusters = tx.ids('cluster');
    const domains = tx.ids('attached_storage_domain');
    const counts = { datacenters: 1, clusters: 1, hosts: 3, storagedomains: 1, networks: 2 };
    addVms(ctx, clusters, domains, { ...counts, vms: 40, disks: 30 });
    const vms = tx.list('vm').filter(({ id = '' }) => !before.has(id));
    expect(vms).toHaveLength(40);
    const up = vms.filter(({ host }) => host);
    expect(new Set(up.map(({ host }) => host?.id)).size).toBe(3);
    for (const vm of up) {
      // Start time and port are the same for all.
      const { start_time, display } = vm;
      const alone = describeRunning(ctx, vm);
      expect(vm).toEqual({
        ...alone,
        start_time,
        display: { ...alone.display, port: display?.port },
      });
      expect(vm.display?.address).toBe(tx.get('host', vm.host?.id ?? '')?.address);
    }
    for (const vm of vms.filter(({ host }) => !host)) {
      expect(vm.status).toBe('down');
      expect(vm.display?.address).toBeUndefined();
    }
    const disks = tx.ids('disk');
    const listed = domains.flatMap((id) => tx.referring('disk', 'storage_domains', id));
    expect(listed.map(({ id }) => id).sort()).toEqual(disks.sort());
    expect(disks).toHaveLength(30);
    expect(tx.find('vm', { name: 'vm-31' })?.id).toBeDefined();
    const [attached] = tx.list('disk_attachment', { where: { vm_id: up[0]?.id ?? '' } });
    expect(tx.get('disk', attached?.id ?? '')?.name).toBe(`${up[0]?.name}_Disk1`);
  });
});
