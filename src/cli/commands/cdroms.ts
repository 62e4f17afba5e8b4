/** `vmctl cdroms change` and `eject`: declarations of the commands. */
import { toRecord } from '../../records.ts';
import { defineCommand, defineNoun } from '../args/command.ts';
import { defineArgument, defineFlag } from '../args/parameters.ts';
import { isSingleObject } from '../verbs/verb-output-kind.ts';

const change = defineCommand({
  verb: 'change',
  purpose: 'Insert an ISO image into the drive of a VM',
  extendsVerb: true,
  arguments: [
    defineArgument('[vm]', 'name or id'),
    defineArgument('[iso]', 'ISO image: file of an ISO domain, or ISO disk (name or id)'),
  ],
  flags: [],
  notes:
    'By default, the image is in the drive from the next start. --current changes the drive of the running\n' +
    'VM until it stops. With --vm, the argument is the image.',
  examples: [
    'vmctl cdroms change web01 debian-12.7.0-amd64-netinst.iso',
    'vmctl cdroms change web01 debian-12.7.0-amd64-netinst.iso --current',
  ],
  prints: 'row',
  run: async (cli, words, flags) => {
    const { changeDisc } = await import('./cdroms/change.ts');
    await changeDisc(cli, words, toRecord(flags));
  },
});

const eject = defineCommand({
  verb: 'eject',
  purpose: 'Eject the CD of a VM',
  arguments: [defineArgument('<vm...>', 'names or ids; - for stdin')],
  flags: [
    defineFlag('--config', 'remove the image from the configuration, even if the VM runs'),
    defineFlag('--parallel <n>', 'number of concurrent VMs, 1 to 16 (default 4)'),
    defineFlag('--fail-fast', 'stop after the first failure'),
  ],
  notes:
    'Ejects the CD of a running VM until it stops; its next start has the image of the configuration again.\n' +
    'If the VM is down, the command removes the image from the configuration.',
  examples: ['vmctl cdroms eject web01', 'vmctl cdroms eject web01 --config'],
  unshowable: 'many',
  prints: (words) => (isSingleObject(words) ? 'outcome' : 'outcomes'),
  run: async (cli, [vms], flags) => {
    const { ejectDiscs } = await import('./cdroms/eject.ts');
    await ejectDiscs(cli, vms, flags);
  },
});

export default defineNoun({ name: 'cdroms', commands: [change, eject] });
