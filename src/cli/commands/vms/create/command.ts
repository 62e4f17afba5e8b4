/** The command `vmctl vms create`, as it is called and explained. */
import { enums } from '../../../../model/enums.ts';
import { command } from '../../../args/command.ts';
import { flag } from '../../../args/parameters.ts';

/** Attributes that few machines are made with; `vmctl help vms create` explains them. */
const rareAttributes = [
  ...[
    '--name',
    '--description',
    '--os-type',
    '--cpu-sockets',
    '--ha',
    '--comment',
    '--type',
    '--cpu-shares',
    '--origin',
    '--stateless',
    '--delete-protected',
  ],
  ...['--tunnel-migration', '--start-paused', '--virtio-scsi-multi-queues-enabled'],
  ...['--tpm-enabled', '--soundcard-enabled', '--migration-downtime', '--custom-emulated-machine'],
  ...['--custom-cpu-model', '--cpu-profile', '--quota', '--storage-error-resume-behaviour'],
  ...['--multi-queues-enabled', '--virtio-scsi-multi-queues', '--auto-pinning-policy'],
  ...['--cpu-pinning-policy', '--use-latest-template-version', '--numa-tune-mode'],
  ...['--instance-type', '--external-host-provider', '--cpu-threads', '--boot-devices'],
  ...['--memory-guaranteed', '--memory-max', '--clone-permissions', '--filter', '--seal'],
];

export const createMachine = command({
  verb: 'create',
  aliases: ['add'],
  purpose: 'Create a virtual machine, with its disk, its interfaces and its first start',
  summary: 'Create a virtual machine',
  extendsVerb: true,
  flags: [
    flag('--image <image>', 'boot from an image file, or from disks/NAME', {
      type: 'file or disk',
    }),
    flag('--disk-interface <word>', 'how the guest sees that disk (virtio_scsi)', {
      type: 'enum disk_interface',
      values: enums.disk_interface,
    }),
    flag('--network <network>', 'NETWORK or NETWORK/PROFILE', {
      repeatable: true,
      type: 'ref network',
    }),
    flag('--cloud-init <file>', 'user data for the first start'),
    flag('--ssh-key <file>', 'public keys to sign in with', { repeatable: true }),
    flag('--hostname <name>', 'what the guest calls itself'),
    flag('--guest-user <name>', 'the user that cloud-init makes or changes'),
    flag('--guest-password-file <file>', 'its password: the first line'),
    flag('--start', 'start it as soon as it is there'),
    flag('--wait-for <what>', 'with --start: wait for', {
      choices: ['up', 'ip'],
    }),
    flag('--count <n>', 'so many of them: NAME-1, NAME-2, ...'),
    flag('--cleanup', 'if a step fails, take back what was made'),
    flag('--no-verify', 'do not compare checksums of the image that was uploaded'),
    flag('--parallel <n>', 'with --count: machines at a time, 1 to 16 (4)'),
    flag('--fail-fast', 'with --count: stop after the first failure'),
  ],
  rareFlags: [
    ...rareAttributes,
    ...['--set-json', '--for', '--wait', '--clone', '--if-needed'],
    ...['--disk-interface', '--no-verify', '--guest-user', '--parallel', '--fail-fast'],
  ],
  examples: [
    'vmctl vms create web03 --cluster Default --template debian12',
    'vmctl vms create web03 --cluster Default --image root.qcow2 --storagedomain data1 --network frontend/guests --start --wait-for ip',
    'vmctl vms create web --count 3 --cluster Default --template debian12 --start',
    'vmctl vms create --cluster Default -f new.yaml',
  ],
  notes: `An --image with a slash, or that is a file here, is uploaded into a new disk on --storagedomain, or
on the only active data domain; any other is the name or id of a disk, which is attached. With --image
or --network the only cluster and the template Blank need not be named. With --count each machine has
an image of its own, and its number in --hostname. What a failure leaves behind is named. --guest-user and
--guest-password-file are the user that cloud-init makes or changes.`,
  run: async (cli, words, flags) => {
    const { runCreate } = await import('./create.ts');
    await runCreate(cli, words, flags);
  },
});
