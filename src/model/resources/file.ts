/** ISO and floppy images of storage domains, and images of image domains. */
import { byIdOrName, crud, owned } from '../notation/collections.ts';
import { shortcut } from '../notation/commands.ts';
import { sent } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';
import { field } from '../notation/search-terms.ts';

export const file = resource('file', {
  doc: 'An ISO or floppy image; on ISO domains its id is the file name.',
  identified: true,
  attributes: {
    content: { kind: 'string', mut: 'R', doc: 'Content, for payloads only.' },
    type: { kind: 'string', mut: 'R', doc: 'Type: iso, floppy or disk.' },
    name: { kind: 'string', mut: 'R' },
    description: { kind: 'string', mut: 'R' },
    comment: { kind: 'string', mut: 'R' },
    storage_domain: { kind: 'ref storage_domain', mut: 'R' },
  },
  paths: {
    '/storagedomains/{storagedomain}/files/{file}': owned({
      list: ['case_sensitive', 'follow', 'max', 'refresh', 'search'],
      get: ['follow'],
    }),
  },
  search: { fields: { name: field.name } },
  commands: {
    noun: 'files',
    aliases: ['isos'],
    group: 'storage',
    position: 60,
    doc: 'ISO and floppy images of a storage domain',
    columns: ['id', 'name', 'type'],
    samples: { object: 'debian-12.7.0-amd64-netinst.iso', parents: { storagedomains: 'iso1' } },
  },
});

export const image = resource('image', {
  identified: true,
  attributes: {
    storage_domain: { kind: 'ref storage_domain', mut: 'CU' },
    type: { kind: 'enum image_file_type', mut: 'CU' },
    size: { kind: 'long', unit: 'bytes', mut: 'CU' },
  },
  operations: {
    import: {
      permit: sent('create_disk', 'storage_domain'),
      harmless: true,
      required: [byIdOrName('storage_domain')],
      makes: [
        { in: '/templates', namedBy: 'template', when: 'import_as_template' },
        { in: '/disks', namedBy: 'disk' },
      ],
    },
  },
  paths: {
    '/storagedomains/{storagedomain}/images/{image}': owned({
      ...crud('list', 'get'),
      actions: {
        import: ['async', 'cluster', 'disk', 'import_as_template', 'storage_domain', 'template'],
      },
    }),
  },
  commands: {
    noun: 'images',
    group: 'storage',
    position: 10,
    more: true,
    doc: 'Images of an image storage domain or provider',
    verbs: {
      import: {
        shortcuts: [
          shortcut('name', 'disk.name', 'Name of the disk.'),
          shortcut('to', 'storage_domain', 'Storage domain for the disks.'),
        ],
        sample: { flags: '--to data2 --name debian' },
      },
    },
    samples: { object: "'Debian 12 Generic Cloud'", parents: { storagedomains: 'glance' } },
  },
});
