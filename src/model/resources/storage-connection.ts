/** Connections to storage servers, and host-specific connection settings. */
import { asyncIgnored, crud, ignored, owned } from '../notation/collections.ts';
import { attaching, otherId } from '../notation/commands.ts';
import { owner, system } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';

export const storageConnection = resource('storage_connection', {
  doc: 'The connection to a storage server.',
  identified: true,
  attributes: {
    type: { kind: 'enum storage_type', mut: 'C' },
    password: { kind: 'string', mut: 'CU', writeOnly: true, secret: true },
    host: {
      kind: 'ref host',
      mut: 'C',
      writeOnly: true,
      doc: 'Host that checks the connection (name or id).',
    },
    address: { kind: 'string', mut: 'CU' },
    path: { kind: 'string', mut: 'CU' },
    mount_options: { kind: 'string', mut: 'CU' },
    vfs_type: { kind: 'string', mut: 'CU' },
    target: { kind: 'string', mut: 'CU' },
    username: { kind: 'string', mut: 'CU' },
    portal: { kind: 'string', mut: 'CU' },
    nfs_version: { kind: 'enum nfs_version', mut: 'CU' },
    nfs_timeo: { kind: 'int', mut: 'CU' },
    nfs_retrans: { kind: 'int', mut: 'CU' },
    port: { kind: 'int', mut: 'CU' },
    gluster_volume: { kind: 'ref gluster_volume', mut: 'CU' },
  },
  required: ['type'],
  operations: {
    add: { permit: system('create_storage_domain') },
    update: { permit: system('create_storage_domain') },
    remove: { permit: system('create_storage_domain'), job: 'Removing a storage connection' },
  },
  paths: {
    '/storagedomains/{storagedomain}/storageconnections/{connection}': owned({
      ...crud('list', 'add', 'get', 'remove'),
      verbs: attaching,
      attaches: true,
      required: ['id'],
    }),
    '/storageconnections/{storageconnection}': owned({
      ...crud('list', 'add', 'get'),
      update: [asyncIgnored, ignored('force', 'no check exists that force could override')],
      remove: ['async', ignored('host', 'hosts have no session for an unused connection')],
    }),
    '/datacenters/{datacenter}/iscsibonds/{iscsibond}/storageserverconnections/{storageconnection}':
      owned({
        attaches: true,
        list: ['follow', 'max'],
        add: [],
        get: ['follow'],
        update: [asyncIgnored, ignored('force', 'no check exists that force could override')],
        remove: ['async', ignored('host', 'hosts have no session for an unused connection')],
        required: ['id'],
      }),
  },
  definition: {
    writtenAt: ['/storageconnections'],
    namedAt: ['/datacenters/{datacenter}/iscsibonds/{iscsibond}/storageserverconnections'],
    leftOut: {
      '/storagedomains/{storagedomain}/storageconnections':
        'connections are exported with the storage of their domain',
    },
  },
  commands: {
    noun: 'storageconnections',
    aliases: ['connections'],
    group: 'storage',
    position: 30,
    more: true,
    doc: 'Connections to storage servers',
    one: 'storage connection',
    columns: ['type', 'address', 'path', 'target', 'port', 'id'],
    verbs: {
      attach: { sample: { parents: { storagedomains: 'data2' } } },
      create: {
        sample: {
          flags: '--type nfs --address filer.example.com --path /exports/data4 --host node1',
        },
      },
      detach: { sample: { parents: { storagedomains: 'data2' } } },
      update: { sample: { flags: '--path /exports/other' } },
    },
    otherNouns: [
      {
        noun: 'storageserverconnections',
        group: 'storage',
        position: 50,
        more: true,
        doc: 'Connections of an iSCSI bond',
        one: 'storage server connection',
        operationVerbs: attaching,
        verbs: { update: { sample: { flags: '--port 3261' } } },
        samples: { object: otherId },
      },
    ],
  },
});

export const storageConnectionExtension = resource('storage_connection_extension', {
  identified: true,
  unwritten: ['host', 'name'],
  attributes: {
    target: { kind: 'string', mut: 'CU' },
    username: { kind: 'string', mut: 'CU' },
    password: { kind: 'string', mut: 'CU', writeOnly: true, secret: true },
    host: { kind: 'ref host', mut: 'CU' },
  },
  required: ['target', 'username', 'password'],
  operations: {
    add: { permit: owner('edit_host_configuration') },
    update: { permit: owner('edit_host_configuration') },
    remove: { permit: owner('edit_host_configuration') },
  },
  paths: {
    '/hosts/{host}/storageconnectionextensions/{storageconnectionextension}': owned(crud()),
  },
  definition: { writtenAt: ['/hosts/{host}/storageconnectionextensions'] },
  commands: {
    noun: 'storageconnectionextensions',
    group: 'storage',
    position: 40,
    more: true,
    doc: 'Connection details per host',
    verbs: {
      create: {
        sample: {
          flags:
            '--target iqn.2015-01.com.example:filer:2 --username admin --password-file password.txt',
        },
      },
    },
  },
});
