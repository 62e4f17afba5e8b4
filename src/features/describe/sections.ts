/** Descriptions of hosts, disks, storage domains, templates and networks; all descriptions by noun. */

import type { ApiObject } from '../../client/client.ts';
import { requireOperation } from '../../model/index.ts';
import {
  compact,
  createTextSearch,
  getAt,
  getName,
  listNames,
  planEvents,
  planFoundEvents,
  planPermissions,
} from './common-sections.ts';
import type { Description, SectionPlan, Subject } from './section.ts';
import { listResources, planDisks, planNics, vm } from './vm.ts';

const host: Description = {
  follow: 'cluster',
  describe: (subject) => {
    const { object, id } = subject;
    const at = (path: string) => getAt(object, path);
    return {
      summary: compact({
        ...summarize(object),
        reason: object['status_detail'],
        address: object['address'],
        cluster: getName(object['cluster']),
        system: at('os.description') ?? at('os.type'),
        spm: at('spm.status'),
        update_available: object['update_available'],
      }),
      sections: [
        {
          key: 'resources',
          title: 'Resources',
          read: async () =>
            compact({
              cpu: at('cpu.name'),
              cores:
                Number(at('cpu.topology.sockets') ?? 1) * Number(at('cpu.topology.cores') ?? 1),
              memory: object['memory'],
              available: object['max_scheduling_memory'],
              running_vms: at('summary.active'),
              migrating_vms: at('summary.migrating'),
            }),
        },
        planVms(subject, createTextSearch('host', object['name'])),
        {
          key: 'nics',
          title: 'NICs',
          read: async () => {
            const nics = await subject.client.list({
              operation: requireOperation('/hosts/{host}/nics', 'list'),
              ids: { host: id },
              query: { follow: 'network' },
            });
            return nics.map(({ name, status, ip, mac, network }) => ({
              name,
              status,
              address: ip?.address,
              mac: mac?.address,
              network: getName(network),
            }));
          },
        },
        planPermissions(subject, 'host'),
        planEvents(subject, 'host'),
      ],
    };
  },
};

const disk: Description = {
  follow: 'storage_domains,disk_profile,vms',
  describe: (subject) => {
    const { object } = subject;
    return {
      summary: compact({
        ...summarize(object),
        name: object['alias'] ?? object['name'],
        size: object['provisioned_size'],
        used: object['actual_size'],
        format: object['format'],
        sparse: object['sparse'],
        shareable: object['shareable'],
        content: object['content_type'],
        storage_domains: listNames(object['storage_domains']),
        disk_profile: getName(object['disk_profile']),
      }),
      sections: [
        {
          key: 'vms',
          title: 'VMs',
          read: async () => listNames(object['vms']).map((name) => ({ name })),
        },
        planPermissions(subject, 'disk'),
        planMentions(subject, object['alias'] ?? object['name']),
      ],
    };
  },
};

const storageDomain: Description = {
  follow: 'data_centers',
  describe: (subject) => {
    const { object, id } = subject;
    const at = (path: string) => getAt(object, path);
    const used = Number(object['used'] ?? 0);
    const available = Number(object['available'] ?? 0);
    return {
      summary: compact({
        ...summarize(object),
        type: object['type'],
        storage: at('storage.type'),
        location: [at('storage.address'), at('storage.path')].filter(Boolean).join(':'),
        master: object['master'],
        data_centers: listNames(object['data_centers']),
      }),
      sections: [
        {
          key: 'space',
          title: 'Space',
          read: async () =>
            compact({
              size: used + available,
              used,
              available,
              committed: object['committed'],
              used_percent:
                used + available === 0 ? 0 : Math.round((100 * used) / (used + available)),
            }),
        },
        {
          key: 'disks',
          title: 'Disks',
          read: async () => {
            const disks = await subject.client.list({
              operation: requireOperation('/storagedomains/{storagedomain}/disks', 'list'),
              ids: { storagedomain: id },
            });
            return disks.map(({ alias, name, status, provisioned_size, actual_size }) => ({
              name: alias ?? name,
              status,
              size: provisioned_size,
              used: actual_size,
            }));
          },
        },
        planPermissions(subject, 'storage_domain'),
        planFoundEvents(subject, 'Events', createTextSearch('event_storage', object['name'])),
      ],
    };
  },
};

const template: Description = {
  follow: 'cluster',
  describe: (subject) => {
    const { object } = subject;
    return {
      summary: compact({
        ...summarize(object),
        cluster: getName(object['cluster']),
        version: getAt(object, 'version.version_number'),
        version_name: getAt(object, 'version.version_name'),
        created: object['creation_time'],
      }),
      sections: [
        { key: 'resources', title: 'Resources', read: async () => listResources(object) },
        planNics(subject, '/templates/{template}'),
        planDisks(subject, '/templates/{template}'),
        planVms(subject, createTextSearch('template.name', object['name'])),
        planPermissions(subject, 'template'),
        planEvents(subject, 'template'),
      ],
    };
  },
};

const network: Description = {
  follow: 'data_center,vnic_profiles',
  describe: (subject) => {
    const { object } = subject;
    const mtu = Number(object['mtu'] ?? 0);
    return {
      summary: compact({
        ...summarize(object),
        data_center: getName(object['data_center']),
        vlan: getAt(object, 'vlan.id'),
        mtu: mtu === 0 ? 'default' : mtu,
        usages: object['usages'],
        vnic_profiles: listNames(object['vnic_profiles']),
      }),
      sections: [
        planVms(subject, createTextSearch('vnic.network_name', object['name'])),
        planPermissions(subject, 'network'),
        planMentions(subject, object['name']),
      ],
    };
  },
};

function summarize({ id, name, status, description }: ApiObject) {
  return { id, name, status, description };
}

/** Section with the newest events whose messages contain the name of the object. */
function planMentions(subject: Subject, name: unknown): SectionPlan {
  const search = createTextSearch('message', name, true);
  return planFoundEvents(subject, 'Events that mention the name', search);
}

/** Section with the VMs that a search finds; omitted without a search. */
function planVms({ client }: Subject, search: string | undefined): SectionPlan {
  return {
    key: 'vms',
    title: 'VMs',
    isOmittedIfEmpty: search === undefined,
    read: async () => {
      if (search === undefined) return [];
      const vms = await client.list({
        operation: requireOperation('/vms', 'list'),
        query: { search },
      });
      return vms.map(({ name, status, memory }) => ({ name, status, memory }));
    },
  };
}

/** Descriptions by noun. */
export const descriptions: Readonly<Record<string, Description>> = {
  vms: vm,
  hosts: host,
  disks: disk,
  storagedomains: storageDomain,
  templates: template,
  networks: network,
};
