/** Imports from elsewhere: machines of other platforms, and files that were exported on a host. */
import type { Resource } from '../../../model/resource.ts';
import type { ImageCopy } from '../../jobs/moves.ts';
import { begin } from '../../jobs/moves.ts';
import type { StoredObject } from '../../store/document.ts';
import type { RuleContext } from '../context.ts';
import { copyDisk, type Owner, type Source } from '../disk/copies.ts';
import { createImage, moveDisk, prepareDisk } from '../disk/disk.ts';
import type { Stored } from '../domain-contents/unregistered.ts';
import { applyDefaults, checkName, resolveReferences } from '../input.ts';
import { nextMac } from '../network/mac.ts';
import { rules } from '../notation.ts';
import { addActiveSnapshot, configurationOf } from '../snapshot/images.ts';
import { requireDataCenter } from './checks.ts';
import { inherit } from './configuration.ts';
import { addConsole } from './console.ts';
import { settleVm } from './create.ts';
import { filesOf } from './export.ts';
import { blankTemplate, cdromId, moveVm, subjects, type Vm } from './vm.ts';

type Template = Resource<'template'>;
type Attachment = Resource<'disk_attachment'>;

const gibibyte = 2 ** 30;

export const externalVmImportRules = rules({
  kind: 'external_vm_import',

  attach(ctx, _place, sent) {
    const request = structuredClone(sent);
    const { vm: named, ...references } = request as Resource<'external_vm_import'>;
    resolveReferences(ctx.tx, 'external_vm_import', references as StoredObject);
    const name = named?.name || references.name || '';
    const host = references.host?.id;
    const file = fileOf(ctx, 'domain_vm', references.url, host);
    const vm = newVm(ctx, name, references, file);
    ctx.event(1165, subjects(ctx, vm));
    const domain = { id: references.storage_domain?.id ?? '' };
    const sources = file ? sourcesIn(ctx, file) : [];
    const owner: Owner = { kind: 'vm', id: vm.id ?? '' };
    const sparse = references.sparse === undefined ? {} : { sparse: references.sparse };
    const copies = sources.map((source) =>
      copyDisk(ctx, source, owner, { storage_domains: [domain], ...sparse }),
    );
    if (file) addInterfaces(ctx, vm, file);
    else addEmptyDisk(ctx, vm, domain, references.sparse !== false);
    finish(ctx, vm, copies);
    const { username: _user, password: _password, ...shown } = references;
    return { ...shown, vm: { id: vm.id ?? '', name } } as never;
  },
});

export const externalTemplateImportRules = rules({
  kind: 'external_template_import',

  attach(ctx, _place, sent) {
    const { template: named, ...request } = structuredClone(
      sent,
    ) as Resource<'external_template_import'>;
    resolveReferences(ctx.tx, 'external_template_import', request as StoredObject);
    const file =
      fileOf(ctx, 'domain_template', request.url, request.host?.id) ??
      ctx.refuse('IMPORT_FILE_MISSING', { action: 'import', url: request.url });
    const template = newTemplate(ctx, named?.name, request, file as Stored<Template>);
    const owner: Owner = { kind: 'template', id: template.id ?? '' };
    const domain = { id: request.storage_domain?.id ?? '' };
    const copies = sourcesIn(ctx, file).map((source) =>
      copyDisk(ctx, source, owner, { storage_domains: [domain] }),
    );
    const { id = '' } = template;
    const journey = {
      kind: 'template',
      collection: '/templates',
      id,
      operation: 'import',
    } as const;
    begin(ctx, { ...journey, data: { copies } }, template as StoredObject);
    return { ...request, template: { id, name: template.name } } as never;
  },
});

