/** Imports of VMs and templates from other systems. */
import { byIdOrName, owned } from '../notation/collections.ts';
import { shortcut } from '../notation/commands.ts';
import { sent } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';

export const externalVmImport = resource('external_vm_import', {
  doc: 'A request to import a VM from another platform.',
  attributes: {
    username: { kind: 'string', mut: 'C', writeOnly: true },
    password: { kind: 'string', mut: 'C', writeOnly: true, secret: true },
    sparse: { kind: 'bool', mut: 'C', default: true },
    vm: { kind: 'ref vm', mut: 'C', doc: 'Name of the new VM.' },
    provider: { kind: 'enum external_vm_provider_type', mut: 'C' },
    url: { kind: 'string', mut: 'C' },
    name: { kind: 'string', mut: 'C' },
    cluster: { kind: 'ref cluster', mut: 'C' },
    storage_domain: { kind: 'ref storage_domain', mut: 'C' },
    cpu_profile: { kind: 'ref cpu_profile', mut: 'C' },
    quota: { kind: 'ref quota', mut: 'C' },
    host: { kind: 'ref host', mut: 'C' },
    drivers_iso: { kind: 'ref file', mut: 'C' },
  },
  required: ['provider', 'url', 'name', byIdOrName('cluster'), byIdOrName('storage_domain')],
  operations: {
    add: {
      permit: sent('create_vm', 'cluster'),
      job: 'Importing VM {name}',
      makes: [{ in: '/vms', namedBy: 'vm', answeredAs: 'vm' }],
    },
  },
  paths: { '/externalvmimports': owned({ add: [] }) },
  definition: { leftOut: 'a running operation; its result is exported' },
  commands: {
    noun: 'externalvmimports',
    aliases: ['imports', 'vmimports'],
    group: 'storage',
    doc: 'VM imports from other platforms',
    one: 'import',
    shortcuts: [shortcut('vm', 'vm.name', 'Name of the VM on the other platform.')],
    verbs: {
      create: {
        sample: {
          flags:
            "--provider vmware --url 'vpx://admin@vcenter.example.com/dc/host?no_verify=1' --username admin --password-file password.txt --vm db01 --name db01 --cluster Default --storage-domain data2",
        },
      },
    },
  },
});

export const externalTemplateImport = resource('external_template_import', {
  attributes: {
    url: { kind: 'string', mut: 'CU' },
    template: { kind: 'ref template', mut: 'CU' },
    cluster: { kind: 'ref cluster', mut: 'CU' },
    storage_domain: { kind: 'ref storage_domain', mut: 'CU' },
    host: { kind: 'ref host', mut: 'CU' },
    cpu_profile: { kind: 'ref cpu_profile', mut: 'CU' },
    quota: { kind: 'ref quota', mut: 'CU' },
    clone: { kind: 'bool', mut: 'CU' },
  },
  required: ['url', byIdOrName('cluster'), byIdOrName('storage_domain')],
  operations: {
    add: {
      permit: sent('create_template', 'cluster'),
      job: 'Importing template {name}',
      makes: [{ in: '/templates', namedBy: 'template', answeredAs: 'template' }],
    },
  },
  paths: { '/externaltemplateimports': owned({ add: [] }) },
  definition: { leftOut: 'a running operation; its result is exported' },
  commands: {
    noun: 'externaltemplateimports',
    group: 'storage',
    position: 20,
    more: true,
    doc: 'Template imports from other platforms',
    one: 'template import',
    verbs: {
      create: {
        sample: {
          flags:
            '--url ova:///exports/old.ova --host node1 --cluster Default --storage-domain data2',
        },
      },
    },
  },
});
