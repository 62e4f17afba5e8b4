/** Templates and instance types. */

import { everyone } from '../../model/resources/group.ts';
import { templateLifecycle as lifecycle } from '../../model/resources/template.ts';
import { defaultTimeZone } from '../../model/time-zones.ts';
import { defineBehavior } from '../core/behavior.ts';
import type { RuleContext } from '../core/context.ts';
import { getShownIcons } from '../core/icons.ts';
import { resolveMember, resolveReferences } from '../core/input.ts';
import { erase, forgetReferences } from '../core/removal.ts';
import type { TransitionHandlers, TransitionOf } from '../core/transition-handlers.ts';
import { beginTransition, requireState } from '../core/transitions.ts';
import { eraseDisk } from '../inventory/disk.ts';
import {
  type CopyChanges,
  copyDisk,
  getRecordedCopies,
  listCopySources,
  markCopiesIllegal,
  releaseCopies,
} from '../inventory/disk-transitions.ts';
import { grantRole } from '../inventory/grants.ts';
import { registeredAlready } from '../inventory/register.ts';
import {
  requireFreeDisks,
  requireNoPreview,
  requireSettledSnapshots,
} from '../inventory/snapshot-checks.ts';
import { copyConfiguration } from '../inventory/snapshot-contents.ts';
import { blankTemplate, findClusterDataCenter, joinNames, type Vm } from '../inventory/vm.ts';
import {
  checkConfiguration,
  fillInstanceType,
  inherit,
  isSealed,
  requireDataCenter,
  resolveSystem,
  seal,
} from '../inventory/vm-configuration.ts';
import { normalize } from '../inventory/vm-members.ts';
import type { StoredObject } from '../store/kinds.ts';
import type { ObjectOf } from '../store/transaction.ts';
import { addConsole } from './vm/console.ts';
import { copyDevices } from './vm/devices.ts';
import { dropExported, exportTo } from './vm/export.ts';
import { writeTemplateOvf } from './vm/ovf.ts';

export const instanceTypeBehavior = defineBehavior('instance_type', {
  events: { add: 'TEMPLATE_CREATED', update: 'TEMPLATE_UPDATED' },

  // Without a graphics console, an instance type has no display.
  present: (_ctx, type) => ({ display: type.display?.type ? type.display : undefined }),

  beforeCreate(ctx, type) {
    fillInstanceType(ctx, type);
    type.creation_time = ctx.timestamp;
  },

  afterCreate(ctx, { object }) {
    addConsole(ctx, object, 'instance_type');
    if (!ctx.site.dialect.engineAnswers) return;
    // In permissions, an instance type is a template.
    const template = { id: object.id ?? '' };
    grantRole(ctx, 'TemplateOwner', { user: { id: ctx.caller.userId }, template });
    grantRole(ctx, 'UserTemplateBasedVm', { group: { id: everyone }, template });
  },

  beforeUpdate(_ctx, _before, after) {
    normalize(after);
  },

  remove(ctx, { ref, object }) {
    for (const vm of ctx.tx.list('vm', { where: { instance_type_id: object.id ?? '' } })) {
      const { instance_type: _type, ...rest } = vm;
      ctx.tx.update('vm', rest);
    }
    ctx.event('TEMPLATE_REMOVED', {}, { TemplateName: object.name });
    for (const { id } of ctx.tx.list('permission', { where: { template_id: object.id ?? '' } })) {
      ctx.tx.remove('permission', id ?? '');
    }
    erase(ctx, { ref, object: object });
  },
});

type Template = ObjectOf<'template'>;

