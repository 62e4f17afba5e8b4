/** VMs, templates and disks on a storage domain. */

import { byIdOrName } from '../../model/notation/collections.ts';
import type { ActionBody } from '../../model/resource.ts';
import { defineBehavior } from '../core/behavior.ts';
import type { CollectionRef } from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import { entityNotFound } from '../core/fault.ts';
import { getSystemIcons } from '../core/icons.ts';
import { requireAll, resolveMember } from '../core/input.ts';
import { pickMembers } from '../core/member-selection.ts';
import { beginTransition } from '../core/transitions.ts';
import { copyDisk } from '../inventory/disk-transitions.ts';
import { readCluster, register, requireActive } from '../inventory/register.ts';
import { formatContentsPath, registerDisk, type WithOrigin } from '../inventory/unregistered.ts';
import { describeVmSubjects, moveVm } from '../inventory/vm.ts';
import { type Base, showComputed } from '../inventory/vm-members.ts';
import { hasDisksOn } from '../store/conditions.ts';
import type { StoredObject } from '../store/kinds.ts';
import type { ObjectOf } from '../store/transaction.ts';
import { addConsole } from './vm/console.ts';
import {
  addInterfaces,
  createImportedTemplate,
  createImportedVm,
  listExportedSources,
} from './vm/external-import.ts';

/**
 * Resolves the collection of VMs or templates on a domain. An export domain lists its exported
 * objects. A data domain lists the registered objects, or with `unregistered` the others.
 */
function collectionOn(
  ctx: RuleContext,
  ref: CollectionRef,
  kind: 'vm' | 'template',
  id: string | undefined,
): CollectionRef {
  const domain = ctx.tx.get('storage_domain', ref.owner?.id ?? '');
  const stored = id !== undefined && ctx.tx.get(ref.kind, id, ref.collection) !== undefined;
  const unregistered = ctx.parameters.flag('unregistered') === true;
  if (domain?.type !== 'data' || stored || (id === undefined && unregistered)) return ref;
  const condition = hasDisksOn(domain.id ?? '', kind);
  const view = { ...ref, kind, collection: `/${kind}s`, options: { condition } };
  return ctx.site.dialect.engineAnswers
    ? { ...view, shownAt: ref.collection, shownAs: ref.kind }
    : view;
}

export const unregisteredDiskBehavior = defineBehavior('unregistered_disk', {
  attach(ctx, ref, sent) {
    return registerOn(ctx, ref, String(sent['id']));
  },

  remove(ctx, { object, ref }) {
    const id = object.id ?? '';
    ctx.tx.remove('unregistered_disk', id, ref.collection);
    for (const { id: image } of ctx.tx.list('disk_snapshot', { where: { disk_id: id } })) {
      if (image) ctx.afterCommit.push(() => ctx.site.images.remove(image));
    }
    ctx.tx.removeBelow('disk_snapshot', `/disks/${id}`);
    ctx.afterCommit.push(() => ctx.site.images.remove(id));
    const domain = ctx.tx.get('storage_domain', ref.owner?.id ?? '');
    ctx.event('DISK_REMOVED', { storage_domain: domain }, { DiskAlias: object.alias ?? id });
  },

  actions: {
    register(ctx, { object, ref }) {
      registerOn(ctx, ref, object.id ?? '');
      return undefined;
    },
  },
});

function registerOn(ctx: RuleContext, ref: CollectionRef, id: string) {
  const disk = registerDisk(ctx, ref.owner?.id ?? '', id);
  if (!disk) throw entityNotFound(`Disk: id=${id}`, ctx.site.dialect.engineRefusals ? 400 : 404);
  ctx.event('DISK_ADDED', {}, { DiskAlias: disk.alias ?? id });
  return disk;
}

type Vm = ObjectOf<'vm'>;
type Template = ObjectOf<'template'>;
type Attachment = ObjectOf<'disk_attachment'>;

