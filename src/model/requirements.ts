/** Requirements on what is sent, as paths and as the text that faults and help show. */
import type { Requirement } from './notation/collections.ts';

function neededPaths(requirement: Requirement): readonly string[] {
  const needed =
    typeof requirement === 'object' && 'needed' in requirement ? requirement.needed : requirement;
  return typeof needed === 'string' ? [needed] : needed;
}

/** Paths of which one has to be sent: `['cluster.id', 'cluster.name']`. */
export function acceptedPaths(requirement: Requirement): readonly string[] {
  const instead =
    typeof requirement === 'object' && 'needed' in requirement ? requirement.unless : [];
  return [...neededPaths(requirement), ...instead];
}

/** The path that is meant first: `cluster.id`. */
export function firstPath(requirement: Requirement): string {
  return neededPaths(requirement)[0] ?? '';
}

/** What is needed, in a text: `cluster.id|name`. */
export function requirementText(requirement: Requirement): string {
  const [first = '', ...others] = neededPaths(requirement);
  const parent = first.slice(0, first.lastIndexOf('.') + 1);
  const named = others.map((path) => (path === `${parent}name` ? 'name' : path));
  return [first, ...named].join('|');
}
