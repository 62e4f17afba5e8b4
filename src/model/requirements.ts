/** Required input as paths, and as text for faults and help. */
import type { Requirement } from './notation/collections.ts';

function neededPaths(requirement: Requirement): readonly string[] {
  const needed =
    typeof requirement === 'object' && 'needed' in requirement ? requirement.needed : requirement;
  return typeof needed === 'string' ? [needed] : needed;
}

/** Paths of which one is required: `['cluster.id', 'cluster.name']`. */
export function acceptedPaths(requirement: Requirement): readonly string[] {
  const instead =
    typeof requirement === 'object' && 'needed' in requirement ? requirement.unless : [];
  return [...neededPaths(requirement), ...instead];
}

/** Preferred path: `cluster.id`. */
export function firstPath(requirement: Requirement): string {
  return neededPaths(requirement)[0] ?? '';
}

/** Text of a requirement: `cluster.id|name`. */
export function requirementText(requirement: Requirement): string {
  const [first = '', ...others] = neededPaths(requirement);
  const parent = first.slice(0, first.lastIndexOf('.') + 1);
  const named = others.map((path) => (path === `${parent}name` ? 'name' : path));
  return [first, ...named].join('|');
}
