/** Description of a VM, and sections that templates share. */

import type { Item } from '../../cli/output/view.ts';
import { ifReadable } from '../../cli/verbs/effective-permissions.ts';
import { isUuid } from '../../cli/verbs/identifiers.ts';
import { formatPendingValue, readPendingChanges } from '../../cli/verbs/pending-changes.ts';
import { arrangeSnapshots, drawTree } from '../../cli/verbs/snapshot-tree.ts';
import type { ApiObject, Client } from '../../client/client.ts';
import { requireOperation } from '../../model/index.ts';
import type { Resource } from '../../model/resource.ts';
import { compact, getAt, getName, planEvents, planPermissions } from './common-sections.ts';
import type { Description, SectionPlan, Subject } from './section.ts';

export const vm: Description = {
  follow: 'host,cluster,template',
  describe: (subject) => {
    const { object, id } = subject;
    const at = (path: string) => getAt(object, path);
    const isDown = object['status'] === 'down';
    const summary = compact({
      id,
      name: object['name'],
      status: object['status'],
      reason: object['status_detail'] ?? (isDown ? object['stop_reason'] : undefined),
      description: object['description'],
      cluster: getName(object['cluster']),
      host: getName(object['host']),
      template: getName(object['template']),
      fqdn: object['fqdn'],
      guest_system: at('guest_operating_system.distribution'),
      created: object['creation_time'],
      started: isDown ? undefined : object['start_time'],
    });
    return {
      summary,
      sections: [
        { key: 'resources', title: 'Resources', read: async () => listResources(object) },
        planNextRun(subject),
        planNics(subject),
        planDisks(subject),
        planCdrom(subject),
        planSnapshots(subject),
        planPermissions(subject, 'vm'),
        planEvents(subject, 'vm'),
      ],
    };
  },
};

/** Hardware of a VM or template. */
export function listResources(object: ApiObject): Item {
  const at = (path: string) => getAt(object, path);
  const [sockets, cores, threads] = ['sockets', 'cores', 'threads'].map((name) =>
    Number(at(`cpu.topology.${name}`) ?? 1),
  );
  return compact({
    cpus: (sockets ?? 1) * (cores ?? 1) * (threads ?? 1),
    topology: `sockets ${sockets}, cores ${cores}, threads ${threads}`,
    memory: object['memory'],
    guaranteed_memory: at('memory_policy.guaranteed'),
    maximum_memory: at('memory_policy.max'),
    firmware: at('bios.type'),
    highly_available: at('high_availability.enabled'),
    delete_protected: object['delete_protected'],
  });
}

/** Attributes that differ between the running and the next configuration. */
function planNextRun({ client, id, object }: Subject): SectionPlan {
  return {
    key: 'next_run',
    title: 'Changes at the next start',
    isOmittedIfEmpty: object['status'] === 'down',
    read: async () => {
      if (object['next_run_configuration_exists'] !== true) return [];
      return (await readPendingChanges(client, id)).map((one) => ({ ...one }));
    },
    draw: (rows) =>
      rows.map((row) => {
        const format = (value: unknown) => formatPendingValue(String(row['attribute']), value);
        return { ...row, running: format(row['running']), next: format(row['next']) };
      }),
  };
}

/** Owners of NICs and disks, by path. */
type Owner = '/vms/{vm}' | '/templates/{template}';

/** Ids of an owner for requests below its path. */
function createIds(owner: Owner, id: string) {
  return owner === '/vms/{vm}' ? { vm: id } : { template: id };
}

export function planNics({ client, id }: Subject, owner: Owner = '/vms/{vm}'): SectionPlan {
  return {
    key: 'nics',
    title: 'NICs',
    read: async () => {
      const nics = await client.list({
        operation: requireOperation(`${owner}/nics`, 'list'),
        ids: createIds(owner, id),
        // Only VMs have devices that the guest reports.
        query: {
          follow:
            owner === '/vms/{vm}'
              ? 'reported_devices,vnic_profile.network'
              : 'vnic_profile.network',
        },
      });
      return nics.map((nic) => ({
        name: nic.name,
        network: getName(nic.vnic_profile?.network) ?? getName(nic.vnic_profile),
        mac: nic.mac?.address,
        addresses: (nic.reported_devices ?? []).flatMap(({ ips = [] }) =>
          ips.flatMap(({ address }) => address ?? []),
        ),
        state: nic.plugged === false ? 'unplugged' : nic.linked === false ? 'link down' : 'up',
      }));
    },
  };
}

export function planDisks({ client, id }: Subject, owner: Owner = '/vms/{vm}'): SectionPlan {
  return {
    key: 'disks',
    title: 'Disks',
    read: async () => {
      const attachments = await client.list({
        operation: requireOperation(`${owner}/diskattachments`, 'list'),
        ids: createIds(owner, id),
        query: { follow: 'disk.storage_domains' },
      });
      return attachments.map(({ disk, bootable, active, interface: bus }) => ({
        name: disk?.alias ?? disk?.name ?? disk?.id,
        status: disk?.status,
        size: disk?.provisioned_size,
        used: disk?.actual_size,
        format: disk?.format,
        interface: bus,
        storage_domain: (disk?.storage_domains ?? []).flatMap((one) => getName(one) ?? []),
        flags: [...(bootable ? ['bootable'] : []), ...(active === false ? ['inactive'] : [])],
      }));
    },
  };
}

/** The image in the CD drive: of the current run if the VM runs, and that of its next start. */
function planCdrom({ client, id, object }: Subject): SectionPlan {
  return {
    key: 'cdrom',
    title: 'CD drive',
    read: async () => {
      const operation = requireOperation('/vms/{vm}/cdroms', 'list');
      const [drive] = await client.list({ operation, ids: { vm: id } });
      const next = await findImageName(client, drive?.file);
      if (object['status'] === 'down' || drive?.id === undefined) return compact({ image: next });
      const current = await client.object({
        operation: requireOperation('/vms/{vm}/cdroms/{cdrom}', 'get'),
        ids: { vm: id, cdrom: drive.id },
        query: { current: true },
      });
      const image = await findImageName(client, current.file);
      return compact({ image, next_start: image === next ? undefined : (next ?? 'none') });
    },
  };
}

/** Name of an ISO image: a file of an ISO domain, or a disk. */
async function findImageName(
  client: Client,
  file: Resource<'file'> | undefined,
): Promise<string | undefined> {
  const { id = '', name } = file ?? {};
  if (name !== undefined || !isUuid(id)) return name ?? (id || undefined);
  const operation = requireOperation('/disks/{disk}', 'get');
  const disk = await ifReadable(client.object({ operation, ids: { disk: id } }));
  return disk?.alias ?? disk?.name ?? id;
}

/** Snapshots in the order of the tree, without a lone current state. */
function planSnapshots({ client, id, env }: Subject): SectionPlan {
  return {
    key: 'snapshots',
    title: 'Snapshots',
    read: async () => {
      const snapshots = await client.list({
        operation: requireOperation('/vms/{vm}/snapshots', 'list'),
        ids: { vm: id },
      });
      if (snapshots.length < 2) return [];
      return arrangeSnapshots(snapshots, env).map(({ snapshot, isCurrent }) => ({
        id: snapshot.id,
        description: snapshot.description,
        snapshot_type: snapshot.snapshot_type,
        snapshot_status: snapshot.snapshot_status,
        ...(isCurrent ? {} : { date: snapshot.date }),
      }));
    },
    draw: (rows) =>
      drawTree(rows, env).map(({ description, snapshot_status: status, date }) => ({
        description,
        status,
        date,
      })),
  };
}
