/** `vmctl diff`: the difference between a service and a definition. */
import { command, noun } from '../../cli/args/command.ts';
import { argument, flag } from '../../cli/args/parameters.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import { planOf } from './plan.ts';
import { definitionFrom, fileFlag, fileOf } from './read.ts';
import { showPlan, summaryOf } from './show.ts';

/** Exit code where there are differences, as with other tools that compare. */
const differs = 11;

async function diff(cli: CommandContext, file: string): Promise<void> {
  const definition = await definitionFrom(cli, file);
  const plan = await planOf(await OperationRunner.begin(cli, {}), definition);
  await showPlan(cli, plan);
  cli.note(summaryOf(plan));
  if (plan.changes.length + plan.fixed.length > 0) cli.exitCode = differs;
}

export default noun({
  name: 'diff',
  doc: 'Compare a service with a definition',
  position: 100,
  section: 'Configure',
  commands: [
    command({
      arguments: [argument('[file]', 'definition, YAML or JSON; - for stdin', { type: 'file' })],
      flags: [fileFlag, flag('--exit-code', 'exit with 11 on differences (always on)')],
      notes: 'Exit code 11: differences found. See vmctl help definitions.',
      examples: ['vmctl diff site.yaml', 'vmctl export | vmctl diff -'],
      exits: [differs],
      unshowable: 'many',
      prints: 'report',
      run: (cli, [file], flags) => diff(cli, fileOf(file, flags)),
    }),
  ],
});