const transitions: TransitionHandlers<'template'> = {
  describe: (ctx, template) => {
    const cluster = ctx.tx.get('cluster', template.cluster?.id ?? '');
    const dataCenter = findClusterDataCenter(ctx, cluster?.id);
    return {
      subjects: {
        template,
        ...(cluster ? { cluster } : {}),
        ...(dataCenter ? { data_center: dataCenter } : {}),
      },
    };
  },
  copies: {
    add: (_ctx, _template, { data }) => getRecordedCopies(data),
    import: (_ctx, _template, { data }) => getRecordedCopies(data),
    export: (_ctx, _template, { data }) => getRecordedCopies(data),
    export_to_file: (_ctx, _template, { data }) => getRecordedCopies(data),
  },
  onEnd: {
    add(ctx, template, { data }) {
      releaseCopies(ctx, getRecordedCopies(data));
      release(ctx, data);
      return template;
    },
    import(ctx, template, { data }) {
      releaseCopies(ctx, getRecordedCopies(data));
      return template;
    },
    remove(ctx, template) {
      const id = String(template['id']);
      for (const { disk } of listCopySources(ctx, { kind: 'template', id })) {
        ctx.tx.remove('disk_attachment', disk.id ?? '', `/templates/${id}/diskattachments`);
        eraseDisk(ctx, disk);
      }
      erase(ctx, { ref: { kind: 'template', collection: '/templates' }, object: template });
      for (const permission of ctx.tx.list('permission', { where: { template_id: id } })) {
        ctx.tx.remove('permission', permission.id ?? '');
      }
      forgetReferences(ctx, id);
      return undefined;
    },
  },
  onCopyFailure: {
    import(ctx, template, { data }) {
      markCopiesIllegal(ctx, getRecordedCopies(data));
      ctx.event('TEMPLATE_IMPORT_FAILED', { template });
      return { ...template, status: 'illegal' };
    },
    add(ctx, template, { data }) {
      markCopiesIllegal(ctx, getRecordedCopies(data));
      release(ctx, data);
      ctx.event('TEMPLATE_ADD_FAILED', { template });
      return { ...template, status: 'illegal' };
    },
    export(ctx, template, { data }) {
      dropExported(ctx, 'template', template.id ?? '', data);
      return { ...template, status: 'ok' };
    },
    /** Unlocks the template after a failed export. */
    export_to_file(ctx, template, { data }) {
      ctx.event('TEMPLATE_EXPORT_TO_FILE_FAILED', { template }, data?.words);
      return { ...template, status: 'ok' };
    },
  },
};