export const domainVmBehavior = defineBehavior('domain_vm', {
  locate: (ctx, ref, id) => collectionOn(ctx, ref, 'vm', id),
  present: (ctx, vm) =>
    ctx.site.dialect.engineAnswers
      ? { ...showComputed(vm), ...documentAttributes(vm), ...hideReferences(vm), status: 'down' }
      : { status: undefined },
  remove: (ctx, { object, ref }) => removeStored(ctx, ref, object),

  actions: {
    register(ctx, { object, ref }, body) {
      requireCluster(body);
      if (body['clone'] === true) return importVm(ctx, ref, object, body);
      const vm = register(ctx, 'vm', ref.owner?.id ?? '', object, body);
      ctx.event('VM_IMPORTED', describeVmSubjects(ctx, vm));
      return undefined;
    },
    import(ctx, { object, ref }, body) {
      return importVm(ctx, ref, object, body);
    },
  },
});

export const domainTemplateBehavior = defineBehavior('domain_template', {
  locate: (ctx, ref, id) => collectionOn(ctx, ref, 'template', id),
  present(ctx, template) {
    if (!ctx.site.dialect.engineAnswers) return {};
    const version = { base_template: { id: template.id ?? '' }, ...template.version };
    return {
      ...documentAttributes(template),
      ...hideReferences(template),
      version,
      quota: undefined,
    };
  },
  remove: (ctx, { object, ref }) => removeStored(ctx, ref, object),

  actions: {
    register(ctx, { object, ref }, body) {
      requireCluster(body);
      if (body['clone'] === true) return importTemplate(ctx, ref, object, body);
      const template: Template = register(ctx, 'template', ref.owner?.id ?? '', object, body);
      ctx.event('TEMPLATE_IMPORTED', { template, cluster: template.cluster });
      return undefined;
    },
    import(ctx, { object, ref }, body) {
      return importTemplate(ctx, ref, object, body);
    },
  },
});

/**
 * Attributes of a VM or template as engines read them from its OVF document: with the icons of the
 * operating system, without CPU shares, protocol of the console, and empty boot parameters.
 */
function documentAttributes({ display, os }: Base): StoredObject {
  const { type: _protocol, ...shownDisplay } = display ?? {};
  const system = pickMembers(os ?? {}, (_name, value) => value !== '');
  return { ...getSystemIcons(os?.type), cpu_shares: 0, display: shownDisplay, os: system };
}

/** Members that refer to the inventory, removed from unregistered objects. */
function hideReferences({ parts }: WithOrigin<Base>): StoredObject {
  return parts ? { cluster: undefined, cpu_profile: undefined } : {};
}

/** An exported VM or template after its import. */
function asImported<T extends Base>(ctx: RuleContext, exported: WithOrigin<T>): WithOrigin<T> {
  if (!ctx.site.dialect.engineAnswers) return exported;
  const { os } = documentAttributes(exported);
  const icons = { small_icon: undefined, large_icon: undefined };
  return { ...exported, ...icons, os, quota: undefined, cpu_shares: 0 };
}

/** Requires a cluster for a registration: directly, or as a mapping of clusters. */
function requireCluster(body: ActionBody): void {
  const mappings = body['registration_configuration'];
  if (mappings?.cluster_mappings?.length) return;
  requireAll('Action', [byIdOrName('cluster')], body, 'register');
}

/** Creates a VM with copies of the disks. The domain retains the originals. */
function importVm(
  ctx: RuleContext,
  ref: CollectionRef,
  exported: WithOrigin<Vm>,
  body: ActionBody,
): undefined {
  requireActive(ctx, ref.owner?.id ?? '', 'import');
  const { name } = body['vm'] ?? {};
  const clone = body['clone'] === true;
  if (!clone && ctx.tx.get('vm', exported.id ?? '')) {
    ctx.refuse('REGISTERED_ALREADY', { action: 'import', name: exported.name });
  }
  const id = clone ? ctx.site.newId() : (exported.id ?? '');
  const source = asImported(ctx, exported);
  const vm = createImportedVm(ctx, name ?? exported.name ?? '', readCluster(ctx, body), source, id);
  ctx.event('VM_IMPORT_STARTED', describeVmSubjects(ctx, vm));
  const domains = [{ id: resolveTarget(ctx, ref, body) }];
  const owner = { kind: 'vm', id } as const;
  const copies = listExportedSources(ctx, exported).map((source) =>
    copyDisk(ctx, source, owner, { storage_domains: domains }),
  );
  addInterfaces(ctx, vm, exported);
  addConsole(ctx, vm);
  moveVm(ctx, vm, 'import', { copies });
  return undefined;
}

