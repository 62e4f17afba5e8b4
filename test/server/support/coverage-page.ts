/** The text of `docs/coverage.md`: which test drives each operation, and what is ignored. */

import {
  actionsWithoutEffect,
  ignoredParameters,
  refusedOperations,
} from '../../../src/model/derive/coverage.ts';
import { primaryPath } from '../../../src/model/index.ts';
import type { TestName } from '../../support/current-test.ts';

/** An operation of the specification. */
export interface Specified {
  readonly path: string;
  readonly http: string;
  readonly operation: string;
  readonly tier: string;
  readonly rows: readonly number[];
}

/** The test that stands for each operation, by method and path. */
export type Executed = Readonly<Record<string, TestName>>;

export const keyOfOperation = ({ http, path }: { http: string; path: string }) => `${http} ${path}`;

/** Writes the page. It depends on its input alone, in the order of the specification. */
export function coveragePage(specified: readonly Specified[], executed: Executed): string {
  const served = specified.filter((one) => executed[keyOfOperation(one)]);
  const tiers = [...new Set(specified.map(({ tier }) => tier))].map((tier) => {
    const count = (all: readonly Specified[]) => all.filter((one) => one.tier === tier).length;
    return `- ${tier}: ${count(served)} of ${count(specified)}`;
  });
  return `# Operations that are served

This page is generated: \`npm run coverage:api -- --write\` writes it anew after \`npm test\`, and
\`npm run coverage:api\` fails when it is out of date. An operation counts as served when a test
called it, it succeeded, and the test passed. For each stands one test that did so: where there are
several, the one that is named after the operation, or the one that does the least beside it.

Of ${specified.length} operations ${served.length} are served, by tier:

${tiers.join('\n')}

## What is ignored

These parameters are accepted, and change nothing. All others are read, and tests see what they do.

${ignoredLines()}

These actions are accepted, and change nothing that can be seen:

${lines(actionsWithoutEffect)}

These operations are always refused:

${lines(refusedOperations)}

In the dialect \`ovirt\` a search is ignored in collections that have nothing to search by, as
deployed services do; in the dialect \`standard\` it is refused.

## The test of each operation

${sections(specified, executed)}
`;
}

/** A line for each parameter and reason. What is below a data center as well is not named again. */
function ignoredLines(): string {
  const groups = new Map<string, string[]>();
  for (const { parameter, operation, why } of ignoredParameters) {
    const [method = '', path = ''] = operation.split(' ');
    if (primaryPath(path) !== path) continue;
    const key = `${parameter} ${why}`;
    const group = groups.get(key) ?? [];
    groups.set(key, [...group, `${method} ${path}`]);
  }
  return [...groups]
    .map(([key, keys]) => {
      const [parameter = ''] = key.split(' ', 1);
      const why = key.slice(parameter.length + 1);
      const isUpdates = parameter === 'async' && keys.every((one) => one.startsWith('PUT '));
      const where = isUpdates ? 'all updates' : keys.map((one) => `\`${one}\``).join(', ');
      return `- \`${parameter}\` of ${where}: ${why}`;
    })
    .join('\n');
}

function lines(reasons: Readonly<Record<string, string>>): string {
  return Object.entries(reasons)
    .map(([operation, why]) => `- \`${operation}\`: ${why}`)
    .join('\n');
}

/** One section for each collection at the top level. */
function sections(specified: readonly Specified[], executed: Executed): string {
  const byTop = new Map<string, string[]>();
  for (const one of specified) {
    const top = `/${one.path.split('/')[1]}`;
    const test = executed[keyOfOperation(one)];
    const told = test ? `${test.file}, “${test.name}”` : 'no test';
    const section = byTop.get(top) ?? [];
    section.push(`- \`${keyOfOperation(one)}\` (${one.operation}, ${one.tier}): ${told}`);
    byTop.set(top, section);
  }
  return [...byTop]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([top, section]) => `### ${top}\n\n${section.join('\n')}`)
    .join('\n\n');
}
