/** Reference tables of new services: references between tables are valid. */
import { expect, it } from 'vitest';
import { permits } from '../../../src/model/notation/permit-names.ts';
import { clusterLevels } from '../../../src/server/reference-data/cluster-levels.ts';
import { formatMigrationPolicies } from '../../../src/server/reference-data/migration-policies.ts';
import { findProcessorModel } from '../../../src/server/reference-data/processor-models.ts';
import { roles } from '../../../src/server/reference-data/roles.ts';
import {
  listPolicyWeights,
  policyFilters,
  schedulingPolicies,
  schedulingUnits,
} from '../../../src/server/reference-data/scheduling.ts';

it('each processor type of each level has a model', () => {
  const missing = Object.entries(clusterLevels).flatMap(([level, types]) =>
    types.filter(({ name }) => !findProcessorModel(level, name)?.model).map(({ name }) => name),
  );
  expect(missing).toEqual([]);
});

it('a processor type changes its model between levels', () => {
  expect(findProcessorModel('4.3', 'Intel Haswell Family')?.model).toBe('Haswell');
  expect(findProcessorModel('4.4', 'Intel Haswell Family')?.model).toBe('Haswell-noTSX');
  expect(findProcessorModel('4.4', 'Intel Sapphire Rapids Server Family')).toBeUndefined();
});

it('each permit of a role exists, once', () => {
  const known = new Set(permits.map(({ name }) => name));
  for (const { name, permits: own } of roles) {
    expect([name, own.filter((permit) => !known.has(permit))]).toEqual([name, []]);
    expect([name, new Set(own).size]).toEqual([name, own.length]);
  }
});

it('each unit of a scheduling policy exists', () => {
  const known = new Set(schedulingUnits.map(({ name, type }) => `${type} ${name}`));
  const used = schedulingPolicies.flatMap(({ name, balance }) => [
    `load_balancing ${balance}`,
    ...listPolicyWeights(name).map(([weight]) => `weight ${weight}`),
  ]);
  used.push(...policyFilters.map((name) => `filter ${name}`));
  expect(used.filter((unit) => !known.has(unit))).toEqual([]);
});

it.each([
  ['4.2', 3],
  ['4.8', 4],
])('level %s has %d migration policies', (level, count) => {
  expect(JSON.parse(formatMigrationPolicies(level))).toHaveLength(count);
});