function importTemplate(
  ctx: RuleContext,
  ref: CollectionRef,
  exported: WithOrigin<Template>,
  body: ActionBody,
): undefined {
  requireActive(ctx, ref.owner?.id ?? '', 'import');
  const clone = body['clone'] === true;
  if (!clone && ctx.tx.get('template', exported.id ?? '')) {
    ctx.refuse('REGISTERED_ALREADY', { action: 'import', name: exported.name });
  }
  const { name } = body['template'] ?? {};
  const id = clone ? ctx.site.newId() : (exported.id ?? '');
  const source = asImported(ctx, exported);
  const template = createImportedTemplate(ctx, name, readCluster(ctx, body), source, id);
  const domains = [{ id: resolveTarget(ctx, ref, body) }];
  const copies = listExportedSources(ctx, exported).map((source) =>
    copyDisk(ctx, source, { kind: 'template', id }, { storage_domains: domains }),
  );
  const start = { kind: 'template', collection: '/templates', operation: 'import' } as const;
  beginTransition(ctx, { ...start, data: { copies } }, template);
  return undefined;
}

/** The target domain of an import: the current domain by default. */
function resolveTarget(ctx: RuleContext, ref: CollectionRef, body: ActionBody): string {
  const sent = body['storage_domain'];
  return sent ? resolveMember(ctx.tx, 'storage_domain', sent) : (ref.owner?.id ?? '');
}

/** Removes a VM or template from the domain, with its disks. */
function removeStored(
  ctx: RuleContext,
  ref: CollectionRef,
  object: WithOrigin<Vm> | WithOrigin<Template>,
): void {
  const domain = ref.owner?.id ?? '';
  requireActive(ctx, domain, 'remove from');
  const disks = formatContentsPath(domain, 'disks');
  for (const { kind, object: part } of object.parts ?? []) {
    if (kind !== 'disk_attachment') continue;
    const id = String(part['id']);
    ctx.tx.remove('unregistered_disk', id, disks);
    ctx.afterCommit.push(() => ctx.site.images.remove(id));
  }
  ctx.tx.remove(ref.kind, object.id ?? '', ref.collection);
  const from = { storage_domain: { id: domain } };
  if (ref.kind === 'domain_vm') ctx.event('STORED_VM_REMOVED', from, { VmName: object.name });
  else ctx.event('STORED_TEMPLATE_REMOVED', from, { TemplateName: object.name });
}

export const domainAttachmentBehavior = defineBehavior('domain_attachment', {
  compute: (ctx, ref) => listAttachments(ctx, ref),
});

export const domainDiskBehavior = defineBehavior('domain_disk', {
  storedAs: ['disk', 'unregistered_disk'],
  compute(ctx, ref) {
    return listAttachments(ctx, ref).flatMap(({ id = '' }) => {
      const disk = ctx.tx.get('unregistered_disk', id) ?? ctx.tx.get('disk', id);
      return disk ? [disk] : [];
    });
  },
});

/** Attachments of a VM or template on a domain, registered or not. */
function listAttachments(ctx: RuleContext, { owner }: CollectionRef): Attachment[] {
  const id = owner?.id ?? '';
  const kind = owner?.kind === 'domain_vm' ? 'vm' : 'template';
  const stored = ctx.tx.get(kind === 'vm' ? 'domain_vm' : 'domain_template', id);
  const parts = stored?.parts;
  if (parts) {
    return parts.flatMap((part) => (part.kind === 'disk_attachment' ? [part.object] : []));
  }
  const collection = `/${kind}s/${id}/diskattachments`;
  return ctx.tx.list('disk_attachment', { where: { collection } });
}
