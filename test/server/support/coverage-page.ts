/** The text of `docs/coverage.md`: which test drives each operation, and what is ignored. */
import {
  actionsWithoutEffect,
  ignoredParameters,
  refusedOperations,
} from '../../../src/model/ignored.ts';
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

${ignoredParameters.map(ignoredLine).join('\n')}

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

function ignoredLine({ parameter, operations, why }: (typeof ignoredParameters)[number]): string {
  const where = operations.map((one) => (one === 'PUT *' ? 'all updates' : `\`${one}\``));
  return `- \`${parameter}\` of ${where.join(', ')}: ${why}`;
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
