/** One object of each kind, created by requests in every possible way. */
import type { Speaker, Thing } from '../../operations/support/speaker.ts';

const mebibyte = 2 ** 20;

/** Waits until the copy of the bytes has completed. */
async function waitUntilSettled(admin: Speaker, path: string): Promise<void> {
  for (;;) {
    const { object } = await admin.get(path);
    const status = object['snapshot_status'] ?? object['status'];
    if (!/locked|saving|powering|wait/.test(String(status))) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Creates objects with names that start with `stem`, one request per way of creation. */
export async function makeByRequests(admin: Speaker, stem: string): Promise<void> {
  await makeDataCenter(admin, `${stem}-north`);
  await makeNetworks(admin, stem);
  const source = await makeMachine(admin, `${stem}-source`);
  await makeFromMachine(admin, source, stem);
  await makeRunning(admin, `${stem}-up`);
  await makeRunning(admin, `${stem}-spice`, { display: { type: 'spice' } });
  await makeImported(admin, stem);
  await admin.add('/disks', {
    disk: {
      name: `${stem}-floating`,
      format: 'raw',
      provisioned_size: mebibyte,
      storage_domains: { storage_domain: [{ name: 'data1' }] },
    },
  });
}

/** Creates a data center with cluster, host and storage. */
async function makeDataCenter(admin: Speaker, name: string): Promise<void> {
  const { id } = await admin.add('/datacenters', { data_center: { name, local: false } });
  const cluster = { name, data_center: { id }, cpu: { type: 'Intel Nehalem Family' } };
  await admin.add('/clusters', { cluster });
  await admin.add('/hosts', {
    host: { name, address: `${name}.example.com`, root_password: 'secret', cluster: { name } },
  });
  for (const type of ['data', 'iso', 'export']) {
    const storage = { type: 'nfs', address: 'filer.example.com', path: `/${name}-${type}` };
    const storage_domain = { name: `${name}-${type}`, type, storage, host: { name } };
    const domain = await admin.add('/storagedomains', { storage_domain });
    await admin.add(`/datacenters/${id}/storagedomains`, { storage_domain: { id: domain.id } });
  }
}

/** Creates a network on a bond of a host, and a profile of it. */
async function makeNetworks(admin: Speaker, stem: string): Promise<void> {
  const name = `${stem}net`;
  const { id } = await admin.add('/networks', {
    network: { name, data_center: { name: 'Default' }, vlan: { id: 700 + stem.length } },
  });
  const { id: cluster } = await admin.find('/clusters', 'Default');
  await admin.add(`/clusters/${cluster}/networks`, { network: { id, required: false } });
  await admin.add('/vnicprofiles', { vnic_profile: { name: `${stem}profile`, network: { id } } });
  const host = await admin.find('/hosts', `${stem}-north`);
  const slaves = ['eth1', 'eth2'].map((slave) => ({ name: slave }));
  await admin.must(`/hosts/${host.id}/setupnetworks`, {
    modified_bonds: { host_nic: [{ name: 'bond0', bonding: { slaves: { host_nic: slaves } } }] },
  });
  const first = (await admin.get('/hosts')).list.find((one) => one['name'] !== host['name']);
  await admin.must(`/hosts/${first?.['id']}/setupnetworks`, {
    modified_network_attachments: {
      network_attachment: [
        { network: { id }, host_nic: { name: stem === 'xml' ? 'eth1' : 'eth2' } },
      ],
    },
  });
}

/** Creates a blank VM with a disk and a NIC. */
async function makeMachine(admin: Speaker, name: string, more: Thing = {}): Promise<string> {
  const { id } = await admin.add('/vms', {
    vm: { name, cluster: { name: 'Default' }, template: { name: 'Blank' }, ...more },
  });
  const profile = (await admin.get('/vnicprofiles')).list[0]?.['id'];
  await admin.add(`/vms/${id}/nics`, { nic: { name: 'nic1', vnic_profile: { id: profile } } });
  const attached = await admin.add(`/vms/${id}/diskattachments`, {
    disk_attachment: {
      interface: 'virtio_scsi',
      bootable: true,
      active: true,
      disk: {
        name: `${name}_Disk1`,
        format: 'cow',
        provisioned_size: mebibyte,
        storage_domains: { storage_domain: [{ name: 'data1' }] },
      },
    },
  });
  await waitUntilSettled(admin, `/disks/${attached.id}`);
  return id;
}

async function makeRunning(admin: Speaker, name: string, more: Thing = {}): Promise<void> {
  const id = await makeMachine(admin, name, more);
  await admin.must(`/vms/${id}/start`);
}

/** Creates snapshots of a VM with a preview, a template, and VMs from all of these. */
async function makeFromMachine(admin: Speaker, id: string, stem: string): Promise<void> {
  const template = await admin.add('/templates', {
    template: { name: `${stem}-gold`, vm: { id } },
  });
  await waitUntilSettled(admin, `/templates/${template.id}`);
  await waitUntilSettled(admin, `/vms/${id}`);
  const version = { base_template: { id: template.id }, version_name: 'second' };
  const second = { name: `${stem}-gold`, vm: { id }, version };
  const { id: other } = await admin.add('/templates', { template: second });
  await waitUntilSettled(admin, `/templates/${other}`);
  await waitUntilSettled(admin, `/vms/${id}`);
  const cluster = { name: 'Default' };
  const of = { template: { id: template.id }, cluster };
  await admin.add('/vms', { vm: { name: `${stem}-dependent`, ...of } });
  await admin.add('/vms?clone=true', { vm: { name: `${stem}-independent`, ...of } });
  await admin.must(`/vms/${id}/clone`, { vm: { name: `${stem}-clone` } });
  await waitUntilSettled(admin, `/vms/${id}`);
  const kept = { snapshot: { description: 'before' } };
  const snapshot = await admin.add(`/vms/${id}/snapshots`, kept);
  await waitUntilSettled(admin, `/vms/${id}/snapshots/${snapshot.id}`);
  const snapshots = { snapshot: [{ id: snapshot.id }] };
  await admin.add('/vms', { vm: { name: `${stem}-of-snapshot`, cluster, snapshots } });
  await waitUntilSettled(admin, `/vms/${id}`);
  await admin.must(`/vms/${id}/previewsnapshot`, { snapshot: { id: snapshot.id } });
}

async function makeImported(admin: Speaker, stem: string): Promise<void> {
  await admin.add('/externalvmimports', {
    external_vm_import: {
      name: 'legacy',
      vm: { name: `${stem}-imported` },
      provider: 'vmware',
      url: 'vpx://admin@vcenter.example.com/DataCenter/Cluster/esxi?no_verify=1',
      username: 'admin',
      password: 'secret',
      sparse: true,
      cluster: { name: 'Default' },
      storage_domain: { name: 'data1' },
    },
  });
}
