/** VM pools: creation, allocation to users, return, removal. */
import type { Resource } from '../../model/resource.ts';
import { cdromId } from '../../model/resources/vm-device.ts';
import { defineBehavior } from '../core/behavior.ts';
import type { RuleContext } from '../core/context.ts';
import { applyDefaults, checkName } from '../core/input.ts';
import { erase } from '../core/removal.ts';
import { listCopySources } from '../inventory/disk-transitions.ts';
import { grantRole } from '../inventory/grants.ts';
import { addActiveSnapshot } from '../inventory/snapshot-contents.ts';
import { blankTemplate, omitMembers, type Vm } from '../inventory/vm.ts';
import {
  inheritConfiguration,
  isSealed,
  requireDataCenter,
  seal,
} from '../inventory/vm-configuration.ts';
import { showComputed } from '../inventory/vm-members.ts';
import { largestPool } from '../reference-data/system-options.ts';
import type { StoredObject } from '../store/kinds.ts';
import { eraseVm } from './vm/behavior.ts';
import { addConsole } from './vm/console.ts';
import { copyDisksToVm, requireTemplate, settleVm } from './vm/create.ts';
import { copyDevices } from './vm/devices.ts';
import { findPoolUser, listPoolVms, prestart } from './vm/pool-members.ts';
import { launch } from './vm/run.ts';

type Pool = Resource<'vm_pool'>;

export const vmPoolBehavior = defineBehavior('vm_pool', {
  events: { add: 'POOL_ADDED' },

  present: (ctx, pool) => ({ vm: firstVm(ctx, pool) }),

  beforeCreate(ctx, pool) {
    const action = 'add';
    pool.size ??= 1;
    const cluster = ctx.tx.get('cluster', pool.cluster?.id ?? '');
    const template = ctx.tx.get('template', pool.template?.id ?? '') ?? {};
    if (!/^[^?]*\?*[^?]*$/.test(pool.name ?? '')) ctx.refuse('POOL_NAME_INVALID', { action });
    if (template.id === blankTemplate) ctx.refuse('POOL_OF_BLANK', { action });
    requireDataCenter(ctx, { cluster: { id: cluster?.id ?? '' } }, action);
    requireTemplate(ctx, template, cluster, 'VM pool');
    if (Number(pool.size) < 1) ctx.refuse('POOL_WITHOUT_VMS', { action });
    checkNumbers(ctx, pool, action);
  },

  afterCreate(ctx, { object }) {
    grow(ctx, object, Number(object.size ?? 0));
    prestart(ctx, object);
  },

  beforeUpdate(ctx, before, after, _place, sent) {
    const action = 'edit';
    for (const name of ['name', 'type', 'stateful'] as const) {
      if (sent[name] !== undefined && sent[name] !== before[name]) {
        ctx.refuse('POOL_ATTRIBUTE_FIXED', { action, attribute: name });
      }
    }
    if (Number(after.size ?? 0) < Number(before.size ?? 0)) ctx.refuse('POOL_SHRINKS', { action });
    const template = sent['template'];
    if (template) changeTemplate(ctx, after, template);
    checkNumbers(ctx, after, action);
  },

  afterUpdate(ctx, before, { object }) {
    const more = Number(object.size ?? 0) - Number(before.size ?? 0);
    const subjects = { cluster: object.cluster };
    const messageParams = { VmPoolName: object.name };
    grow(ctx, object, more);
    if (more > 0) ctx.event('POOL_UPDATED', subjects, { ...messageParams, VmsCount: more });
    else ctx.event('POOL_CHANGED', subjects, messageParams);
    prestart(ctx, object);
  },

  remove(ctx, { ref, object }) {
    const messageParams = { VmPoolName: object.name };
    ctx.event('POOL_REMOVAL_STARTED', { cluster: object.cluster }, messageParams);
    ctx.event('POOL_REMOVED', { cluster: object.cluster }, messageParams);
    for (const vm of listPoolVms(ctx, object)) eraseVm(ctx, vm, false);
    for (const permission of ctx.tx.list('permission', {
      where: { vm_pool_id: object.id ?? '' },
    })) {
      ctx.tx.remove('permission', permission.id ?? '');
    }
    erase(ctx, { ref, object: object });
  },

  actions: {
    allocate_vm(ctx, { object: pool }) {
      const vms = listPoolVms(ctx, pool);
      const mine = vms.filter((vm) => findPoolUser(ctx, vm) === ctx.caller.userId);
      if (mine.length >= (pool.max_user_vms ?? 1)) {
        ctx.refuse('POOL_USER_HAS_ENOUGH', { action: 'allocate' });
      }
      const free = vms.filter((vm) => !findPoolUser(ctx, vm));
      const chosen =
        free.find(({ status }) => status === 'up') ??
        free.find(({ status }) => status === 'down') ??
        ctx.refuse('POOL_IS_EXHAUSTED', { action: 'allocate' });
      const user = { id: ctx.caller.userId };
      grantRole(ctx, 'UserRole', { user, vm: { id: chosen.id ?? '' } });
      if (chosen.status === 'down') launch(ctx, chosen, {});
      prestart(ctx, pool);
      return { vm: { id: chosen.id } };
    },
  },
});

