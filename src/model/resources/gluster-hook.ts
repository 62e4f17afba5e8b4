/** Gluster hooks of a cluster. */
import { crud, owned } from '../notation/collections.ts';
import { owner } from '../notation/permits.ts';
import { resource, structure } from '../notation/resource.ts';

export const glusterHook = resource('gluster_hook', {
  doc: 'A script that Gluster runs around a volume command.',
  identified: true,
  attributes: {
    conflict_status: {
      kind: 'int',
      mut: 'R',
      doc: 'Sum of the conflicts between servers: 1 content, 2 status, 4 missing.',
    },
    conflicts: {
      kind: 'string',
      mut: 'R',
      doc: 'Conflicts by name: MISSING_HOOK, CONTENT_CONFLICT, STATUS_CONFLICT.',
    },
    name: { kind: 'string', mut: 'R' },
    gluster_command: { kind: 'string', mut: 'R' },
    checksum: { kind: 'string', mut: 'R' },
    content: { kind: 'string', mut: 'R' },
    stage: { kind: 'enum hook_stage', mut: 'R' },
    content_type: { kind: 'enum hook_content_type', mut: 'R' },
    status: { kind: 'enum gluster_hook_status', mut: 'R' },
    cluster: { kind: 'ref cluster', mut: 'R' },
    server_hooks: { kind: 'links gluster_server_hook', mut: 'R' },
  },
  containedIn: ['cluster'],
  operations: {
    remove: { permit: owner('manipulate_gluster_hook') },
    disable: {
      permit: owner('manipulate_gluster_hook'),
      harmless: true,
      opposite: 'enable',
    },
    enable: {
      permit: owner('manipulate_gluster_hook'),
      harmless: true,
      opposite: 'disable',
    },
    resolve: {
      permit: owner('manipulate_gluster_hook'),
      required: ['resolution_type'],
    },
  },
  paths: {
    '/clusters/{cluster}/glusterhooks/{hook}': owned({
      ...crud('list', 'get', 'remove'),
      actions: {
        disable: ['async'],
        enable: ['async'],
        resolve: ['async', 'host', 'resolution_type'],
      },
    }),
  },
  commands: {
    noun: 'glusterhooks',
    aliases: ['hooks'],
    group: 'gluster',
    doc: 'Gluster hooks of a cluster',
    one: 'Gluster hook',
    verbs: { resolve: { sample: { flags: '--resolution-type copy' } } },
    samples: { object: 'S29CTDBsetup.sh' },
  },
});

export const glusterServerHook = structure('gluster_server_hook', {
  tag: 'server_hook',
  plural: 'server_hooks',
  identified: true,
  attributes: {
    content_type: { kind: 'enum hook_content_type', mut: 'CU' },
    status: { kind: 'enum gluster_hook_status', mut: 'CU' },
    checksum: { kind: 'string', mut: 'CU' },
    host: { kind: 'ref host', mut: 'CU' },
  },
});
