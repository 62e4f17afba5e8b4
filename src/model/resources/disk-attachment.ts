/** Disks as they are attached to a virtual machine or template. */
import { computed, ignored, owned } from '../notation/collections.ts';
import { owner, referred, sent, whenSent } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';

export const diskAttachment = resource('disk_attachment', {
  doc: 'The connection between a disk and a virtual machine; its id is that of the disk.',
  identified: true,
  attributes: {
    bootable: {
      kind: 'bool',
      mut: 'CU',
      default: false,
      doc: 'Whether it can be booted from; one disk of a virtual machine at most.',
    },
    pass_discard: { kind: 'bool', mut: 'CU', default: false },
    uses_scsi_reservation: { kind: 'bool', mut: 'CU', default: false },
    read_only: { kind: 'bool', mut: 'CU', default: false },
    interface: {
      kind: 'enum disk_interface',
      mut: 'CU',
      doc: 'How the guest sees it; required on add.',
    },
    active: { kind: 'bool', mut: 'CU', doc: 'Whether it is plugged in.' },
    logical_name: { kind: 'string', mut: 'R', doc: 'Reported by the guest agent.' },
    disk: {
      kind: 'ref disk',
      mut: 'C',
      doc: 'By id to attach a disk, or in full to make one. On update, what is to change.',
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
    },
    update: { permit: owner('configure_vm_storage'), job: 'Editing a disk of VM {owner}' },
    remove: {
      permit: owner('configure_vm_storage'),
      permitWhenSent: [
        { sent: '', parameter: ['detach_only', false], need: referred('delete_disk', 'disk') },
      ],
      job: 'Detaching a disk from VM {owner}',
    },
  },
  paths: {
    '/vms/{vm}/diskattachments/{attachment}': owned({
      list: ['follow'],
      add: [],
      get: ['follow'],
      update: [],
      remove: ['detach_only'],
    }),
    '/templates/{template}/diskattachments/{attachment}': owned({
      list: ['follow'],
      get: ['follow'],
      remove: [ignored('force', 'nothing is refused that force could overcome'), 'storage_domain'],
    }),
    '/storagedomains/{storagedomain}/vms/{vm}/diskattachments/{attachment}': computed(
      'domain_attachment',
      { list: ['follow'], get: ['follow'] },
    ),
  },
});