/** The first VM of a pool as the pool shows it, without members that the pool has. */
function firstVm(ctx: RuleContext, pool: Pool): StoredObject | undefined {
  const [vm] = listPoolVms(ctx, pool);
  const ofPool = ['cluster', 'cpu_profile', 'quota', 'small_icon', 'vm_pool'];
  return vm && omitMembers({ ...vm, ...showComputed(vm) }, ofPool);
}

function checkNumbers(ctx: RuleContext, pool: Pool, action: string): void {
  const users = pool.max_user_vms ?? 1;
  if (users < 1 || users > 32_767) {
    ctx.refuse('VALUE_OUT_OF_RANGE', {
      action,
      type: 'VM pool',
      attribute: 'max_user_vms',
      value: users,
      min: 1,
      max: 32_767,
    });
  }
  const size = pool.size ?? 0;
  if (size > largestPool) ctx.refuse('POOL_TOO_LARGE', { action, size, max: largestPool });
  if ((pool.prestarted_vms ?? 0) > Number(pool.size ?? 0)) {
    ctx.refuse('POOL_PRESTARTS_TOO_MANY', { action });
  }
}

/** Permits another version of the same template. VMs adopt it at their next start. */
function changeTemplate(ctx: RuleContext, pool: Pool, sent: { id?: string; name?: string }): void {
  const id = sent.id ?? ctx.tx.byName('template', sent.name ?? '')?.id ?? '';
  const base = (one: string) => ctx.tx.get('template', one)?.version?.base_template?.id ?? one;
  if (!ctx.tx.get('template', id) || base(id) !== base(pool.template?.id ?? '')) {
    ctx.refuse('VM_TEMPLATE_FIXED', { action: 'edit' });
  }
  pool.template = { id };
}

/** Name of a VM: its number replaces a run of question marks. */
function formatName(pool: Pool, number: number): string {
  const name = pool.name ?? '';
  const mask = /\?+/.exec(name)?.[0];
  if (!mask) return `${name}-${number}`;
  return name.replace(mask, String(number).padStart(mask.length, '0'));
}

function grow(ctx: RuleContext, pool: Pool, count: number): void {
  let number = ctx.tx.count('vm', { where: { vm_pool_id: pool.id ?? '' } });
  for (let made = 0; made < count; ) {
    number += 1;
    const name = formatName(pool, number);
    if (ctx.tx.byName('vm', name)) continue;
    addMember(ctx, pool, name);
    made += 1;
  }
}

function addMember(ctx: RuleContext, pool: Pool, name: string): void {
  const id = ctx.site.newId();
  const template = ctx.tx.get('template', pool.template?.id ?? '') ?? {};
  const vm: Vm = {
    id,
    name,
    cluster: { id: pool.cluster?.id ?? '' },
    template: { id: template.id ?? '' },
    original_template: { id: template.id ?? '' },
    vm_pool: { id: pool.id ?? '' },
    ...(pool.instance_type?.id ? { instance_type: pool.instance_type } : {}),
    ...(pool.display ? { display: pool.display } : {}),
    ...(pool.rng_device ? { rng_device: pool.rng_device } : {}),
    ...(pool.soundcard_enabled === undefined ? {} : { soundcard_enabled: pool.soundcard_enabled }),
    ...(pool.tpm_enabled === undefined ? {} : { tpm_enabled: pool.tpm_enabled }),
    stateless: !pool.stateful,
  };
  inheritConfiguration(ctx, vm, template);
  // Pools ignore these settings of the template.
  vm.memory_policy = { ...vm.memory_policy, ballooning: true };
  vm.migration = { ...vm.migration, encrypted: 'inherit' };
  settleVm(ctx, vm, { memory_policy: vm.memory_policy });
  if (ctx.parameters.flag('seal') ?? isSealed(template)) seal(ctx, vm, 'add');
  applyDefaults('vm', vm);
  checkName(ctx.tx, { kind: 'vm', type: 'vm', collection: '/vms' }, vm, 'add');
  ctx.tx.insert('vm', '/vms', vm);
  ctx.tx.insert('cdrom', `/vms/${id}/cdroms`, { id: cdromId, vm: { id } });
  copyDevices(ctx, `/templates/${template.id}`, { kind: 'vm', id }, vm);
  addConsole(ctx, vm);
  addActiveSnapshot(ctx, vm);
  copyDisksToVm(ctx, vm, listCopySources(ctx, { kind: 'template', id: template.id ?? '' }), {});
}
