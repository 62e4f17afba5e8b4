/** Creation of VMs: blank, from a template, a snapshot or another VM. */

import type { ActionBody, Resource } from '../../../model/resource.ts';
import { cdromId } from '../../../model/resources/vm-device.ts';
import type { LocatedObject } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { incomplete } from '../../core/fault.ts';
import { getShownIcons, iconNames } from '../../core/icons.ts';
import {
  applyDefaults,
  checkName,
  pickSettable,
  resolveMember,
  resolveReferences,
} from '../../core/input.ts';
import { chooseNewId } from '../../core/new-id.ts';
import type { ImageCopy } from '../../core/transition-handlers.ts';
import { requireState } from '../../core/transitions.ts';
import {
  type CopyChanges,
  type CopyOwner,
  type CopySource,
  copyDisk,
  listCopySources,
} from '../../inventory/disk-transitions.ts';
import { grantRole } from '../../inventory/grants.ts';
import { findDefaultQuota, requireUsableQuota } from '../../inventory/quota.ts';
import { requireFreeDisks, requireSettledSnapshots } from '../../inventory/snapshot-checks.ts';
import {
  addActiveSnapshot,
  copyConfiguration,
  listSnapshotSources,
} from '../../inventory/snapshot-contents.ts';
import { blankTemplate, describeVmSubjects, moveVm, type Vm } from '../../inventory/vm.ts';
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
import { completeMemory, configureFromOvf, furnishFromOvf, readSentOvf } from './ovf.ts';

const unclonable = new Set(['saving_state', 'restoring_state', 'unknown', 'not_responding']);

/** Clones a VM with the name in `vm`. */
export function cloneVm(
  ctx: RuleContext,
  { object: source }: LocatedObject<'vm'>,
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
  const sources = listCopySources(ctx, { kind: 'vm', id: source.id ?? '' });
  copyDisksToVm(ctx, vm, sources, { ...sent, ...(target ? { storage_domain: target } : {}) });
  return undefined;
}

function newVm(ctx: RuleContext, source: Vm, sent: StoredObject): Vm {
  const vm = pickSettable('vm', sent, 'C');
  resolveReferences(ctx.tx, 'vm', vm);
  const configuration = copyConfiguration(source);
  inherit(vm, configuration, Object.keys(configuration));
  vm.id = chooseNewId(ctx, 'vm', sent);
  vm.template = { id: blankTemplate };
  settleVm(ctx, vm, sent['memory'] === undefined ? { memory_policy: vm.memory_policy } : sent);
  applyDefaults('vm', vm);
  checkName(ctx.tx, { kind: 'vm', type: 'vm', collection: '/vms' }, vm, 'add');
  ctx.tx.insert('vm', '/vms', vm);
  return vm;
}

type Template = ObjectOf<'template'>;
type Snapshot = ObjectOf<'snapshot'>;

/** Completes and validates a new VM before it is stored. `sent` is the VM in the request. */
export function prepareVm(ctx: RuleContext, vm: Vm, sent: StoredObject): void {
  const cluster = vm.cluster?.id ? ctx.tx.get('cluster', vm.cluster.id) : undefined;
  const snapshot = sentSnapshot(ctx, vm);
  const template = chosenTemplate(ctx, vm, snapshot);
  requireDataCenter(ctx, vm, 'add');
  const ovf = readSentOvf(sent);
  if (!cluster?.cpu?.architecture || cluster.cpu.architecture === 'undefined') {
    ctx.refuse('CLUSTER_WITHOUT_ARCHITECTURE', { action: 'add', cluster: cluster?.name ?? '' });
  }
  requireTemplate(ctx, template, cluster, 'VM');
  vm.template = { id: template.id ?? blankTemplate };
  vm.original_template = { id: template.id ?? blankTemplate };
  if (snapshot || ctx.parameters.flag('clone')) vm.template = { id: blankTemplate };
  if (ovf) configureFromOvf(ctx, vm, ovf);
  // An OVF document contains a name; without one, the request must.
  if (!vm.name) throw incomplete('Vm', ['name'], 'add');
  enableQueues(vm, vm);
  inheritConfiguration(ctx, vm, { ...(snapshot ?? template) });
  // Engines keep the icons of the template, whatever the operating system of the VM is.
  if (ctx.site.dialect.engineAnswers && !snapshot) inherit(vm, getShownIcons(template), iconNames);
  settleVm(ctx, vm, completeMemory(sent, ovf));
  autoPinNew(ctx, vm);
  if (ctx.parameters.flag('seal') ?? isSealed(template)) seal(ctx, vm, 'add');
}

