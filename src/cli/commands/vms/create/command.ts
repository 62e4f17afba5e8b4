/** The command `vmctl vms create`, as it is called and explained. */
import { enums } from '../../../../model/enums.ts';
import { command } from '../../../args/command.ts';
import { flag } from '../../../args/parameters.ts';

export const createMachine = command({
  verb: 'create',
  aliases: ['add'],
  purpose: 'Create a VM, optionally with a disk and NICs',
  summary: 'Create a VM',
  extendsVerb: true,
  flags: [
    flag('--image <image>', 'boot image: a file to upload, or disks/NAME', {
      type: 'file or disk',
    }),
    flag('--disk-interface <word>', 'interface of the boot disk (default virtio_scsi)', {
      type: 'enum disk_interface',
      values: enums.disk_interface,
    }),
    flag('--network <network>', 'network: NETWORK or NETWORK/PROFILE', {
      repeatable: true,
      type: 'ref network',
    }),
    flag('--cloud-init <file>', 'file with cloud-init user data'),
    flag('--ssh-key <file>', 'file with public SSH keys', { repeatable: true }),
    flag('--hostname <name>', 'host name of the guest'),
    flag('--guest-user <name>', 'account that cloud-init creates or changes'),
    flag('--guest-password-file <file>', 'file with the password of that account, first line'),
    flag('--start', 'start the VM'),
    flag('--wait-for <what>', 'after --start, wait until the VM is up, or has an IP address (ip)', {
      choices: ['up', 'ip'],
    }),
    flag('--count <n>', 'number of VMs, named NAME-1, NAME-2, ...'),
    flag('--cleanup', 'remove created objects if a step fails'),
    flag('--no-verify', 'skip the checksum comparison of the uploaded image'),
    flag(
      '--parallel <n>',
      'with --count: number of VMs to create at the same time, 1 to 16 (default 4)',
    ),
    flag('--fail-fast', 'with --count: stop after the first failure'),
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
    ['Network', ['--network']],
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
    'vmctl vms create --cluster Default -f new.yaml',
  ],
  notes: `If --image is the path of a file, vmctl uploads the file to a new disk on --storage-domain (default: the only
active data domain). If it is the name or id of a disk, or disks/NAME, vmctl attaches that disk. With --image or
--network, --cluster defaults to the only cluster and --template to Blank. With --count, each VM gets a copy
of the image, and vmctl appends the number of the VM to --hostname. If a step fails, vmctl lists the objects that
remain; --cleanup deletes them.`,
  run: async (cli, words, flags) => {
    const { runCreate } = await import('./create.ts');
    await runCreate(cli, words, flags);
  },
});
