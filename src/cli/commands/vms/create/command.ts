/** Declaration of the command `vmctl vms create`. */
import { enums } from '../../../../model/enums.ts';
import { defineCommand } from '../../../args/command.ts';
import { defineFlag } from '../../../args/parameters.ts';

export const createVmCommand = defineCommand({
  verb: 'create',
  aliases: ['add'],
  purpose: 'Create a VM, optionally with a disk and NICs',
  summary: 'Create a VM',
  extendsVerb: true,
  flags: [
    defineFlag('--image <image>', 'boot image: a file to upload, or disks/NAME', {
      type: 'file or disk',
    }),
    defineFlag('--disk-interface <word>', 'interface of the boot disk (default virtio_scsi)', {
      type: 'enum disk_interface',
      values: enums.disk_interface,
    }),
    defineFlag(
      '--network <network>',
      'network of the first NIC, of the second, ...: NETWORK or NETWORK/PROFILE',
      {
        repeatable: true,
        type: 'ref network',
      },
    ),
    defineFlag('--cloud-init <file>', 'file with cloud-init user data'),
    defineFlag('--ssh-key <file>', 'file with public SSH keys', { repeatable: true }),
    defineFlag('--hostname <name>', 'host name of the guest'),
    defineFlag('--guest-user <name>', 'account that cloud-init creates or changes'),
    defineFlag(
      '--guest-password-file <file>',
      'file with the password of that account, first line',
    ),
    defineFlag('--ip <address>', 'static address with prefix length, one for IPv4 and IPv6', {
      repeatable: true,
    }),
    defineFlag('--gateway <address>', 'with --ip: default gateway', { repeatable: true }),
    defineFlag('--dns <address>', 'with --ip: DNS servers', { repeatable: true, many: true }),
    defineFlag('--ip-nic <name>', 'with --ip: name of the NIC in the guest (default eth0)'),
    defineFlag('--start', 'start the VM'),
    defineFlag(
      '--wait-for <what>',
      'after --start, wait until the VM is up, or has an IP address (ip)',
      {
        choices: ['up', 'ip'],
      },
    ),
    defineFlag('--count <n>', 'number of VMs, named NAME-1, NAME-2, ...'),
    defineFlag('--cleanup', 'remove created objects if a step fails'),
    defineFlag('--no-verify', 'skip the checksum comparison of the uploaded image'),
    defineFlag(
      '--parallel <n>',
      'with --count: number of VMs to create at the same time, 1 to 16 (default 4)',
    ),
    defineFlag('--fail-fast', 'with --count: stop after the first failure'),
  ],
  flagGroups: [
    [
      'Basics',
      [
        ...[
          '--template',
          '--cluster',
          '--memory',
          '--cpu-cores',
          '--start',
          '--wait-for',
          '--count',
        ],
        ...['--storage-domain', '--cleanup'],
      ],
    ],
    ['Image', ['--image', '--disk-interface', '--no-verify']],
    ['Network', ['--network', '--ip', '--gateway', '--dns', '--ip-nic']],
    [
      'Guest',
      [
        ...['--hostname', '--cloud-init', '--ssh-key', '--guest-user', '--guest-password-file'],
        '--os-type',
      ],
    ],
    ['Advanced', ['--from-file', '--set', '--no-wait', '--wait-timeout']],
  ],
  examples: [
    'vmctl vms create web03 --cluster Default --template debian12',
    'vmctl vms create web03 --cluster Default --image root.qcow2 --storage-domain data1 --network frontend/guests --start --wait-for ip',
    'vmctl vms create web --count 3 --cluster Default --template debian12 --start',
    'vmctl vms create web03 --cluster Default --template debian12 --ip 192.0.2.10/24 --gateway 192.0.2.1 --dns 192.0.2.53 --start',
    'vmctl vms create --cluster Default -f new.yaml',
  ],
  notes: `If --image is the path of a file, vmctl uploads the file to a new disk on --storage-domain (default: the only
active data domain). If it is the name or id of a disk, or disks/NAME, vmctl attaches that disk. With --image or
--network, --cluster defaults to the only cluster and --template to Blank. --network changes the NICs of the
template in the order of their names, and adds a NIC for each further network. With --count, each VM gets a copy
of the image, and vmctl appends the number of the VM to --hostname. cloud-init configures the address of --ip at
the first start; sysprep ignores it. If a step fails, vmctl lists the objects that
remain; --cleanup deletes them.`,
  run: async (cli, words, flags) => {
    const { runCreate } = await import('./create.ts');
    await runCreate(cli, words, flags);
  },
});
