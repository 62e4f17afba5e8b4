/** Generator of `docs/coverage.md`: tests by operation, and ignored parameters. */

import {
  actionsWithoutEffect,
  ignoredParameters,
  refusedOperations,
} from '../../../src/model/derive/coverage.ts';
import { primaryPath } from '../../../src/model/index.ts';
import type { SpecifiedOperation } from '../../../src/specification/operations.ts';

/** One test file per operation, by method and path. */
export type Executed = Readonly<Record<string, string>>;

export const keyOfOperation = ({ http, path }: { http: string; path: string }) => `${http} ${path}`;

/** The page, in the order of the specification. */
export function coveragePage(specified: readonly SpecifiedOperation[], executed: Executed): string {
  const served = specified.filter((one) => executed[keyOfOperation(one)]);
  const tiers = [...new Set(specified.map(({ tier }) => tier))].map((tier) => {
    const count = (all: readonly SpecifiedOperation[]) =>
      all.filter((one) => one.tier === tier).length;
    return `- ${tier}: ${count(served)} of ${count(specified)}`;
  });
  return `# Coverage of the API

\`npm run coverage:api -- --write\` generates this page after \`npm test\`; \`npm run coverage:api\` fails if the
page is out of date. The server supports an operation if a passing test calls it with success. The page names
one test file per operation; \`npm run coverage:api\` prints all tests.

The server supports ${served.length} of ${specified.length} operations, by tier:

${tiers.join('\n')}

## Ignored parameters

The server accepts these parameters without an effect. Tests check the effect of all others.

${ignoredLines()}

These actions have no visible effect:

${lines(actionsWithoutEffect)}

The server always refuses these operations:

${lines(refusedOperations)}

The dialect \`ovirt\` ignores a search in collections without searchable fields, as engines do. The dialect
\`standard\` refuses it.

## Tests by operation

${sections(specified, executed)}
`;
}

/** A line per parameter and reason, without duplicates below a data center. */
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

/** One section per top-level collection. */
function sections(specified: readonly SpecifiedOperation[], executed: Executed): string {
  const byTop = new Map<string, string[]>();
  for (const one of specified) {
    const top = `/${one.path.split('/')[1]}`;
    const file = executed[keyOfOperation(one)];
    const test = file ? `\`${file}\`` : 'no test';
    const section = byTop.get(top) ?? [];
    section.push(`- \`${keyOfOperation(one)}\` (${one.operation}, ${one.tier}): ${test}`);
    byTop.set(top, section);
  }
  return [...byTop]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([top, section]) => `### ${top}\n\n${section.join('\n')}`)
    .join('\n\n');
}
