/** Verb `describe` of VMs, hosts, disks, storage domains, templates and networks. */
import { defineCommand, defineNoun } from '../../cli/args/command.ts';
import { defineArgument } from '../../cli/args/parameters.ts';

const described = [
  ['vms', 'a VM', 'web01'],
  ['hosts', 'a host', 'node1'],
  ['disks', 'a disk', 'web01_Disk1'],
  ['storagedomains', 'a storage domain', 'data1'],
  ['templates', 'a template', 'debian12'],
  ['networks', 'a network', 'frontend'],
] as const;

export const commands = described.map(([noun, what, sample]) =>
  defineNoun({
    name: noun,
    commands: [
      defineCommand({
        verb: 'describe',
        aliases: ['show'],
        purpose: `Summarize ${what}, with related objects and events`,
        summary: `Summarize ${what}`,
        arguments: [defineArgument('<ref>', 'name or id')],
        notes:
          'Sections that you may not read are marked. Sizes have units and times are ages; --utc prints\n' +
          'times. -o json and -o yaml contain the same values. vmctl get prints the complete object.',
        examples: [`vmctl ${noun} describe ${sample}`, `vmctl ${noun} describe ${sample} -o yaml`],
        unshowable: 'many',
        onlyReads: true,
        prints: 'object',
        run: async (cli, [ref]) => (await import('./describe.ts')).runDescribe(cli, noun, ref),
      }),
    ],
  }),
);
