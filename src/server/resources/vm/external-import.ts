/** External imports: VMs of other platforms, and archives on a host. */

import type { Resource } from '../../../model/resource.ts';
import { cdromId } from '../../../model/resources/vm-device.ts';
import type { OvfMachine, OvfNic } from '../../../ovf/document.ts';
import { defineBehavior } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { describeFailure } from '../../core/failure-cause.ts';
import { applyDefaults, checkName, resolveReferences } from '../../core/input.ts';
import { pickDefined } from '../../core/member-selection.ts';
import type { HostPath } from '../../core/ports.ts';
import type { ImageCopy } from '../../core/transition-handlers.ts';
import { beginTransition } from '../../core/transitions.ts';
import { createImage, moveDisk, prepareDisk } from '../../inventory/disk.ts';
import type { CopyOwner, CopySource } from '../../inventory/disk-transitions.ts';
import { allocateMac } from '../../inventory/mac-addresses.ts';
import { omitUnknown } from '../../inventory/register.ts';
import { addActiveSnapshot, copyConfiguration } from '../../inventory/snapshot-contents.ts';
import type { WithOrigin } from '../../inventory/unregistered.ts';
import { blankTemplate, describeVmSubjects, moveVm, type Vm } from '../../inventory/vm.ts';
import { inherit, requireDataCenter } from '../../inventory/vm-configuration.ts';
import type { ObjectOf } from '../../store/transaction.ts';
import { addConsole } from './console.ts';
import { settleVm } from './create.ts';
import { addDevices, readConfiguration } from './ovf.ts';

type Template = ObjectOf<'template'>;

const gibibyte = 2 ** 30;

export const externalVmImportBehavior = defineBehavior('external_vm_import', {
  attach(ctx, _place, sent) {
    const request = structuredClone(sent);
    const { vm: named, ...references } = request;
    resolveReferences(ctx.tx, 'external_vm_import', references);
    const host = findHostName(ctx, references);
    const archive = findArchive(ctx, references.url, host);
    const name = named?.name || references.name || archive?.machine.vm.name || '';
    const vm = createImportedVm(ctx, name, references, archive?.machine.vm);
    ctx.event('VM_IMPORT_STARTED', describeVmSubjects(ctx, vm));
    const domain = { id: references.storage_domain?.id ?? '' };
    const owner: CopyOwner = { kind: 'vm', id: vm.id ?? '' };
    const sparse = references.sparse !== false;
    const copies = archive ? storeDisks(ctx, archive, owner, domain, sparse) : [];
    if (archive) addDevices(ctx, vm, archive.machine);
    else addEmptyDisk(ctx, vm, domain, sparse);
    addConsole(ctx, vm);
    moveVm(ctx, vm, 'import', { copies });
    const { username: _user, password: _password, ...shown } = references;
    return { ...shown, vm: { id: vm.id ?? '', name } };
  },
});

export const externalTemplateImportBehavior = defineBehavior('external_template_import', {
  attach(ctx, _place, sent) {
    const { template: named, ...request } = structuredClone(sent);
    resolveReferences(ctx.tx, 'external_template_import', request);
    const archive =
      findArchive(ctx, request.url, findHostName(ctx, request)) ??
      ctx.refuse('IMPORT_FILE_MISSING', { action: 'import', url: request.url });
    const { vm } = archive.machine;
    const template = createImportedTemplate(
      ctx,
      named?.name ?? vm.name,
      request,
      copyConfiguration(vm),
    );
    const owner: CopyOwner = { kind: 'template', id: template.id ?? '' };
    const domain = { id: request.storage_domain?.id ?? '' };
    const copies = storeDisks(ctx, archive, owner, domain, true);
    for (const nic of archive.machine.nics) addTemplateNic(ctx, template, nic);
    const start = { kind: 'template', collection: '/templates', operation: 'import' } as const;
    beginTransition(ctx, { ...start, data: { copies } }, template);
    const { id, name } = template;
    return { ...request, template: pickDefined({ id, name }) };
  },
});

