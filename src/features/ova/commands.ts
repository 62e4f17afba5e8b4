/** Commands `export-ova` and `import-ova` of VMs, and `import-ova` of templates. */
import { defineCommand, defineNoun } from '../../cli/args/command.ts';
import { defineArgument, defineFlag } from '../../cli/args/parameters.ts';
import { enums } from '../../model/enums.ts';

const exportOva = defineCommand({
  verb: 'export-ova',
  purpose: 'Export a VM with its disks to a local OVA archive',
  summary: 'Export a VM to an OVA archive',
  arguments: [
    defineArgument('<vm>', 'name or id'),
    defineArgument(
      '<file>',
      'archive to write, for example web01.ova; removed if the export fails',
      {
        type: 'file',
      },
    ),
  ],
  flags: [
    defineFlag('--force', 'replace an existing file'),
    defineFlag('--parallel <n>', 'number of connections (default 4)'),
    defineFlag('--limit-rate <rate>', 'bandwidth limit in bytes per second, for example 50MiB/s'),
    defineFlag('--no-verify', 'skip the checksum comparison'),
  ],
  notes:
    'Services may refuse to read disks of a running VM; use backups run for those. Disks become qcow2 ' +
    'images without their snapshots. Services can import the archive as well ' +
    '(externalvmimports).',
  examples: [
    'vmctl vms export-ova web01 web01.ova',
    'vmctl vms export-ova web01 web01.ova --force',
  ],
  exits: [3, 6],
  unshowable: 'many',
  prints: 'report',
  run: async (cli, [vm, file], flags) => {
    const { exportOva } = await import('./export.ts');
    await exportOva(cli, vm, file, flags);
  },
});

/** Archive of an import. */
const archive = defineArgument('<file>', 'web01.ova, or web01.ovf with its images next to it', {
  type: 'file',
});

/** Flags of an import. */
const createImportFlags = (object: 'VM' | 'template') =>
  [
    defineFlag('--name <name>', `name of the ${object} (default: that of the document)`),
    defineFlag('--cluster <cluster>', `cluster of the ${object} (name or id)`, {
      type: 'ref cluster',
    }),
    defineFlag(
      '--storagedomain, --storage-domain <domain>',
      'storage domain for the disks (name or id)',
      {
        type: 'ref storage_domain',
      },
    ),
    defineFlag(
      '--network <network>',
      'network for NICs whose network does not exist: name, or network/profile',
    ),
    defineFlag(
      '--disk-interface <word>',
      'interface of all disks (default: that of the document; sata for other products)',
      {
        type: 'enum disk_interface',
        values: enums.disk_interface,
      },
    ),
    defineFlag('--cleanup', 'remove created objects if a step fails'),
    defineFlag('--parallel <n>', 'number of connections (default 4)'),
    defineFlag('--limit-rate <rate>', 'bandwidth limit in bytes per second, for example 50MiB/s'),
    defineFlag('--no-verify', 'skip the checksum comparison of files and disks'),
    defineFlag('--wait-timeout <duration>', 'timeout for the service (default 10m)'),
  ] as const;

const importOva = defineCommand({
  verb: 'import-ova',
  purpose: 'Create a VM from a local OVA archive or OVF document',
  summary: 'Create a VM from an OVA archive',
  arguments: [archive],
  flags: createImportFlags('VM'),
  notes:
    'Reads archives of oVirt-style services and of other products; VMDK, VHD, VHDX and VDI images are ' +
    'converted, which needs qemu-img and space in TMPDIR. Digests (.mf) are compared first. Guests of ' +
    'other products get SATA disks, because they may lack virtio drivers. The import overwrites ' +
    'nothing.',
  examples: [
    'vmctl vms import-ova web01.ova --cluster Default --storage-domain data1',
    'vmctl vms import-ova web01.ova --name web03 --cluster Default --storage-domain data1',
    'vmctl vms import-ova web01.ova --name web04 --cluster Default --storage-domain data1 --network frontend/guests --cleanup',
  ],
  exits: [6],
  unshowable: 'many',
  prints: 'object',
  run: async (cli, [file], flags) => {
    const { importOva } = await import('./import.ts');
    await importOva(cli, file, flags);
  },
});

const importTemplate = defineCommand({
  verb: 'import-ova',
  purpose: 'Create a template from a local OVA archive or OVF document',
  summary: 'Create a template from an OVA archive',
  arguments: [archive],
  flags: createImportFlags('template'),
  notes:
    'Reads the same archives as vms import-ova. vmctl creates a temporary VM, creates the template from ' +
    'it and removes the VM; the storage domain needs space for two copies of the disks.',
  examples: [
    'vmctl templates import-ova debian12.ova --cluster Default --storage-domain data1',
    'vmctl templates import-ova debian12.ova --name golden --cluster Default --storage-domain data1 --cleanup',
  ],
  exits: [6],
  unshowable: 'many',
  prints: 'object',
  run: async (cli, [file], flags) => {
    const { importOva } = await import('./import.ts');
    await importOva(cli, file, flags, 'templates');
  },
});

export const templates = defineNoun({ name: 'templates', commands: [importTemplate] });

export const vms = defineNoun({ name: 'vms', commands: [exportOva, importOva] });
