/** `vmctl diff`: how a service differs from a definition. */
import type { Command } from 'commander';
import type { CommandContext } from '../session/command-context.ts';
import { OperationRunner } from '../verbs/operation-runner.ts';
import { planOf } from './definitions/plan.ts';
import { definitionFrom } from './definitions/read.ts';
import { showPlan, summaryOf } from './definitions/show.ts';

/** Exit code where there are differences, as with other tools that compare. */
const differs = 11;

/** Adds the arguments of `vmctl diff`. */
export function register(command: Command, cli: CommandContext): void {
  command
    .argument('<file>', 'a definition, YAML or JSON; - is stdin')
    .addHelpText(
      'after',
      `
Exits with 11 if there are differences. vmctl help definitions shows what a definition looks like.

Examples:
  vmctl diff site.yaml
  vmctl export | vmctl diff -`,
    )
    .action((file: string) => diff(cli, file));
}

async function diff(cli: CommandContext, file: string): Promise<void> {
  const definition = await definitionFrom(cli, file);
  const plan = await planOf(await OperationRunner.begin(cli, {}), definition);
  await showPlan(cli, plan);
  cli.note(summaryOf(plan));
  if (plan.changes.length + plan.fixed.length > 0) cli.exitCode = differs;
}
