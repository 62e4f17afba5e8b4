/** Creation of virtual machines: blank, from a template, a snapshot or another machine. */

import type { ActionBody, Resource } from '../../../model/resource.ts';
import type { Addressed } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { incomplete } from '../../core/fault.ts';
import { iconNames, shownIcons } from '../../core/icons.ts';
import {
  applyDefaults,
  checkName,
  resolveMember,
  resolveReferences,
  settable,
} from '../../core/input.ts';
import { idOfNew } from '../../core/new-id.ts';
import type { ImageCopy } from '../../core/transition-handlers.ts';
import { requireState } from '../../core/transitions.ts';
import {
  type Changes,
  copyDisk,
  type Owner,
  type Source,
  sourcesOf,
} from '../../inventory/disk-transitions.ts';
import { grantRole } from '../../inventory/grants.ts';
import { defaultQuota, requireUsableQuota } from '../../inventory/quota.ts';
import { requireFreeDisks, requireSettledSnapshots } from '../../inventory/snapshot-checks.ts';
import {
  addActiveSnapshot,
  configurationOf,
  snapshotSources,
} from '../../inventory/snapshot-contents.ts';
import { blankTemplate, cdromId, moveVm, subjects, type Vm } from '../../inventory/vm.ts';
import {
  checkConfiguration,
  fillConfiguration,
  inherit,
  inheritConfiguration,
  isSealed,
  requireDataCenter,
  seal,
} from '../../inventory/vm-configuration.ts';
import { enableQueues } from '../../inventory/vm-members.ts';
import type { StoredObject } from '../../store/kinds.ts';
import type { ObjectOf } from '../../store/transaction.ts';
import { addConsole, replaceConsole } from './console.ts';
import { copyDevices } from './devices.ts';
import { autoPinNew } from './guest.ts';
import { configureFromOvf, furnishFromOvf, memoryWithOvf, sentOvf } from './ovf.ts';

const unclonable = new Set(['saving_state', 'restoring_state', 'unknown', 'not_responding']);

/** Clones a machine under the name that is sent in `vm`. */
export function cloneVm(
  ctx: RuleContext,
  { object: source }: Addressed<'vm'>,
  body: ActionBody,
): undefined {
  const action = 'clone';
  if (source.status === 'image_locked') ctx.refuse('VM_IS_LOCKED', { action });
  if (unclonable.has(source.status ?? '')) {
    ctx.refuse('VM_STATUS_ILLEGAL', { action, status: source.status });
  }
  if (source.stateless && source.status !== 'down') ctx.refuse('VM_IS_STATELESS', { action });
  if (body['discard_snapshots'] === false && source.status !== 'suspended') {
    requireState(ctx, 'vm', source, 'export', { action });
  }
  requireSettledSnapshots(ctx, source, action);
  requireFreeDisks(ctx, source, action);
  requireDataCenter(ctx, source, action);
  const sent = body['vm'] ?? {};
  const vm = newVm(ctx, source, sent);
  copyDevices(ctx, `/vms/${source.id}`, { kind: 'vm', id: vm.id ?? '' }, vm);
  ctx.tx.insert('cdrom', `/vms/${vm.id}/cdroms`, { id: cdromId, vm: { id: vm.id ?? '' } });
  addConsole(ctx, vm);
  addActiveSnapshot(ctx, vm);
  const domain = body['storage_domain'];
  const target = domain ? { id: resolveMember(ctx.tx, 'storage_domain', domain) } : undefined;
  const sources = sourcesOf(ctx, { kind: 'vm', id: source.id ?? '' });
  fill(ctx, vm, sources, { ...sent, ...(target ? { storage_domain: target } : {}) });
  return undefined;
}

function newVm(ctx: RuleContext, source: Vm, sent: StoredObject): Vm {
  const vm = settable('vm', sent, 'C');
  resolveReferences(ctx.tx, 'vm', vm);
  const configuration = configurationOf(source);
  inherit(vm, configuration, Object.keys(configuration));
  vm.id = idOfNew(ctx, 'vm', sent);
  vm.template = { id: blankTemplate };
  settleVm(ctx, vm, sent['memory'] === undefined ? { memory_policy: vm.memory_policy } : sent);
  applyDefaults('vm', vm);
  checkName(ctx.tx, { kind: 'vm', type: 'vm', collection: '/vms' }, vm, 'add');
  ctx.tx.insert('vm', '/vms', vm);
  return vm;
}

