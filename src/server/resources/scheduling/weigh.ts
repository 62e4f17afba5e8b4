/** Which of the hosts that fit is best: the weights of the cluster's scheduling policy. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import type { Candidate } from './fit.ts';

type Vm = Resource<'vm'>;

/** A host that fits, with the rules that it would break and that only should hold. */
export interface Choice extends Candidate {
  readonly softViolations: number;
}

interface Weight {
  readonly name: string;
  readonly factor: number;
}

/** What a unit prefers: hosts with the lower number. */
const measures: Readonly<Record<string, (choice: Choice, vm: Vm) => number>> = {
  OptimalForCpuEvenDistribution: ({ load }) => load,
  OptimalForMemoryEvenDistribution: ({ freeMemory }) => -Number(freeMemory),
  CpuPowerSaving: ({ load }) => -load,
  MemoryPowerSaving: ({ freeMemory }) => Number(freeMemory),
  OptimalForEvenGuestDistribution: ({ vms }) => vms,
  PreferredHosts: ({ host }, vm) => {
    const preferred = vm.placement_policy?.hosts ?? [];
    return preferred.length === 0 || preferred.some(({ id }) => id === host.id) ? 0 : 1;
  },
  VmAffinityGroups: ({ softViolations }) => softViolations,
  VmToHostsAffinityGroups: ({ softViolations }) => softViolations,
};

/** The best host: each unit ranks them, ranks count as often as the factor of the unit says. */
export function best(
  ctx: RuleContext,
  vm: Vm,
  policyId: string,
  choices: readonly Choice[],
): Choice {
  const ranks = new Map(choices.map((choice) => [choice, 0]));
  for (const { name, factor } of weightsOf(ctx, policyId)) {
    const measure = measures[name];
    if (!measure) continue;
    const values = [...new Set(choices.map((choice) => measure(choice, vm)))].sort((a, b) => a - b);
    for (const choice of choices) {
      const rank = values.indexOf(measure(choice, vm));
      ranks.set(choice, (ranks.get(choice) ?? 0) + factor * rank);
    }
  }
  const [first, ...others] = choices;
  if (!first) throw new Error('There is no host to choose from.');
  return others.reduce(
    (chosen, choice) => ((ranks.get(choice) ?? 0) < (ranks.get(chosen) ?? 0) ? choice : chosen),
    first,
  );
}

function weightsOf(ctx: RuleContext, policyId: string): Weight[] {
  const weights = ctx.tx.list('weight', {
    where: { collection: `/schedulingpolicies/${policyId}/weights` },
  });
  return weights.map((weight) => ({
    name: ctx.tx.get('scheduling_policy_unit', weight.scheduling_policy_unit?.id ?? '')?.name ?? '',
    factor: weight.factor ?? 1,
  }));
}
