/** Virtual machines, templates and disks as a storage domain lists them. */

import { byIdOrName } from '../../model/notation/collections.ts';
import type { ActionBody } from '../../model/resource.ts';
import { define } from '../core/behavior.ts';
import type { CollectionRef } from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import { entityNotFound } from '../core/fault.ts';
import { requireAll, resolveMember } from '../core/input.ts';
import { begin } from '../core/transitions.ts';
import { copyDisk } from '../inventory/disk-transitions.ts';
import { clusterIn, register, requireActive } from '../inventory/register.ts';
import { contentsOf, registerDisk, type Stored } from '../inventory/unregistered.ts';
import { moveVm, subjects } from '../inventory/vm.ts';
import { hasDisksOn } from '../store/conditions.ts';
import type { ObjectOf } from '../store/transaction.ts';
import { addConsole } from './vm/console.ts';
import { addInterfaces, newTemplate, newVm, sourcesIn } from './vm/external-import.ts';

/**
 * The place of machines or templates of a domain. An export domain holds what was exported to it;
 * a data domain shows what the inventory has on it, and with `unregistered` what it has not.
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
  return { ...ref, kind, collection: `/${kind}s`, options: { condition } };
}

export const unregisteredDiskBehavior = define('unregistered_disk', {
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
  if (!disk) throw entityNotFound(`Disk: id=${id}`);
  ctx.event('DISK_ADDED', {}, { DiskAlias: disk.alias ?? id });
  return disk;
}

type Vm = ObjectOf<'vm'>;
type Template = ObjectOf<'template'>;
type Attachment = ObjectOf<'disk_attachment'>;

export const domainVmBehavior = define('domain_vm', {
  locate: (ctx, ref, id) => collectionOn(ctx, ref, 'vm', id),
  present: () => ({ status: undefined }),
  remove: (ctx, { object, ref }) => removeStored(ctx, ref, object),

  actions: {
    register(ctx, { object, ref }, body) {
      requireCluster(body);
      if (body['clone'] === true) return importVm(ctx, ref, object, body);
      const vm = register(ctx, 'vm', ref.owner?.id ?? '', object, body);
      ctx.event('VM_IMPORTED', subjects(ctx, vm));
      return undefined;
    },
    import(ctx, { object, ref }, body) {
      return importVm(ctx, ref, object, body);
    },
  },
});

export const domainTemplateBehavior = define('domain_template', {
  locate: (ctx, ref, id) => collectionOn(ctx, ref, 'template', id),
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

/** A registration names its cluster, or says which one maps to which. */
function requireCluster(body: ActionBody): void {
  const mappings = body['registration_configuration'];
  if (mappings?.cluster_mappings?.length) return;
  requireAll('Action', [byIdOrName('cluster')], body, 'register');
}

/** Makes a machine with copies of the disks; what is on the domain stays. */
function importVm(
  ctx: RuleContext,
  ref: CollectionRef,
  exported: Stored<Vm>,
  body: ActionBody,
): undefined {
  requireActive(ctx, ref.owner?.id ?? '', 'import');
  const { name } = body['vm'] ?? {};
  const clone = body['clone'] === true;
  if (!clone && ctx.tx.get('vm', exported.id ?? '')) {
    ctx.refuse('REGISTERED_ALREADY', { action: 'import', name: exported.name });
  }
  const id = clone ? ctx.site.newId() : (exported.id ?? '');
  const vm = newVm(ctx, name ?? exported.name ?? '', clusterIn(ctx, body), exported, id);
  ctx.event('VM_IMPORT_STARTED', subjects(ctx, vm));
  const domains = [{ id: targetIn(ctx, ref, body) }];
  const owner = { kind: 'vm', id } as const;
  const copies = sourcesIn(ctx, exported).map((source) =>
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
  exported: Stored<Template>,
  body: ActionBody,
): undefined {
  requireActive(ctx, ref.owner?.id ?? '', 'import');
  const clone = body['clone'] === true;
  if (!clone && ctx.tx.get('template', exported.id ?? '')) {
    ctx.refuse('REGISTERED_ALREADY', { action: 'import', name: exported.name });
  }
  const { name } = body['template'] ?? {};
  const id = clone ? ctx.site.newId() : (exported.id ?? '');
  const template = newTemplate(ctx, name, clusterIn(ctx, body), exported, id);
  const domains = [{ id: targetIn(ctx, ref, body) }];
  const copies = sourcesIn(ctx, exported).map((source) =>
    copyDisk(ctx, source, { kind: 'template', id }, { storage_domains: domains }),
  );
  const start = { kind: 'template', collection: '/templates', operation: 'import' } as const;
  begin(ctx, { ...start, data: { copies } }, template);
  return undefined;
}

/** The domain that an import names; a clone stays where it is unless told otherwise. */
function targetIn(ctx: RuleContext, ref: CollectionRef, body: ActionBody): string {
  const sent = body['storage_domain'];
  return sent ? resolveMember(ctx.tx, 'storage_domain', sent) : (ref.owner?.id ?? '');
}

/** Removes a machine or template from the domain, with its disks. */
function removeStored(
  ctx: RuleContext,
  ref: CollectionRef,
  object: Stored<Vm> | Stored<Template>,
): void {
  const domain = ref.owner?.id ?? '';
  requireActive(ctx, domain, 'remove from');
  const disks = contentsOf(domain, 'disks');
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

export const domainAttachmentBehavior = define('domain_attachment', {
  compute: (ctx, ref) => attachmentsIn(ctx, ref),
});

export const domainDiskBehavior = define('domain_disk', {
  storedAs: ['disk', 'unregistered_disk'],
  compute(ctx, ref) {
    return attachmentsIn(ctx, ref).flatMap(({ id = '' }) => {
      const disk = ctx.tx.get('unregistered_disk', id) ?? ctx.tx.get('disk', id);
      return disk ? [disk] : [];
    });
  },
});

/** Attachments of a machine or template on a domain, whether it is in the inventory or not. */
function attachmentsIn(ctx: RuleContext, { owner }: CollectionRef): Attachment[] {
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