/** Completes members that are independent of the source of the VM. */
export function settleVm(ctx: RuleContext, vm: Vm, sent: Vm): void {
  const cluster = vm.cluster?.id ? ctx.tx.get('cluster', vm.cluster.id) : undefined;
  fillConfiguration(ctx, vm, cluster, sent);
  checkConfiguration(ctx, vm, 'add');
  vm.status = 'down';
  vm.creation_time = ctx.timestamp;
  vm.next_run_configuration_exists = false;
  // These members describe the creation only.
  delete vm.disk_attachments;
  delete vm.snapshots;
  const profile = ctx.tx.find('cpu_profile', { cluster_id: cluster?.id ?? '' });
  if (profile?.id) vm.cpu_profile ??= { id: profile.id };
  const quota = findDefaultQuota(ctx, cluster?.data_center?.id ?? '');
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

/** Creates the parts of a stored new VM, and starts to copy disks. */
export function furnishVm(ctx: RuleContext, vm: Vm, sent: Vm): void {
  const id = vm.id ?? '';
  const ovf = readSentOvf(sent);
  if (ovf) {
    furnishFromOvf(ctx, vm, ovf);
    addConsole(ctx, vm);
    addActiveSnapshot(ctx, vm);
    return;
  }
  const owner: CopyOwner = { kind: 'vm', id };
  const snapshot = sent.snapshots?.[0]?.id;
  const from = vm.original_template?.id ?? blankTemplate;
  const origin = snapshot
    ? `${ctx.tx.findCollection('snapshot', snapshot)}/${snapshot}`
    : `/templates/${from}`;
  ctx.tx.insert('cdrom', `/vms/${id}/cdroms`, { id: cdromId, vm: { id } });
  copyDevices(ctx, origin, owner, vm);
  if (sent.display?.type || sent.display?.video_type) replaceConsole(ctx, vm);
  else addConsole(ctx, vm);
  addActiveSnapshot(ctx, vm);
  grantToCreator(ctx, vm);
  if (ctx.parameters.flag('clone_permissions')) copyPermissions(ctx, from, id);
  const sources = snapshot
    ? listSnapshotSources(ctx, snapshot)
    : listCopySources(ctx, { kind: 'template', id: from });
  copyDisksToVm(ctx, vm, sources, sent);
}

/** Engines grant a role on a new VM to the caller if the request is that of a user. */
function grantToCreator(ctx: RuleContext, vm: Vm): void {
  const { userId } = ctx.caller;
  if (!ctx.asUser || !ctx.site.dialect.engineAnswers || !ctx.tx.get('user', userId)) return;
  grantRole(ctx, 'UserVmManager', { user: { id: userId }, vm: { id: vm.id ?? '' } });
}

/** Copies disks to a VM. Without disks, the VM is immediately down. */
export function copyDisksToVm(
  ctx: RuleContext,
  vm: Vm,
  sources: readonly CopySource[],
  sent: Vm,
): void {
  const owner: CopyOwner = { kind: 'vm', id: vm.id ?? '' };
  const copies: ImageCopy[] = sources.map((source) =>
    copyDisk(ctx, source, owner, changesFor(ctx, source, sent)),
  );
  const template = vm.template?.id ?? blankTemplate;
  for (const { to } of template === blankTemplate ? [] : copies) {
    const disk = ctx.tx.get('disk', to);
    if (disk) ctx.tx.update('disk', { ...disk, template: { id: template } });
  }
  if (copies.length === 0) ctx.event('VM_ADDED', describeVmSubjects(ctx, vm));
  else moveVm(ctx, vm, 'add', { copies });
}

/** Requested changes of one of the disks, by its id or that of its image. */
function changesFor(ctx: RuleContext, { disk }: CopySource, sent: Vm): CopyChanges {
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