type Template = ObjectOf<'template'>;
type Snapshot = ObjectOf<'snapshot'>;

/** Completes and checks a new machine before it is stored. `sent` is what the client sent. */
export function prepareVm(ctx: RuleContext, vm: Vm, sent: StoredObject): void {
  const cluster = vm.cluster?.id ? ctx.tx.get('cluster', vm.cluster.id) : undefined;
  const snapshot = sentSnapshot(ctx, vm);
  const template = chosenTemplate(ctx, vm, snapshot);
  requireDataCenter(ctx, vm, 'add');
  const ovf = sentOvf(sent);
  if (!cluster?.cpu?.architecture || cluster.cpu.architecture === 'undefined') {
    ctx.refuse('CLUSTER_WITHOUT_ARCHITECTURE', { action: 'add', cluster: cluster?.name ?? '' });
  }
  requireTemplate(ctx, template, cluster, 'VM');
  vm.template = { id: template.id ?? blankTemplate };
  vm.original_template = { id: template.id ?? blankTemplate };
  if (snapshot || ctx.parameters.flag('clone')) vm.template = { id: blankTemplate };
  if (ovf) configureFromOvf(ctx, vm, ovf);
  // A document brings a name of its own; one without is no help.
  if (!vm.name) throw incomplete('Vm', ['name'], 'add');
  enableQueues(vm, vm);
  inheritConfiguration(ctx, vm, { ...(snapshot ?? template) });
  // Engines keep the icons of the template, whatever the operating system of the VM is.
  if (ctx.site.dialect.engineAnswers && !snapshot) inherit(vm, shownIcons(template), iconNames);
  settleVm(ctx, vm, memoryWithOvf(sent, ovf));
  autoPinNew(ctx, vm);
  if (ctx.parameters.flag('seal') ?? isSealed(template)) seal(ctx, vm, 'add');
}

/** What every new machine has, whatever it is made from. */
export function settleVm(ctx: RuleContext, vm: Vm, sent: Vm): void {
  const cluster = vm.cluster?.id ? ctx.tx.get('cluster', vm.cluster.id) : undefined;
  fillConfiguration(ctx, vm, cluster, sent);
  checkConfiguration(ctx, vm, 'add');
  vm.status = 'down';
  vm.creation_time = ctx.timestamp;
  vm.next_run_configuration_exists = false;
  // They say how to make it, and are not part of it.
  delete vm.disk_attachments;
  delete vm.snapshots;
  const profile = ctx.tx.find('cpu_profile', { cluster_id: cluster?.id ?? '' });
  if (profile?.id) vm.cpu_profile ??= { id: profile.id };
  const quota = defaultQuota(ctx, cluster?.data_center?.id ?? '');
  if (sent.quota) requireUsableQuota(ctx, vm, 'add');
  if (quota?.id) vm.quota ??= { id: quota.id };
}

function sentSnapshot(ctx: RuleContext, vm: Vm): Snapshot | undefined {
  const id = vm.snapshots?.[0]?.id;
  const snapshot = id ? ctx.tx.get('snapshot', id) : undefined;
  if (id && !snapshot) ctx.refuse('SNAPSHOT_DOES_NOT_EXIST', { action: 'add', type: 'VM' });
  if (snapshot?.snapshot_status === 'locked') {
    ctx.refuse('VM_HAS_LOCKED_SNAPSHOT', { action: 'add' });
  }
  return snapshot;
}

function chosenTemplate(ctx: RuleContext, vm: Vm, snapshot: Snapshot | undefined): Template {
  const id = vm.template?.id ?? snapshot?.original_template?.id ?? blankTemplate;
  const template = ctx.tx.get('template', id) ?? {};
  if (!vm.use_latest_template_version) return template;
  const base = template.version?.base_template?.id ?? id;
  const versions = ctx.tx
    .list('template')
    .filter((one) => one.id === base || one.version?.base_template?.id === base)
    .sort((a, b) => (b.version?.version_number ?? 1) - (a.version?.version_number ?? 1));
  return versions[0] ?? template;
}

