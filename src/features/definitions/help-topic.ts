/** Help topic `vmctl help definitions`. */
import { alignRows } from '../../cli/help/layout.ts';
import { omittedCollections } from '../../model/derive/definitions.ts';

/** Text of the topic, followed by the omitted collections with their reasons. */
export function definitionsTopic(): string {
  const reasons = Object.entries(omittedCollections).map(
    ([what, why]) =>
      [what.startsWith('/') ? shortenPath(what) : `${what.replaceAll('_', ' ')}`, why] as const,
  );
  return `${text}
Not exported:
${alignRows(reasons)}`;
}

/** Path without placeholders: `hosts/nics/networklabels`. */
function shortenPath(path: string): string {
  return path.slice(1).replaceAll(/\/\{\w+\}/g, '');
}

const text = `Site definitions.

vmctl export writes the configuration of a service to a definition. vmctl diff compares a service
with a definition and exits with 11 if they differ. vmctl apply creates missing objects and updates
objects that differ from the definition. vmctl serve --inventory starts with a definition. Definitions are YAML or JSON: lists
of objects by collection, with the attributes of the API and names as references. apply deletes
objects that are absent from the definition only with --prune.

  datacenters:
    - { name: north, local: false, storagedomains: [nfs1] }
  clusters:
    - { name: web, data_center: north, cpu: { type: Intel Nehalem Family } }
  hosts:
    - name: h1
      address: h1.example.com
      cluster: web
      root_password: { secret: hosts/h1/root_password }
  storagedomains:
    - name: nfs1
      type: data
      host: h1
      storage: { type: nfs, address: filer, path: /exports/1 }
  vms:
    - name: web01
      cluster: web
      memory: 4 GiB
      nics: [{ name: nic1 }]
      diskattachments:
        - bootable: true
          interface: virtio
          disk:
            name: web01_root
            provisioned_size: 10 GiB
            format: cow
            storage_domains: [nfs1]
      status: up

Objects match by name. diff and apply compare only the attributes in the file. Sizes accept units
(KiB, MiB, GiB, TiB). If several networks or profiles have the same name, add the parent to the
reference: { name: mgmt, data_center: south } or
{ name: mgmt, network: { name: mgmt, data_center: south } }. A later version of a template is
{ name: rhel, version: { version_name: second } }. Quote names that look like another type: '007'.

apply creates objects in the order of their dependencies. If an object fails, apply reports it, skips
the objects that depend on it, and continues with the others. Run the command again to retry.

apply --prune --tag NAME deletes VMs and templates with this tag that are absent from the definition,
with their disks. It deletes VMs only if the definition contains VMs, and templates only if it contains
templates. Deletions run last, if all other changes succeed. apply does not delete VMs that are not
down, protected objects, VMs of pools, templates in use, objects that the definition refers to, and
VMs with disks of the definition or of other VMs; the plan shows the reasons.

Secrets: export writes placeholders for passwords and keys that new objects need. apply takes their
values from --secret NAME=@FILE (NAME may contain *), from a variable such as
VMCTL_SECRET_HOSTS_H1_ROOT_PASSWORD, or from a prompt, and lists missing secrets before the first
request. serve --inventory needs no secrets. User passwords are not part of a definition; the directory service stores them.

Definitions contain configuration, not state: apply starts a VM only if the file has "status: up",
which export --status writes. New disks are empty; copy their contents with vmctl disks download and
vmctl disks upload. A template is created from the VM in its "vm" attribute, otherwise from a
temporary VM. A disk with a "template" attribute belongs to the template of its VM. CD-ROM drives
keep the names of their ISO images, which must exist. Permissions on attached disks and custom icons
are not exported.
`;
