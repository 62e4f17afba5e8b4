/** Errata of hosts and VMs. */
import { owned, view } from '../notation/collections.ts';
import { resource, structure } from '../notation/resource.ts';

export const katelloErratum = resource('katello_erratum', {
  plural: 'katello_errata',
  identified: true,
  attributes: {
    title: { kind: 'string', mut: 'R' },
    type: { kind: 'string', mut: 'R' },
    severity: { kind: 'string', mut: 'R' },
    solution: { kind: 'string', mut: 'R' },
    summary: { kind: 'string', mut: 'R' },
    issued: { kind: 'date', mut: 'R' },
    packages: { kind: 'list struct package', mut: 'R' },
    host: { kind: 'ref host', mut: 'R' },
    vm: { kind: 'ref vm', mut: 'R' },
  },
  paths: {
    '/vms/{vm}/katelloerrata/{katelloerratum}': view(
      { refersBy: 'vm' },
      { list: ['follow', 'max'], get: ['follow'] },
    ),
    '/hosts/{host}/katelloerrata/{katelloerratum}': view(
      { refersBy: 'host' },
      { list: ['follow', 'max'], get: ['follow'] },
    ),
    '/katelloerrata/{katelloerratum}': owned({ list: ['follow', 'max'], get: ['follow'] }),
  },
  commands: {
    noun: 'katelloerrata',
    aliases: ['errata', 'katelloerratum'],
    group: 'observe',
    more: true,
    doc: 'Errata of a host or VM',
    one: 'erratum',
    samples: { object: 'VMSA-2026:0101' },
  },
});

export const packageType = structure('package', {
  attributes: {
    name: { kind: 'string', mut: 'CU' },
  },
});
