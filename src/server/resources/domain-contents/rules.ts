/** Rules of the machines and templates on a storage domain: they are registered, imported, removed. */

import { byIdOrName } from '../../../model/notation/collections.ts';
import type { ActionBody, Resource } from '../../../model/resource.ts';
import { define } from '../../core/behavior.ts';
import type { Place } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import { requireAll, resolveMember } from '../../core/input.ts';
import { begin } from '../../core/transitions.ts';
import type { StoredObject } from '../../store/document.ts';
import { copyDisk } from '../disk/copies.ts';
import { addConsole } from '../vm/console.ts';
import { addInterfaces, newTemplate, newVm, sourcesIn } from '../vm/external-import.ts';
import { moveVm, subjects } from '../vm/vm.ts';
import { placeOn } from './place.ts';
import { clusterIn, register, requireActive } from './register.ts';
import { contentsOf, type Stored } from './unregistered.ts';

type Vm = Resource<'vm'>;
type Template = Resource<'template'>;
type Attachment = Resource<'disk_attachment'>;

export const domainVmRules = define('domain_vm', {
  locate: (ctx, place, id) => placeOn(ctx, place, 'vm', id),
  present: () => ({ status: undefined }),
  remove: (ctx, { object, place }) => removeStored(ctx, place, object),

  actions: {
    register(ctx, { object, place }, body) {
      requireCluster(body);
      if (body['clone'] === true) return importVm(ctx, place, object, body);
      const vm = register(ctx, 'vm', place.owner?.id ?? '', object, body);
      ctx.event('VM_IMPORTED', subjects(ctx, vm));
      return undefined;
    },
    import(ctx, { object, place }, body) {
      requireAll('Action', [byIdOrName('cluster'), byIdOrName('storage_domain')], body, 'import');
      return importVm(ctx, place, object, body);
    },
  },
});

export const domainTemplateRules = define('domain_template', {
  locate: (ctx, place, id) => placeOn(ctx, place, 'template', id),
  remove: (ctx, { object, place }) => removeStored(ctx, place, object),

  actions: {
    register(ctx, { object, place }, body) {
      requireCluster(body);
      if (body['clone'] === true) return importTemplate(ctx, place, object, body);
      const template = register(ctx, 'template', place.owner?.id ?? '', object, body);
      ctx.event('TEMPLATE_IMPORTED', { template, cluster: (template as Template).cluster });
      return undefined;
    },
    import(ctx, { object, place }, body) {
      requireAll('Action', [byIdOrName('cluster'), byIdOrName('storage_domain')], body, 'import');
      return importTemplate(ctx, place, object, body);
    },
  },
});

/** A registration names its cluster, or says which one maps to which. */
function requireCluster(body: ActionBody): void {
  const mappings = body['registration_configuration'] as
    | Resource<'registration_configuration'>
    | undefined;
  if (mappings?.cluster_mappings?.length) return;
  requireAll('Action', [byIdOrName('cluster')], body, 'register');
}

/** Makes a machine with copies of the disks; what is on the domain stays. */
function importVm(ctx: RuleContext, place: Place, kept: Stored<Vm>, body: ActionBody): undefined {
  requireActive(ctx, place.owner?.id ?? '', 'import');
  const { name } = body['vm'] ?? {};
  const clone = body['clone'] === true;
  if (!clone && ctx.tx.get('vm', kept.id ?? '')) {
    ctx.refuse('REGISTERED_ALREADY', { action: 'import', name: kept.name });
  }
  const id = clone ? ctx.site.newId() : (kept.id ?? '');
  const vm = newVm(ctx, name ?? kept.name ?? '', clusterIn(ctx, body), kept, id);
  ctx.event('VM_IMPORT_STARTED', subjects(ctx, vm));
  const domains = [{ id: targetIn(ctx, place, body) }];
  const owner = { kind: 'vm', id } as const;
  const copies = sourcesIn(ctx, kept).map((source) =>
    copyDisk(ctx, source, owner, { storage_domains: domains }),
  );
  addInterfaces(ctx, vm, kept);
  addConsole(ctx, vm);
  moveVm(ctx, vm, 'import', { copies });
  return undefined;
}

function importTemplate(
  ctx: RuleContext,
  place: Place,
  kept: Stored<Template>,
  body: ActionBody,
): undefined {
  requireActive(ctx, place.owner?.id ?? '', 'import');
  const clone = body['clone'] === true;
  if (!clone && ctx.tx.get('template', kept.id ?? '')) {
    ctx.refuse('REGISTERED_ALREADY', { action: 'import', name: kept.name });
  }
  const { name } = body['template'] ?? {};
  const id = clone ? ctx.site.newId() : (kept.id ?? '');
  const template = newTemplate(ctx, name, clusterIn(ctx, body), kept, id);
  const domains = [{ id: targetIn(ctx, place, body) }];
  const copies = sourcesIn(ctx, kept).map((source) =>
    copyDisk(ctx, source, { kind: 'template', id }, { storage_domains: domains }),
  );
  const run = { kind: 'template', collection: '/templates', id, operation: 'import' } as const;
  begin(ctx, { ...run, data: { copies } }, template);
  return undefined;
}

/** The domain that an import names; a clone stays where it is unless told otherwise. */
function targetIn(ctx: RuleContext, place: Place, body: ActionBody): string {
  const sent = body['storage_domain'] as StoredObject | undefined;
  return sent ? resolveMember(ctx.tx, 'storage_domain', sent) : (place.owner?.id ?? '');
}

/** Removes a machine or template from the domain, with its disks. */
function removeStored(ctx: RuleContext, place: Place, object: Stored<Vm> | Stored<Template>): void {
  const domain = place.owner?.id ?? '';
  requireActive(ctx, domain, 'remove from');
  const disks = contentsOf(domain, 'disks');
  for (const { kind, object: part } of object.parts ?? []) {
    if (kind !== 'disk_attachment') continue;
    const id = String(part['id']);
    ctx.tx.remove('unregistered_disk', id, disks);
    ctx.afterCommit.push(() => ctx.site.images.remove(id));
  }
  ctx.tx.remove(place.kind, object.id ?? '', place.collection);
  const from = { storage_domain: { id: domain } };
  if (place.kind === 'domain_vm') ctx.event('STORED_VM_REMOVED', from, { VmName: object.name });
  else ctx.event('STORED_TEMPLATE_REMOVED', from, { TemplateName: object.name });
}

export const domainAttachmentRules = define('domain_attachment', {
  compute: (ctx, place) => attachmentsIn(ctx, place),
});

export const domainDiskRules = define('domain_disk', {
  compute(ctx, place) {
    return attachmentsIn(ctx, place).flatMap(({ id = '' }) => {
      const disk = ctx.tx.get('unregistered_disk', id) ?? ctx.tx.get('disk', id);
      return disk ? [disk] : [];
    });
  },
});

/** Attachments of a machine or template on a domain, whether it is in the inventory or not. */
function attachmentsIn(ctx: RuleContext, { owner }: Place): Attachment[] {
  const id = owner?.id ?? '';
  const kind = owner?.kind === 'domain_vm' ? 'vm' : 'template';
  const stored = ctx.tx.get(kind === 'vm' ? 'domain_vm' : 'domain_template', id);
  const parts = (stored as Stored<Vm> | undefined)?.parts;
  if (parts) {
    return parts.flatMap((part) => (part.kind === 'disk_attachment' ? [part.object] : []));
  }
  const collection = `/${kind}s/${id}/diskattachments`;
  return ctx.tx.list('disk_attachment', { where: { collection } });
}
