/** Attachments of disks to VMs and templates. */
import { computed, crud, ignored, owned } from '../notation/collections.ts';
import { attaching, column, domainId, shortcut } from '../notation/commands.ts';
import { owner, referred, sent, whenSent } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';

export const diskAttachment = resource('disk_attachment', {
  doc: 'The attachment of a disk to a VM; its id is that of the disk.',
  identified: true,
  unwritten: ['name', 'description', 'comment'],
  attributes: {
    bootable: {
      kind: 'bool',
      mut: 'CU',
      default: false,
      doc: 'Whether the VM boots from the disk; one disk per VM.',
    },
    pass_discard: { kind: 'bool', mut: 'CU', default: false },
    uses_scsi_reservation: { kind: 'bool', mut: 'CU', default: false },
    read_only: { kind: 'bool', mut: 'CU', default: false },
    interface: {
      kind: 'enum disk_interface',
      mut: 'CU',
      doc: 'Interface type; required to attach a disk.',
    },
    active: { kind: 'bool', mut: 'CU', doc: 'Whether the disk is plugged in.' },
    logical_name: {
      kind: 'string',
      mut: 'R',
      doc: 'Device name in the guest, from the guest agent.',
    },
    disk: {
      kind: 'ref disk',
      mut: 'C',
      doc: 'Existing disk by id, or properties of a new one; on update, the changes.',
    },
    vm: { kind: 'ref vm', mut: 'R' },
    template: { kind: 'ref template', mut: 'R' },
  },
  operations: {
    add: {
      permit: owner('configure_vm_storage'),
      permitWhenSent: [
        whenSent('disk.id', sent('attach_disk', 'disk')),
        { sent: 'disk.name', without: 'disk.provisioned_size', need: sent('attach_disk', 'disk') },
        whenSent('disk.storage_domains', sent('create_disk', 'disk.storage_domains')),
        whenSent('disk.disk_profile', sent('attach_disk_profile', 'disk.disk_profile')),
      ],
      job: 'Attaching a disk to VM {owner}',
      opposite: 'remove',
      oppositeWhere: { sent: 'disk.id' },
    },
    update: { permit: owner('configure_vm_storage'), job: 'Editing a disk of VM {owner}' },
    remove: {
      permit: owner('configure_vm_storage'),
      permitWhenSent: [
        { sent: '', parameter: ['detach_only', false], need: referred('delete_disk', 'disk') },
      ],
      opposite: 'add',
      oppositeWhere: { unless: ['detach_only', false] },
    },
  },
  paths: {
    '/vms/{vm}/diskattachments/{attachment}': owned({
      ...crud('add', 'get'),
      verbs: attaching,
      list: ['follow'],
      update: [],
      remove: ['detach_only'],
    }),
    '/templates/{template}/diskattachments/{attachment}': owned({
      list: ['follow'],
      get: ['follow'],
      remove: [ignored('force', 'no check exists that force could override'), 'storage_domain'],
    }),
    '/storagedomains/{storagedomain}/vms/{vm}/diskattachments/{attachment}': computed(
      'domain_attachment',
      { list: ['follow'], get: ['follow'] },
    ),
  },
  definition: { writtenAt: ['/vms/{vm}/diskattachments', '/templates/{template}/diskattachments'] },
  commands: {
    noun: 'diskattachments',
    aliases: ['attachments', 'da'],
    group: 'storage',
    position: 30,
    doc: 'Disks attached to a VM',
    one: 'disk attachment',
    columns: [
      column('disk', 'disk.alias'),
      column('size', 'disk.provisioned_size'),
      'interface',
      'bootable',
      'active',
      'read_only',
      'id',
    ],
    follow: 'disk',
    knownBy: ['disk.alias', 'disk.name'],
    knownThrough: 'disk',
    shortcuts: [
      shortcut('new-disk-size', 'disk.provisioned_size', 'Size of a new disk to create.'),
      shortcut('size', 'disk.provisioned_size', 'Size of the disk, for example 20GiB.'),
      shortcut('new-disk-name', 'disk.alias', 'Name of the new disk.'),
      shortcut('new-disk-format', 'disk.format', 'Format: raw or cow.'),
      shortcut('new-disk-storage-domain', 'disk.storage_domains', 'Storage domain of the disk.'),
    ],
    alwaysSent: { active: true },
    createdAlong: { attribute: 'disk', type: 'disk' },
    verbs: {
      attach: {
        purpose: 'Attach a disk to a VM',
        sendsAttributes: true,
        sample: { flags: '--disk root --interface virtio' },
      },
      delete: { sample: { flags: `--storage-domain ${domainId}` } },
      detach: {
        purpose: 'Detach a disk from a VM',
        queryShortcut: {
          flag: 'delete-disk',
          query: 'detach_only',
          value: 'false',
          doc: 'Delete the disk as well.',
        },
        sample: { object: 'web02_Disk1', parents: { vms: 'web02' } },
      },
      update: { sample: { flags: '--pass-discard' } },
    },
    samples: {
      object: 'web01_Disk1',
      objectAt: { '/templates/{template}/diskattachments': 'build_Disk1' },
    },
  },
});
