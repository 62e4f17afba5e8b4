/** Affinity groups and affinity labels. */
import type { Resource } from '../../../model/resource.ts';
import { defineBehavior } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { erase, forgetReferences } from '../../core/removal.ts';
import {
  type AffinitySet,
  findPlacement,
  isBroken,
  resolveAffinitySet,
} from '../../inventory/affinity.ts';

export const affinityLabelBehavior = defineBehavior('affinity_label', {
  events: { add: 'AFFINITY_LABEL_ADDED', update: 'AFFINITY_LABEL_UPDATED' },

  beforeCreate(_ctx, label) {
    label.vms ??= [];
    label.hosts ??= [];
    label.read_only = false;
    label.has_implicit_affinity_group ??= false;
  },

  remove(ctx, { ref, object }) {
    const isUsed = [object.vms, object.hosts].some((list) => (list ?? []).length > 0);
    if (isUsed && ctx.site.dialect.refusesUsedLabels) {
      ctx.refuse('AFFINITY_LABEL_IN_USE', { action: 'remove', name: object.name });
    }
    ctx.event('AFFINITY_LABEL_REMOVED', {}, { ObjectName: object.name });
    erase(ctx, { ref, object: { ...object } });
    forgetReferences(ctx, object.id ?? '');
  },

  onMembershipChange(ctx, label) {
    ctx.event('AFFINITY_LABEL_UPDATED', {}, { ObjectName: label.name });
  },
});

/** Assigns the sent labels to a host and removes all others. The labels store their hosts. */
export function applyLabels(ctx: RuleContext, host: Resource<'host'>): void {
  const wanted = host.affinity_labels;
  if (!wanted) return;
  delete host.affinity_labels;
  const ids = new Set(wanted.map(({ id }) => id));
  for (const label of ctx.tx.list('affinity_label')) {
    const others = (label.hosts ?? []).filter(({ id }) => id !== host.id);
    const worn = others.length < (label.hosts ?? []).length;
    if (worn === ids.has(label.id)) continue;
    const hosts = worn ? others : [...others, { id: host.id ?? '' }];
    ctx.tx.update('affinity_label', { ...label, hosts });
  }
}

type Group = Resource<'affinity_group'>;
type Lists = 'vms' | 'hosts';

const lists = ['vms', 'hosts', 'vm_labels', 'host_labels'] as const;

export const affinityGroupBehavior = defineBehavior('affinity_group', {
  events: {
    add: 'AFFINITY_GROUP_ADDED',
    update: 'AFFINITY_GROUP_UPDATED',
    remove: 'AFFINITY_GROUP_REMOVED',
  },

  beforeCreate(ctx, group) {
    requireFreeName(ctx, group, 'add');
    completeRules(group, group);
    for (const list of lists) group[list] ??= [];
    check(ctx, group, 'add');
  },

  beforeUpdate(ctx, before, after, _place, sent) {
    const cluster = sent['cluster']?.id;
    if (cluster !== undefined && cluster !== before.cluster?.id) {
      ctx.refuse('AFFINITY_GROUP_CLUSTER_FIXED', { action: 'edit' });
    }
    if (after.name !== before.name) requireFreeName(ctx, after, 'edit');
    completeRules(after, sent);
    check(ctx, after, 'edit');
  },

  onMembershipChange(ctx, before, after, { id, added }) {
    if (added && lists.some((list) => has(before[list] ?? [], id))) {
      ctx.refuse('AFFINITY_GROUP_MEMBER_TWICE', { action: 'edit' });
    }
    check(ctx, after, 'edit');
    ctx.event('AFFINITY_GROUP_UPDATED', { cluster: after.cluster }, { ObjectName: after.name });
  },

  present(ctx, group) {
    const set = resolveAffinitySet(ctx, group);
    const rule = group.vms_rule;
    return {
      broken: isBroken(set, findPlacement(ctx, [set])),
      positive: rule?.enabled ? rule.positive : undefined,
    };
  },
});

function has(list: readonly { id?: string }[], id: string): boolean {
  return list.some((entry) => entry.id === id);
}

function requireFreeName(ctx: RuleContext, group: Group, action: string): void {
  const other = ctx.tx.byName('affinity_group', group.name ?? '');
  if (other && other.id !== group.id) {
    ctx.refuse('AFFINITY_GROUP_NAME_IN_USE', { action, name: group.name });
  }
}

/** Merges the older attributes `positive` and `enforcing` into the rule between VMs. */
function completeRules(group: Group, sent: Group): void {
  const old = sent.vms_rule === undefined ? sent : {};
  const rule = { enabled: true, positive: false, enforcing: false, ...group.vms_rule };
  if (sent.vms_rule === undefined && group.vms_rule === undefined) rule.enabled = false;
  if (old.positive !== undefined) Object.assign(rule, { positive: old.positive, enabled: true });
  if (old.enforcing !== undefined) rule.enforcing = old.enforcing;
  // A disabled rule has no direction.
  if (!rule.enabled) rule.positive = false;
  group.vms_rule = rule;
  group.positive = rule.positive;
  group.enforcing = rule.enforcing;
  group.hosts_rule = { enabled: sent.hosts_rule !== undefined, ...group.hosts_rule };
  const hosts = group.hosts_rule;
  group.hosts_rule = { ...hosts, positive: hosts.positive ?? false };
  group.hosts_rule.enforcing ??= false;
}

/** Refuses members of another cluster, duplicates, and contradictions between enforced rules. */
function check(ctx: RuleContext, group: Group, action: string): void {
  for (const list of ['vms', 'hosts'] as const) checkMembers(ctx, group, list, action);
  const mine = resolveAffinitySet(ctx, group);
  const others = ctx.tx
    .list('affinity_group', { where: { cluster_id: group.cluster?.id ?? '' } })
    .filter((other) => other.id !== group.id)
    .map((other) => resolveAffinitySet(ctx, other));
  for (const other of others) {
    const shared = [...mine.vms].filter((vm) => other.vms.has(vm)).length;
    const places = [...mine.hosts].filter((host) => other.hosts.has(host)).length;
    if (shared > 1 && contradict(mine.vmsRule, other.vmsRule)) refuse(ctx, other, action, 'VMs');
    if (shared > 0 && places > 0 && contradict(mine.hostsRule, other.hostsRule)) {
      refuse(ctx, other, action, 'VMs and hosts');
    }
  }
}

function refuse(ctx: RuleContext, other: AffinitySet, action: string, what: string): never {
  ctx.refuse('AFFINITY_RULES_COLLIDE', { action, other: other.name, what });
}

function contradict(a: AffinitySet['vmsRule'], b: AffinitySet['vmsRule']): boolean {
  return (
    a !== undefined && b !== undefined && a.enforcing && b.enforcing && a.positive !== b.positive
  );
}

function checkMembers(ctx: RuleContext, group: Group, list: Lists, action: string): void {
  const kind = list === 'vms' ? 'vm' : 'host';
  const ids = (group[list] ?? []).map(({ id }) => id ?? '');
  if (new Set(ids).size < ids.length) ctx.refuse('AFFINITY_GROUP_MEMBER_TWICE', { action });
  for (const id of ids) {
    const member = ctx.tx.get(kind, id);
    if (member?.cluster?.id !== group.cluster?.id) {
      ctx.refuse('AFFINITY_GROUP_OTHER_CLUSTER', { action, name: member?.name ?? id });
    }
  }
}
