/**
 * `docs/coverage.md` tells which operations are served. It is made from the model, the rules and
 * the operations of the specification: `npm run coverage:api -- --write` writes it anew.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { allOperations, type Operation } from '../../src/model/index.ts';
import { registerRules } from '../../src/server/rules/index.ts';
import { isStored } from '../../src/server/rules/places.ts';
import { rulesOf } from '../../src/server/rules/registry.ts';
import { storedKinds, typeOfKind } from '../../src/server/store/kinds.ts';

interface Specified {
  readonly path: string;
  readonly http: string;
  readonly operation: string;
  readonly tier: string;
}

const page = new URL('../../docs/coverage.md', import.meta.url);
const specified = JSON.parse(
  readFileSync(new URL('../data/operations.json', import.meta.url), 'utf8'),
) as readonly Specified[];

const generic = new Set(['list', 'get', 'add', 'update', 'remove']);
/** Those of the service as a whole have no type of object, and no rules. */
const whole = new Set(['/', '/reloadconfigurations']);

/** Whether some rule answers an operation; the generic handler does for those of every type. */
function isServed({ name, type, path, isAction }: Operation): boolean {
  if (whole.has(path)) return true;
  const kinds = storedKinds().filter((kind) => typeOfKind(kind) === type);
  const rules = [type as never, ...kinds].map((kind) => rulesOf(kind));
  if (!isStored(type) && !rules.some((one) => one?.compute)) return false;
  if (!isAction && generic.has(name)) return true;
  return rules.some(
    (one) =>
      one?.actions?.[name as never] ??
      one?.collectionActions?.[name as never] ??
      (name === 'remove' && one?.removeMany),
  );
}

function write(): string {
  registerRules();
  const declared = new Map(allOperations().map((one) => [`${one.http} ${one.path}`, one]));
  const tiers = new Map<string, { all: number; served: number }>();
  const missing: string[] = [];
  for (const { http, path, operation, tier } of specified) {
    const count = tiers.get(tier) ?? { all: 0, served: 0 };
    tiers.set(tier, count);
    count.all += 1;
    const known = declared.get(`${http} ${path}`);
    if (known && isServed(known)) count.served += 1;
    else {
      const reason = known ? 'the server has no rule for it: 501' : 'not in the model: 404';
      missing.push(`- \`${http} ${path}\` (${operation}, ${tier}): ${reason}`);
    }
  }
  const sum = (which: 'all' | 'served') =>
    [...tiers.values()].reduce((total, count) => total + count[which], 0);
  return `# Operations that are served

This page is generated: \`npm run coverage:api -- --write\` writes it anew, and a test fails when it
is out of date. The numbered operations have tests; \`npm run coverage:api\` lists these.

Of ${sum('all')} operations ${sum('served')} are served, by tier:

${[...tiers].map(([tier, { all, served }]) => `- ${tier}: ${served} of ${all}`).join('\n')}

${missing.length === 0 ? 'Every operation has a rule.' : `These are not:\n\n${missing.join('\n')}`}
`;
}

it('is up to date', () => {
  const text = write();
  if (process.env['VMCTL_WRITE_COVERAGE']) writeFileSync(page, text);
  expect(readFileSync(page, 'utf8')).toBe(text);
});

it('lists at most 40 operations that are not served', () => {
  expect(write().match(/^- `/gm)?.length ?? 0).toBeLessThanOrEqual(40);
});