/** What was exported on a host to the file of a URL such as `ova:///tmp/web.ova`. */
function fileOf<K extends 'domain_vm' | 'domain_template'>(
  ctx: RuleContext,
  kind: K,
  url: string | undefined,
  host: string | undefined,
): Stored<Vm> | Stored<Template> | undefined {
  const path = /^ova:\/\/(\/.*)$/.exec(url ?? '')?.[1];
  if (path === undefined) return undefined;
  const found = ctx.tx
    .list('host')
    .filter(({ id }) => host === undefined || id === host)
    .flatMap(({ id }) => ctx.tx.list(kind, { where: { collection: filesOf(id ?? '', 'ova') } }))
    .find((one) => one.comment === path);
  if (!found) ctx.refuse('IMPORT_FILE_MISSING', { action: 'import', url });
  return found as Stored<Vm>;
}

/** Makes a template that is imported, without its disks. It is locked. */
export function newTemplate(
  ctx: RuleContext,
  name: string | undefined,
  { cluster }: { readonly cluster?: { readonly id?: string } },
  { parts: _parts, ...rest }: Stored<Template>,
  id: string = ctx.site.newId(),
): Template {
  const template: Template = {
    ...rest,
    id,
    name: name ?? rest.name ?? '',
    comment: '',
    cluster: { id: cluster?.id ?? '' },
    creation_time: ctx.timestamp,
    status: 'locked',
    version: { version_number: 1, version_name: 'base version' },
  };
  requireDataCenter(ctx, template, 'import');
  ctx.tx.insert('template', '/templates', template);
  return template;
}

/** Disks of an exported machine or template. */
export function sourcesIn(ctx: RuleContext, file: Stored<Vm> | Stored<Template>): Source[] {
  return (file.parts ?? []).flatMap(({ kind, object }) => {
    const id = String(object['id']);
    const disk = kind === 'disk_attachment' ? ctx.tx.get('unregistered_disk', id) : undefined;
    return disk ? [{ disk, image: id, attachment: object as Attachment }] : [];
  });
}

/** Makes a machine that is imported, without its disks and interfaces. */
export function newVm(
  ctx: RuleContext,
  name: string,
  request: Resource<'external_vm_import'>,
  file: Stored<Vm> | Stored<Template> | undefined,
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
  const configuration = file ? configurationOf(file as Vm) : {};
  inherit(vm, configuration, Object.keys(configuration));
  settleVm(ctx, vm, {});
  applyDefaults('vm', vm as StoredObject);
  checkName(ctx.tx, { kind: 'vm', type: 'vm', collection: '/vms' }, vm as StoredObject, 'add');
  ctx.tx.insert('vm', '/vms', vm);
  ctx.tx.insert('cdrom', `/vms/${vm.id}/cdroms`, { id: cdromId, vm: { id: vm.id ?? '' } });
  addConsole(ctx, vm);
  addActiveSnapshot(ctx, vm);
  return vm;
}

/** Gives an imported machine the interfaces that it had, with addresses of their own. */
export function addInterfaces(ctx: RuleContext, vm: Vm, file: Stored<Vm> | Stored<Template>): void {
  for (const { kind, object } of file.parts ?? []) {
    if (kind !== 'nic') continue;
    ctx.tx.insert('nic', `/vms/${vm.id}/nics`, {
      ...(object as Resource<'nic'>),
      id: ctx.site.newId(),
      mac: { address: nextMac(ctx, vm, 'import') },
      vm: { id: vm.id ?? '' },
    });
  }
}

/** The disk of a machine of another platform, which this service cannot look into. */
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
  applyDefaults('disk', disk as StoredObject);
  ctx.tx.insert('disk', '/disks', disk);
  createImage(ctx, disk);
  moveDisk(ctx, { collection: '/disks' }, disk, 'add');
  const attachment = { id, disk: { id }, vm: { id: vm.id ?? '' }, active: true, bootable: true };
  const how = { interface: 'virtio_scsi', read_only: false, pass_discard: false } as const;
  const collection = `/vms/${vm.id}/diskattachments`;
  ctx.tx.insert('disk_attachment', collection, { ...attachment, ...how });
}

function finish(ctx: RuleContext, vm: Vm, copies: readonly ImageCopy[]): void {
  moveVm(ctx, vm, 'import', { copies });
}