/** Refuses a template that cannot be used in the cluster now. */
export function requireTemplate(
  ctx: RuleContext,
  template: Template,
  cluster: Resource<'cluster'> | undefined,
  type: string,
): void {
  if (template.status && template.status !== 'ok') {
    const { name, status } = template;
    ctx.refuse('TEMPLATE_IS_LOCKED', { action: 'add', type, name, status });
  }
  const home = ctx.tx.get('cluster', template.cluster?.id ?? '')?.data_center?.id;
  if (home !== undefined && home !== cluster?.data_center?.id) {
    ctx.refuse('TEMPLATE_IN_OTHER_DATA_CENTER', { action: 'add', name: template.name });
  }
}

/** Makes the parts of a new machine that is stored already, and begins to copy disks. */
export function furnishVm(ctx: RuleContext, vm: Vm, sent: Vm): void {
  const id = vm.id ?? '';
  const ovf = sentOvf(sent);
  if (ovf) {
    furnishFromOvf(ctx, vm, ovf);
    addConsole(ctx, vm);
    addActiveSnapshot(ctx, vm);
    return;
  }
  const owner: Owner = { kind: 'vm', id };
  const snapshot = sent.snapshots?.[0]?.id;
  const from = vm.original_template?.id ?? blankTemplate;
  const origin = snapshot
    ? `${ctx.tx.collectionOf('snapshot', snapshot)}/${snapshot}`
    : `/templates/${from}`;
  ctx.tx.insert('cdrom', `/vms/${id}/cdroms`, { id: cdromId, vm: { id } });
  copyDevices(ctx, origin, owner, vm);
  if (sent.display?.type || sent.display?.video_type) replaceConsole(ctx, vm);
  else addConsole(ctx, vm);
  addActiveSnapshot(ctx, vm);
  grantToCreator(ctx, vm);
  if (ctx.parameters.flag('clone_permissions')) copyPermissions(ctx, from, id);
  const sources = snapshot
    ? snapshotSources(ctx, snapshot)
    : sourcesOf(ctx, { kind: 'template', id: from });
  fill(ctx, vm, sources, sent);
}

/** Engines grant a role on a new VM to the caller if the request is that of a user. */
function grantToCreator(ctx: RuleContext, vm: Vm): void {
  const { userId } = ctx.caller;
  if (!ctx.asUser || !ctx.site.dialect.engineAnswers || !ctx.tx.get('user', userId)) return;
  grantRole(ctx, 'UserVmManager', { user: { id: userId }, vm: { id: vm.id ?? '' } });
}

/** Gives a machine copies of disks. Without any it is down at once. */
export function fill(ctx: RuleContext, vm: Vm, sources: readonly Source[], sent: Vm): void {
  const owner: Owner = { kind: 'vm', id: vm.id ?? '' };
  const copies: ImageCopy[] = sources.map((source) =>
    copyDisk(ctx, source, owner, changesFor(ctx, source, sent)),
  );
  const template = vm.template?.id ?? blankTemplate;
  for (const { to } of template === blankTemplate ? [] : copies) {
    const disk = ctx.tx.get('disk', to);
    if (disk) ctx.tx.update('disk', { ...disk, template: { id: template } });
  }
  if (copies.length === 0) ctx.event('VM_ADDED', subjects(ctx, vm));
  else moveVm(ctx, vm, 'add', { copies });
}

/** What the client sent for one of the disks, by its id or that of its image. */
function changesFor(ctx: RuleContext, { disk }: Source, sent: Vm): Changes {
  const wanted = sent.disk_attachments
    ?.map((attachment) => ({ ...attachment.disk, at: attachment.id }))
    .find(({ id, image_id: image, at }) => (id ?? at) === disk.id || image === disk.image_id);
  const target = sent.storage_domain;
  const domains = wanted?.storage_domains ?? (target ? [target] : undefined);
  const named = domains?.map(({ id, name }) => ({
    id: id ?? ctx.tx.byName('storage_domain', name ?? '')?.id ?? '',
  }));
  return {
    ...(wanted?.alias || wanted?.name ? { alias: wanted.alias ?? wanted.name ?? '' } : {}),
    ...(wanted?.format ? { format: wanted.format } : {}),
    ...(wanted?.sparse === undefined ? {} : { sparse: wanted.sparse }),
    ...(named?.[0]?.id ? { storage_domains: named } : {}),
  };
}

function copyPermissions(ctx: RuleContext, template: string, vm: string): void {
  for (const permission of ctx.tx.list('permission', { where: { template_id: template } })) {
    const { id: _id, template: _template, ...rest } = permission;
    ctx.tx.insert('permission', '/permissions', { ...rest, id: ctx.site.newId(), vm: { id: vm } });
  }
}