export const templateBehavior = defineBehavior('template', {
  lifecycle,
  transitions,
  events: { update: 'TEMPLATE_UPDATED' },
  costly: ['initialization'],
  present(ctx, template, everything) {
    const shown = { ...getShownIcons(template), ...shownOrigin(ctx, template) };
    if (!everything) return shown;
    const configuration = { type: 'ovf', data: writeTemplateOvf(ctx, template, 'ovf') };
    return { ...shown, initialization: { ...template.initialization, configuration } };
  },

  beforeCreate(ctx, template, _place, sent) {
    const vm = findSource(ctx, sent);
    const action = 'create a template of';
    if (vm.status !== 'down') ctx.refuse('TEMPLATE_SOURCE_NOT_DOWN', { action, status: vm.status });
    requireSettledSnapshots(ctx, vm, action);
    requireNoPreview(ctx, vm, action);
    requireFreeDisks(ctx, vm, 'add');
    template.cluster ??= { id: vm.cluster?.id ?? '' };
    requireDataCenter(ctx, template, 'add');
    const configuration = copyConfiguration(vm);
    const own = ['original_template'];
    const names = Object.keys(configuration).filter((name) => !own.includes(name));
    inherit(template, configuration, names);
    template.description ??= '';
    if (vm.quota) template.quota ??= vm.quota;
    assignVersion(ctx, template);
    checkConfiguration(ctx, template, 'add');
    if (ctx.parameters.flag('seal') ?? isSealed(vm)) seal(ctx, template, 'create a template of');
    template.status = 'locked';
    template.creation_time = ctx.timestamp;
    delete template['vm'];
  },

  afterCreate(ctx, { object: template }, sent) {
    const vm = findSource(ctx, sent);
    const id = template.id ?? '';
    const owner = { kind: 'template', id } as const;
    copyDevices(ctx, `/vms/${vm.id}`, owner, undefined);
    ctx.tx.insert('cdrom', `/templates/${id}/cdroms`, {
      id: blankTemplate,
      template: { id },
    });
    if (ctx.parameters.flag('clone_permissions')) copyPermissions(ctx, vm.id ?? '', id);
    const copies = listCopySources(ctx, { kind: 'vm', id: vm.id ?? '' }).map((source) =>
      copyDisk(ctx, source, owner, changesFor(ctx, source.disk.id ?? '', sent)),
    );
    for (const { to } of copies) {
      const disk = ctx.tx.get('disk', to);
      if (disk) ctx.tx.update('disk', { ...disk, template: { id } });
    }
    if (copies.length > 0) ctx.tx.update('vm', { ...vm, status: 'image_locked' }, '/vms');
    move(ctx, template, 'add', { copies, vm: vm.id, words: { VmName: vm.name } });
  },

  beforeUpdate(ctx, before, after) {
    if (before.id !== blankTemplate) {
      requireState(ctx, 'template', before, 'update', words('edit', before));
    }
    const version = before.version?.base_template?.id;
    if (version && after.name !== before.name) ctx.refuse('TEMPLATE_VERSION_NAMED', {});
    if (after.name !== before.name) requireFreeName(ctx, after, 'edit');
    resolveSystem(ctx, after);
    normalize(after);
    after.time_zone ??= { name: defaultTimeZone(after.os?.type) };
    checkConfiguration(ctx, after, 'edit');
  },

  beforeDelete(ctx, { object: template }) {
    const action = 'remove';
    if (template.id === blankTemplate) ctx.refuse('TEMPLATE_IS_BLANK', { action });
    if (template.delete_protected) ctx.refuse('TEMPLATE_DELETE_PROTECTED', { action });
    requireState(ctx, 'template', template, 'remove', words(action, template));
    const where = { template_id: template.id ?? '' };
    const vms = ctx.tx.list('vm', { where, limit: 6 });
    if (vms.length > 0) ctx.refuse('TEMPLATE_HAS_VMS', { action, names: joinNames(vms) });
    const pools = ctx.tx.list('vm_pool', { where, limit: 6 });
    if (pools.length > 0) ctx.refuse('TEMPLATE_HAS_VMS', { action, names: joinNames(pools) });
    const versions = listVersions(ctx, template.id ?? '');
    if (versions.length > 0) {
      const names = versions.map(({ version }) => version?.version_name ?? '').join(', ');
      ctx.refuse('TEMPLATE_HAS_VERSIONS', { action, names });
    }
    if (template.cluster?.id) requireDataCenter(ctx, template, action);
  },

  remove: (ctx, { object }) => move(ctx, object, 'remove'),

  actions: {
    export(ctx, { object: template }, body) {
      if (template.id === blankTemplate) ctx.refuse('TEMPLATE_IS_BLANK', { action: 'export' });
      requireState(ctx, 'template', template, 'export', words('export', template));
      const { operation, ...begun } = exportTo(ctx, 'template', template, body);
      move(ctx, template, operation, begun);
      return undefined;
    },
    ...registeredAlready,
  },
});

/** A base template refers to itself as its base. The default profile is that of the cluster. */
function shownOrigin(ctx: RuleContext, template: Template): StoredObject {
  const { cluster, cpu_profile: chosen, version } = template;
  const defaults = chosen ?? (cluster?.id ? findProfile(ctx, cluster.id) : undefined);
  return {
    version: { base_template: { id: template.id ?? '' }, ...version },
    ...(defaults ? { cpu_profile: defaults } : {}),
  };
}

function findProfile(ctx: RuleContext, cluster: string): Template['cpu_profile'] {
  const { id } = ctx.tx.find('cpu_profile', { cluster_id: cluster }) ?? {};
  return id ? { id } : undefined;
}