/** An archive on a host, with its parsed document. */
interface Archive {
  readonly ref: HostPath;
  readonly machine: OvfMachine;
}

function findHostName(ctx: RuleContext, { host }: { readonly host?: { readonly id?: string } }) {
  return host?.id ? ctx.tx.get('host', host.id)?.name : undefined;
}

/** The archive of a URL such as `ova:///tmp/web.ova`; undefined for another platform. */
function findArchive(
  ctx: RuleContext,
  url: string | undefined,
  host: string | undefined,
): Archive | undefined {
  const path = /^ova:\/\/(\/.*)$/.exec(url ?? '')?.[1];
  if (path === undefined) return undefined;
  const found = readDocument(ctx, host, path);
  if (!found) ctx.refuse('IMPORT_FILE_MISSING', { action: 'import', url });
  return { ref: { host: found.host, path }, machine: readConfiguration(found.text) };
}

function readDocument(ctx: RuleContext, host: string | undefined, path: string) {
  try {
    return ctx.site.hostArchives.document(host, path);
  } catch (error) {
    const reason = describeFailure(error);
    if (reason === undefined) throw error;
    ctx.refuse('IMPORT_FILE_UNREADABLE', { action: 'import', path, reason });
  }
}

/** Stores the disks of an archive as disks of a VM or template. Returns the disks to unpack. */
function storeDisks(
  ctx: RuleContext,
  { ref, machine }: Archive,
  owner: CopyOwner,
  domain: { id: string },
  sparse: boolean,
): ImageCopy[] {
  return machine.disks.map((packed, index) => {
    const id = ctx.site.newId();
    const alias = packed.alias ?? `${machine.vm.name}_Disk${index + 1}`;
    const format = sparse ? (packed.format ?? 'cow') : 'raw';
    const disk: Resource<'disk'> = {
      id,
      alias,
      name: alias,
      description: packed.description ?? '',
      provisioned_size: packed.provisionedSize,
      format,
      sparse,
      storage_domains: [domain],
      ...(packed.wipeAfterDelete ? { wipe_after_delete: true } : {}),
    };
    prepareDisk(ctx, disk);
    applyDefaults('disk', disk);
    disk.status = 'locked';
    ctx.tx.insert('disk', '/disks', disk);
    ctx.tx.insert('disk_attachment', `/${owner.kind}s/${owner.id}/diskattachments`, {
      ...packed.attachment,
      id,
      disk: { id },
      [owner.kind]: { id: owner.id },
    });
    if (packed.file === undefined)
      ctx.refuse('IMPORT_DISK_MISSING', { action: 'import', name: alias });
    return {
      from: packed.file,
      archive: ref,
      to: id,
      form: { from: 'cow', to: format, size: packed.provisionedSize, whole: format === 'cow' },
    };
  });
}

/** Creates an imported template without its disks. It is locked. */
export function createImportedTemplate(
  ctx: RuleContext,
  name: string | undefined,
  { cluster }: { readonly cluster?: { readonly id?: string } },
  { parts: _parts, origin_names: _origin, ...rest }: WithOrigin<Template>,
  id: string = ctx.site.newId(),
): Template {
  const template: Template = {
    ...omitUnknown(ctx.tx, 'template', rest),
    id,
    name: name ?? rest.name ?? '',
    comment: ctx.site.dialect.engineAnswers ? (rest.comment ?? '') : '',
    cluster: { id: cluster?.id ?? '' },
    creation_time: ctx.timestamp,
    status: 'locked',
    version: { version_number: 1, version_name: 'base version' },
  };
  requireDataCenter(ctx, template, 'import');
  ctx.tx.insert('template', '/templates', template);
  return template;
}

