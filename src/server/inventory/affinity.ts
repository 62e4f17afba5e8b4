/** Affinity groups and labels as sets of VMs and hosts for the scheduler. */
import type { Resource } from '../../model/resource.ts';
import type { RuleContext } from '../core/context.ts';
import type { ObjectOf } from '../store/transaction.ts';

type Vm = ObjectOf<'vm'>;
type Group = Resource<'affinity_group'>;

/** Affinity (positive) or anti-affinity; hard (enforcing) or soft. */
export interface Rule {
  readonly positive: boolean;
  readonly enforcing: boolean;
}

/** A group after its labels are resolved to VMs and hosts. */
export interface AffinitySet {
  readonly name: string;
  readonly vms: ReadonlySet<string>;
  readonly hosts: ReadonlySet<string>;
  /** Rule between the VMs; undefined if disabled. */
  readonly vmsRule: Rule | undefined;
  /** Rule between VMs and hosts; undefined if disabled. */
  readonly hostsRule: Rule | undefined;
}

type Reference = { readonly id?: string };
type References = readonly Reference[];
type Labels = readonly Resource<'affinity_label'>[];

/** The groups of a cluster, and the implicit groups of labels. */
export function listAffinitySets(ctx: RuleContext, clusterId: string): AffinitySet[] {
  const labels = ctx.tx.list('affinity_label');
  const groups = ctx.tx.list('affinity_group', {
    where: { collection: `/clusters/${clusterId}/affinitygroups` },
  });
  return [
    ...groups.map((group) => resolveGroup(group, labels)),
    ...labels.filter((label) => label.has_implicit_affinity_group).map(createLabelSet),
  ];
}

/** One group after its labels are resolved. */
export function resolveAffinitySet(ctx: RuleContext, group: Group): AffinitySet {
  return resolveGroup(group, ctx.tx.list('affinity_label'));
}

function resolveGroup(group: Group, labels: Labels): AffinitySet {
  const labelled = (named: References | undefined, what: 'vms' | 'hosts'): References =>
    (named ?? []).flatMap<Reference>(({ id }) => {
      const label = labels.find((one) => one.id === id);
      return label?.[what] ?? [];
    });
  return {
    name: group.name ?? '',
    vms: collectIds([...(group.vms ?? []), ...labelled(group.vm_labels, 'vms')]),
    hosts: collectIds([...(group.hosts ?? []), ...labelled(group.host_labels, 'hosts')]),
    vmsRule: readRule(group.vms_rule),
    hostsRule: readRule(group.hosts_rule),
  };
}

/** The implicit group of a label: its VMs run on its hosts. */
function createLabelSet(label: Resource<'affinity_label'>): AffinitySet {
  return {
    name: label.name ?? '',
    vms: collectIds(label.vms ?? []),
    hosts: collectIds(label.hosts ?? []),
    vmsRule: undefined,
    hostsRule: { positive: true, enforcing: true },
  };
}

function collectIds(references: References): Set<string> {
  return new Set(references.map(({ id }) => id ?? ''));
}

function readRule(rule: Group['vms_rule']): Rule | undefined {
  if (!rule?.enabled) return undefined;
  return { positive: rule.positive ?? false, enforcing: rule.enforcing ?? false };
}

/** Host ids of VMs, by VM id. */
export type HostByVm = ReadonlyMap<string, string>;

/** The current hosts of the running VMs in some groups. */
export function findPlacement(ctx: RuleContext, sets: readonly AffinitySet[]): Map<string, string> {
  const ids = new Set(sets.flatMap(({ vms }) => [...vms]));
  return new Map(
    [...ids].flatMap((id) => {
      const host = ctx.tx.get('vm', id)?.host?.id;
      return host ? [[id, host] as const] : [];
    }),
  );
}

/** A rule that a VM on a host would violate. */
export interface Violation {
  readonly group: string;
  readonly enforcing: boolean;
  readonly text: string;
}

/** Rules that a VM on a host would violate, given the hosts of the other VMs. */
export function findViolations(
  sets: readonly AffinitySet[],
  placement: HostByVm,
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

/** Whether a VM of a group currently violates one of its enforcing rules. */
export function isBroken(set: AffinitySet, placement: HostByVm): boolean {
  return [...set.vms].some((id) => {
    const host = placement.get(id);
    if (host === undefined) return false;
    return findViolations([set], placement, { id }, host).some(({ enforcing }) => enforcing);
  });
}
