/** Affinity groups and labels as the scheduler reads them: which machines and hosts belong together. */
import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from '../core/context.ts';
import type { ObjectOf } from '../store/transaction.ts';

type Vm = ObjectOf<'vm'>;
type Group = Resource<'affinity_group'>;

/** Together (positive) or apart; must (enforcing) or should. */
export interface Rule {
  readonly positive: boolean;
  readonly enforcing: boolean;
}

/** A group with its labels resolved to the machines and hosts that carry them. */
export interface AffinitySet {
  readonly name: string;
  readonly vms: ReadonlySet<string>;
  readonly hosts: ReadonlySet<string>;
  /** Between the machines; undefined where it is off. */
  readonly vmsRule: Rule | undefined;
  /** Between machines and hosts; undefined where it is off. */
  readonly hostsRule: Rule | undefined;
}

type Reference = { readonly id?: string };
type References = readonly Reference[];
type Labels = readonly Resource<'affinity_label'>[];

/** The groups of a cluster, and the labels that stand for a group of their own. */
export function affinitySets(ctx: RuleContext, clusterId: string): AffinitySet[] {
  const labels = ctx.tx.list('affinity_label');
  const groups = ctx.tx.list('affinity_group', {
    where: { collection: `/clusters/${clusterId}/affinitygroups` },
  });
  return [
    ...groups.map((group) => setOf(group, labels)),
    ...labels.filter((label) => label.has_implicit_affinity_group).map(implicit),
  ];
}

/** One group with its labels resolved. */
export function affinitySet(ctx: RuleContext, group: Group): AffinitySet {
  return setOf(group, ctx.tx.list('affinity_label'));
}

function setOf(group: Group, labels: Labels): AffinitySet {
  const labelled = (named: References | undefined, what: 'vms' | 'hosts'): References =>
    (named ?? []).flatMap<Reference>(({ id }) => {
      const label = labels.find((one) => one.id === id);
      return label?.[what] ?? [];
    });
  return {
    name: group.name ?? '',
    vms: idsOf([...(group.vms ?? []), ...labelled(group.vm_labels, 'vms')]),
    hosts: idsOf([...(group.hosts ?? []), ...labelled(group.host_labels, 'hosts')]),
    vmsRule: ruleOf(group.vms_rule),
    hostsRule: ruleOf(group.hosts_rule),
  };
}

/** Machines with such a label run on hosts with it. */
function implicit(label: Resource<'affinity_label'>): AffinitySet {
  return {
    name: label.name ?? '',
    vms: idsOf(label.vms ?? []),
    hosts: idsOf(label.hosts ?? []),
    vmsRule: undefined,
    hostsRule: { positive: true, enforcing: true },
  };
}

function idsOf(references: References): Set<string> {
  return new Set(references.map(({ id }) => id ?? ''));
}

function ruleOf(rule: Group['vms_rule']): Rule | undefined {
  if (!rule?.enabled) return undefined;
  return { positive: rule.positive ?? false, enforcing: rule.enforcing ?? false };
}

/** Where the machines of a cluster run: host by machine. */
export type Placement = ReadonlyMap<string, string>;

/** Where the machines of some groups run, those of them that do. */
export function placementOf(ctx: RuleContext, sets: readonly AffinitySet[]): Map<string, string> {
  const ids = new Set(sets.flatMap(({ vms }) => [...vms]));
  return new Map(
    [...ids].flatMap((id) => {
      const host = ctx.tx.get('vm', id)?.host?.id;
      return host ? [[id, host] as const] : [];
    }),
  );
}

/** What a host would break if a machine ran on it. */
export interface Violation {
  readonly group: string;
  readonly enforcing: boolean;
  readonly text: string;
}

/** Rules that a machine would break on a host, given where the others run. */
export function violations(
  sets: readonly AffinitySet[],
  placement: Placement,
  vm: Vm,
  hostId: string,
): Violation[] {
  const id = vm.id ?? '';
  const found: Violation[] = [];
  for (const set of sets) {
    if (!set.vms.has(id)) continue;
    const { name, vmsRule, hostsRule } = set;
    const others = [...set.vms]
      .filter((other) => other !== id)
      .map((other) => placement.get(other));
    const hosts = new Set(others.filter((host) => host !== undefined));
    if (vmsRule?.positive && hosts.size > 0 && !hosts.has(hostId)) {
      const text = `affinity group ${name} keeps the VM with others that run elsewhere`;
      found.push({ group: name, enforcing: vmsRule.enforcing, text });
    }
    if (vmsRule && !vmsRule.positive && hosts.has(hostId)) {
      const text = `affinity group ${name} keeps the VM apart from others that run there`;
      found.push({ group: name, enforcing: vmsRule.enforcing, text });
    }
    if (hostsRule && set.hosts.size > 0 && set.hosts.has(hostId) !== hostsRule.positive) {
      const text = `affinity group ${name} ${hostsRule.positive ? 'does not name' : 'excludes'} it`;
      found.push({ group: name, enforcing: hostsRule.enforcing, text });
    }
  }
  return found;
}

/** Whether machines of a group run where an enforcing rule of it forbids it. */
export function isBroken(set: AffinitySet, placement: Placement): boolean {
  return [...set.vms].some((id) => {
    const host = placement.get(id);
    if (host === undefined) return false;
    return violations([set], placement, { id }, host).some(({ enforcing }) => enforcing);
  });
}
