/** How members are called on the wire where that is not simply their name. */
import { type ParsedKind, pluralOf } from '../model/index.ts';

/** `vm_status` as people and fault texts know it: `VmStatus`. */
export function displayName(name: string): string {
  return name.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Element of one value in a list of plain values: the singular of the member. The rule suffices
 * for every such list of the model; a test holds the words it makes.
 */
export function singular(member: string): string {
  if (member.endsWith('ies')) return `${member.slice(0, -3)}y`;
  return member.replace(/s$/, '');
}

/**
 * The type after which a list of objects is named. The NUMA nodes of a virtual machine and of a host
 * are different types, but inside of either their list has the names that it has on a host.
 */
export function namesake(member: string, { of }: ParsedKind): string {
  return member === 'numa_nodes' ? 'numa_node' : of;
}

/** Members with a second name: lists of NUMA nodes are named after their type. */
export function wireName(member: string, kind: ParsedKind): string {
  return member === 'numa_nodes' && kind.form === 'links'
    ? pluralOf(namesake(member, kind))
    : member;
}