/** Unlocks the VM that a template was created from. */
function release(ctx: RuleContext, data: StoredObject | undefined): void {
  const vm = ctx.tx.get('vm', String(data?.['vm'] ?? ''));
  if (vm?.status === 'image_locked') ctx.tx.update('vm', { ...vm, status: 'down' }, '/vms');
}

function findSource(ctx: RuleContext, sent: Template): Vm {
  const id = resolveMember(ctx.tx, 'vm', sent.vm ?? {});
  return ctx.tx.get('vm', id) ?? {};
}

/** Versions of a base template. */
function listVersions(ctx: RuleContext, base: string): Template[] {
  return ctx.tx.list('template', { where: { version_base_template_id: base } });
}

/** Numbers a new version; a base template has number 1. */
function assignVersion(ctx: RuleContext, template: Template): void {
  const { base_template: sent, version_name: name } = template.version ?? {};
  const base = sent?.id ? ctx.tx.get('template', sent.id) : undefined;
  if (!base) {
    requireFreeName(ctx, template, 'add');
    template.version = { version_number: 1, version_name: name ?? 'base version' };
    return;
  }
  if (base.id === blankTemplate) ctx.refuse('TEMPLATE_BLANK_HAS_NO_VERSIONS', { action: 'add' });
  if (base.version?.base_template?.id) {
    ctx.refuse('TEMPLATE_VERSION_IS_NO_BASE', { action: 'add', name: base.name });
  }
  const numbers = listVersions(ctx, base.id ?? '').map(
    ({ version }) => version?.version_number ?? 1,
  );
  template.name = base.name ?? '';
  template.version = {
    base_template: { id: base.id ?? '' },
    version_name: name ?? '',
    version_number: Math.max(1, ...numbers) + 1,
  };
}

/** Names of base templates are unique in a data center; versions share the name of their base. */
function requireFreeName(ctx: RuleContext, template: Template, action: string): void {
  const home = findClusterDataCenter(ctx, template.cluster?.id)?.id;
  const taken = ctx.tx.list('template', { where: { name: template.name ?? '' } }).some((other) => {
    const there = findClusterDataCenter(ctx, other.cluster?.id)?.id;
    const same = other.name === template.name && (there === undefined || there === home);
    return same && other.id !== template.id && !other.version?.base_template?.id;
  });
  const name = template.name ?? '';
  if (taken) ctx.refuse('NAME_IN_USE', { action, type: 'Template', name });
}

/** Requested changes of one of the copied disks. */
function changesFor(ctx: RuleContext, diskId: string, sent: Template): CopyChanges {
  const attachment = sent.vm?.disk_attachments?.find(({ id, disk }) => (disk?.id ?? id) === diskId);
  const disk = structuredClone(attachment?.disk ?? {});
  resolveReferences(ctx.tx, 'disk', disk);
  const target = sent.storage_domain;
  const domains =
    disk.storage_domains ??
    (target ? [{ id: resolveMember(ctx.tx, 'storage_domain', target) }] : undefined);
  return {
    ...(disk.alias || disk.name ? { alias: disk.alias ?? disk.name ?? '' } : {}),
    ...(disk.format ? { format: disk.format } : {}),
    ...(disk.sparse === undefined ? {} : { sparse: disk.sparse }),
    ...(domains ? { storage_domains: domains } : {}),
  };
}

function copyPermissions(ctx: RuleContext, vm: string, template: string): void {
  for (const permission of ctx.tx.list('permission', { where: { vm_id: vm } })) {
    const { id: _id, vm: _vm, ...rest } = permission;
    const copy = { ...rest, id: ctx.site.newId(), template: { id: template } };
    ctx.tx.insert('permission', '/permissions', copy);
  }
}

function words(action: string, { name, status }: Template) {
  return { action, name: name ?? '', status: status ?? '' };
}

function move(
  ctx: RuleContext,
  template: Template,
  operation: TransitionOf<'template'>,
  data?: StoredObject,
): void {
  beginTransition(ctx, { kind: 'template', collection: '/templates', operation, data }, template);
}