/** Disks of an exported VM or template. */
export function listExportedSources(
  ctx: RuleContext,
  file: WithOrigin<Vm> | WithOrigin<Template>,
): CopySource[] {
  return (file.parts ?? []).flatMap(({ kind, object }) => {
    const id = String(object['id']);
    const disk = kind === 'disk_attachment' ? ctx.tx.get('unregistered_disk', id) : undefined;
    return disk ? [{ disk, image: id, attachment: object }] : [];
  });
}

/** Creates an imported VM without its disks, NICs and consoles. */
export function createImportedVm(
  ctx: RuleContext,
  name: string,
  request: Resource<'external_vm_import'>,
  configuration: Vm | undefined,
  id: string = ctx.site.newId(),
): Vm {
  const vm: Vm = {
    id,
    name,
    cluster: { id: request.cluster?.id ?? '' },
    template: { id: blankTemplate },
    original_template: { id: blankTemplate },
    origin: request.provider ?? 'external',
    ...(request.cpu_profile?.id ? { cpu_profile: request.cpu_profile } : {}),
    ...(request.quota?.id ? { quota: request.quota } : {}),
  };
  requireDataCenter(ctx, vm, 'import');
  const known = configuration ? copyConfiguration(omitUnknown(ctx.tx, 'vm', configuration)) : {};
  inherit(vm, known, Object.keys(known));
  settleVm(ctx, vm, {});
  applyDefaults('vm', vm);
  checkName(ctx.tx, { kind: 'vm', type: 'vm', collection: '/vms' }, vm, 'add');
  ctx.tx.insert('vm', '/vms', vm);
  ctx.tx.insert('cdrom', `/vms/${vm.id}/cdroms`, { id: cdromId, vm: { id: vm.id ?? '' } });
  addActiveSnapshot(ctx, vm);
  return vm;
}

/** Adds the NICs of an imported VM, with new addresses. */
export function addInterfaces(
  ctx: RuleContext,
  vm: Vm,
  file: WithOrigin<Vm> | WithOrigin<Template>,
): void {
  for (const { kind, object } of file.parts ?? []) {
    if (kind !== 'nic') continue;
    ctx.tx.insert('nic', `/vms/${vm.id}/nics`, {
      ...omitUnknown(ctx.tx, 'nic', object),
      id: ctx.site.newId(),
      mac: { address: allocateMac(ctx, vm, 'import') },
      vm: { id: vm.id ?? '' },
    });
  }
}

/** Adds an empty disk in place of a disk of another platform, which the service cannot read. */
function addEmptyDisk(ctx: RuleContext, vm: Vm, domain: { id: string }, sparse: boolean): void {
  const id = ctx.site.newId();
  const disk: Resource<'disk'> = {
    id,
    alias: `${vm.name}_Disk1`,
    provisioned_size: 10 * gibibyte,
    format: 'raw',
    sparse,
    storage_domains: [domain],
  };
  prepareDisk(ctx, disk);
  applyDefaults('disk', disk);
  ctx.tx.insert('disk', '/disks', disk);
  createImage(ctx, disk);
  moveDisk(ctx, { collection: '/disks' }, disk, 'add');
  const attachment = { id, disk: { id }, vm: { id: vm.id ?? '' }, active: true, bootable: true };
  const how = { interface: 'virtio_scsi', read_only: false, pass_discard: false } as const;
  const collection = `/vms/${vm.id}/diskattachments`;
  ctx.tx.insert('disk_attachment', collection, { ...attachment, ...how });
}

/** NICs of a template have no addresses. */
function addTemplateNic(ctx: RuleContext, template: Template, nic: OvfNic): void {
  const { id = '' } = template;
  ctx.tx.insert('nic', `/templates/${id}/nics`, {
    id: ctx.site.newId(),
    name: nic.name,
    interface: nic.interface ?? 'virtio',
    linked: nic.linked,
    plugged: nic.plugged,
    template: { id },
  });
}
