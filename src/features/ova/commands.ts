/** `vmctl vms export-ova` and `import-ova`. */
import { command, noun } from '../../cli/args/command.ts';
import { argument, flag } from '../../cli/args/parameters.ts';
import { enums } from '../../model/enums.ts';

const exportOva = command({
  verb: 'export-ova',
  purpose: 'Export a VM with its disks to a local OVA archive',
  summary: 'Export a VM to an OVA archive',
  arguments: [
    argument('<vm>', 'name or id'),
    argument('<file>', 'archive to write, for example web01.ova; removed if the export fails', {
      type: 'file',
    }),
  ],
  flags: [
    flag('--force', 'replace an existing file'),
    flag('--parallel <n>', 'number of connections (default 4)'),
    flag('--limit-rate <rate>', 'bandwidth limit in bytes per second, for example 50MiB/s'),
    flag('--no-verify', 'skip the checksum comparison'),
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

const importOva = command({
  verb: 'import-ova',
  purpose: 'Create a VM from a local OVA archive or OVF document',
  summary: 'Create a VM from an OVA archive',
  arguments: [
    argument('<file>', 'web01.ova, or web01.ovf with its images next to it', { type: 'file' }),
  ],
  flags: [
    flag('--name <name>', 'name of the VM (default: that of the document)'),
    flag('--cluster <cluster>', 'cluster of the VM (name or id)', { type: 'ref cluster' }),
    flag(
      '--storagedomain, --storage-domain <domain>',
      'storage domain for the disks (name or id)',
      {
        type: 'ref storage_domain',
      },
    ),
    flag(
      '--network <network>',
      'network for NICs whose network does not exist: name, or network/profile',
    ),
    flag(
      '--disk-interface <word>',
      'interface of all disks (default: that of the document; sata for other products)',
      {
        type: 'enum disk_interface',
        values: enums.disk_interface,
      },
    ),
    flag('--cleanup', 'remove created objects if a step fails'),
    flag('--parallel <n>', 'number of connections (default 4)'),
    flag('--limit-rate <rate>', 'bandwidth limit in bytes per second, for example 50MiB/s'),
    flag('--no-verify', 'skip the checksum comparison of files and disks'),
    flag('--wait-timeout <duration>', 'timeout for the service (default 10m)'),
  ],
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

export default noun({ name: 'vms', commands: [exportOva, importOva] });
